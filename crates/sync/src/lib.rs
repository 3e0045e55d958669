//! Locks and atomics of the parts whose schedules are tried out: parking_lot's and the standard library's, or, with the
//! feature `shuttle`, ones that give every step to a scheduler which tries one order after the other; under Miri all are the
//! standard library's. And threads that are less urgent than others.
//!
//! Guarantees nothing of its own. This crate does not know what is locked.

#[cfg(any(feature = "shuttle", miri))]
mod locks;
#[cfg(feature = "shuttle")]
mod schedules;
mod urgency;

pub use urgency::be_less_urgent;

#[cfg(any(feature = "shuttle", miri))]
pub use locks::{Condvar, Mutex, MutexGuard, RwLock};
#[cfg(not(any(feature = "shuttle", miri)))]
pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
#[cfg(feature = "shuttle")]
pub use schedules::try_schedules;
#[cfg(feature = "shuttle")]
pub use shuttle::{self, sync::atomic, thread, thread_local};
#[cfg(not(feature = "shuttle"))]
pub use std::{sync::atomic, thread, thread_local};

/// The lock of what the whole process has: it outlives each schedule that is tried, and is no step of any.
pub mod process {
    #[cfg(miri)]
    pub use crate::locks::{Mutex, MutexGuard};
    #[cfg(not(miri))]
    pub use parking_lot::{Mutex, MutexGuard};
}
