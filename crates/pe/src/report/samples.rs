//! What was measured from second to second: for plots.

use crate::recorder::Measured;
use std::time::Duration;

/// Samples that are kept; of a longer run neighbours become one.
const MOST: usize = 1200;

/// One piece of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Seconds from the start of the run to its beginning.
    pub(crate) at: f64,
    pub(crate) seconds: f64,
    pub(crate) operations: u64,
    pub(crate) per_second: f64,
    /// Nanoseconds in which 50 %, 99 % and 99.9 % were done, and the slowest.
    pub(crate) latencies: [u64; 4],
}

impl Sample {
    pub(crate) fn of(measured: &Measured, from: Duration, to: Duration) -> Self {
        let histogram = measured.together();
        let quantile = |part| histogram.value_at_quantile(part);
        let seconds = to.saturating_sub(from).as_secs_f64();
        let latencies = match histogram.is_empty() {
            true => [0; 4],
            false => [quantile(0.5), quantile(0.99), quantile(0.999), histogram.max()],
        };
        let mut sample = Self {
            at: from.as_secs_f64(),
            seconds,
            operations: measured.operations,
            per_second: 0.0,
            latencies,
        };
        sample.per_second = sample.rate();
        sample
    }

    fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.operations as f64 / self.seconds } else { 0.0 }
    }

    /// Both together: of latencies the worse, since parts of both cannot be told any more.
    fn and(self, next: Self) -> Self {
        let mut both = Self {
            seconds: self.seconds + next.seconds,
            operations: self.operations + next.operations,
            ..self
        };
        both.per_second = both.rate();
        for (latency, other) in both.latencies.iter_mut().zip(next.latencies) {
            *latency = (*latency).max(other);
        }
        both
    }
}

/// The samples of a run, no more than can be looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    kept: Vec<Sample>,
    /// How many samples become one, less one.
    merged: u32,
    /// How many of the last have come together so far.
    pending: u32,
}

impl Samples {
    pub(crate) fn push(&mut self, sample: Sample) {
        match self.kept.last_mut() {
            Some(last) if self.pending > 0 => {
                *last = last.and(sample);
                self.pending -= 1;
            }
            _ => {
                self.kept.push(sample);
                self.pending = self.merged;
            }
        }
        if self.kept.len() > MOST && self.pending == 0 {
            self.kept = self
                .kept
                .chunks(2)
                .map(|pair| pair.iter().copied().reduce(Sample::and))
                .collect::<Option<_>>()
                .unwrap_or_default();
            self.merged = self.merged * 2 + 1;
            self.pending = self.merged.div_ceil(2);
        }
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Sample> {
        self.kept.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(number: u64) -> Sample {
        let latencies = [number; 4];
        Sample { at: number as f64, seconds: 1.0, operations: 10, per_second: 10.0, latencies }
    }

    #[test]
    fn a_long_run_keeps_everything_in_fewer_samples() {
        let mut samples = Samples::default();
        (0..10_000).for_each(|number| samples.push(sample(number)));
        assert!((MOST / 2..=MOST + 1).contains(&samples.kept.len()), "{}", samples.kept.len());
        assert_eq!(samples.iter().map(|sample| sample.operations).sum::<u64>(), 100_000);
        let mut until = 0.0;
        for sample in samples.iter() {
            assert_eq!(sample.at, until);
            until += sample.seconds;
            assert_eq!(sample.per_second, 10.0);
            assert_eq!(sample.latencies[3] as f64, until - 1.0);
        }
        assert_eq!(until, 10_000.0);
    }
}
