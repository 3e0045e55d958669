//! A clock that wakes to the microsecond: tokio's timers know only milliseconds, in which a fast server answers many times.

use crate::error::{PeError, Result};
use parking_lot::Mutex;
use rustix::fd::OwnedFd;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::collections::VecDeque;
use std::task::Waker;
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Who waits, and the system's timer for the first of them.
pub(super) struct Alarm {
    timer: AsyncFd<OwnedFd>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// In the order of their moments, which is that of their numbers.
    sleepers: VecDeque<Sleeper>,
    is_off: bool,
}

struct Sleeper {
    number: u64,
    due: Instant,
    waker: Waker,
}

impl Alarm {
    #[expect(deprecated, reason = "unsound for owners that change their descriptor; an OwnedFd cannot")]
    pub(super) fn new() -> Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)
            .map_err(std::io::Error::from)
            .and_then(|timer| AsyncFd::with_interest(timer, Interest::READABLE))
            .map_err(PeError::io("cannot make a timer"))?;
        Ok(Self { timer, waiting: Mutex::default() })
    }

    /// Has `waker` woken at a moment. Who waits already gets the new waker.
    pub(super) fn set(&self, number: u64, due: Instant, waker: &Waker) {
        let mut waiting = self.waiting.lock();
        let place = waiting.sleepers.partition_point(|sleeper| sleeper.number < number);
        match waiting.sleepers.get_mut(place) {
            Some(sleeper) if sleeper.number == number => sleeper.waker.clone_from(waker),
            _ => {
                waiting.sleepers.insert(place, Sleeper { number, due, waker: waker.clone() });
                if place == 0 {
                    self.arm(due);
                }
            }
        }
    }

    pub(super) fn is_off(&self) -> bool {
        self.waiting.lock().is_off
    }

    pub(super) fn turn_off(&self) {
        let sleepers = {
            let mut waiting = self.waiting.lock();
            waiting.is_off = true;
            std::mem::take(&mut waiting.sleepers)
        };
        sleepers.into_iter().for_each(|sleeper| sleeper.waker.wake());
    }

    /// Wakes whoever is due, until it is dropped.
    pub(super) async fn ring(&self) {
        loop {
            let Ok(mut ready) = self.timer.readable().await else { return };
            let mut expirations = [0; 8];
            let _ = ready.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut expirations)?));
            drop(ready);
            self.wake_the_due();
        }
    }

    fn wake_the_due(&self) {
        let mut waiting = self.waiting.lock();
        let now = Instant::now();
        while let Some(first) = waiting.sleepers.front() {
            if first.due > now {
                self.arm(first.due);
                return;
            }
            if let Some(sleeper) = waiting.sleepers.pop_front() {
                sleeper.waker.wake();
            }
        }
    }

    fn arm(&self, due: Instant) {
        // Zero would stop the timer.
        let until = due.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let it_value = Timespec {
            tv_sec: i64::try_from(until.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: until.subsec_nanos().into(),
        };
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let once = Itimerspec { it_interval, it_value };
        // It fails for times that are none, and this is one.
        let _ = timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once);
    }
}
