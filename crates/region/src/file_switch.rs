//! Files of several stores that come to be served together: a reader takes those of all stores from before the switch, or
//! of all from after it.

use std::sync::atomic::{AtomicU64, Ordering, fence};

/// A sequence lock: readers pay two loads.
#[derive(Debug, Default)]
pub(crate) struct FileSwitch(AtomicU64);

impl FileSwitch {
    /// Does `change`, of which readers see all or nothing. One caller at a time.
    pub(crate) fn switch(&self, change: impl FnOnce()) {
        self.0.fetch_add(1, Ordering::AcqRel);
        change();
        self.0.fetch_add(1, Ordering::Release);
    }

    /// Takes a look at the stores, again while a switch is under way. A switch exchanges pointers: it is short.
    pub(crate) fn look<T>(&self, mut look: impl FnMut() -> T) -> T {
        loop {
            let before = self.0.load(Ordering::Acquire);
            if before.is_multiple_of(2) {
                let seen = look();
                fence(Ordering::Acquire);
                if self.0.load(Ordering::Relaxed) == before {
                    return seen;
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
                let (a, b) = switch.look(|| (a.load(Ordering::Acquire), b.load(Ordering::Acquire)));
                assert_eq!(a, b);
            }
        });
    }
}
