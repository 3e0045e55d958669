use std::{sync::Arc, time::Duration};

use crate::sanity_check::SanityChecks;
use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, SplitRestriction, TableDescriptor};
use finback_layout::{LayoutError, RootDir};
use finback_rpc::Channel;

/// A channel to a service (`AdminService`, `ClientService`) of a region server.
pub type Connect = Arc<dyn Fn(&ServerName, &'static str) -> Arc<dyn Channel> + Send + Sync>;

/// Milliseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// Called when a client asks for a stop; `true` if the whole cluster is meant.
pub type ShutdownHook = Arc<dyn Fn(bool) + Send + Sync>;

/// Names of store files, by family.
pub type FilesByFamily = Vec<(Bytes, Vec<String>)>;

/// Which store files of a region that nobody serves would be served: not those that a compaction has left. None if one cannot be read:
/// all are taken for served then. It blocks.
pub type ServedFiles =
    Arc<dyn Fn(&RootDir, &TableDescriptor, &RegionInfo) -> Option<FilesByFamily> + Send + Sync>;

/// What a master needs.
#[derive(Clone)]
pub struct MasterOptions {
    /// The root directory; locked by the caller.
    pub root: RootDir,
    /// How to reach region servers.
    pub connect: Connect,
    /// This master.
    pub server_name: ServerName,
    /// The time.
    pub clock: Clock,
    /// What Shutdown and StopMaster do.
    pub shutdown: ShutdownHook,
    /// For snapshots of tables that are disabled.
    pub served_files: ServedFiles,
    /// Settings.
    pub config: MasterConfig,
}

/// Settings, with HBase's names.
#[derive(Debug, Clone)]
pub struct MasterConfig {
    /// How schemas are checked.
    pub table_sanity_checks: SanityChecks,
    /// `zookeeper.session.timeout`: a region server that was silent for so long is dead. None (the default): never; right
    /// where master and region server are one process.
    pub server_expiry: Option<Duration>,
    /// Where tables are split that do not say it themselves. Default: wherever anybody asks.
    pub split_restriction: SplitRestriction,
    /// `hbase.master.maxclockskew`: how far a region server's clock may be off. Default 30 s.
    pub max_clock_skew: Duration,
    /// `hbase.master.info.port`, told to clients; -1 is none.
    pub info_port: i32,
    /// The version told to clients.
    pub version: String,
    /// `hbase.master.procedure.remote.locks.timeout.ms`: how long a client that holds a lock may be silent. Default 30 s.
    pub remote_lock_timeout: Duration,
    /// `hbase.master.snapshot.ttl`: the time to live of snapshots that say none. Default: forever.
    pub snapshot_ttl: Duration,
    /// What the master does now and then.
    pub chores: Chores,
    /// `hbase.client.bootstrap.node.limit`. Default 10.
    pub bootstrap_node_limit: usize,
}

impl Default for MasterConfig {
    fn default() -> Self {
        Self {
            table_sanity_checks: SanityChecks::default(),
            server_expiry: None,
            split_restriction: SplitRestriction::default(),
            max_clock_skew: Duration::from_secs(30),
            info_port: -1,
            version: "2.6.4".to_owned(),
            remote_lock_timeout: Duration::from_secs(30),
            snapshot_ttl: Duration::ZERO,
            chores: Chores::default(),
            bootstrap_node_limit: 10,
        }
    }
}

/// What the master does now and then, with HBase's names.
#[derive(Debug, Clone, Copy)]
pub struct Chores {
    /// `hbase.master.cleaner.interval`: how often the archive is looked through. Default 10 min.
    pub cleaner_interval: Duration,
    /// `hbase.master.hfilecleaner.ttl`: how long a file stays in the archive that nothing needs. Default 5 min.
    pub hfile_ttl: Duration,
    /// `hbase.master.cleaner.snapshot.interval`: how often snapshots are removed that have outlived their time. Default
    /// 30 min.
    pub snapshot_cleaner_interval: Duration,
}

impl Default for Chores {
    fn default() -> Self {
        Self {
            cleaner_interval: Duration::from_secs(600),
            hfile_ttl: Duration::from_secs(300),
            snapshot_cleaner_interval: Duration::from_secs(1800),
        }
    }
}

/// Why a master cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MasterError {
    /// The root directory is not usable.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The file of procedures cannot be read.
    #[error("reading the procedures: {0}")]
    Procedures(#[source] std::io::Error),
    /// The thread that prepared it is gone.
    #[error("preparing the root directory: {0}")]
    Interrupted(String),
}
