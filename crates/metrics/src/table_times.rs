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
        self.of(operation).record(took);
    }

    /// Of an operation.
    #[inline]
    pub(crate) fn of(&self, operation: Operation) -> &Histogram {
        self.times[operation as usize].get_or_init(Histogram::for_many_threads)
    }

    /// Of a size.
    #[inline]
    pub(crate) fn of_size(&self, size: Size) -> &Histogram {
        self.sizes[size as usize].get_or_init(|| size.histogram())
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> TableTimesSnapshot {
        TableTimesSnapshot { times: snapshots(&self.times), sizes: snapshots(&self.sizes) }
    }
}

fn snapshots(of: &[OnceLock<Histogram>]) -> Vec<Option<HistogramSnapshot>> {
    of.iter().map(|histogram| histogram.get().map(Histogram::snapshot)).collect()
}

fn together(
    one: Vec<Option<HistogramSnapshot>>,
    other: Vec<Option<HistogramSnapshot>>,
) -> Vec<Option<HistogramSnapshot>> {
    // One that was never taken is empty.
    if one.is_empty() {
        return other;
    }
    let mut other = other.into_iter();
    let and = |one: Option<HistogramSnapshot>| match (one, other.next().flatten()) {
        (Some(one), Some(other)) => Some(one.and(&other)),
        (one, other) => one.or(other),
    };
    one.into_iter().map(and).collect()
}

/// What [`TableTimes`] had counted at one moment.
#[derive(Clone, Debug, Default)]
pub struct TableTimesSnapshot {
    times: Vec<Option<HistogramSnapshot>>,
    sizes: Vec<Option<HistogramSnapshot>>,
}

impl TableTimesSnapshot {
    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { times: together(self.times, other.times), sizes: together(self.sizes, other.sizes) }
    }

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
    use crate::size::OperationSizes;

    #[test]
    fn only_what_happened_has_a_histogram() {
        let table = TableTimes::default();
        table.record(Operation::Get, Duration::from_micros(5));
        OperationSizes::default().record(Some(&table), Size::FlushOutput, 100);
        let told = table.snapshot();
        assert_eq!(told.times(Operation::Get).unwrap().count(), 1);
        assert_eq!(told.sizes(Size::FlushOutput).unwrap().sum(), 100);
        assert!(told.times(Operation::Put).is_none() && told.sizes(Size::Scan).is_none());
        assert!(TableTimesSnapshot::default().times(Operation::Get).is_none());
    }
}
