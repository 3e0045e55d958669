//! How much a thread has to do.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// A thread that computes for more than so many thousandths of the time is busy: below that, another one would only have to be woken
/// for what this one comes to anyway.
const BUSY: u32 = 950;
/// A thread with so many thousandths less to do takes connections, or calls, from one that is busy; below that, one has little to do.
const LESS: u32 = 500;
/// What is known for longer says nothing any more: nobody has looked since, as there was nothing to do.
const KNOWN_FOR: Duration = Duration::from_millis(500);

/// Of one thread; others read it.
#[derive(Debug, Default)]
pub(super) struct Load {
    pub(super) connections: AtomicUsize,
    /// Thousandths of the time.
    busy: AtomicU32,
    /// When that was found, in milliseconds since [`epoch`].
    found_ms: AtomicU64,
}

fn epoch() -> Instant {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    *EPOCH.get_or_init(Instant::now)
}

fn now_ms() -> u64 {
    epoch().elapsed().as_millis() as u64
}

impl Load {
    pub(super) fn is_busy(&self) -> bool {
        self.busy() > BUSY
    }

    /// Whether a thread with this load takes connections from one with `other`.
    pub(super) fn relieves(&self, other: &Self) -> bool {
        other.is_busy() && self.busy() + LESS < other.busy()
    }

    /// Whether a thread with this load goes on to carry out calls for one with `other`. It has begun as that one was busy, which it is
    /// no longer then: until there is little to do for either.
    pub(super) fn goes_on_for(&self, other: &Self) -> bool {
        other.busy() > LESS && !self.is_busy()
    }

    pub(super) fn busy(&self) -> u32 {
        let found = Duration::from_millis(now_ms().saturating_sub(self.found_ms.load(Relaxed)));
        if found > KNOWN_FOR { 0 } else { self.busy.load(Relaxed) }
    }

    /// The thread has computed for so long of some time.
    pub(super) fn found(&self, computed: Duration, of: Duration) {
        let busy = computed.as_micros().saturating_mul(1000) / of.as_micros().max(1);
        self.busy.store(busy.min(1000) as u32, Relaxed);
        self.found_ms.store(now_ms(), Relaxed);
    }
}

/// For how long this thread has computed.
pub(super) fn computed() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests;
