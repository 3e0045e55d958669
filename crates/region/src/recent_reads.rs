//! Whether a store is read: its new files then stay in the system's memory for those who read it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether anybody has read a store since the flush before the last one. Of a store that was opened with files nobody knows who
/// read them before: they count as read.
#[derive(Debug)]
pub(crate) struct RecentReads {
    since_flush: AtomicBool,
    before: AtomicBool,
}

impl RecentReads {
    /// Of a store that is opened.
    pub(crate) fn new(has_files: bool) -> Self {
        Self { since_flush: AtomicBool::new(has_files), before: AtomicBool::new(false) }
    }

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

    /// It failed, and is going to be tried again.
    pub(crate) fn undo_flush(&self) {
        if self.before.load(Ordering::Relaxed) {
            self.note();
        }
    }

    /// Whether anybody has.
    pub(crate) fn any(&self) -> bool {
        self.since_flush.load(Ordering::Relaxed) || self.before.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::RecentReads;

    #[test]
    fn reads_before_a_flush_that_failed_count_as_if_it_had_not_begun() {
        let reads = RecentReads::new(false);
        reads.note();
        for _ in 0..3 {
            reads.begin_flush();
            assert!(reads.any());
            reads.undo_flush();
        }
        reads.begin_flush();
        assert!(reads.any());
        reads.begin_flush();
        assert!(!reads.any());
    }
}
