//! A number that only grows, counted by many threads.

use crate::stripe;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What one thread has counted, on a line of the processor's cache of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Stripe(AtomicU64);

/// A count. Adding to it costs an addition to memory that no other thread writes to.
#[derive(Debug)]
pub struct Counter {
    /// One for each of the first threads, by their numbers, and a last one for all others.
    stripes: Box<[Stripe]>,
}

impl Default for Counter {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(2, NonZero::get);
        let stripes = (2 * threads).min(stripe::NUMBERS) + 1;
        Self { stripes: (0..stripes).map(|_| Stripe::default()).collect() }
    }
}

impl Counter {
    /// Counts so many more.
    #[inline]
    pub fn add(&self, more: u64) {
        let (number, shared) = (stripe::of_thread(), self.stripes.len() - 1);
        if number < shared {
            let count = &self.stripes[number].0;
            count.store(count.load(Relaxed).wrapping_add(more), Relaxed);
        } else {
            self.stripes[shared].0.fetch_add(more, Relaxed);
        }
    }

    /// What was counted so far.
    pub fn count(&self) -> u64 {
        self.stripes.iter().fold(0, |sum, stripe| sum.wrapping_add(stripe.0.load(Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_many_threads_count_is_lost() {
        let counter = Counter::default();
        std::thread::scope(|scope| {
            for _ in 0..2 * stripe::NUMBERS {
                scope.spawn(|| (0..100).for_each(|_| counter.add(3)));
            }
        });
        assert_eq!(counter.count(), 2 * stripe::NUMBERS as u64 * 300);
    }
}
