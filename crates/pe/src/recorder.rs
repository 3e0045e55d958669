//! What operations took.

use hdrhistogram::Histogram;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest latency that is told from longer ones: an hour.
const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Latencies are exact to a thousandth.
const DIGITS: u8 = 3;
/// Longest value whose length is told from longer ones.
const HIGHEST_BYTES: u64 = 1 << 30;

/// What a client has done in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Done {
    /// Which of the workload's operations: a place in its list of names.
    pub(crate) operation: usize,
    /// Rows read or written.
    pub(crate) rows: u64,
    /// Rows that were asked for, and are not there.
    pub(crate) missing: u64,
    /// Bytes of cells read or written.
    pub(crate) bytes: u64,
    /// Rows that a replica gave.
    pub(crate) stale: u64,
}

/// What was measured of one operation.
#[derive(Debug, Clone)]
pub(crate) struct Latencies {
    /// From when it was due, in nanoseconds; in a closed loop that is when it began.
    pub(crate) from_due: Histogram<u64>,
    /// From when it began; only in an open loop.
    pub(crate) from_begin: Option<Histogram<u64>>,
}

/// What was measured in a time.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) latencies: Vec<Latencies>,
    pub(crate) operations: u64,
    pub(crate) rows: u64,
    pub(crate) missing: u64,
    pub(crate) bytes: u64,
    pub(crate) stale: u64,
    pub(crate) over_threshold: u64,
    pub(crate) value_sizes: Option<Histogram<u64>>,
}

/// How measurements are taken.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measuring {
    /// How many operations the workload has.
    pub(crate) operations: usize,
    pub(crate) open_loop: bool,
    pub(crate) threshold: Option<Duration>,
    /// Whether lengths of values are of interest.
    pub(crate) value_sizes: bool,
}

fn histogram(highest: u64) -> Histogram<u64> {
    // The bounds are constants that it accepts.
    Histogram::new_with_bounds(1, highest, DIGITS).unwrap_or_else(|_| unreachable!("constant bounds"))
}

impl Measured {
    pub(crate) fn none(measuring: Measuring) -> Self {
        let latencies = || Latencies {
            from_due: histogram(HIGHEST_NS),
            from_begin: measuring.open_loop.then(|| histogram(HIGHEST_NS)),
        };
        Self {
            latencies: (0..measuring.operations).map(|_| latencies()).collect(),
            operations: 0,
            rows: 0,
            missing: 0,
            bytes: 0,
            stale: 0,
            over_threshold: 0,
            value_sizes: measuring.value_sizes.then(|| histogram(HIGHEST_BYTES)),
        }
    }

    /// Takes in what was measured elsewhere, or in another time.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, part) in self.latencies.iter_mut().zip(&other.latencies) {
            add(&mut sum.from_due, &part.from_due);
            if let (Some(sum), Some(part)) = (&mut sum.from_begin, &part.from_begin) {
                add(sum, part);
            }
        }
        if let (Some(sum), Some(part)) = (&mut self.value_sizes, &other.value_sizes) {
            add(sum, part);
        }
        self.operations += other.operations;
        self.rows += other.rows;
        self.missing += other.missing;
        self.bytes += other.bytes;
        self.stale += other.stale;
        self.over_threshold += other.over_threshold;
    }

    fn clear(&mut self) {
        for latencies in &mut self.latencies {
            latencies.from_due.reset();
            latencies.from_begin.iter_mut().for_each(Histogram::reset);
        }
        self.value_sizes.iter_mut().for_each(Histogram::reset);
        let Self { operations, rows, missing, bytes, stale, over_threshold, .. } = self;
        for count in [operations, rows, missing, bytes, stale, over_threshold] {
            *count = 0;
        }
    }

    /// The latencies of all operations together.
    pub(crate) fn together(&self) -> Histogram<u64> {
        let mut sum = histogram(HIGHEST_NS);
        self.latencies.iter().for_each(|latencies| add(&mut sum, &latencies.from_due));
        sum
    }
}

/// Both have the same bounds, so that it cannot fail.
fn add(sum: &mut Histogram<u64>, part: &Histogram<u64>) {
    if !part.is_empty() {
        let _ = sum.add(part);
    }
}

/// Where the clients of one worker leave what they have measured: one thread writes, and the one that tells reads now and
/// then.
#[derive(Clone)]
pub(crate) struct Recorder {
    measured: Arc<Mutex<Measured>>,
    threshold: Option<Duration>,
}

impl Recorder {
    pub(crate) fn new(measuring: Measuring) -> Self {
        let measured = Arc::new(Mutex::new(Measured::none(measuring)));
        Self { measured, threshold: measuring.threshold }
    }

    /// Takes an operation in that is done now.
    pub(crate) fn done(&self, done: Done, due: Instant, begun: Instant, measure: bool) {
        let now = Instant::now();
        let mut measured = self.measured.lock();
        measured.operations += 1;
        measured.rows += done.rows;
        measured.missing += done.missing;
        measured.bytes += done.bytes;
        measured.stale += done.stale;
        if !measure {
            return;
        }
        let latency = now.saturating_duration_since(due);
        if self.threshold.is_some_and(|threshold| latency >= threshold) {
            measured.over_threshold += 1;
        }
        let Some(latencies) = measured.latencies.get_mut(done.operation) else { return };
        latencies.from_due.saturating_record(nanoseconds(latency));
        if let Some(from_begin) = &mut latencies.from_begin {
            from_begin.saturating_record(nanoseconds(now.saturating_duration_since(begun)));
        }
    }

    /// Takes the length of a value in.
    pub(crate) fn value(&self, length: usize) {
        if let Some(sizes) = &mut self.measured.lock().value_sizes {
            sizes.saturating_record(length as u64);
        }
    }

    /// What was measured since this was called last, in exchange for a `spare` one.
    pub(crate) fn take(&self, spare: &mut Measured) {
        spare.clear();
        std::mem::swap(&mut *self.measured.lock(), spare);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_count_from_when_an_operation_was_due() {
        let threshold = Some(Duration::from_millis(50));
        let measuring = Measuring { operations: 2, open_loop: true, threshold, value_sizes: true };
        let recorder = Recorder::new(measuring);
        let begun = Instant::now();
        let due = begun.checked_sub(Duration::from_millis(100)).unwrap();
        let done = Done { operation: 1, rows: 2, missing: 1, bytes: 30, stale: 1 };
        recorder.done(done, due, begun, true);
        recorder.done(Done { operation: 0, ..Done::default() }, begun, begun, true);
        recorder.done(Done { operation: 0, ..Done::default() }, begun, begun, false);
        recorder.value(17);

        let mut taken = Measured::none(measuring);
        recorder.take(&mut taken);
        let [first, second] = &taken.latencies[..] else { panic!("two operations") };
        assert_eq!((first.from_due.len(), second.from_due.len()), (1, 1));
        assert!(second.from_due.max() >= 100_000_000);
        assert!(second.from_begin.as_ref().unwrap().max() < 100_000_000);
        assert_eq!((taken.operations, taken.rows, taken.missing, taken.bytes), (3, 2, 1, 30));
        assert_eq!((taken.stale, taken.over_threshold), (1, 1));
        assert_eq!(taken.value_sizes.as_ref().unwrap().max(), 17);

        let mut sum = Measured::none(measuring);
        sum.add(&taken);
        sum.add(&taken);
        assert_eq!((sum.operations, sum.together().len()), (6, 4));
        recorder.take(&mut taken);
        assert_eq!((taken.operations, taken.together().len()), (0, 0));
    }
}
