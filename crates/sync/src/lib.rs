//! Locks and atomics of the parts whose schedules are tried out: parking_lot's and the standard library's, or, with the
//! feature `shuttle`, ones that give every step to a scheduler which tries one order after the other. And threads that are less
//! urgent than others.
//!
//! Guarantees nothing of its own. This crate does not know what is locked.

mod urgency;

pub use urgency::be_less_urgent;

#[cfg(not(feature = "shuttle"))]
pub use parking_lot::{Condvar, Mutex, MutexGuard, RwLock};
#[cfg(not(feature = "shuttle"))]
pub use std::{sync::atomic, thread, thread_local};

#[cfg(feature = "shuttle")]
mod scheduled;
#[cfg(feature = "shuttle")]
pub use scheduled::{Condvar, Mutex, MutexGuard, RwLock, try_schedules};
#[cfg(feature = "shuttle")]
pub use shuttle::{self, sync::atomic, thread, thread_local};
