//! What the servers of a cluster have answered.

use finback_cell::{RegionInfo, RegionState, ServerName, TableName};
use finback_proto::pb::table_state::State as TableState;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A cluster, by the answers of its servers.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// How it was named by who asked.
    pub name: String,
    /// Rows of hbase:meta that are about regions, and hbase:meta itself.
    pub regions: Vec<ClusterRegion>,
    /// What is wrong with other rows of hbase:meta.
    pub malformed: Vec<String>,
    /// States of tables, as hbase:meta has them.
    pub tables: BTreeMap<TableName, TableState>,
    /// Tables that the master has descriptors of.
    pub described: BTreeSet<TableName>,
    /// Servers that the master has for alive.
    pub servers: Vec<ClusterServer>,
    /// Servers that the master has for dead.
    pub dead: BTreeSet<ServerName>,
    /// What the master has in transition, by encoded name.
    pub transitions: HashMap<String, ClusterTransition>,
    /// Whether the master may be splitting or merging regions: these are closed meanwhile, and in no transition.
    pub may_be_dividing: bool,
    /// Now, in milliseconds since the epoch.
    pub now_ms: u64,
}

/// What hbase:meta says of a region.
#[derive(Debug, Clone)]
pub struct ClusterRegion {
    /// The primary.
    pub info: RegionInfo,
    /// Its state, if there is one.
    pub state: Option<RegionState>,
    /// The server of the primary.
    pub server: Option<ServerName>,
    /// The other replicas: number and server.
    pub replicas: Vec<(u32, Option<ServerName>)>,
    /// What it was split into.
    pub daughters: Vec<RegionInfo>,
}

impl ClusterRegion {
    /// Whether its rows are served by others now.
    pub(super) fn was_split(&self) -> bool {
        self.info.split || self.state == Some(RegionState::Split)
    }

    /// Whether its rows are served by it: not by those that it was, or is to be, divided into.
    pub(super) fn serves(&self) -> bool {
        use RegionState::{Merged, MergingNew, SplittingNew};
        let is_none = matches!(self.state, Some(Merged | SplittingNew | MergingNew));
        !self.was_split() && !self.info.offline && !is_none
    }
}

/// A region server that lives.
#[derive(Debug, Clone)]
pub struct ClusterServer {
    /// Its name.
    pub name: ServerName,
    /// The regions, and replicas, that it has open; or why it does not say.
    pub open: Result<Vec<RegionInfo>, String>,
}

/// A region in transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterTransition {
    /// HBase's name of its state.
    pub state: String,
    /// Since when, in milliseconds since the epoch; if that is told.
    pub since_ms: Option<u64>,
}
