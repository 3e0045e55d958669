//! Settings of background jobs.

use crate::io_budget::ThroughputBounds;
use finback_region::OffPeakHours;
use std::time::Duration;

/// Settings of flushes and compactions of a server, under HBase's names.
#[derive(Clone, Debug)]
pub struct BackgroundOptions {
    /// `hbase.hstore.flusher.count`.
    pub flush_threads: usize,
    /// `hbase.regionserver.thread.compaction.large`.
    pub large_compaction_threads: usize,
    /// `hbase.regionserver.thread.compaction.small`.
    pub small_compaction_threads: usize,
    /// `hbase.regionserver.thread.compaction.throttle`, in bytes: compactions that read more are large.
    pub large_compaction_bytes: u64,
    /// `hbase.regionserver.compaction.enabled`: whether there are compactions until somebody switches.
    pub compactions_enabled: bool,
    /// `hbase.compaction.after.bulkload.enable`: whether stores are looked at for a compaction when files were loaded into them.
    pub compacts_after_bulk_load: bool,
    /// `hbase.hstore.blockingWaitTime`: how long a flush waits for a compaction of a store with too many files.
    pub blocking_wait: Duration,
    /// `hbase.regionserver.throughput.controller`: the limits of compactions; `None` for no limits.
    pub compaction_throughput: Option<ThroughputBounds>,
    /// `hbase.regionserver.flush.throughput.controller`: the limits of flushes; `None` for no limits.
    pub flush_throughput: Option<ThroughputBounds>,
    /// `hbase.offpeak.start.hour` and `hbase.offpeak.end.hour`: hours in which nobody is disturbed.
    pub off_peak_hours: Option<OffPeakHours>,
}

impl Default for BackgroundOptions {
    fn default() -> Self {
        Self {
            flush_threads: 2,
            large_compaction_threads: 1,
            small_compaction_threads: 1,
            // HBase: twice the flush size times hbase.hstore.compaction.max.
            large_compaction_bytes: 2 * 10 * (128 << 20),
            compactions_enabled: true,
            compacts_after_bulk_load: true,
            blocking_wait: Duration::from_secs(90),
            compaction_throughput: Some(ThroughputBounds::COMPACTIONS),
            flush_throughput: None,
            off_peak_hours: None,
        }
    }
}
