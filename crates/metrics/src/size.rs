//! How much the operations of a server read and write.

use crate::histogram::{Histogram, HistogramSnapshot};
use crate::table_times::{TableTimes, TableTimesSnapshot};

/// What is measured, in bytes unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Size {
    /// Of the cells in one answer of a scan.
    Scan,
    /// Of the memstores that a flush begins with.
    FlushMemstore,
    /// Of the files that a flush writes.
    FlushOutput,
    /// Of the files that a compaction reads.
    CompactionInput,
    /// Of the files that a compaction writes.
    CompactionOutput,
    /// Files that a compaction reads.
    CompactionInputFiles,
    /// Of the files that a compaction of all files reads; it counts among [`Size::CompactionInput`] too.
    MajorCompactionInput,
    /// Of the files that it writes.
    MajorCompactionOutput,
    /// Files that it reads.
    MajorCompactionInputFiles,
}

impl Size {
    /// All of them, in their order.
    const ALL: [Self; SIZES] = [
        Self::Scan,
        Self::FlushMemstore,
        Self::FlushOutput,
        Self::CompactionInput,
        Self::CompactionOutput,
        Self::CompactionInputFiles,
        Self::MajorCompactionInput,
        Self::MajorCompactionOutput,
        Self::MajorCompactionInputFiles,
    ];

    /// For as many threads as count it.
    pub(crate) fn histogram(self) -> Histogram {
        match self {
            Self::Scan => Histogram::for_many_threads(),
            _ => Histogram::for_one_thread(),
        }
    }
}

/// How many there are.
pub(crate) const SIZES: usize = Size::MajorCompactionInputFiles as usize + 1;

/// The sizes of a server's operations, but for those that a table counts.
#[derive(Debug)]
pub struct OperationSizes([Histogram; SIZES]);

impl Default for OperationSizes {
    fn default() -> Self {
        Self(Size::ALL.map(Size::histogram))
    }
}

impl OperationSizes {
    /// Counts one, where its table counts if it has one.
    #[inline]
    pub fn record(&self, table: Option<&TableTimes>, size: Size, value: u64) {
        table.map_or(&self.0[size as usize], |table| table.of_size(size)).record_value(value);
    }

    /// What was counted, with that of all tables, in the order of the variants of [`Size`].
    pub fn snapshot_with(&self, tables: &TableTimesSnapshot) -> Vec<HistogramSnapshot> {
        let with_tables = |(own, size): (HistogramSnapshot, _)| match tables.sizes(size) {
            Some(of_tables) => own.and(of_tables),
            None => own,
        };
        self.0.iter().map(Histogram::snapshot).zip(Size::ALL).map(with_tables).collect()
    }
}
