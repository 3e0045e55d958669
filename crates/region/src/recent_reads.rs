//! Whether a store is read: its new files then stay in the system's memory for those who read it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether anybody has read a store since the flush before the last one.
#[derive(Debug, Default)]
pub(crate) struct RecentReads {
    since_flush: AtomicBool,
    before: AtomicBool,
}

impl RecentReads {
    /// Somebody reads. Most have nothing to write here, which many share.
    #[inline]
    pub(crate) fn note(&self) {
        if !self.since_flush.load(Ordering::Relaxed) {
            self.since_flush.store(true, Ordering::Relaxed);
        }
    }

    /// A flush begins.
    pub(crate) fn begin_flush(&self) {
        self.before.store(self.since_flush.swap(false, Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether anybody has.
    pub(crate) fn any(&self) -> bool {
        self.since_flush.load(Ordering::Relaxed) || self.before.load(Ordering::Relaxed)
    }
}
