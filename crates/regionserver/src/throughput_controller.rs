//! Holds background jobs to the I/O budget, on their own threads.

use crate::BackgroundOptions;
use crate::io_budget::{IoBudget, Lane, Pressure};
use finback_region::{JobControl, Region};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A wait is cut into pieces, so that a job that is to end does not sleep on.
const WAIT_PIECE: Duration = Duration::from_millis(20);
/// The longest wait for one block. Blocks are small; a limit of a few bytes must not stop a job for ever.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The budget, and the clock for it.
#[derive(Debug)]
pub(crate) struct ThroughputController {
    begun: Instant,
    budget: Mutex<IoBudget>,
}

impl ThroughputController {
    pub(crate) fn new(options: &BackgroundOptions) -> Self {
        let budget = IoBudget::new(options.compaction_throughput, options.flush_throughput);
        Self { begun: Instant::now(), budget: Mutex::new(budget) }
    }

    /// Other limits, from now on.
    pub(crate) fn reconfigure(&self, options: &BackgroundOptions) {
        let mut budget = self.budget.lock();
        budget.reconfigure(self.begun.elapsed(), options.compaction_throughput, options.flush_throughput);
    }

    /// Notes the pressure.
    pub(crate) fn tune(&self, pressure: Pressure) {
        let mut budget = self.budget.lock();
        let before = budget.compaction_limit();
        budget.tune(self.begun.elapsed(), pressure);
        let limit = budget.compaction_limit();
        if before != limit {
            tracing::debug!(bytes_a_second = ?limit, ?pressure, "limit of compactions");
        }
    }

    /// Waits on this thread for as long as the budget says, or until the job is to end.
    fn take(&self, lane: Lane, bytes: u64, is_over: impl Fn() -> bool) {
        let wait = self.budget.lock().take(lane, self.begun.elapsed(), bytes);
        let until = Instant::now() + wait.min(LONGEST_WAIT);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || is_over() {
                return;
            }
            std::thread::sleep(left.min(WAIT_PIECE));
        }
    }
}

/// Control of one compaction.
pub(crate) struct CompactionControl {
    pub(crate) throughput: Arc<ThroughputController>,
    pub(crate) region: Arc<Region>,
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) asked_for: bool,
}

impl JobControl for CompactionControl {
    fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire) || self.region.is_closing()
    }

    fn is_asked_for(&self) -> bool {
        self.asked_for
    }

    fn wrote(&self, bytes: u64) {
        self.throughput.take(Lane::Compactions, bytes, || self.is_cancelled());
    }
}

/// Control of one flush, which goes on to its end, and in haste when the region closes.
pub(crate) struct FlushControl {
    pub(crate) throughput: Arc<ThroughputController>,
    pub(crate) region: Arc<Region>,
}

impl JobControl for FlushControl {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn wrote(&self, bytes: u64) {
        self.throughput.take(Lane::Flushes, bytes, || self.region.is_to_be_closed());
    }
}
