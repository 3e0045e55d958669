//! A histogram of durations, sizes or numbers with fixed buckets.
//!
//! Log-linear: each power of two has eight buckets of the same width, so that a bucket is at most an eighth of its values
//! wide; what is below eight has a bucket for each number, what is beyond two to the power of 36 (68 s in nanoseconds, 64 GiB)
//! is one bucket.

use crate::stripe;
use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Buckets of a power of two, as a power of two.
const PARTS_BITS: u32 = 3;
const PARTS: usize = 1 << PARTS_BITS;
/// Values from two to this power on are in the last bucket.
const END_OCTAVE: u32 = 36;
const BUCKETS: usize = PARTS + (END_OCTAVE - PARTS_BITS) as usize * PARTS + 1;

/// The bucket of a value.
#[inline]
fn bucket_of(value: u64) -> usize {
    if value < PARTS as u64 {
        return value as usize;
    }
    let octave = u64::BITS - 1 - value.leading_zeros();
    if octave >= END_OCTAVE {
        return BUCKETS - 1;
    }
    let part = (value >> (octave - PARTS_BITS)) as usize & (PARTS - 1);
    first_of(octave) + part
}

/// The first bucket of the values from two to this power on; at least 3.
const fn first_of(octave: u32) -> usize {
    PARTS + (octave - PARTS_BITS) as usize * PARTS
}

/// The first value that is beyond a bucket; of the last bucket there is none.
fn end_of(bucket: usize) -> u64 {
    if bucket < PARTS {
        return bucket as u64 + 1;
    }
    if bucket >= BUCKETS - 1 {
        return u64::MAX;
    }
    let (octave, part) = ((bucket - PARTS) / PARTS, (bucket - PARTS) % PARTS);
    (PARTS as u64 + part as u64 + 1) << octave
}

/// The first value of a bucket.
fn begin_of(bucket: usize) -> u64 {
    bucket.checked_sub(1).map_or(0, end_of)
}

#[derive(Debug)]
#[repr(align(128))]
struct Stripe {
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    max: AtomicU64,
    min: AtomicU64,
}

impl Default for Stripe {
    fn default() -> Self {
        Self {
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum: AtomicU64::new(0),
            max: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
        }
    }
}

impl Stripe {
    /// Of a stripe that no other thread writes to.
    #[inline]
    fn add_alone(&self, value: u64) {
        let plus =
            |count: &AtomicU64, more: u64| count.store(count.load(Relaxed).wrapping_add(more), Relaxed);
        plus(&self.buckets[bucket_of(value)], 1);
        plus(&self.sum, value);
        if value > self.max.load(Relaxed) {
            self.max.store(value, Relaxed);
        }
        if value < self.min.load(Relaxed) {
            self.min.store(value, Relaxed);
        }
    }

    fn add(&self, value: u64) {
        self.buckets[bucket_of(value)].fetch_add(1, Relaxed);
        self.sum.fetch_add(value, Relaxed);
        self.max.fetch_max(value, Relaxed);
        self.min.fetch_min(value, Relaxed);
    }
}

/// Durations, sizes or numbers as they are counted. [`Histogram::record`] costs a few additions to memory that no other thread
/// writes to, whatever was counted before.
#[derive(Debug)]
pub struct Histogram {
    /// One for each of the first threads, by their numbers, and a last one for all others.
    stripes: Box<[Stripe]>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::for_one_thread()
    }
}

impl Histogram {
    /// For one thread, or few that seldom count: about 2.3 KiB.
    pub fn for_one_thread() -> Self {
        Self::with_stripes(1)
    }

    /// For many threads: so much for each of those that run at the same time, and as many again.
    pub fn for_many_threads() -> Self {
        static THREADS: OnceLock<usize> = OnceLock::new();
        let threads = THREADS.get_or_init(|| std::thread::available_parallelism().map_or(2, NonZero::get));
        Self::with_stripes((2 * threads).min(stripe::NUMBERS) + 1)
    }

    fn with_stripes(stripes: usize) -> Self {
        Self { stripes: (0..stripes).map(|_| Stripe::default()).collect() }
    }

    /// Counts one duration, in nanoseconds.
    #[inline]
    pub fn record(&self, duration: Duration) {
        self.record_value(nanos(duration));
    }

    /// Counts one size or number.
    #[inline]
    pub fn record_value(&self, value: u64) {
        self.record_of(stripe::of_thread(), value);
    }

