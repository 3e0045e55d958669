//! Sorted cells that no longer change: an array to search, and the KeyValues one after the other.
//!
//! ```text
//! index:  ┌────────────┬─────────────┬────────┐  one per cell
//!         │ row prefix │ sequence id │ offset │ ──┐
//!         └────────────┴─────────────┴────────┘   │
//! data:   ┌──────────┬──────────┬──────────┐      │
//!         │ KeyValue │ KeyValue │ KeyValue │ ◄────┘  each ends where the next begins
//!         └──────────┴──────────┴──────────┘
//! ```
//! A search touches the index, which is dense, and the data only where eight bytes of the row do not decide.

use crate::row_prefix::row_prefix;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use std::cmp::Ordering;
use std::sync::Arc;

struct Entry {
    row_prefix: u64,
    sequence_id: u64,
    offset: usize,
}

/// The cells. See the module.
pub(crate) struct FlatCells {
    order: CellOrder,
    index: Box<[Entry]>,
    data: Box<[u8]>,
}

/// Collects cells that come in order.
pub(crate) struct FlatBuilder {
    order: CellOrder,
    index: Vec<Entry>,
    data: Vec<u8>,
}

impl FlatBuilder {
    /// Makes room for what is expected.
    pub(crate) fn with_capacity(order: CellOrder, cells: usize, data_bytes: usize) -> Self {
        Self { order, index: Vec::with_capacity(cells), data: Vec::with_capacity(data_bytes) }
    }

    /// Appends a copy of `cell`, which must not sort before the last one.
    pub(crate) fn push(&mut self, cell: &Cell<'_>, sequence_id: u64) {
        let row_prefix = row_prefix(self.order, cell.row());
        self.index.push(Entry { row_prefix, sequence_id, offset: self.data.len() });
        self.data.extend_from_slice(cell.bytes());
    }

    pub(crate) fn finish(self) -> FlatCells {
        FlatCells {
            order: self.order,
            index: self.index.into_boxed_slice(),
            data: self.data.into_boxed_slice(),
        }
    }
}

impl FlatCells {
    /// Bytes taken from the allocator.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.data.len() + size_of_val(&self.index[..])
    }

    fn get(&self, at: usize) -> Option<(Cell<'_>, u64)> {
        let entry = self.index.get(at)?;
        Some((self.cell(at, entry), entry.sequence_id))
    }

    fn cell(&self, at: usize, entry: &Entry) -> Cell<'_> {
        let end = self.index.get(at + 1).map_or(self.data.len(), |next| next.offset);
        Cell::from_checked(&self.data[entry.offset..end])
    }

    /// Greatest row strictly before `row`, or the last row of all.
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let end = match row {
            None => self.index.len(),
            Some(row) => {
                let prefix = row_prefix(self.order, row);
                self.partition_point(0, self.index.len(), |at, entry| {
                    let compare_rows = || self.order.compare_rows(self.cell(at, entry).row(), row);
                    entry.row_prefix.cmp(&prefix).then_with(compare_rows) == Ordering::Less
                })
            }
        };
        Some(self.get(end.checked_sub(1)?)?.0.row())
    }

    /// First place in `from..to` of which `is_before` does not hold, or `to`.
    #[inline]
    fn partition_point(&self, from: usize, to: usize, is_before: impl Fn(usize, &Entry) -> bool) -> usize {
        let (mut low, mut high) = (from, to);
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle, &self.index[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
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

    pub(crate) fn cells(&self) -> &FlatCells {
        &self.cells
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.cells.get(self.at)
    }

    #[inline]
    pub(crate) fn next(&mut self) {
        self.at = (self.at + 1).min(self.cells.index.len());
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
                return;
            }
            (from, step) = (to, step.saturating_mul(2));
        }
        self.at = length;
    }

    fn search(&self, from: usize, to: usize, key: &Key<'_>) -> usize {
        let cells = &*self.cells;
        let prefix = row_prefix(cells.order, key.row);
        cells.partition_point(from, to, |at, entry| {
            let compare_keys = || cells.order.compare_keys(&Key::of(&cells.cell(at, entry)), key);
            entry.row_prefix.cmp(&prefix).then_with(compare_keys) == Ordering::Less
        })
    }
}
