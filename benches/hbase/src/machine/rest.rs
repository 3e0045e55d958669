//! Whether the machine answers in time.
//!
//! A virtual machine may give memory that is free back to its host, much at once after a process has ended or large files were
//! deleted, and its processors stand still meanwhile, for a tenth of a second and more. That has to be over before tails are
//! measured: they would be the machine's.

use std::time::{Duration, Instant};

/// Between two looks at the clock.
const NAP: Duration = Duration::from_millis(1);
/// Who wakes up so much later than asked for was kept from running.
const LATE: Duration = Duration::from_millis(10);
/// The machine is at rest when nobody was late for so long.
const QUIET: Duration = Duration::from_secs(10);
/// It is not waited for longer than this.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long the machine took to come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    After(Duration),
    /// It did not within the time that it was given.
    None,
}

/// Waits until the machine is at rest: until each thread that sleeps is woken in time.
pub(crate) fn wait() -> Rest {
    let mut watch = Watch::default();
    let began = Instant::now();
    loop {
        let asleep = Instant::now();
        std::thread::sleep(NAP);
        if let Some(rest) = watch.woken(began.elapsed(), asleep.elapsed().saturating_sub(NAP)) {
            return rest;
        }
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Watch {
    /// Nobody was late since then, from the beginning.
    quiet_since: Duration,
}

impl Watch {
    /// Counts that somebody woke up so much too late, so long after the beginning. Gives back what came out, when that is known.
    fn woken(&mut self, now: Duration, late: Duration) -> Option<Rest> {
        if late >= LATE {
            self.quiet_since = now;
        }
        match now {
            now if now - self.quiet_since >= QUIET => Some(Rest::After(self.quiet_since)),
            now if now >= PATIENCE => Some(Rest::None),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes out where somebody is late at these seconds.
    fn late_at(seconds: impl Fn(u64) -> bool) -> (u64, Rest) {
        let mut watch = Watch::default();
        let mut look = |second: u64| {
            let late = if seconds(second) { LATE } else { LATE / 2 };
            watch.woken(Duration::from_secs(second), late)
        };
        (1..).find_map(|second| Some((second, look(second)?))).unwrap()
    }

    #[test]
    fn it_is_at_rest_when_nobody_was_late_for_a_while() {
        assert_eq!(late_at(|_| false), (10, Rest::After(Duration::ZERO)));
        assert_eq!(late_at(|second| second == 3 || second == 12), (22, Rest::After(Duration::from_secs(12))));
    }

    #[test]
    fn it_is_not_waited_for_without_end() {
        assert_eq!(late_at(|_| true), (120, Rest::None));
    }
}
