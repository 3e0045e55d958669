//! A histogram of durations with fixed buckets.
//!
//! Log-linear: each power of two has eight buckets of the same width, so that a bucket is at most an eighth of its values
//! wide. Eight nanoseconds at a time below a microsecond would be precision that nobody reads: what is shorter than 1,024 ns
//! is one bucket, what is longer than 68 s another.

use crate::stripe;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Buckets of a power of two, as a power of two.
const PARTS_BITS: u32 = 3;
const PARTS: usize = 1 << PARTS_BITS;
/// Values below two to this power are in the first bucket.
const FIRST_OCTAVE: u32 = 10;
/// Values from two to this power on are in the last bucket.
const END_OCTAVE: u32 = 36;
const BUCKETS: usize = 2 + (END_OCTAVE - FIRST_OCTAVE) as usize * PARTS;

/// The bucket of a value.
#[inline]
fn bucket_of(ns: u64) -> usize {
    if ns < 1 << FIRST_OCTAVE {
        return 0;
    }
    let octave = u64::BITS - 1 - ns.leading_zeros();
    if octave >= END_OCTAVE {
        return BUCKETS - 1;
    }
    let part = (ns >> (octave - PARTS_BITS)) as usize & (PARTS - 1);
    1 + (octave - FIRST_OCTAVE) as usize * PARTS + part
}

/// The first value that is beyond a bucket; of the last bucket there is none.
fn end_of(bucket: usize) -> u64 {
    if bucket == 0 {
        return 1 << FIRST_OCTAVE;
    }
    if bucket >= BUCKETS - 1 {
        return u64::MAX;
    }
    let (octave, part) = ((bucket - 1) / PARTS, (bucket - 1) % PARTS);
    (PARTS as u64 + part as u64 + 1) << (octave as u32 + FIRST_OCTAVE - PARTS_BITS)
}

/// The first value of a bucket.
fn begin_of(bucket: usize) -> u64 {
    bucket.checked_sub(1).map_or(0, end_of)
}

#[derive(Debug)]
#[repr(align(128))]
struct Stripe {
    buckets: [AtomicU64; BUCKETS],
    sum_ns: AtomicU64,
    max_ns: AtomicU64,
    min_ns: AtomicU64,
}

impl Default for Stripe {
    fn default() -> Self {
        Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum_ns: AtomicU64::new(0),
            max_ns: AtomicU64::new(0),
            min_ns: AtomicU64::new(u64::MAX),
        }
    }
}

/// Durations as they are counted. [`Histogram::record`] costs two relaxed additions and two loads, whatever was counted before.
#[derive(Debug)]
pub struct Histogram {
    /// A power of two of them.
    stripes: Box<[Stripe]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::for_one_thread()
    }
}

impl Histogram {
    /// For one thread, or few that seldom count: about 1.7 KiB.
    pub fn for_one_thread() -> Self {
        Self::with_stripes(1)
    }

    /// For many threads.
    pub fn for_many_threads() -> Self {
        Self::with_stripes(8)
    }

    fn with_stripes(stripes: usize) -> Self {
        Self { stripes: (0..stripes).map(|_| Stripe::default()).collect() }
    }

    /// Counts one duration.
    #[inline]
    pub fn record(&self, duration: Duration) {
        let ns = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let stripe = &self.stripes[stripe::of_thread() & (self.stripes.len() - 1)];
        stripe.buckets[bucket_of(ns)].fetch_add(1, Relaxed);
        stripe.sum_ns.fetch_add(ns, Relaxed);
        // Seldom true after the first few.
        if ns > stripe.max_ns.load(Relaxed) {
            stripe.max_ns.fetch_max(ns, Relaxed);
        }
        if ns < stripe.min_ns.load(Relaxed) {
            stripe.min_ns.fetch_min(ns, Relaxed);
        }
    }

    /// What was counted so far. What is counted meanwhile may be in part of it.
    pub fn snapshot(&self) -> HistogramSnapshot {
        let mut all = HistogramSnapshot::default();
        for stripe in &self.stripes {
            for (sum, bucket) in all.buckets.iter_mut().zip(&stripe.buckets) {
                *sum += bucket.load(Relaxed);
            }
            all.sum_ns = all.sum_ns.wrapping_add(stripe.sum_ns.load(Relaxed));
            all.max_ns = all.max_ns.max(stripe.max_ns.load(Relaxed));
            all.min_ns = all.min_ns.min(stripe.min_ns.load(Relaxed));
        }
        all
    }
}

/// What a [`Histogram`] had counted at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramSnapshot {
    buckets: Box<[u64]>,
    sum_ns: u64,
    max_ns: u64,
    min_ns: u64,
}

impl Default for HistogramSnapshot {
    fn default() -> Self {
        Self { buckets: vec![0; BUCKETS].into(), sum_ns: 0, max_ns: 0, min_ns: u64::MAX }
    }
}

impl HistogramSnapshot {
    /// Durations counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Their sum.
    pub fn sum(&self) -> Duration {
        Duration::from_nanos(self.sum_ns)
    }

    /// The longest; zero if there is none.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.max_ns)
    }

    /// The shortest; zero if there is none.
    pub fn min(&self) -> Duration {
        Duration::from_nanos(if self.min_ns == u64::MAX { 0 } else { self.min_ns })
    }

    /// Their mean; zero if there is none.
    pub fn mean(&self) -> Duration {
        Duration::from_nanos(self.sum_ns / self.count().max(1))
    }

    /// A duration that so large a part of them (0 to 1) does not exceed: within an eighth of the true one, and never beyond
    /// the longest. Zero if there is none.
    pub fn quantile(&self, part: f64) -> Duration {
        let count = self.count();
        let rank = ((part * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut before = 0;
        for (bucket, &inside) in self.buckets.iter().enumerate() {
            if inside > 0 && before + inside >= rank {
                if bucket == BUCKETS - 1 {
                    return self.max();
                }
                let (begin, end) = (begin_of(bucket), end_of(bucket).min(self.max_ns.saturating_add(1)));
                let width = end.saturating_sub(begin) as f64;
                let ns = begin + (width * ((rank - before) as f64 / inside as f64)) as u64;
                return Duration::from_nanos(ns.clamp(self.min_ns.min(self.max_ns), self.max_ns));
            }
            before += inside;
        }
        Duration::ZERO
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (sum, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += more;
        }
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self
    }

    /// What was counted since `earlier`, which is of the same histogram. The extremes are those of its buckets.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut since = Self { sum_ns: self.sum_ns.wrapping_sub(earlier.sum_ns), ..Self::default() };
        for ((left, now), before) in since.buckets.iter_mut().zip(&self.buckets).zip(&earlier.buckets) {
            *left = now.saturating_sub(*before);
        }
        let filled = |bucket: &usize| since.buckets[*bucket] > 0;
        if let (Some(first), Some(last)) = ((0..BUCKETS).find(filled), (0..BUCKETS).rfind(filled)) {
            since.min_ns = begin_of(first).max(self.min_ns);
            since.max_ns = (end_of(last) - 1).min(self.max_ns);
        }
        since
    }

    /// For each power of two from about a microsecond to about a minute, in ns, how many were shorter.
    pub fn cumulative(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut shorter = 0;
        let mut next = 0;
        (FIRST_OCTAVE..=END_OCTAVE).map(move |octave| {
            let end = 1 + (octave - FIRST_OCTAVE) as usize * PARTS;
            shorter += self.buckets[next..end].iter().sum::<u64>();
            next = end;
            (1 << octave, shorter)
        })
    }
}

#[cfg(test)]
mod tests;
