//! How a client behaves, by HBase's own names and defaults.

use crate::error::{Error, Result};
use std::time::Duration;

/// Where a cluster is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClusterAddress {
    /// Through ZooKeeper (HBase's ZKConnectionRegistry, the default of its 2.x clients).
    ZooKeeper {
        /// `host:port` of each server of the quorum. `hbase.zookeeper.quorum`, `hbase.zookeeper.property.clientPort`.
        quorum: Vec<String>,
        /// The node below which HBase's are. `zookeeper.znode.parent`.
        parent: String,
    },
    /// Through masters (HBase's MasterRegistry). `hbase.masters`.
    Masters(Vec<String>),
    /// Through any servers, of which the first answers tell more (HBase's RpcConnectionRegistry).
    /// `hbase.client.bootstrap.servers`.
    Bootstrap(Vec<String>),
}

/// Settings of a client.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientConfig {
    /// Where the cluster is found.
    pub cluster: ClusterAddress,
    /// The user that servers are told. Default: the environment's `HADOOP_USER_NAME` or `USER`.
    pub user: String,
    /// Time for one call. `hbase.rpc.timeout`, 60 s.
    pub rpc_timeout: Duration,
    /// Time for one call that reads. `hbase.rpc.read.timeout`; `hbase.rpc.timeout` if not set.
    pub read_rpc_timeout: Option<Duration>,
    /// Time for one call that writes. `hbase.rpc.write.timeout`; `hbase.rpc.timeout` if not set.
    pub write_rpc_timeout: Option<Duration>,
    /// Time for an operation with all its tries. `hbase.client.operation.timeout`, 20 minutes.
    pub operation_timeout: Duration,
    /// Time for one step of a scan with all its tries. `hbase.client.scanner.timeout.period`, 60 s.
    pub scan_timeout: Duration,
    /// How often an operation is tried again. `hbase.client.retries.number`, 15.
    pub retries: u32,
    /// Pause before the second try, multiplied from try to try; a twentieth of it if the region was not where it was looked for.
    /// `hbase.client.pause`, 100 ms.
    pub pause: Duration,
    /// The same when the server has too much to do. `hbase.client.pause.server.overloaded`; `hbase.client.pause` if not
    /// set.
    pub pause_overloaded: Option<Duration>,
    /// Rows that a scan asks for at a time. `hbase.client.scanner.caching`, unlimited.
    pub scanner_caching: u32,
    /// Bytes that a scan asks for at a time. `hbase.client.scanner.max.result.size`, 2 MiB.
    pub scanner_max_result_size: u64,
    /// Regions that one look-up in hbase:meta brings. `hbase.client.locate.prefetch.limit`, 10.
    pub locate_prefetch: u32,
    /// Time for the primary of a region to answer a timeline-consistent get, before its other replicas are asked as well.
    /// `hbase.client.primaryCallTimeout.get` (microseconds), 10 ms.
    pub primary_get_patience: Duration,
    /// The same, of a timeline-consistent scan. `hbase.client.primaryCallTimeout.scan` (microseconds), 1 s.
    pub primary_scan_patience: Duration,
    /// Bytes after which a buffered mutator sends. `hbase.client.write.buffer`, 2 MiB.
    pub write_buffer: usize,
    /// Longest cell that is sent; 0 is any. `hbase.client.keyvalue.maxsize`, 10 MiB.
    pub max_cell_size: usize,
    /// Servers of a registry that are asked side by side. `hbase.client.bootstrap.hedged.fanout` and
    /// `hbase.client.master_registry.hedged.fanout`, 2.
    pub registry_fanout: usize,
    /// How long a session of ZooKeeper, or one server of a quorum, may take to answer. 10 s.
    pub registry_timeout: Duration,
    /// Time for a server to accept a connection. `hbase.ipc.client.socket.timeout.connect`, 10 s.
    pub connect_timeout: Duration,
    /// Silence of a server that owes answers, after which a call that runs out of time ends the connection.
    /// `hbase.ipc.client.socket.timeout.read`, 20 s.
    pub read_timeout: Duration,
    /// Time in which a server takes nothing of what it is sent, after which the connection ends.
    /// `hbase.ipc.client.socket.timeout.write`, 60 s.
    pub write_timeout: Duration,
    /// Time without calls after which a connection is closed.
    /// `hbase.ipc.client.connection.minIdleTimeBeforeClose`, 120 s.
    pub idle_timeout: Duration,
    /// Time for which a server that could not be reached is not tried again.
    /// `hbase.ipc.client.failed.servers.expiry`, 2 s.
    pub failed_server_expiry: Duration,
    /// Calls in flight on one connection; more wait. 1000.
    pub max_in_flight: usize,
    /// Whether cells come with their tags. HBase's clients are not sent them; those between servers are. `false`.
    pub cell_tags: bool,
}

/// HBase's `Integer.MAX_VALUE`, which stands for "no limit".
const UNLIMITED_ROWS: u32 = i32::MAX as u32;

impl ClientConfig {
    /// A cluster found through ZooKeeper: `host:port,host:port`; 2181 is the port of those that name none.
    pub fn zookeeper(quorum: &str) -> Self {
        let quorum = addresses(quorum, ZOOKEEPER_PORT);
        Self::at(ClusterAddress::ZooKeeper { quorum, parent: "/hbase".to_owned() })
    }

