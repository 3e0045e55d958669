//! The loads that all servers are put under, by all clients.

use crate::load::{Client, Load};

/// Regions of the table.
pub(super) const REGIONS: u32 = 4;
/// Bytes of a row of PerformanceEvaluation's as a KeyValue: lengths (4 + 4), row (2 + 26), family (1 + 5), qualifier (1), time and
/// type (8 + 1), value (1000).
pub(super) const ROW_BYTES: u64 = 1052;

/// Many clients are through with the share of a few before it can be measured: they have so many times as much.
const SHARES_OF_MANY: f64 = 5.0;

/// A load on one server.
#[derive(Debug)]
pub(crate) struct Workload {
    /// On the command line and in the results.
    pub(crate) name: &'static str,
    /// In tables.
    pub(crate) title: &'static str,
    /// Command and options of PerformanceEvaluation, or of YCSB.
    command: &'static str,
    options: &'static [&'static str],
    /// Share of the table's rows that it works on.
    share: f64,
    pub(crate) writes: Writes,
    pub(crate) tool: Tool,
}

/// Whose command it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    /// PerformanceEvaluation's, which all clients have.
    PerformanceEvaluation,
    /// YCSB's, which `finback pe` has: on a table of its own.
    Ycsb,
}

/// What a load leaves the server to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writes {
    /// It only reads.
    Nothing,
    /// It writes rows of [`ROW_BYTES`]: flushing and compacting them belongs to it.
    Many,
    /// It writes a few of them, which stay in memory.
    Few,
    /// It writes cells of other sizes, which stay in memory.
    Small,
}

pub(crate) const SEQUENTIAL_WRITE: Workload = Workload {
    name: "sequential-write",
    title: "buffered writes, one row after the other",
    command: "sequentialWrite",
    options: &[],
    share: 1.0,
    writes: Writes::Many,
    tool: Tool::PerformanceEvaluation,
};

pub(crate) const SCAN: Workload = Workload {
    name: "scan",
    title: "scan, caching 1000",
    command: "scan",
    options: &["--caching=1000"],
    writes: Writes::Nothing,
    ..SEQUENTIAL_WRITE
};

/// In the order in which they are run: the first fills the table, and those that only read come before those that write a little.
pub(crate) static WORKLOADS: [Workload; 9] = [
    SEQUENTIAL_WRITE,
    Workload {
        name: "random-write",
        title: "buffered writes, random rows",
        command: "randomWrite",
        writes: Writes::Many,
        ..SEQUENTIAL_WRITE
    },
    Workload {
        name: "get",
        title: "random get, cached",
        command: "randomRead",
        share: 0.2,
        writes: Writes::Nothing,
        ..SEQUENTIAL_WRITE
    },
    Workload {
        name: "multi-get",
        title: "random gets, 10 in a call",
        command: "randomRead",
        options: &["--multiGet=10"],
        share: 0.2,
        writes: Writes::Nothing,
        ..SEQUENTIAL_WRITE
    },
    SCAN,
    Workload {
        name: "put",
        title: "single put",
        command: "randomWrite",
        options: &["--autoFlush=true"],
        share: 0.1,
        writes: Writes::Few,
        ..SEQUENTIAL_WRITE
    },
    Workload {
        name: "default-put",
        title: "single put, durability of the table",
        command: "ycsbLoad",
        options: &["-p", "fieldcount=1", "-p", "fieldlength=1000"],
        share: 0.1,
        writes: Writes::Few,
        tool: Tool::Ycsb,
    },
    Workload {
        name: "increment",
        title: "increment",
        command: "increment",
        share: 0.05,
        writes: Writes::Small,
        ..SEQUENTIAL_WRITE
    },
    Workload {
        name: "check-and-put",
        title: "checkAndPut",
        command: "checkAndPut",
        share: 0.05,
        writes: Writes::Small,
        ..SEQUENTIAL_WRITE
    },
];

impl Workload {
    /// Whether a client has the command.
    pub(crate) fn is_for(&self, client: Client) -> bool {
        self.tool == Tool::PerformanceEvaluation || client != Client::Java
    }

    /// The load on a table of so many rows.
    pub(crate) fn load(&self, table: &str, rows: u64, client: Client) -> Load {
        let clients = client.count();
        let share = match client {
            Client::FinbackMany => (self.share * SHARES_OF_MANY).min(1.0),
            Client::Java | Client::Finback => self.share,
        };
        let mut options = vec![format!("--presplit={REGIONS}")];
        options.extend(self.options.iter().map(ToString::to_string));
        let share = match self.tool {
            Tool::PerformanceEvaluation => {
                options.push(format!("--table={table}"));
                options.push(format!("--rows={}", rows / u64::from(clients)));
                share
            }
            Tool::Ycsb => {
                let records = (rows as f64 * share) as u64;
                options.push(format!("--table={table}-ycsb"));
                options.extend(["-p".to_owned(), format!("recordcount={}", records.max(1))]);
                1.0
            }
        };
        Load { command: self.command, clients, options, share }
    }
}
