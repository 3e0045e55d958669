//! parking_lot's locks as far as they are used, made of locks that are like the standard library's: shuttle's, or for Miri its own,
//! because parking_lot makes pointers of numbers.

use std::{
    ops::{Deref, DerefMut},
    sync::PoisonError,
    time::Instant,
};

#[cfg(feature = "shuttle")]
use shuttle::sync;
#[cfg(not(feature = "shuttle"))]
use std::sync;

/// A lock.
#[derive(Debug, Default)]
pub struct Mutex<T>(sync::Mutex<T>);

/// What is locked.
#[derive(Debug)]
pub struct MutexGuard<'a, T>(Option<sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The lock, if it is open.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        self.0.try_lock().ok().map(|guard| MutexGuard(Some(guard)))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("taken only while its thread waits")
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect("taken only while its thread waits")
    }
}

/// A lock that many may have at once to read.
#[derive(Debug, Default)]
pub struct RwLock<T>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub fn read(&self) -> sync::RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lock.
    pub fn write(&self) -> sync::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somewhere to wait until somebody calls.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// One that nobody waits at.
    pub const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Opens the lock, waits for a call, and locks again.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        if let Some(inner) = guard.0.take() {
            guard.0 = Some(self.0.wait(inner).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The same, and no longer than until then; under shuttle's scheduler no time passes.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, then: Instant) {
        if let Some(inner) = guard.0.take() {
            let left = then.saturating_duration_since(Instant::now());
            guard.0 = Some(self.0.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0);
        }
    }

    /// Calls one that waits.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Calls all that wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}
