//! Which records there are while others are being inserted: YCSB's `AcknowledgedCounterGenerator`.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers for new records, and the last of which all before are there.
#[derive(Debug, Clone)]
pub(crate) struct Inserted(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    next: AtomicU64,
    /// All below are there.
    there: AtomicU64,
    /// Those beyond that are there already: no more than inserts are under way.
    beyond: Mutex<BTreeSet<u64>>,
}

impl Inserted {
    /// Records from 0 to `next` are there.
    pub(crate) fn new(next: u64) -> Self {
        let shared = Shared { next: next.into(), there: next.into(), beyond: Mutex::default() };
        Self(Arc::new(shared))
    }

    /// The number of a new record.
    pub(crate) fn take(&self) -> u64 {
        self.0.next.fetch_add(1, Ordering::Relaxed)
    }

    /// A record is there.
    pub(crate) fn acknowledge(&self, number: u64) {
        let mut beyond = self.0.beyond.lock();
        beyond.insert(number);
        let mut there = self.0.there.load(Ordering::Relaxed);
        while beyond.remove(&there) {
            there += 1;
        }
        self.0.there.store(there, Ordering::Release);
    }

    /// How many there are, without gaps.
    pub(crate) fn count(&self) -> u64 {
        self.0.there.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_counts_when_all_before_are_there() {
        let inserted = Inserted::new(10);
        let numbers: Vec<u64> = (0..3).map(|_| inserted.take()).collect();
        assert_eq!((numbers, inserted.count()), (vec![10, 11, 12], 10));
        inserted.acknowledge(12);
        assert_eq!(inserted.count(), 10);
        inserted.acknowledge(10);
        assert_eq!(inserted.count(), 11);
        inserted.acknowledge(11);
        assert_eq!(inserted.count(), 13);
        assert!(inserted.0.beyond.lock().is_empty());
    }
}
