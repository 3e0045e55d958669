//! A sorted set of cells: mutable (a skip list) or flat.

use crate::flat::{FlatBuilder, FlatCells, FlatCursor};
use crate::scanner::{Cursor, SegmentScanner};
use crate::skip_list::{SkipList, SkipListCursor};
use crate::statistics::{MemStoreSize, Statistics};
use finback_cell::{Cell, CellOrder};
use std::sync::Arc;

/// Cells sorted by key, and at equal keys by descending sequence id. No two have the same key and sequence id.
pub struct Segment {
    order: CellOrder,
    statistics: Statistics,
    cells: Cells,
}

enum Cells {
    SkipList(Arc<SkipList>),
    Flat(Arc<FlatCells>),
}

/// Bytes of a segment besides its cells: itself and the list, each behind an `Arc` with two counters.
const EMPTY_HEAP_BYTES: usize = size_of::<Segment>() + size_of::<SkipList>() + 4 * size_of::<usize>();

impl Segment {
    /// An empty segment that takes writes. It takes memory for cells when the first one comes: 4 KiB, then chunks of
    /// double the size up to 2 MiB.
    pub fn new(order: CellOrder) -> Arc<Self> {
        Arc::new(Self {
            order,
            statistics: Statistics::new(EMPTY_HEAP_BYTES),
            cells: Cells::SkipList(Arc::new(SkipList::new(order))),
        })
    }

    /// Copies `cell` into the segment; readers may see it from then on. A cell with the same key and sequence id is
    /// replaced, as in HBase. Gives back by how many bytes [`Segment::heap_bytes`] grew, often by none.
    ///
    /// Writers wait for each other, readers for nobody.
    ///
    /// # Panics
    /// If the segment [is flat](Segment::is_flat).
    pub fn insert(&self, cell: &Cell<'_>, sequence_id: u64) -> usize {
        self.insert_all(std::iter::once(*cell), sequence_id)
    }

    /// Inserts several cells with one sequence id as [`Segment::insert`] does, under one lock; fastest when they come
    /// in order. The iterator must not use the segment.
    ///
    /// # Panics
    /// If the segment [is flat](Segment::is_flat).
    pub fn insert_all<'a>(&self, cells: impl IntoIterator<Item = Cell<'a>>, sequence_id: u64) -> usize {
        let Cells::SkipList(list) = &self.cells else { panic!("a flat segment takes no writes") };
        let mut writer = list.write();
        let mut grown = 0;
        for cell in cells {
            // Counted before it can be seen: ranges cover whatever a reader finds.
            self.statistics.add(&cell, sequence_id);
            let inserted = writer.insert(&cell, sequence_id);
            if let Some(replaced) = inserted.replaced {
                self.statistics.remove(&replaced);
            }
            self.statistics.add_heap_bytes(inserted.allocated_bytes);
            grown += inserted.allocated_bytes;
        }
        grown
    }

    /// A flat copy of a segment that takes no more writes: smaller, and faster to search.
    pub(crate) fn flatten(&self) -> Arc<Self> {
        let size = self.size();
        let mut builder = FlatBuilder::with_capacity(self.order, size.cells, size.data_bytes);
        let statistics = Statistics::new(0);
        let mut scanner = self.scanner();
        while let Some((cell, sequence_id)) = scanner.peek() {
            builder.push(&cell, sequence_id);
            statistics.add(&cell, sequence_id);
            scanner.next();
        }
        let cells = builder.finish();
        let fixed = size_of::<Self>() + size_of::<FlatCells>() + 4 * size_of::<usize>();
        statistics.set_heap_bytes(fixed + cells.allocated_bytes());
        Arc::new(Self { order: self.order, statistics, cells: Cells::Flat(Arc::new(cells)) })
    }

    /// A scanner that stands on the first cell.
    pub fn scanner(&self) -> SegmentScanner {
        SegmentScanner::new(match &self.cells {
            Cells::SkipList(list) => Cursor::SkipList(SkipListCursor::new(list.clone())),
            Cells::Flat(cells) => Cursor::Flat(FlatCursor::new(cells.clone())),
        })
    }

    /// The order of the cells.
    pub fn order(&self) -> CellOrder {
        self.order
    }

    /// Whether this is the immutable form.
    pub fn is_flat(&self) -> bool {
        matches!(self.cells, Cells::Flat(_))
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.size().cells
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the cells' KeyValues.
    pub fn data_bytes(&self) -> usize {
        self.size().data_bytes
    }

    /// Bytes taken from the allocator: whole chunks, used or not, and all that is around them.
    pub fn heap_bytes(&self) -> usize {
        self.size().heap_bytes
    }

    /// All three sizes.
    pub fn size(&self) -> MemStoreSize {
        self.statistics.size()
    }

    /// Number of delete markers among the cells.
    pub fn delete_markers(&self) -> usize {
        self.statistics.delete_markers()
    }

    /// Whether any cell had tags.
    pub fn has_tags(&self) -> bool {
        self.statistics.has_tags()
    }

    /// Lowest and highest timestamp, from 0 on if there are markers that hide all that is older; `None` when empty.
    pub fn timestamps(&self) -> Option<(i64, i64)> {
        self.statistics.timestamps()
    }

    /// Lowest sequence id; `None` when empty.
    pub fn lowest_sequence_id(&self) -> Option<u64> {
        Some(self.statistics.sequence_ids()?.0)
    }

    /// Highest sequence id; `None` when empty.
    pub fn highest_sequence_id(&self) -> Option<u64> {
        Some(self.statistics.sequence_ids()?.1)
    }
}

impl std::fmt::Debug for Segment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Segment")
            .field("is_flat", &self.is_flat())
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
