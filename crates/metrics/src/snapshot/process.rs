//! The process.

/// The process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessFigures {
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// The time, ms since the epoch.
    pub now_ms: u64,
    /// Processor time, of all threads, ms.
    pub cpu_ms: u64,
    /// Memory that is resident, bytes.
    pub resident_bytes: u64,
    /// Memory that was resident at most, bytes.
    pub peak_resident_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Open file descriptors.
    pub open_descriptors: u64,
    /// File descriptors that it may have.
    pub most_descriptors: u64,
    /// Processors that it may use.
    pub processors: u64,
    /// Threads of the machine that run or wait for a processor, on average over a minute.
    pub load_average: f64,
    /// Spans, where they are exported.
    pub spans: Option<SpanFigures>,
}

/// Spans that were to be exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanFigures {
    /// The collector has taken them.
    pub sent: u64,
    /// Too many waited.
    pub dropped: u64,
    /// The collector has not taken them, however often it was tried.
    pub failed: u64,
}
