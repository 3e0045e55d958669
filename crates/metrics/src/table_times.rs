//! How long the operations of a table take, and how large they are.

use crate::histogram::{Histogram, HistogramSnapshot};
use crate::operation::Operation;
use crate::size::{SIZES, Size};
use std::sync::OnceLock;
use std::time::Duration;

/// The times and sizes of a table's operations. Its regions share one, so that nothing is looked up to count. What never
/// happened takes no memory.
#[derive(Debug, Default)]
pub struct TableTimes {
    times: [OnceLock<Histogram>; Operation::ALL.len()],
    sizes: [OnceLock<Histogram>; SIZES],
}

impl TableTimes {
    /// Counts an operation that took so long.
    #[inline]
    pub fn record(&self, operation: Operation, took: Duration) {
        self.times[operation as usize].get_or_init(Histogram::for_many_threads).record(took);
    }

    /// Counts a size.
    #[inline]
    pub fn record_size(&self, size: Size, value: u64) {
        let histogram = || match size {
            Size::Scan => Histogram::for_many_threads(),
            _ => Histogram::for_one_thread(),
        };
        self.sizes[size as usize].get_or_init(histogram).record_value(value);
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> TableTimesSnapshot {
        TableTimesSnapshot { times: snapshots(&self.times), sizes: snapshots(&self.sizes) }
    }
}

fn snapshots(of: &[OnceLock<Histogram>]) -> Vec<Option<HistogramSnapshot>> {
    of.iter().map(|histogram| histogram.get().map(Histogram::snapshot)).collect()
}

/// What [`TableTimes`] had counted at one moment.
#[derive(Clone, Debug, Default)]
pub struct TableTimesSnapshot {
    times: Vec<Option<HistogramSnapshot>>,
    sizes: Vec<Option<HistogramSnapshot>>,
}

impl TableTimesSnapshot {
    /// The durations of an operation, if there was any.
    pub fn times(&self, operation: Operation) -> Option<&HistogramSnapshot> {
        self.times.get(operation as usize)?.as_ref()
    }

    /// The sizes of something, if there was any.
    pub fn sizes(&self, size: Size) -> Option<&HistogramSnapshot> {
        self.sizes.get(size as usize)?.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_has_a_histogram() {
        let table = TableTimes::default();
        table.record(Operation::Get, Duration::from_micros(5));
        table.record_size(Size::FlushOutput, 100);
        let told = table.snapshot();
        assert_eq!(told.times(Operation::Get).unwrap().count(), 1);
        assert_eq!(told.sizes(Size::FlushOutput).unwrap().sum(), 100);
        assert!(told.times(Operation::Put).is_none() && told.sizes(Size::Scan).is_none());
        assert!(TableTimesSnapshot::default().times(Operation::Get).is_none());
    }
}
