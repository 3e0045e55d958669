//! How long the operations of a server take.

use crate::histogram::{Histogram, HistogramSnapshot};
use crate::table_times::{TableTimes, TableTimesSnapshot};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Operation {
    /// A get by itself.
    Get,
    /// A put by itself.
    Put,
    /// A delete by itself.
    Delete,
    /// An increment by itself.
    Increment,
    /// An append by itself.
    Append,
    /// A mutation with a condition.
    CheckAndMutate,
    /// A put with a condition: it counts among [`Operation::CheckAndMutate`] too.
    CheckAndPut,
    /// A delete with a condition: likewise.
    CheckAndDelete,
    /// The puts of a batch to one region, together.
    PutBatch,
    /// The deletes of a batch to one region, together.
    DeleteBatch,
    /// A bulk load into a region.
    BulkLoad,
    /// One call of a scan: its opening with the first rows, or the next rows.
    Scan,
    /// A batch.
    Multi,
    /// A flush of a region.
    Flush,
    /// A compaction of a store, of some files.
    Compaction,
    /// A compaction of a store, of all files.
    MajorCompaction,
}

impl Operation {
    /// All of them, in their order.
    pub const ALL: [Self; 16] = [
        Self::Get,
        Self::Put,
        Self::Delete,
        Self::Increment,
        Self::Append,
        Self::CheckAndMutate,
        Self::CheckAndPut,
        Self::CheckAndDelete,
        Self::PutBatch,
        Self::DeleteBatch,
        Self::BulkLoad,
        Self::Scan,
        Self::Multi,
        Self::Flush,
        Self::Compaction,
        Self::MajorCompaction,
    ];
}

/// Whether operations are timed. They are; a benchmark of what that costs says otherwise.
static RECORDS: AtomicBool = AtomicBool::new(true);

/// Whether they are.
#[inline]
pub fn is_recording() -> bool {
    RECORDS.load(Relaxed)
}

/// Has operations timed from now on, or not: for who measures what it costs.
pub fn record(on: bool) {
    RECORDS.store(on, Relaxed);
}

/// An operation that takes longer is slow, as in HBase.
const SLOW: Duration = Duration::from_secs(1);

/// The times of a server's operations, but for those that a table counts.
#[derive(Debug)]
pub struct OperationTimes {
    times: [Histogram; Operation::ALL.len()],
    slow: [AtomicU64; Operation::ALL.len()],
}

impl Default for OperationTimes {
    fn default() -> Self {
        Self { times: std::array::from_fn(|_| Histogram::for_many_threads()), slow: Default::default() }
    }
}

/// When an operation began, if it is timed.
#[derive(Clone, Copy, Debug)]
#[must_use = "an operation that is begun is to be recorded"]
pub struct Timer(Option<Instant>);

impl Timer {
    /// Begins now.
    #[inline]
    pub fn start() -> Self {
        Self(is_recording().then(Instant::now))
    }

    /// Of what began then.
    #[inline]
    pub fn since(begun: Instant) -> Self {
        Self(is_recording().then_some(begun))
    }

    /// How long it has been running, if it is timed.
    #[inline]
    pub fn elapsed(self) -> Option<Duration> {
        self.0.map(|begun| begun.elapsed())
    }
}

impl OperationTimes {
    /// Counts an operation that took so long.
    #[inline]
    pub fn record(&self, operation: Operation, took: Duration) {
        self.record_in(None, operation, took);
    }

    /// Counts it where its table counts, if it has one. It is not counted twice: the server's times are those of all tables.
    #[inline]
    pub fn record_in(&self, table: Option<&TableTimes>, operation: Operation, took: Duration) {
        let times = table.map_or(&self.times[operation as usize], |table| table.of(operation));
        times.record(took);
        if took > SLOW {
            self.slow[operation as usize].fetch_add(1, Relaxed);
        }
    }

    /// Counts an operation that ends now.
    #[inline]
    pub fn stop(&self, operation: Operation, timer: Timer) {
        if let Some(took) = timer.elapsed() {
            self.record(operation, took);
        }
    }

    /// What was counted of no table, in the order of [`Operation::ALL`].
    pub fn snapshot(&self) -> Vec<HistogramSnapshot> {
        self.times.iter().map(Histogram::snapshot).collect()
    }

    /// What was counted, with that of all tables.
    pub fn snapshot_with(&self, tables: &TableTimesSnapshot) -> Vec<HistogramSnapshot> {
        let with_tables = |(own, operation): (HistogramSnapshot, _)| match tables.times(operation) {
            Some(of_tables) => own.and(of_tables),
            None => own,
        };
        self.snapshot().into_iter().zip(Operation::ALL).map(with_tables).collect()
    }

    /// How many took longer than a second, in the order of [`Operation::ALL`].
    pub fn slow(&self) -> Vec<u64> {
        self.slow.iter().map(|count| count.load(Relaxed)).collect()
    }
}
