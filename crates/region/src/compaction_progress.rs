//! How far the compaction of a store is.

use crate::compaction::CompactionOutcome;
use finback_cell::Bytes;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicU64, Ordering};

/// Progress of the compaction of one store, for those who ask while it runs.
#[derive(Debug, Default)]
pub(crate) struct CompactionProgress {
    /// What kind of compaction is under way: 0 none, 1 minor, 2 major.
    kind: AtomicU8,
    /// Cells in the inputs.
    total_cells: AtomicU64,
    /// Cells read so far.
    compacted_cells: AtomicU64,
    /// Since when, ms since the epoch.
    since_ms: AtomicI64,
    done: Mutex<CompactionTotals>,
}

/// A compaction of a store that is under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactionUnderWay {
    /// The store's.
    pub family: Bytes,
    /// Whether all files of the store were meant.
    pub is_major: bool,
    /// Cells in the inputs.
    pub total_cells: u64,
    /// Cells read so far.
    pub compacted_cells: u64,
    /// When it began, ms since the epoch.
    pub since_ms: i64,
}

/// What the compactions of a store have done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionTotals {
    /// Compactions that came to their end.
    pub compactions: u64,
    /// Cells that they read.
    pub cells: u64,
    /// Bytes of these cells.
    pub cell_bytes: u64,
    /// Bytes that they wrote.
    pub bytes_written: u64,
    /// Files that they read.
    pub files: u64,
}

impl std::ops::AddAssign for CompactionTotals {
    fn add_assign(&mut self, other: Self) {
        self.compactions += other.compactions;
        self.cells += other.cells;
        self.cell_bytes += other.cell_bytes;
        self.bytes_written += other.bytes_written;
        self.files += other.files;
    }
}

impl CompactionProgress {
    /// Begins a compaction of inputs with so many cells. It is under way until the guard is dropped.
    pub(crate) fn begin(&self, is_major: bool, total_cells: u64, now_ms: i64) -> UnderWay<'_> {
        self.since_ms.store(now_ms, Ordering::Relaxed);
        self.total_cells.store(total_cells, Ordering::Relaxed);
        self.compacted_cells.store(0, Ordering::Relaxed);
        self.kind.store(1 + u8::from(is_major), Ordering::Relaxed);
        UnderWay(self)
    }

    /// Whether a minor, and a major compaction is under way.
    pub(crate) fn under_way(&self) -> (bool, bool) {
        let kind = self.kind.load(Ordering::Relaxed);
        (kind == 1, kind == 2)
    }

    /// Cells to read and cells read; zeros when no compaction is under way, as in HBase.
    pub(crate) fn cells(&self) -> (u64, u64) {
        if self.under_way() == (false, false) {
            return (0, 0);
        }
        let compacted = self.compacted_cells.load(Ordering::Relaxed);
        // What a file says of itself may be wrong: more than all is never compacted.
        (self.total_cells.load(Ordering::Relaxed).max(compacted), compacted)
    }

    /// What is under way in the store of a family.
    pub(crate) fn of(&self, family: &Bytes) -> Option<CompactionUnderWay> {
        let (is_minor, is_major) = self.under_way();
        let (total_cells, compacted_cells) = self.cells();
        (is_minor || is_major).then(|| CompactionUnderWay {
            family: family.clone(),
            is_major,
            total_cells,
            compacted_cells,
            since_ms: self.since_ms.load(Ordering::Relaxed),
        })
    }

    /// Notes how many cells were read so far.
    pub(crate) fn read(&self, cells: u64) {
        self.compacted_cells.store(cells, Ordering::Relaxed);
    }

    /// Notes a compaction that came to its end.
    pub(crate) fn finished(&self, outcome: &CompactionOutcome) {
        *self.done.lock() += CompactionTotals {
            compactions: 1,
            cells: outcome.cells_read,
            cell_bytes: outcome.cell_bytes_read,
            bytes_written: outcome.bytes_written,
            files: outcome.inputs as u64,
        };
    }

    /// What was done since the store was opened.
    pub(crate) fn totals(&self) -> CompactionTotals {
        *self.done.lock()
    }
}

/// Tells those who ask that a compaction is under way, until it is dropped.
pub(crate) struct UnderWay<'a>(&'a CompactionProgress);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.kind.store(0, Ordering::Relaxed);
    }
}