    /// A cluster found through ZooKeeper, by HBase's key of it: `host1,host2:port:/node`. None of what is no key.
    pub fn of_cluster_key(key: &str) -> Option<Self> {
        let (rest, parent) = key.rsplit_once(':').filter(|(_, parent)| parent.starts_with('/'))?;
        let (hosts, port) = rest.rsplit_once(':')?;
        let quorum = addresses(hosts, port.parse().ok()?);
        let is_one = !quorum.is_empty();
        is_one.then(|| Self::at(ClusterAddress::ZooKeeper { quorum, parent: parent.to_owned() }))
    }

    /// HBase's key of the cluster, if it is found through ZooKeeper.
    pub fn cluster_key(&self) -> Option<String> {
        let ClusterAddress::ZooKeeper { quorum, parent } = &self.cluster else { return None };
        let port = quorum.first()?.rsplit_once(':')?.1;
        let host = |address: &String| match address.rsplit_once(':') {
            Some((host, own)) if own == port => host.to_owned(),
            _ => address.clone(),
        };
        Some(format!("{}:{port}:{parent}", quorum.iter().map(host).collect::<Vec<_>>().join(",")))
    }

    /// A cluster found through its masters: `host:port,host:port`; 16000 is the port of those that name none.
    pub fn masters(masters: &str) -> Self {
        Self::at(ClusterAddress::Masters(addresses(masters, MASTER_PORT)))
    }

    /// A cluster found through any of its servers: `host:port,host:port`; 16020 is the port of those that name none.
    pub fn bootstrap(servers: &str) -> Self {
        Self::at(ClusterAddress::Bootstrap(addresses(servers, REGION_SERVER_PORT)))
    }

    /// A cluster found as `cluster` says, with HBase's defaults.
    pub fn at(cluster: ClusterAddress) -> Self {
        let user = ["HADOOP_USER_NAME", "USER"].iter().find_map(|name| std::env::var(name).ok());
        Self {
            cluster,
            user: user.filter(|user| !user.is_empty()).unwrap_or_else(|| "finback".to_owned()),
            rpc_timeout: Duration::from_secs(60),
            read_rpc_timeout: None,
            write_rpc_timeout: None,
            operation_timeout: Duration::from_secs(20 * 60),
            scan_timeout: Duration::from_secs(60),
            retries: 15,
            pause: Duration::from_millis(100),
            pause_overloaded: None,
            scanner_caching: UNLIMITED_ROWS,
            scanner_max_result_size: 2 << 20,
            locate_prefetch: 10,
            primary_get_patience: Duration::from_millis(10),
            primary_scan_patience: Duration::from_secs(1),
            write_buffer: 2 << 20,
            max_cell_size: 10 << 20,
            registry_fanout: 2,
            registry_timeout: Duration::from_secs(10),
            connect_timeout: Duration::from_secs(10),
            read_timeout: Duration::from_secs(20),
            write_timeout: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(120),
            failed_server_expiry: Duration::from_secs(2),
            max_in_flight: 1000,
            cell_tags: false,
        }
    }

    /// A client as HBase's own settings describe it, such as those of an `hbase-site.xml`. Settings that are not the
    /// client's, or that have no equivalent here, are passed over.
    ///
    /// # Errors
    /// [`Error::Setting`] for a value that is none.
    pub fn from_settings<'a>(settings: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self> {
        settings::read(settings)
    }

    /// Changes the user that servers are told.
    #[must_use]
    pub fn user(mut self, user: impl Into<String>) -> Self {
        self.user = user.into();
        self
    }

    /// Changes the time for an operation with all its tries.
    #[must_use]
    pub fn operation_timeout(mut self, timeout: Duration) -> Self {
        self.operation_timeout = timeout;
        self
    }

    /// Changes the time for one call.
    #[must_use]
    pub fn rpc_timeout(mut self, timeout: Duration) -> Self {
        self.rpc_timeout = timeout;
        self
    }

    /// Changes the time for one step of a scan.
    #[must_use]
    pub fn scan_timeout(mut self, timeout: Duration) -> Self {
        self.scan_timeout = timeout;
        self
    }

    /// Changes how often an operation is tried again.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Changes the pause before the second try.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.pause = pause;
        self
    }

    pub(crate) fn for_reads(&self) -> Duration {
        self.read_rpc_timeout.unwrap_or(self.rpc_timeout)
    }

    pub(crate) fn for_writes(&self) -> Duration {
        self.write_rpc_timeout.unwrap_or(self.rpc_timeout)
    }
}

const ZOOKEEPER_PORT: u16 = 2181;
const MASTER_PORT: u16 = 16000;
const REGION_SERVER_PORT: u16 = 16020;

/// `host:port` of each address of a list, with a port for those that name none.
fn addresses(list: &str, port: u16) -> Vec<String> {
    list.split(',')
        .map(str::trim)
        .filter(|address| !address.is_empty())
        .map(|address| match address.rsplit_once(':') {
            Some((_, digits)) if digits.parse::<u16>().is_ok() => address.to_owned(),
            _ => format!("{address}:{port}"),
        })
        .collect()
}

pub(crate) mod settings;

#[cfg(test)]
mod tests;

pub(crate) fn nothing_to_ask(cluster: &ClusterAddress) -> Option<Error> {
    let (list, name) = match cluster {
        ClusterAddress::ZooKeeper { quorum, .. } => (quorum, "hbase.zookeeper.quorum"),
        ClusterAddress::Masters(masters) => (masters, "hbase.masters"),
        ClusterAddress::Bootstrap(servers) => (servers, "hbase.client.bootstrap.servers"),
    };
    list.is_empty().then(|| Error::Setting(format!("{name} names no server")))
}
