//! When operations begin: as soon as the one before is done (a closed loop), or at moments that were fixed before (an open
//! loop).
//!
//! In an open loop the moments do not depend on how fast the server answers. Whoever is late begins at once, and its latency
//! counts from the moment at which it was due: so waiting that a stalled server causes is not left out ("coordinated
//! omission").

mod alarm;
mod not_begun;

use crate::error::Result;
use crate::options::Rate;
use crate::random::Random;
use alarm::Alarm;
pub(crate) use not_begun::NotBegun;
use parking_lot::Mutex;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// The moments of one worker's operations, in their order; whichever client is free takes the next.
#[derive(Clone)]
pub(crate) struct Pace(Option<Arc<Schedule>>);

struct Schedule {
    moments: Mutex<Moments>,
    alarm: Alarm,
}

struct Moments {
    start: Instant,
    /// Since the start, in nanoseconds, of the next operation.
    next: f64,
    gap: f64,
    /// Where the gaps come from, if they are not all the same.
    chance: Option<Random>,
    number: u64,
    /// When those who wait were woken for good.
    stopped: Option<Instant>,
    /// Moments that were taken for nothing.
    dropped: NotBegun,
}

impl Moments {
    /// When the next operation is due.
    fn due(&self) -> Instant {
        self.start + Duration::from_nanos(self.next as u64)
    }

    fn take(&mut self) -> (u64, Instant) {
        let due = self.due();
        self.next += match &mut self.chance {
            None => self.gap,
            Some(random) => -(1.0 - random.fraction()).ln() * self.gap,
        };
        self.number += 1;
        (self.number, due)
    }

    /// When the run was over for whoever begins operations; none if it is not.
    fn over(&self, end: Option<Instant>) -> Option<Instant> {
        let end = end.filter(|&end| end <= Instant::now());
        end.into_iter().chain(self.stopped).min()
    }

    /// Moments that nobody has taken when the run was over, `most` of them if there are more. Random gaps that nobody has drawn
    /// count as the rate has them.
    fn untaken(&self, over: Instant, most: Option<u64>) -> NotBegun {
        let late = over.saturating_duration_since(self.due());
        let most = most.unwrap_or(u64::MAX);
        if late.is_zero() || most == 0 {
            return NotBegun::default();
        }
        let operations = (late.as_nanos() as f64 / self.gap).ceil() as u64;
        NotBegun { operations: operations.clamp(1, most), longest_wait: late }
    }
}

impl Pace {
    /// No moments: operations begin when they can.
    pub(crate) fn closed() -> Self {
        Self(None)
    }

    /// `rate` operations a second; the first `phase` gaps behind the start. Needs a runtime.
    pub(crate) fn open(rate: Rate, start: Instant, phase: f64, random: Random) -> Result<Self> {
        let gap = 1e9 / rate.per_second;
        let chance = rate.poisson.then_some(random);
        let moments = Moments {
            start,
            next: gap * phase,
            gap,
            chance,
            number: 0,
            stopped: None,
            dropped: NotBegun::default(),
        };
        let schedule = Arc::new(Schedule { moments: Mutex::new(moments), alarm: Alarm::new()? });
        Ok(Self(Some(schedule)))
    }

    /// Runs the clock of an open loop: for as long as there are clients.
    pub(crate) async fn tick(&self) {
        match &self.0 {
            None => std::future::pending().await,
            Some(schedule) => schedule.alarm.ring().await,
        }
    }

    /// Waits for the next moment, and says which it was; none in a closed loop, or if it is not before `end`.
    pub(crate) async fn turn(&self, end: Option<Instant>) -> Turn {
        let Some(schedule) = &self.0 else { return Turn::Now };
        let (number, due) = schedule.moments.lock().take();
        if end.is_some_and(|end| due >= end) {
            return Turn::Over;
        }
        if due > Instant::now() {
            std::future::poll_fn(|context| {
                if due <= Instant::now() || schedule.alarm.is_off() {
                    return Poll::Ready(());
                }
                schedule.alarm.set(number, due, context.waker());
                Poll::Pending
            })
            .await;
        }
        Turn::Due(due)
    }

    /// Wakes all who wait, for good.
    pub(crate) fn stop(&self) {
        if let Some(schedule) = &self.0 {
            schedule.moments.lock().stopped.get_or_insert_with(Instant::now);
            schedule.alarm.turn_off();
        }
    }

    /// A client does not begin what was due then: the run is over.
    pub(crate) fn drop_turn(&self, due: Instant, end: Option<Instant>) {
        let Some(schedule) = &self.0 else { return };
        let mut moments = schedule.moments.lock();
        let late = moments.over(end).map_or(Duration::ZERO, |over| over.saturating_duration_since(due));
        if !late.is_zero() {
            moments.dropped.add(NotBegun { operations: 1, longest_wait: late });
        }
    }

    /// What was due and not begun when the run was over, once all clients have ended; those that ended before their last row had
    /// so many `left`, or any number.
    pub(crate) fn not_begun(&self, end: Option<Instant>, left: Option<u64>) -> NotBegun {
        let Some(schedule) = &self.0 else { return NotBegun::default() };
        let moments = schedule.moments.lock();
        let mut all = moments.dropped;
        if let Some(over) = moments.over(end) {
            all.add(moments.untaken(over, left.map(|left| left.saturating_sub(all.operations))));
        }
        all
    }
}

/// What a client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// To begin at once.
    Now,
    /// To begin what was due then.
    Due(Instant),
    /// There is nothing left before the end.
    Over,
}

#[cfg(test)]
mod tests;
