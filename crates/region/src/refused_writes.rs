//! Writes that a region refuses because it has no room: how many, and whether so many that it should be split
//! (HBase's `BusyRegionSplitPolicy`).

use parking_lot::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Settings of `BusyRegionSplitPolicy`.
#[derive(Clone, Debug, PartialEq)]
pub struct BusySplitConfig {
    /// `hbase.busy.policy.blockedRequests`: a region that refuses this share of its writes is split. Default 0.2.
    pub refused_share: f64,
    /// `hbase.busy.policy.minAge`: but not before it has been open for so long. Default 10 minutes.
    pub min_age: Duration,
    /// `hbase.busy.policy.aggWindow`: over which time writes are counted. Default 5 minutes.
    pub window: Duration,
}

impl Default for BusySplitConfig {
    fn default() -> Self {
        Self { refused_share: 0.2, min_age: Duration::from_secs(600), window: Duration::from_secs(300) }
    }
}

impl BusySplitConfig {
    /// The settings, or the default of what makes no sense, as in HBase.
    #[must_use]
    pub fn checked(self) -> Self {
        let default = Self::default();
        let is_share = (0.000_01..=0.999_99).contains(&self.refused_share);
        Self {
            refused_share: if is_share { self.refused_share } else { default.refused_share },
            min_age: self.min_age,
            window: if self.window.is_zero() { default.window } else { self.window },
        }
    }
}

/// The writes that a region has refused since it was opened.
#[derive(Debug)]
pub(crate) struct RefusedWrites {
    count: AtomicU64,
    opened: Duration,
    seen: Mutex<Seen>,
}

/// What there was at the end of the last whole window.
#[derive(Debug)]
struct Seen {
    at: Duration,
    refused: u64,
    writes: u64,
    /// The share in that window.
    share: f64,
}

impl RefusedWrites {
    /// Of a region that is opened now.
    pub(crate) fn new(now: Duration) -> Self {
        let seen = Seen { at: now, refused: 0, writes: 0, share: 0.0 };
        Self { count: AtomicU64::new(0), opened: now, seen: Mutex::new(seen) }
    }

    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// How many.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Whether they are too large a share of the region's writes, of which there were so many since it was opened.
    pub(crate) fn are_too_many(&self, config: &BusySplitConfig, writes: u64, now: Duration) -> bool {
        let share = self.share(config.window, writes, now);
        now >= self.opened + config.min_age && share >= config.refused_share
    }

    /// The share in the last window: of this one so far, and of the one before as far as that is still in it.
    fn share(&self, window: Duration, writes: u64, now: Duration) -> f64 {
        let mut seen = self.seen.lock();
        // Under the lock: it is no less than what others have seen.
        let refused = self.count();
        // HBase's way to divide by nothing.
        let share = (refused - seen.refused) as f64 / (writes.saturating_sub(seen.writes) as f64 + 0.000_01);
        let since = now.saturating_sub(seen.at);
        if since >= window {
            *seen = Seen { at: now, refused, writes, share };
            share
        } else if now.saturating_sub(self.opened) >= window {
            let part = since.as_secs_f64() / window.as_secs_f64();
            (1.0 - part) * seen.share + part * share
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests;
