//! parking_lot's locks as far as they are used, made of shuttle's.

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, PoisonError},
    time::Instant,
};

/// Stack of each thread under the scheduler: a write to a log goes deep in a build that is not optimized, and the
/// scheduler's own default ends in the middle of it.
const STACK_BYTES: usize = 1 << 20;

/// Changes of priority in a schedule of the second kind, and one: an error that needs fewer switches from thread to thread is
/// found with a likelihood that does not fall with the length of the program.
const DEPTH: usize = 3;

/// Runs a program `count` times, each time on another random schedule, and as often on one in which a thread goes on until it
/// waits, or until one of few moments. Panics, and prints the schedule, where the program panics or all of its threads wait.
pub fn try_schedules(count: usize, program: impl Fn() + Send + Sync + 'static) {
    let program = Arc::new(program);
    run(RandomScheduler::new(count), Arc::clone(&program));
    run(PctScheduler::new(DEPTH, count), program);
}

fn run(scheduler: impl Scheduler + 'static, program: Arc<impl Fn() + Send + Sync + 'static>) {
    let mut config = shuttle::Config::new();
    config.stack_size = STACK_BYTES;
    shuttle::Runner::new(scheduler, config).run(move || program());
}

/// A lock.
#[derive(Debug, Default)]
pub struct Mutex<T>(shuttle::sync::Mutex<T>);

/// What is locked.
#[derive(Debug)]
pub struct MutexGuard<'a, T>(Option<shuttle::sync::MutexGuard<'a, T>>);

impl<T> Mutex<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        Self(shuttle::sync::Mutex::new(value))
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
pub struct RwLock<T>(shuttle::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An open lock.
    pub const fn new(value: T) -> Self {
        Self(shuttle::sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub fn read(&self) -> shuttle::sync::RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the lock.
    pub fn write(&self) -> shuttle::sync::RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somewhere to wait until somebody calls.
#[derive(Debug, Default)]
pub struct Condvar(shuttle::sync::Condvar);

impl Condvar {
    /// One that nobody waits at.
    pub const fn new() -> Self {
        Self(shuttle::sync::Condvar::new())
    }

    /// Opens the lock, waits for a call, and locks again.
    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        if let Some(inner) = guard.0.take() {
            guard.0 = Some(self.0.wait(inner).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// The same: under the scheduler no time passes.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _: Instant) {
        self.wait(guard);
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
