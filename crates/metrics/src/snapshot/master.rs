//! The master.

use super::ipc::IpcFigures;
use crate::histogram::HistogramSnapshot;

/// The master.
#[derive(Clone, Debug, Default)]
pub struct MasterFigures {
    /// `host,port,startcode`.
    pub name: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// `host:port` of the ZooKeeper responder.
    pub zookeeper_quorum: String,
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// Live region servers, separated by semicolons.
    pub live_servers: String,
    /// How many.
    pub live_server_count: u64,
    /// Dead region servers, separated by semicolons.
    pub dead_servers: String,
    /// How many.
    pub dead_server_count: u64,
    /// Regions per live server.
    pub average_load: f64,
    /// Calls of clients to the region servers that live.
    pub cluster_requests: u64,
    /// Regions in transition.
    pub in_transition: u64,
    /// How long the first of them has been that, ms.
    pub oldest_transition_ms: u64,
    /// How many have been that for longer than a minute.
    pub overdue_transitions: u64,
    /// When it began to serve clients, ms since the epoch; 0 before.
    pub initialized_ms: u64,
    /// Procedures, under HBase's names (`Assign`, `Split`, …).
    pub procedures: Vec<(&'static str, ProcedureFigures)>,
    /// How long regions were in transition.
    pub transition_time: HistogramSnapshot,
    /// Whether regions are balanced.
    pub balances: bool,
    /// Its RPC server.
    pub ipc: IpcFigures,
}

/// Procedures of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcedureFigures {
    /// How many were asked for.
    pub submitted: u64,
    /// How many failed.
    pub failed: u64,
    /// How long those took that succeeded.
    pub time: HistogramSnapshot,
}

impl MasterFigures {
    /// The procedures of a kind.
    pub fn procedures(&self, kind: &str) -> Option<&ProcedureFigures> {
        self.procedures.iter().find(|(known, _)| *known == kind).map(|(_, figures)| figures)
    }
}
