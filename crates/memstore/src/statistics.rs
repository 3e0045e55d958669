//! What a segment knows about its cells.

use finback_cell::{Cell, CellType};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize};

/// How much is in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemStoreSize {
    /// Number of cells.
    pub cells: usize,
    /// Bytes of their KeyValues.
    pub data_bytes: usize,
    /// Bytes taken from the allocator: whole chunks, used or not, and indexes.
    pub heap_bytes: usize,
}

impl std::ops::Add for MemStoreSize {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            cells: self.cells + other.cells,
            data_bytes: self.data_bytes + other.data_bytes,
            heap_bytes: self.heap_bytes + other.heap_bytes,
        }
    }
}

impl std::iter::Sum for MemStoreSize {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |sum, size| sum + size)
    }
}

/// Counters of a segment; exact whenever nobody is writing. Cells that were taken out are not subtracted from ranges.
#[derive(Debug)]
pub(crate) struct Statistics {
    cells: AtomicUsize,
    data_bytes: AtomicUsize,
    heap_bytes: AtomicUsize,
    taken_bytes: AtomicUsize,
    delete_markers: AtomicUsize,
    has_tags: AtomicBool,
    min_timestamp: AtomicI64,
    max_timestamp: AtomicI64,
    lowest_sequence_id: AtomicU64,
    highest_sequence_id: AtomicU64,
}

/// What some insertions did to the counters.
#[derive(Default)]
pub(crate) struct Change {
    cells: isize,
    data_bytes: isize,
    delete_markers: isize,
    /// Growth of the arenas.
    pub(crate) heap_bytes: usize,
    /// Bytes taken out of the arenas.
    pub(crate) taken_bytes: usize,
}

impl Change {
    /// Counts a cell in.
    pub(crate) fn add(&mut self, cell: &Cell<'_>) {
        self.cells += 1;
        self.data_bytes += cell.bytes().len() as isize;
        self.delete_markers += isize::from(cell.is_delete());
    }

    /// Counts a cell out.
    pub(crate) fn remove(&mut self, cell: &Cell<'_>) {
        self.cells -= 1;
        self.data_bytes -= cell.bytes().len() as isize;
        self.delete_markers -= isize::from(cell.is_delete());
    }
}

impl Statistics {
    pub(crate) const fn new() -> Self {
        Self {
            cells: AtomicUsize::new(0),
            data_bytes: AtomicUsize::new(0),
            heap_bytes: AtomicUsize::new(0),
            taken_bytes: AtomicUsize::new(0),
            delete_markers: AtomicUsize::new(0),
            has_tags: AtomicBool::new(false),
            min_timestamp: AtomicI64::new(i64::MAX),
            max_timestamp: AtomicI64::new(i64::MIN),
            lowest_sequence_id: AtomicU64::new(u64::MAX),
            highest_sequence_id: AtomicU64::new(0),
        }
    }

    /// Widens the ranges by a cell, which must happen before anybody sees it: they cover whatever a reader finds.
    #[inline]
    pub(crate) fn widen(&self, cell: &Cell<'_>, sequence_id: u64) {
        if !cell.tags().is_empty() && !self.has_tags() {
            self.has_tags.store(true, Relaxed);
        }
        self.widen_to(cell.timestamp(), sequence_id);
        if matches!(
            CellType::from_code(cell.type_code()),
            Some(CellType::DeleteColumn | CellType::DeleteFamily)
        ) {
            // They hide all that is older: a read of any earlier time must not leave the segment out.
            self.widen_to(0, sequence_id);
        }
    }

    /// Looks before it writes: most cells widen nothing or one end.
    #[inline]
    fn widen_to(&self, timestamp: i64, sequence_id: u64) {
        if timestamp < self.min_timestamp.load(Relaxed) {
            self.min_timestamp.fetch_min(timestamp, Relaxed);
        }
        if timestamp > self.max_timestamp.load(Relaxed) {
            self.max_timestamp.fetch_max(timestamp, Relaxed);
        }
        if sequence_id < self.lowest_sequence_id.load(Relaxed) {
            self.lowest_sequence_id.fetch_min(sequence_id, Relaxed);
        }
        if sequence_id > self.highest_sequence_id.load(Relaxed) {
            self.highest_sequence_id.fetch_max(sequence_id, Relaxed);
        }
    }

    /// Applies a change. Gives back the bytes taken in all.
    pub(crate) fn apply(&self, change: &Change) -> usize {
        // Sums wrap around, as negative ones need.
        self.cells.fetch_add(change.cells as usize, Relaxed);
        self.data_bytes.fetch_add(change.data_bytes as usize, Relaxed);
        if change.delete_markers != 0 {
            self.delete_markers.fetch_add(change.delete_markers as usize, Relaxed);
        }
        if change.heap_bytes > 0 {
            self.heap_bytes.fetch_add(change.heap_bytes, Relaxed);
        }
        self.taken_bytes.fetch_add(change.taken_bytes, Relaxed) + change.taken_bytes
    }

    /// Adds all that another segment counted, but for heap and bytes taken.
    pub(crate) fn merge(&self, other: &Self) {
        self.cells.fetch_add(other.cells.load(Relaxed), Relaxed);
        self.data_bytes.fetch_add(other.data_bytes.load(Relaxed), Relaxed);
        self.delete_markers.fetch_add(other.delete_markers.load(Relaxed), Relaxed);
        self.has_tags.fetch_or(other.has_tags(), Relaxed);
        self.min_timestamp.fetch_min(other.min_timestamp.load(Relaxed), Relaxed);
        self.max_timestamp.fetch_max(other.max_timestamp.load(Relaxed), Relaxed);
        self.lowest_sequence_id.fetch_min(other.lowest_sequence_id.load(Relaxed), Relaxed);
        self.highest_sequence_id.fetch_max(other.highest_sequence_id.load(Relaxed), Relaxed);
    }

    pub(crate) fn set_heap_bytes(&self, heap_bytes: usize) {
        self.heap_bytes.store(heap_bytes, Relaxed);
    }

    pub(crate) fn taken_bytes(&self) -> usize {
        self.taken_bytes.load(Relaxed)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.heap_bytes.load(Relaxed)
    }

    pub(crate) fn size(&self) -> MemStoreSize {
        MemStoreSize {
            cells: self.cells.load(Relaxed),
            data_bytes: self.data_bytes.load(Relaxed),
            heap_bytes: self.heap_bytes(),
        }
    }

    pub(crate) fn delete_markers(&self) -> usize {
        self.delete_markers.load(Relaxed)
    }

    pub(crate) fn has_tags(&self) -> bool {
        self.has_tags.load(Relaxed)
    }

    /// Lowest and highest timestamp that all that was added has to do with.
    pub(crate) fn timestamps(&self) -> Option<(i64, i64)> {
        let (min, max) = (self.min_timestamp.load(Relaxed), self.max_timestamp.load(Relaxed));
        (min <= max).then_some((min, max))
    }

    /// Lowest and highest sequence id of all that was added.
    pub(crate) fn sequence_ids(&self) -> Option<(u64, u64)> {
        let (lowest, highest) =
            (self.lowest_sequence_id.load(Relaxed), self.highest_sequence_id.load(Relaxed));
        (lowest <= highest).then_some((lowest, highest))
    }
}
