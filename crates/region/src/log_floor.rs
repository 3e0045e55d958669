//! From where on a store needs its log, where versions are left out in memory for the sake of newer ones that are in no log.

use finback_sync::atomic::{AtomicU64, Ordering};

/// A sequence id. An older version that memory has no more is in the log from it on, and comes back in a crash, which the newer one
/// does not survive. What a flush has put into files needs no log any more, nor does what that hides in memory: the floor of
/// cells that are being flushed ends with their flush, and stays if that fails.
#[derive(Debug)]
pub(crate) struct LogFloor {
    /// For cells in no log that came since the last flush began.
    since: AtomicU64,
    /// For those that it has taken.
    flushing: AtomicU64,
}

/// Every cell is in the log.
const NONE: u64 = u64::MAX;

impl Default for LogFloor {
    fn default() -> Self {
        Self { since: AtomicU64::new(NONE), flushing: AtomicU64::new(NONE) }
    }
}

impl LogFloor {
    /// Before cells come that are in no log: what they may hide has the `lowest` sequence id of the memstore and of what is on its way
    /// there, or a higher one.
    pub(crate) fn before_unlogged(&self, lowest: impl FnOnce() -> u64) {
        // Between two flushes it only rises.
        if self.since.load(Ordering::Acquire) == NONE {
            self.since.fetch_min(lowest(), Ordering::AcqRel);
        }
    }

    /// A flush takes all cells. Called while nobody writes.
    pub(crate) fn begin_flush(&self) {
        self.flushing.fetch_min(self.since.load(Ordering::Acquire), Ordering::AcqRel);
        // Afterwards: who looks at this one first finds the other.
        self.since.store(NONE, Ordering::Release);
    }

    /// What the flush has taken, which is all up to this sequence id, is in store files. More cells that are in no log may have come
    /// meanwhile.
    pub(crate) fn flushed(&self, sequence_id: u64) {
        self.since.fetch_max(sequence_id + 1, Ordering::AcqRel);
        self.flushing.store(NONE, Ordering::Release);
    }

    /// The sequence id from which on the log is needed for cells of which the memstore has none below `lowest`.
    pub(crate) fn limits(&self, lowest: u64) -> u64 {
        let since = self.since.load(Ordering::Acquire);
        lowest.min(since).min(self.flushing.load(Ordering::Acquire))
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
