//! Counts are kept in several places, and a thread keeps to one, so that threads that count at the same time do not wait for
//! one line of the processor's cache. What is more: a place that only one thread writes to is added to without a lock on the bus.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Threads that have a number of their own at the same time; others have none.
pub(crate) const NUMBERS: usize = u64::BITS as usize;

/// Which numbers are given away.
static TAKEN: AtomicU64 = AtomicU64::new(0);

/// A number that no other living thread has, until this is dropped.
struct Number(usize);

impl Number {
    fn take() -> Self {
        let mut taken = TAKEN.load(Ordering::Relaxed);
        loop {
            let free = taken.trailing_ones();
            if free == u64::BITS {
                return Self(usize::MAX);
            }
            // What the thread that had the number before has written is seen.
            match TAKEN.compare_exchange_weak(taken, taken | 1 << free, Ordering::Acquire, Ordering::Relaxed)
            {
                Ok(_) => return Self(free as usize),
                Err(now) => taken = now,
            }
        }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        // It is another thread's from now on.
        KNOWN.set(usize::MAX);
        if self.0 < NUMBERS {
            TAKEN.fetch_and(!(1 << self.0), Ordering::Release);
        }
    }
}

/// The number of this thread, which no other has while it lives; [`usize::MAX`] if there was none left.
#[inline]
pub(crate) fn of_thread() -> usize {
    match KNOWN.get() {
        UNKNOWN => take_number(),
        number => number,
    }
}

/// For threads that count much, at their beginning: the first that ask have places of their own.
pub fn count_alone() {
    of_thread();
}

/// Before a thread has asked.
const UNKNOWN: usize = usize::MAX - 1;

thread_local! {
    /// What [`of_thread`] says: read without a look at whether the thread is ending.
    static KNOWN: Cell<usize> = const { Cell::new(UNKNOWN) };
}

#[cold]
fn take_number() -> usize {
    thread_local! {
        static NUMBER: Number = Number::take();
    }
    // A thread that is ending has given its number back.
    let number = NUMBER.try_with(|number| number.0).unwrap_or(usize::MAX);
    KNOWN.set(number);
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn threads_that_live_at_the_same_time_have_different_numbers() {
        let barrier = Barrier::new(4);
        let mut numbers: Vec<usize> = std::thread::scope(|scope| {
            let of = || {
                let number = of_thread();
                barrier.wait();
                assert_eq!(of_thread(), number);
                number
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(of)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 4);
    }

    #[test]
    fn numbers_are_given_back() {
        for _ in 0..10 * NUMBERS {
            let number = std::thread::spawn(of_thread).join().unwrap();
            assert!(number < NUMBERS);
        }
    }
}
