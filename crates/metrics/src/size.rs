//! How much the operations of a server read and write.

use crate::histogram::{Histogram, HistogramSnapshot};

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

/// How many there are.
pub(crate) const SIZES: usize = Size::MajorCompactionInputFiles as usize + 1;

/// The sizes of a server's operations.
#[derive(Debug)]
pub struct OperationSizes([Histogram; SIZES]);

impl Default for OperationSizes {
    fn default() -> Self {
        Self(std::array::from_fn(|size| match size {
            0 => Histogram::for_many_threads(),
            _ => Histogram::for_one_thread(),
        }))
    }
}

impl OperationSizes {
    /// Counts one.
    #[inline]
    pub fn record(&self, size: Size, value: u64) {
        self.0[size as usize].record_value(value);
    }

    /// What was counted, in the order of the variants of [`Size`].
    pub fn snapshot(&self) -> Vec<HistogramSnapshot> {
        self.0.iter().map(Histogram::snapshot).collect()
    }
}
