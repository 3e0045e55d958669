//! Files of several stores that come to be served together: a reader takes those of all stores from before the switch, or
//! of all from after it; and who looked before can tell that there was one.

use finback_sync::Mutex;
use finback_sync::atomic::{AtomicU64, Ordering, fence};
use finback_sync::thread;

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
            thread::yield_now();
        }
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
