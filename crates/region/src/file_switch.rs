//! Files of several stores that come to be served together: a reader takes those of all stores from before the switch, or
//! of all from after it; and who looked before can tell that there was one.

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering, fence};

/// A sequence lock: readers pay two loads.
#[derive(Debug, Default)]
pub(crate) struct FileSwitch {
    /// Odd while a switch is under way.
    number: AtomicU64,
    one_at_a_time: Mutex<()>,
}

/// Files seen under the same number are the same, but for what flushes and compactions changed that no reader can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FilesSeen(u64);

impl FileSwitch {
    /// Does `change`, of which readers see all or nothing.
    pub(crate) fn switch(&self, change: impl FnOnce()) {
        let _one_at_a_time = self.one_at_a_time.lock();
        self.number.fetch_add(1, Ordering::AcqRel);
        change();
        self.number.fetch_add(1, Ordering::Release);
    }

    /// Takes a look at the stores, again while a switch is under way. A switch exchanges pointers: it is short.
    pub(crate) fn look<T>(&self, mut look: impl FnMut() -> T) -> (T, FilesSeen) {
        loop {
            let before = self.number.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                let seen = look();
                fence(Ordering::Acquire);
                if self.number.load(Ordering::Relaxed) == before {
                    return (seen, FilesSeen(before));
                }
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_switched_together_is_seen_together() {
        let switch = FileSwitch::default();
        let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 1..2000 {
                    switch.switch(|| {
                        a.store(n, Ordering::Release);
                        b.store(n, Ordering::Release);
                    });
                }
            });
            for _ in 0..2000 {
                let ((a, b), seen) = switch.look(|| (a.load(Ordering::Acquire), b.load(Ordering::Acquire)));
                assert_eq!((a, FilesSeen(2 * a)), (b, seen));
            }
        });
    }
}
