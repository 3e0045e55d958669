//! From where on a store needs its log, where versions are left out in memory for the sake of newer ones that are in no log.

use std::sync::atomic::{AtomicU64, Ordering};

/// A sequence id. An older version that memory has no more is in the log from it on, and comes back in a crash, which the newer one
/// does not survive.
#[derive(Debug)]
pub(crate) struct LogFloor(AtomicU64);

/// Every cell is in the log.
const NONE: u64 = u64::MAX;

impl Default for LogFloor {
    fn default() -> Self {
        Self(AtomicU64::new(NONE))
    }
}

impl LogFloor {
    /// Before cells come that are in no log: what they may hide has the `lowest` sequence id of the memstore and of what is on its way
    /// there, or a higher one.
    pub(crate) fn before_unlogged(&self, lowest: impl FnOnce() -> u64) {
        // It only rises.
        if self.0.load(Ordering::Acquire) == NONE {
            self.0.fetch_min(lowest(), Ordering::AcqRel);
        }
    }

    /// All up to this sequence id is in store files. More cells that are in no log may have come meanwhile.
    pub(crate) fn flushed(&self, sequence_id: u64) {
        self.0.fetch_max(sequence_id + 1, Ordering::AcqRel);
    }

    /// The sequence id from which on the log is needed for cells of which the memstore has none below `lowest`.
    pub(crate) fn limits(&self, lowest: u64) -> u64 {
        lowest.min(self.0.load(Ordering::Acquire))
    }
}
