//! Sorted cells that no longer change: an array to search, and the cells where they are.
//!
//! ```text
//! index:  ┌────────────┬─────────┐  one per cell, 16 bytes
//!         │ row prefix │ pointer │ ──┐
//!         └────────────┴─────────┘   │
//! chunks: ┌────────┬────────┬──────┐ │  shared with the segments that this one was merged from
//!         │ record │ record │      │ ◄┘
//!         └────────┴────────┴──────┘
//! ```
//! A search touches the index, which is dense, and the records only where eight bytes of the row do not decide. They are
//! the eight bytes behind those that all rows of the segment begin with. Every 64th of them is also in an array of its
//! own, which stays in the processor's cache while the index does not.
#![allow(unsafe_code)]

mod builder;
mod merge;

pub(crate) use builder::FlatBuilder;
pub(crate) use merge::merge;

use crate::arena::Chunk;
use crate::record::Record;
use finback_cell::key::Key;
use finback_cell::row_prefix::row_prefix;
use finback_cell::{Cell, CellOrder};
use std::cmp::Ordering;
use std::sync::Arc;

/// Every so many entries there is a fence.
const FENCE_DISTANCE: usize = 64;

/// So many entries before a reader comes to it, a cell's memory is asked for.
const PREFETCHED: usize = 2;

#[derive(Clone, Copy)]
struct Entry {
    prefix: u64,
    /// In one of the chunks.
    record: Record,
}

/// The cells. See the module.
pub(crate) struct FlatCells {
    order: CellOrder,
    /// What all rows begin with.
    common: Box<[u8]>,
    index: Box<[Entry]>,
    /// Prefixes of every [`FENCE_DISTANCE`]th entry.
    fences: Box<[u64]>,
    chunks: Box<[Arc<Chunk>]>,
}

impl FlatCells {
    fn new(order: CellOrder, common: Box<[u8]>, index: Vec<Entry>, chunks: Vec<Arc<Chunk>>) -> Self {
        let fences = index.iter().step_by(FENCE_DISTANCE).map(|entry| entry.prefix).collect();
        let (index, chunks) = (index.into_boxed_slice(), chunks.into_boxed_slice());
        Self { order, common, index, fences, chunks }
    }

