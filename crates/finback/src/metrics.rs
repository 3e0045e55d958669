//! Where the numbers of the metrics come from: the region server's own, those of its RPC server and block cache, and what the
//! master answers to anyone who asks for the cluster's status.

use crate::metrics_history::History;
use crate::process::Start;
use finback_cell::ServerName;
use finback_master::MasterStatistics;
use finback_metrics::{CacheFigures, IpcFigures, MasterFigures, ProcessFigures, Snapshot};
use finback_otel::Tracer;
use finback_proto::pb;
use finback_regionserver::RegionServer;
use finback_rpc::{Channel, ChannelExt, Server};
use pb::Option as StatusOption;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// A region that is on its way for longer is overdue: HBase's `hbase.metrics.rit.stuck.warning.threshold`.
const OVERDUE_MS: u64 = 60_000;
/// How long the master may take to tell how the cluster is.
const STATUS_TIMEOUT: Duration = Duration::from_secs(3);

/// Tells what the block cache does.
pub(crate) type CacheStatistics = Arc<dyn Fn() -> CacheFigures + Send + Sync>;

/// Everything that has numbers.
pub(crate) struct Sources {
    pub(crate) region_server: Arc<RegionServer>,
    pub(crate) rpc: Server,
    pub(crate) master_rpc: Server,
    pub(crate) cache: CacheStatistics,
    pub(crate) master: Arc<dyn Channel>,
    pub(crate) master_name: ServerName,
    pub(crate) cluster_id: String,
    pub(crate) zookeeper_quorum: String,
    pub(crate) statistics: MasterStatistics,
    /// When clients were first served, ms since the epoch; 0 before.
    pub(crate) initialized_ms: Arc<AtomicU64>,
    pub(crate) start: Start,
    /// Where spans are exported.
    pub(crate) tracer: Option<Arc<Tracer>>,
    pub(crate) runtime: Handle,
    pub(crate) history: Arc<History>,
}

impl Sources {
    /// The numbers now, with how they were a while ago. Blocks until the master has answered.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snapshot = self.now();
        snapshot.earlier = self.history.earlier();
        self.history.fill_rates(&mut snapshot);
        snapshot
    }

    /// The numbers now, by themselves. Blocks likewise.
    pub(crate) fn now(&self) -> Snapshot {
        let (mut server, regions) = self.region_server.figures();
        server.cluster_id.clone_from(&self.cluster_id);
        server.zookeeper_quorum.clone_from(&self.zookeeper_quorum);
        server.cache = (self.cache)();
        server.ipc = self.rpc.figures();
        Snapshot {
            host: self.region_server.name().host.clone(),
            server: Some(server),
            regions,
            tables: self.region_server.table_figures(),
            master: self.runtime.block_on(self.status()).map(|status| self.master_figures(&status)),
            process: ProcessFigures {
                spans: self.tracer.as_ref().map(|tracer| tracer.figures()),
                ..self.start.figures()
            },
            earlier: None,
        }
    }

    pub(crate) fn ipc(&self) -> IpcFigures {
        self.rpc.figures()
    }

    /// None while the master does not answer, as before it has recovered.
    async fn status(&self) -> Option<pb::ClusterStatus> {
        let wanted = [
            StatusOption::LiveServers,
            StatusOption::DeadServers,
            StatusOption::RegionsInTransition,
            StatusOption::BalancerOn,
        ];
        let request = pb::GetClusterStatusRequest { options: wanted.map(i32::from).to_vec() };
        let answer =
            self.master.call_within(STATUS_TIMEOUT, "GetClusterStatus", &request, Default::default());
        // One that hangs does not keep to the time that it is told.
        let answer: Result<Result<(pb::GetClusterStatusResponse, _), _>, _> =
            tokio::time::timeout(STATUS_TIMEOUT, answer).await;
        match answer {
            Ok(Ok((response, _))) => return Some(response.cluster_status),
            Ok(Err(error)) => tracing::debug!(%error, "the master does not tell how the cluster is"),
            Err(_) => tracing::debug!("the master does not tell in time how the cluster is"),
        }
        None
    }

    fn master_figures(&self, status: &pb::ClusterStatus) -> MasterFigures {
        let live = &status.live_servers;
        let loads = || live.iter().map(|server| &server.server_load);
        let regions: usize = loads().map(|load| load.region_loads.len()).sum();
        let now_ms = crate::server::now_ms();
        let stamps = status.regions_in_transition.iter().filter_map(|one| one.region_state.stamp);
        MasterFigures {
            name: self.master_name.to_string(),
            cluster_id: self.cluster_id.clone(),
            zookeeper_quorum: self.zookeeper_quorum.clone(),
            start_ms: self.master_name.start_code,
            live_servers: names(live.iter().map(|server| &server.server)),
            live_server_count: live.len() as u64,
            dead_servers: names(status.dead_servers.iter()),
            dead_server_count: status.dead_servers.len() as u64,
            average_load: regions as f64 / live.len().max(1) as f64,
            cluster_requests: loads().map(pb::ServerLoad::total_number_of_requests).sum(),
            in_transition: status.regions_in_transition.len() as u64,
            oldest_transition_ms: stamps.clone().min().map_or(0, |oldest| now_ms.saturating_sub(oldest)),
            overdue_transitions: stamps.filter(|since| now_ms.saturating_sub(*since) > OVERDUE_MS).count()
                as u64,
            initialized_ms: self.initialized_ms.load(Ordering::Relaxed),
            procedures: self.statistics.procedures(),
            transition_time: self.statistics.transition_time(),
            balances: status.balancer_on(),
            ipc: self.master_rpc.figures(),
        }
    }
}

/// As HBase lists servers.
fn names<'a>(servers: impl Iterator<Item = &'a pb::ServerName>) -> String {
    let names: Vec<String> = servers.map(name).collect();
    names.join(";")
}

fn name(server: &pb::ServerName) -> String {
    let (port, start_code) = (server.port.unwrap_or(0), server.start_code.unwrap_or(0));
    format!("{},{port},{start_code}", server.host_name)
}
