//! Processor time of this process.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// What all threads have used so far.
pub(crate) fn used() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), u32::try_from(used.tv_nsec).unwrap_or(0))
}
