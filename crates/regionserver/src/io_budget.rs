//! How many bytes a second background jobs may write: HBase's throughput controllers as one budget. Knows no clock: times
//! come in, waits go out.
//!
//! Compactions have a limit that follows their pressure, as in HBase's PressureAwareCompactionThroughputController: `lower`
//! where nothing presses, `higher` where a store is about to have too many files, none above that. Flushes have one that
//! follows the memory that memstores take (PressureAwareFlushThroughputController). All compactions share one limit,
//! whichever pool they run in; what flushes write counts against it as well, up to its half, since both use one device
//! and flushes go first.

use std::time::Duration;

/// What may be saved up while nothing is written, as a time at the limit: a job that begins is not slowed at once.
const BURST: Duration = Duration::from_millis(100);
/// How much that flushes wrote may be held against compactions, as a time at the limit.
const FLUSH_DEBT: Duration = Duration::from_secs(1);

/// The limits of one kind of job, in bytes a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThroughputBounds {
    /// Where nothing presses.
    pub lower: u64,
    /// At a pressure of 1.
    pub higher: u64,
    /// While clients ask for hardly anything, or in the hours of [`off_peak_hours`](crate::BackgroundOptions::off_peak_hours);
    /// `None` is no limit.
    pub off_peak: Option<u64>,
    /// Between two looks at the pressure. More pressure than 1 counts at once.
    pub tune_period: Duration,
}

impl ThroughputBounds {
    /// HBase's for compactions: 50 to 100 MiB/s.
    pub const COMPACTIONS: Self =
        Self { lower: 50 << 20, higher: 100 << 20, off_peak: None, tune_period: Duration::from_secs(60) };

    /// HBase's for flushes: 100 to 200 MiB/s.
    pub const FLUSHES: Self =
        Self { lower: 100 << 20, higher: 200 << 20, off_peak: None, tune_period: Duration::from_secs(20) };

    /// The limit under a pressure.
    fn limit(&self, pressure: f64, is_off_peak: bool) -> Option<u64> {
        if pressure > 1.0 {
            None
        } else if is_off_peak {
            self.off_peak
        } else {
            let range = self.higher.saturating_sub(self.lower) as f64;
            Some(self.lower.saturating_add((range * pressure.max(0.0)) as u64))
        }
    }
}

/// Whose bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Compactions,
    Flushes,
}

/// A token bucket whose rate changes.
#[derive(Debug)]
struct Bucket {
    /// `None`: this kind of job is never slowed.
    bounds: Option<ThroughputBounds>,
    limit: Option<u64>,
    tuned: Duration,
    /// When all that was written so far is paid for.
    paid_at: Duration,
}

impl Bucket {
    fn new(bounds: Option<ThroughputBounds>) -> Self {
        let limit = bounds.and_then(|bounds| bounds.limit(0.0, false));
        Self { bounds, limit, tuned: Duration::ZERO, paid_at: Duration::ZERO }
    }

    fn reconfigure(&mut self, now: Duration, bounds: Option<ThroughputBounds>) {
        if self.bounds != bounds {
            let mut new = Self::new(bounds);
            new.paid_at = self.paid_at_limit(now, new.limit);
            *self = new;
        }
    }

    fn tune(&mut self, now: Duration, pressure: f64, is_off_peak: bool) {
        let Some(bounds) = &self.bounds else { return };
        let is_due = now.saturating_sub(self.tuned) >= bounds.tune_period;
        let limit = bounds.limit(pressure, is_off_peak);
        // Relief is for those who wait now; a lower limit can come later. Off-peak ends at once.
        let is_relief = self.limit.is_some_and(|before| limit.is_none_or(|limit| limit > before));
        if is_due || is_relief || (self.limit == bounds.off_peak && pressure <= 1.0) {
            self.paid_at = self.paid_at_limit(now, limit);
            (self.limit, self.tuned) = (limit, now);
        }
    }

    /// When all is paid for under another limit: what is not yet costs as much as if it were written now.
    fn paid_at_limit(&self, now: Duration, limit: Option<u64>) -> Duration {
        let debt = self.paid_at.saturating_sub(now);
        if limit == self.limit || debt.is_zero() {
            return self.paid_at;
        }
        let bytes = self.limit.map_or(0.0, |before| debt.as_secs_f64() * before.max(1) as f64);
        now.saturating_add(limit.map_or(Duration::ZERO, |limit| price(bytes, limit)))
    }

    /// Pays for bytes; gives back how long to wait.
    fn pay(&mut self, now: Duration, bytes: u64) -> Duration {
        let Some(limit) = self.limit else { return Duration::ZERO };
        let price = price(bytes as f64, limit);
        self.paid_at = self.paid_at.max(now.saturating_sub(BURST)).saturating_add(price);
        self.paid_at.saturating_sub(now)
    }
}

/// The budget of all background jobs of a server. Times count from any one moment.
#[derive(Debug)]
pub(crate) struct IoBudget {
    compactions: Bucket,
    flushes: Bucket,
    /// Bytes that flushes wrote and no compaction has paid for yet.
    flushed: u64,
}

impl IoBudget {
    /// `None`: that kind of job is never slowed (HBase's NoLimitThroughputController).
    pub(crate) fn new(compactions: Option<ThroughputBounds>, flushes: Option<ThroughputBounds>) -> Self {
        Self { compactions: Bucket::new(compactions), flushes: Bucket::new(flushes), flushed: 0 }
    }

    /// Other limits; those that were tuned begin at the lowest.
    pub(crate) fn reconfigure(
        &mut self,
        now: Duration,
        compactions: Option<ThroughputBounds>,
        flushes: Option<ThroughputBounds>,
    ) {
        self.compactions.reconfigure(now, compactions);
        self.flushes.reconfigure(now, flushes);
    }

    /// Notes the pressure; to be called every second or so.
    pub(crate) fn tune(&mut self, now: Duration, pressure: Pressure) {
        self.compactions.tune(now, pressure.compactions, pressure.is_off_peak);
        self.flushes.tune(now, pressure.memory, pressure.is_off_peak);
    }

    /// Takes bytes that were written; gives back how long to wait before the next.
    pub(crate) fn take(&mut self, lane: Lane, now: Duration, bytes: u64) -> Duration {
        match lane {
            Lane::Flushes => {
                let most = self.compactions.limit.map_or(0, |limit| per(limit, FLUSH_DEBT));
                self.flushed = self.flushed.saturating_add(bytes).min(most);
                self.flushes.pay(now, bytes)
            }
            Lane::Compactions => {
                let of_flushes = self.flushed.min(bytes);
                self.flushed -= of_flushes;
                self.compactions.pay(now, bytes.saturating_add(of_flushes))
            }
        }
    }

    /// Bytes a second that compactions may write now; `None` is no limit.
    pub(crate) fn compaction_limit(&self) -> Option<u64> {
        self.compactions.limit
    }
}

/// What the limits follow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pressure {
    /// Files of the worst store: 1 is `hbase.hstore.blockingStoreFiles`.
    pub(crate) compactions: f64,
    /// Bytes in memstores: 1 is where flushes for memory begin.
    pub(crate) memory: f64,
    /// Whether nobody is disturbed.
    pub(crate) is_off_peak: bool,
}

/// How long bytes take.
fn price(bytes: f64, bytes_a_second: u64) -> Duration {
    Duration::try_from_secs_f64(bytes / bytes_a_second.max(1) as f64).unwrap_or(Duration::MAX)
}

fn per(bytes_a_second: u64, time: Duration) -> u64 {
    (bytes_a_second as f64 * time.as_secs_f64()) as u64
}

#[cfg(test)]
mod tests;
