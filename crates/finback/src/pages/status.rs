//! How the server is, for its pages.

use super::ServerPages;
use super::regions::text;
use super::threads;
use finback_metrics::ServerFigures;
use finback_pages::model::{Cluster, Process, Refused, Share, Status, Transition, Wal};
use finback_proto::pb;
use pb::Option as StatusOption;
use std::time::Instant;

impl ServerPages {
    pub(super) fn server_status(&self, until: Instant) -> Status {
        let sources = &self.sources;
        let (figures, cache, ipc) = (sources.region_server.figures().0, (sources.cache)(), sources.ipc());
        let lookups = cache.hits + cache.misses;
        Status {
            master: sources.master_name.to_string(),
            cluster_id: sources.cluster_id.clone(),
            zookeeper: sources.zookeeper_quorum.clone(),
            cluster: self.cluster(until),
            connections: ipc.connections,
            scanners: figures.open_scanners,
            waiting: vec![
                ("priority", ipc.waiting_priority),
                ("reads", ipc.waiting_reads),
                ("scans", ipc.waiting_scans),
                ("writes", ipc.waiting_writes),
            ],
            memory: self.memory(&figures, ipc.in_flight_bytes, cache.bytes),
            cache_hits: (lookups > 0).then(|| cache.hits as f64 / lookups as f64),
            wal: wal(&figures),
            process: self.process(),
        }
    }

    fn memory(&self, figures: &ServerFigures, requests: u64, cache: u64) -> Vec<Share> {
        let budget = &self.memory;
        let share = |name, used, limit| Share { name, used, limit };
        vec![
            share("Memstores", Some(figures.memstore_bytes), budget.memstores),
            share("Block cache", Some(cache), budget.block_cache),
            share("Requests", Some(requests), budget.requests),
            share("Replies", None, budget.replies),
            share("Queue of the log", Some(figures.wal.queued_bytes), budget.log_queue),
            share("Waiting scanners", None, budget.scanners),
            share("Nonces", None, budget.nonces),
        ]
    }

    fn process(&self) -> Process {
        let figures = self.sources.start.figures();
        Process {
            id: std::process::id(),
            cpu_ms: figures.cpu_ms,
            resident: figures.resident_bytes,
            peak_resident: figures.peak_resident_bytes,
            memory_limit: self.memory.limit,
            descriptors: figures.open_descriptors,
            most_descriptors: figures.most_descriptors,
            threads: threads::by_name(),
        }
    }

    fn cluster(&self, until: Instant) -> Result<Cluster, Refused> {
        let wanted =
            [StatusOption::ServersName, StatusOption::DeadServers, StatusOption::RegionsInTransition];
        let request = pb::GetClusterStatusRequest { options: wanted.map(i32::from).to_vec() };
        let answer: pb::GetClusterStatusResponse = self.ask_master(until, "GetClusterStatus", &request)?;
        let status = answer.cluster_status;
        let transition = |one: &pb::RegionInTransition| Transition {
            region: text(&one.spec.value),
            state: one.region_state.state().as_str_name().to_owned(),
            since_ms: one.region_state.stamp(),
        };
        Ok(Cluster {
            live: status.servers_name.len() as u64,
            dead: status.dead_servers.len() as u64,
            in_transition: status.regions_in_transition.iter().map(transition).collect(),
        })
    }
}

fn wal(figures: &ServerFigures) -> Wal {
    Wal {
        files: figures.wal.files,
        bytes: figures.wal.bytes,
        failures: figures.wal.failures,
        sync_p99_ns: figures.wal.sync.quantile(0.99),
    }
}
