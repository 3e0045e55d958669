//! What differs from one run to the next, made the same: the C library's clock and its random numbers, which the standard
//! library, its hash tables, and the allocator ask.
//!
//! This program's functions take the place of the C library's. Its clock stands while a call is counted, since code that takes
//! turns by the clock would take other ones under Valgrind, and others again on a busy machine.
#![allow(unsafe_code)]

use libc::{CLOCK_MONOTONIC, CLOCK_REALTIME, SYS_clock_gettime, clockid_t, syscall, timespec};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// A clock that can stand.
struct Clock {
    id: clockid_t,
    seconds: AtomicI64,
    nanoseconds: AtomicI64,
}

impl Clock {
    const fn new(id: clockid_t) -> Self {
        Self { id, seconds: AtomicI64::new(0), nanoseconds: AtomicI64::new(0) }
    }

    /// Asks the kernel, as nobody else is left.
    fn note(&self) {
        let mut now = timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the call writes a `timespec` to where it is told, and there is one.
        unsafe { syscall(SYS_clock_gettime, self.id, &raw mut now) };
        self.seconds.store(now.tv_sec, Ordering::Relaxed);
        self.nanoseconds.store(now.tv_nsec, Ordering::Relaxed);
    }

    fn noted(&self) -> timespec {
        timespec {
            tv_sec: self.seconds.load(Ordering::Relaxed),
            tv_nsec: self.nanoseconds.load(Ordering::Relaxed),
        }
    }
}

static CLOCKS: [Clock; 2] = [Clock::new(CLOCK_REALTIME), Clock::new(CLOCK_MONOTONIC)];
static STANDS: AtomicBool = AtomicBool::new(false);

/// Runs `work` while the clock stands.
pub(crate) fn while_the_clock_stands<T>(work: impl FnOnce() -> T) -> T {
    CLOCKS.iter().for_each(Clock::note);
    STANDS.store(true, Ordering::Release);
    let done = work();
    STANDS.store(false, Ordering::Release);
    done
}

/// The C library's, of which callers use the clocks of the calendar and of what has passed.
///
/// # Safety
/// `time` can be written to.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(id: clockid_t, time: *mut timespec) -> c_int {
    let Some(clock) = CLOCKS.iter().find(|clock| clock.id == id) else { return -1 };
    if !STANDS.load(Ordering::Acquire) {
        clock.note();
    }
    // SAFETY: the caller's promise.
    unsafe { time.write(clock.noted()) };
    0
}

/// The C library's, but that the bytes are always the same.
///
/// # Safety
/// `length` bytes can be written from `buffer` on.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut c_void, length: usize, _flags: c_uint) -> isize {
    // SAFETY: the caller's promise.
    unsafe { buffer.cast::<u8>().write_bytes(0x5a, length) };
    isize::try_from(length).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests;
