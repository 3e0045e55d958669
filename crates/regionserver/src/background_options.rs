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
    /// `hbase.server.compactchecker.interval.multiplier`: so many times 10 s pass between two looks at all stores. 0 counts
    /// as 1.
    pub compaction_check_multiplier: u32,
    /// `hbase.hstore.blockingWaitTime`: how long a flush waits for a compaction of a store with too many files.
    pub blocking_wait: Duration,
    /// `hbase.regionserver.throughput.controller`: the limits of compactions; `None` for no limits.
    pub compaction_throughput: Option<ThroughputBounds>,
    /// `hbase.regionserver.flush.throughput.controller`: the limits of flushes; `None` for no limits.
    pub flush_throughput: Option<ThroughputBounds>,
    /// `hbase.offpeak.start.hour` and `hbase.offpeak.end.hour`: hours in which nobody is disturbed.
    pub off_peak_hours: Option<OffPeakHours>,
}

impl BackgroundOptions {
    /// Between two looks at all stores: files grow old without a flush too.
    pub(crate) fn look_interval(&self) -> Duration {
        /// HBase's `hbase.server.thread.wakefrequency`.
        const UNIT: Duration = Duration::from_secs(10);
        UNIT * self.compaction_check_multiplier.max(1)
    }
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
            compaction_check_multiplier: 1000,
            blocking_wait: Duration::from_secs(90),
            compaction_throughput: Some(ThroughputBounds::COMPACTIONS),
            flush_throughput: None,
            off_peak_hours: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_looked_at_every_so_many_times_ten_seconds() {
        for (compaction_check_multiplier, seconds) in [(1000, 10_000), (1, 10), (0, 10)] {
            let options = BackgroundOptions { compaction_check_multiplier, ..BackgroundOptions::default() };
            assert_eq!(options.look_interval(), Duration::from_secs(seconds));
        }
        let rarest =
            BackgroundOptions { compaction_check_multiplier: u32::MAX, ..BackgroundOptions::default() };
        assert_eq!(rarest.look_interval(), Duration::from_secs(42_949_672_950));
    }
}