    /// Bytes taken from the allocator.
    pub(crate) fn allocated_bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.heap_bytes()).sum();
        let arrays = size_of_val(&*self.index) + size_of_val(&*self.fences) + size_of_val(&*self.chunks);
        chunks + arrays + self.common.len()
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// The memory that the cells are in.
    pub(crate) fn chunks(&self) -> &[Arc<Chunk>] {
        &self.chunks
    }

    /// What all rows begin with.
    pub(crate) fn common(&self) -> &[u8] {
        &self.common
    }

    /// The cell at a place, and its sequence id.
    pub(crate) fn get(&self, at: usize) -> Option<(Cell<'_>, u64)> {
        let entry = self.index.get(at)?;
        // SAFETY: as in `cell`.
        Some((self.cell(entry), unsafe { entry.record.sequence_id() }))
    }

    /// The cell of one of the entries.
    #[inline]
    fn cell(&self, entry: &Entry) -> Cell<'_> {
        // SAFETY: records of a segment's entries are in chunks that it holds, and `self` is borrowed.
        unsafe { entry.record.cell() }
    }

    /// Compares two entries, of the same or of different segments with the same common bytes, as cells are ordered.
    fn compare(&self, a: &Entry, other: &Self, b: &Entry) -> Ordering {
        let compare_cells = || {
            // SAFETY: as in `cell`.
            let (a_sequence, b_sequence) = unsafe { (a.record.sequence_id(), b.record.sequence_id()) };
            self.order.compare_with_sequence(&self.cell(a), a_sequence, &other.cell(b), b_sequence)
        };
        a.prefix.cmp(&b.prefix).then_with(compare_cells)
    }

    /// Greatest row strictly before `row`, or the last row of all.
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let end = match row {
            None => self.index.len(),
            Some(row) => self.search(0, self.index.len(), row, |cell| {
                self.order.compare_rows(cell.row(), row) == Ordering::Less
            }),
        };
        Some(self.get(end.checked_sub(1)?)?.0.row())
    }

    /// First entry in `from..to` that is not before what is looked for, which is in `row`; or `to`. `is_before` is asked
    /// for cells that the prefix does not decide.
    #[inline]
    fn search(&self, from: usize, to: usize, row: &[u8], is_before: impl Fn(&Cell<'_>) -> bool) -> usize {
        let (head, rest) = row.split_at(self.common.len().min(row.len()));
        match head.cmp(&self.common) {
            Ordering::Less => return from,
            Ordering::Greater => return to,
            Ordering::Equal => {}
        }
        let prefix = row_prefix(self.order, rest);
        let (low, high) = self.between_fences(from, to, prefix);
        let is_before = |entry: &Entry| match entry.prefix.cmp(&prefix) {
            Ordering::Equal => is_before(&self.cell(entry)),
            unequal => unequal == Ordering::Less,
        };
        low + self.index[low..high].partition_point(is_before)
    }

    /// The part of `from..to` that can have entries around `prefix`.
    #[inline]
    fn between_fences(&self, from: usize, to: usize, prefix: u64) -> (usize, usize) {
        if to - from <= 2 * FENCE_DISTANCE {
            return (from, to);
        }
        let fences = &self.fences[from.div_ceil(FENCE_DISTANCE)..to.div_ceil(FENCE_DISTANCE)];
        let first = from.div_ceil(FENCE_DISTANCE);
        let before = fences.partition_point(|&fence| fence < prefix);
        let not_after = before + fences[before..].partition_point(|&fence| fence == prefix);
        let low = if before == 0 { from } else { (first + before - 1) * FENCE_DISTANCE + 1 };
        (low, to.min((first + not_after) * FENCE_DISTANCE).max(low))
    }
}

/// A reader's place in flat cells; keeps them alive.
pub(crate) struct FlatCursor {
    cells: Arc<FlatCells>,
    at: usize,
}

impl FlatCursor {
    /// Stands on the first cell.
    pub(crate) fn new(cells: Arc<FlatCells>) -> Self {
        Self { cells, at: 0 }
    }

    pub(crate) fn cells_address(&self) -> usize {
        Arc::as_ptr(&self.cells).addr()
    }

    pub(crate) fn kept_bytes(&self) -> usize {
        self.cells.allocated_bytes()
    }

    pub(crate) fn cells(&self) -> &FlatCells {
        &self.cells
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.cells.get(self.at)
    }

    /// The current cell's record.
    pub(crate) fn record(&self) -> Option<Record> {
        Some(self.cells.index.get(self.at)?.record)
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        self.at = (self.at + 1).min(self.cells.index.len());
        self.prefetch();
    }

    /// Asks for what the next moves look at.
    #[inline]
    fn prefetch(&self) {
        if let Some(entry) = self.cells.index.get(self.at + PREFETCHED) {
            entry.record.prefetch();
        }
    }

    pub(crate) fn rewind(&mut self) {
        self.at = 0;
    }

    pub(crate) fn seek(&mut self, key: &Key<'_>) {
        self.at = self.search(0, self.cells.index.len(), key);
    }

    /// Doubles its steps until it is beyond the key, then searches the last step: logarithmic in the distance.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) {
        let length = self.cells.index.len();
        let (mut from, mut step) = (self.at, 1);
        while from < length {
            let to = from.saturating_add(step).min(length);
            let found = self.search(to - 1, to, key);
            if found < to {
                self.at = self.search(from, to - 1, key);
                self.prefetch();
                return;
            }
            (from, step) = (to, step.saturating_mul(2));
        }
        self.at = length;
    }

    fn search(&self, from: usize, to: usize, key: &Key<'_>) -> usize {
        let order = self.cells.order;
        self.cells.search(from, to, key.row, |cell| order.compare_cell_to_key(cell, key) == Ordering::Less)
    }
}
