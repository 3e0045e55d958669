//! A histogram of durations.

use std::time::Duration;

/// Buckets per power of two: figures are exact to 3 %.
const STEPS: usize = 32;

/// Counts durations in buckets that grow by a constant factor.
pub(crate) struct Latencies {
    buckets: Vec<u64>,
    count: u64,
    max: Duration,
}

impl Latencies {
    pub(crate) fn new() -> Self {
        Self { buckets: vec![0; 64 * STEPS], count: 0, max: Duration::ZERO }
    }

    pub(crate) fn add(&mut self, duration: Duration) {
        let nanoseconds = (duration.as_nanos() as f64).max(1.0);
        self.buckets[(nanoseconds.log2() * STEPS as f64) as usize] += 1;
        self.count += 1;
        self.max = self.max.max(duration);
    }

    /// The duration that this part of all did not exceed, in microseconds.
    pub(crate) fn percentile_us(&self, part: f64) -> f64 {
        let wanted = (self.count as f64 * part) as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen > wanted {
                return ((bucket + 1) as f64 / STEPS as f64).exp2() / 1000.0;
            }
        }
        self.max.as_secs_f64() * 1e6
    }

    pub(crate) fn max_ms(&self) -> f64 {
        self.max.as_secs_f64() * 1e3
    }
}
