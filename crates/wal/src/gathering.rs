//! How long a group of entries waits for company.
//!
//! A sync costs the same for one entry as for a hundred. Several writers that each wait for their answer come back with the next
//! entry just after a sync, when those that came during it make up the next group already: each group would have half of
//! them, and each writer would wait for two syncs. So the next group waits until as many are there as there were before, no
//! longer than a sync takes. Where they do not come, fewer and fewer groups wait.

use std::time::{Duration, Instant};

/// No group waits longer.
const LONGEST: Duration = Duration::from_millis(2);
/// Below this a timer is too coarse.
const SHORTEST: Duration = Duration::from_micros(50);
/// A sync weighs one in so many in the mean.
const MEAN_OF: u32 = 8;
/// After so many waits in vain, or more, 2 to this power groups do not wait.
const MOST_DOUBLINGS: u32 = 6;

/// What the groups before tell about the next.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    /// What a sync takes, in the mean of the last ones.
    sync: Duration,
    /// Who was there when the last group was answered.
    there: usize,
    /// Those, and who was answered.
    expected: usize,
    /// Until when they are waited for.
    until: Option<Instant>,
    has_waited: bool,
    /// How often in a row those that were waited for did not come.
    in_vain: u32,
    /// Groups that will not wait.
    resting: u32,
}

impl Gathering {
    /// A sync took so long.
    pub(crate) fn synced(&mut self, took: Duration) {
        self.sync = (self.sync * (MEAN_OF - 1) + took) / MEAN_OF;
    }

    /// A group is being answered: to so many; so many have come meanwhile.
    pub(crate) fn answered(&mut self, now: Instant, answered: usize, there: usize) {
        (self.there, self.expected, self.until, self.has_waited) = (there, there + answered, None, false);
        if self.resting > 0 {
            self.resting -= 1;
            return;
        }
        let longest = self.sync.min(LONGEST);
        // Under a scheduler of the tests no time passes.
        if longest >= SHORTEST && !cfg!(feature = "shuttle") {
            self.until = Some(now + longest);
        }
    }

    /// With so many there: how many to wait for, and until when; `None` if nobody is waited for.
    pub(crate) fn wait(&mut self, now: Instant, there: usize) -> Option<(usize, Instant)> {
        let until = self.until.filter(|_| there < self.expected)?;
        if now < until {
            self.has_waited = true;
            return Some((self.expected, until));
        }
        self.ended(there);
        None
    }

    /// The wait has ended, with so many there.
    pub(crate) fn ended(&mut self, there: usize) {
        if !std::mem::take(&mut self.has_waited) {
            return;
        }
        // One that is late does not make it vain.
        let (came, missing) = (there.saturating_sub(self.there), self.expected - self.there);
        if came * 8 >= missing * 7 {
            self.in_vain = 0;
        } else {
            self.in_vain = (self.in_vain + 1).min(MOST_DOUBLINGS);
            self.resting = 1 << self.in_vain;
        }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests;
