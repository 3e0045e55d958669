//! An RPC server.

use crate::histogram::HistogramSnapshot;

/// An RPC server.
#[derive(Clone, Debug, Default)]
pub struct IpcFigures {
    /// Open connections.
    pub connections: u64,
    /// Bytes of requests that are being received or answered.
    pub in_flight_bytes: u64,
    /// Calls that wait, of the cluster itself.
    pub waiting_priority: u64,
    /// Calls that wait, reads of rows that are named.
    pub waiting_reads: u64,
    /// Calls that wait, reads of ranges.
    pub waiting_scans: u64,
    /// Calls that wait, changes.
    pub waiting_writes: u64,
    /// How long calls stood between being read and being begun.
    pub queue_time: HistogramSnapshot,
    /// How long they took from then on.
    pub process_time: HistogramSnapshot,
    /// Both together.
    pub total_time: HistogramSnapshot,
    /// Bytes of requests.
    pub request_bytes: HistogramSnapshot,
    /// Bytes of answers.
    pub response_bytes: HistogramSnapshot,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Connections whose header was taken.
    pub accepted: u64,
    /// Connections whose header was not.
    pub refused: u64,
    /// Calls that ended with an exception.
    pub exceptions: ExceptionCounts,
}

/// Calls that ended with an exception, by its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExceptionCounts {
    /// All of them.
    pub all: u64,
    /// Those that HBase counts by themselves, under its names.
    pub named: Vec<(&'static str, u64)>,
    /// The rest.
    pub others: u64,
}

impl ExceptionCounts {
    /// Those of a name of HBase's.
    pub fn of(&self, name: &str) -> u64 {
        self.named.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }
}
