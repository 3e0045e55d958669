//! What a curve is.

/// One thing that grows, and what is looked at meanwhile.
#[derive(Debug)]
pub(super) struct Curve {
    /// On the command line, and of its files.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// What grows.
    pub(super) axis: &'static str,
    pub(super) points: &'static [u64],
    /// Of the server.
    pub(super) settings: &'static [(&'static str, &'static str)],
    /// How one should expect it to grow.
    pub(super) theory: &'static str,
    /// The table at a point.
    pub(super) table: fn(u64) -> Table,
    pub(super) operations: &'static [Operation],
}

/// A table of PerformanceEvaluation's that is filled before something is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) rows: u64,
    pub(super) value_bytes: u64,
    pub(super) columns: u64,
    pub(super) regions: u64,
    /// Store files that its rows are distributed among, at random.
    pub(super) files: u64,
    /// Clients of the operations, and connections of theirs.
    pub(super) clients: u64,
    pub(super) connections: u64,
}

impl Table {
    /// What does not grow.
    pub(super) const USUAL: Self = Self {
        rows: 100_000,
        value_bytes: 100,
        columns: 1,
        regions: 1,
        files: 1,
        clients: 16,
        connections: 1,
    };
}

/// What is measured at each point.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    pub(super) colour: &'static str,
    /// PerformanceEvaluation's command and options.
    pub(super) command: &'static str,
    pub(super) options: &'static [&'static str],
}

pub(super) const GET: Operation =
    Operation { name: "get", colour: "#1f618d", command: "randomRead", options: &["--addColumns=false"] };

pub(super) const PUT: Operation =
    Operation { name: "put", colour: "#c0392b", command: "randomWrite", options: &["--autoFlush=true"] };

pub(super) const INCREMENT: Operation =
    Operation { name: "increment", colour: "#7d3c98", command: "increment", options: &[] };

pub(super) const SCAN: Operation =
    Operation { name: "scanned row", colour: "#1e8449", command: "scan", options: &["--caching=1000"] };