    /// The same of the thread that has this number.
    #[inline]
    fn record_of(&self, thread: usize, value: u64) {
        if let Some((shared, alone)) = self.stripes.split_last() {
            match alone.get(thread) {
                Some(stripe) => stripe.add_alone(value),
                None => shared.add(value),
            }
        }
    }

    /// What was counted so far. What is counted meanwhile may be in part of it.
    pub fn snapshot(&self) -> HistogramSnapshot {
        let mut all = HistogramSnapshot::default();
        for stripe in &self.stripes {
            for (sum, bucket) in all.buckets.iter_mut().zip(&stripe.buckets) {
                *sum += bucket.load(Relaxed);
            }
            all.sum = all.sum.wrapping_add(stripe.sum.load(Relaxed));
            all.max = all.max.max(stripe.max.load(Relaxed));
            all.min = all.min.min(stripe.min.load(Relaxed));
        }
        all
    }
}

/// Counts in several histograms at once: the thread's place is looked up only once.
#[inline]
pub fn record_each<const N: usize>(values: [(&Histogram, u64); N]) {
    let thread = stripe::of_thread();
    for (histogram, value) in values {
        histogram.record_of(thread, value);
    }
}

/// Nanoseconds of a duration, as histograms count them.
#[inline]
pub fn nanos(duration: Duration) -> u64 {
    duration.as_secs().saturating_mul(1_000_000_000).saturating_add(duration.subsec_nanos().into())
}

/// What a [`Histogram`] had counted at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramSnapshot {
    buckets: Box<[u64]>,
    sum: u64,
    max: u64,
    min: u64,
}

impl Default for HistogramSnapshot {
    fn default() -> Self {
        Self { buckets: vec![0; BUCKETS].into(), sum: 0, max: 0, min: u64::MAX }
    }
}

impl HistogramSnapshot {
    /// How many were counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// Their sum; of durations in nanoseconds, as everything here.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest; zero if there is none.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest; zero if there is none.
    pub fn min(&self) -> u64 {
        if self.min == u64::MAX { 0 } else { self.min }
    }

    /// Their mean; zero if there is none.
    pub fn mean(&self) -> u64 {
        self.sum / self.count().max(1)
    }

    /// A value that so large a part of them (0 to 1) does not exceed: within an eighth of the true one, and never beyond
    /// the largest. Zero if there is none.
    pub fn quantile(&self, part: f64) -> u64 {
        let count = self.count();
        let rank = ((part * count as f64).ceil() as u64).clamp(1, count.max(1));
        let mut before = 0;
        for (bucket, &inside) in self.buckets.iter().enumerate() {
            if inside > 0 && before + inside >= rank {
                if bucket == BUCKETS - 1 {
                    return self.max();
                }
                let (begin, end) = (begin_of(bucket), end_of(bucket).min(self.max.saturating_add(1)));
                let width = end.saturating_sub(begin + 1) as f64;
                let value = begin + (width * ((rank - before) as f64 / inside as f64)) as u64;
                return value.clamp(self.min.min(self.max), self.max);
            }
            before += inside;
        }
        0
    }

    /// What was counted since an earlier snapshot of the same histogram. The least and the most are then those of their
    /// buckets: within an eighth.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let less = self.buckets.iter().zip(&earlier.buckets).map(|(now, then)| now.saturating_sub(*then));
        let mut since =
            Self { buckets: less.collect(), sum: self.sum.wrapping_sub(earlier.sum), ..Self::default() };
        let first = since.buckets.iter().position(|inside| *inside > 0);
        let last = since.buckets.iter().rposition(|inside| *inside > 0);
        if let (Some(first), Some(last)) = (first, last) {
            since.min = begin_of(first).max(self.min);
            since.max = (end_of(last) - 1).min(self.max);
        }
        since
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (sum, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *sum += more;
        }
        self.sum = self.sum.wrapping_add(other.sum);
        self.max = self.max.max(other.max);
        self.min = self.min.min(other.min);
        self
    }

    /// For each of these powers of two, how many were below it. The powers must grow, from 3 on, and end at 36.
    pub fn cumulative(&self, powers: impl Iterator<Item = u32>) -> impl Iterator<Item = (u64, u64)> {
        let mut below = 0;
        let mut next = 0;
        powers.map(move |power| {
            let end = first_of(power).clamp(next, BUCKETS);
            below += self.buckets[next..end].iter().sum::<u64>();
            next = end;
            (1 << power, below)
        })
    }
}

#[cfg(test)]
mod tests;
