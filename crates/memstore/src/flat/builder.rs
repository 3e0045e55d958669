//! Copies cells that come in order into a flat segment of their own.

use super::{Entry, FlatCells};
use crate::arena::{Chunk, MAX_SHARED_BYTES};
use crate::record::Record;
use finback_cell::row_prefix::row_prefix;
use finback_cell::{Cell, CellOrder};
use std::collections::HashSet;
use std::ptr::NonNull;
use std::sync::Arc;

/// Memory is taken in chunks of an eighth of what is taken already, between these limits: what is left of the last one is
/// wasted, unless all cells come that were expected.
const CHUNK_BYTES: std::ops::RangeInclusive<usize> = 16 << 10..=512 << 10;

/// Collects cells.
pub(crate) struct FlatBuilder {
    order: CellOrder,
    common: Box<[u8]>,
    index: Vec<Entry>,
    chunks: Vec<Arc<Chunk>>,
    /// Upper limit of the bytes that records still to come will take.
    expected_bytes: usize,
    taken_bytes: usize,
    /// Records too large to be worth a copy, which stay where they are.
    left: HashSet<NonNull<u8>>,
}

impl FlatBuilder {
    /// For at most so many cells in records of so many bytes, whose rows all begin with `common`.
    pub(crate) fn new(order: CellOrder, common: &[u8], cells: usize, record_bytes: usize) -> Self {
        Self {
            order,
            common: common.into(),
            index: Vec::with_capacity(cells),
            chunks: Vec::new(),
            expected_bytes: record_bytes,
            taken_bytes: 0,
            left: HashSet::new(),
        }
    }

    /// Appends a copy of a record of `cell`, which must not sort before the last one. A large one is not copied.
    pub(crate) fn push(&mut self, cell: &Cell<'_>, sequence_id: u64, record: Record) {
        let prefix = row_prefix(self.order, &cell.row()[self.common.len()..]);
        let record = if Record::size(cell) > MAX_SHARED_BYTES {
            self.left.insert(record.into_raw());
            record
        } else {
            let place = self.take(Record::size(cell));
            // SAFETY: fresh memory of that size.
            unsafe { Record::write(place, cell, sequence_id) }
        };
        self.index.push(Entry { prefix, record });
    }

    fn take(&mut self, size: usize) -> NonNull<u8> {
        let expected = self.expected_bytes.max(size);
        self.expected_bytes = expected - size;
        self.taken_bytes += size;
        if let Some(place) = self.chunks.last().and_then(|chunk| chunk.take(size)) {
            return place;
        }
        let part = (self.taken_bytes / 8).clamp(*CHUNK_BYTES.start(), *CHUNK_BYTES.end());
        let chunk = Chunk::new(expected.min(part).max(size));
        let place = chunk.take(size).expect("room for what the chunk was made for");
        self.chunks.push(chunk);
        place
    }

    /// The segment. `chunks` are those of the sources of all cells.
    pub(crate) fn finish(mut self, chunks: &[Arc<Chunk>]) -> FlatCells {
        // Large records have chunks of their own.
        let is_left = |chunk: &&Arc<Chunk>| self.left.contains(&chunk.start());
        self.chunks.extend(chunks.iter().filter(is_left).cloned());
        self.index.shrink_to_fit();
        FlatCells::new(self.order, self.common, self.index, self.chunks)
    }
}
