//! Counts are kept in several places, and a thread keeps to one, so that threads that count at the same time do not wait for
//! one line of the processor's cache.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A number for this thread: threads have the numbers 0, 1, 2, … in the order in which they first count.
#[inline]
pub(crate) fn of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static STRIPE: usize = THREADS.fetch_add(1, Relaxed);
    }
    STRIPE.with(|stripe| *stripe)
}
