//! A sorted set of cells: mutable (a skip list) or flat.

use crate::flat::{FlatBuilder, FlatCells, FlatCursor, merge};
use crate::record::{HEADER_SIZE, Record};
use crate::scanner::{Cursor, SegmentScanner};
use crate::skip_list::{AVERAGE_NODE_BYTES, Inserted, SkipList, SkipListCursor};
use crate::statistics::{Change, MemStoreSize, Statistics};
use finback_cell::row_prefix::{Beginning, common_length};
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

/// What insertions did to a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// By how many bytes [`Segment::heap_bytes`] grew, often by none.
    pub heap_bytes: usize,
    /// Bytes in use of the segment afterwards, whatever they are still good for: what in-memory flushes go by.
    pub active_bytes: usize,
}

/// What so many cells have in common, others will have.
const TELLING_CELLS: usize = 100;

/// So many nodes stay in a processor's cache, where they are at hand: whoever searches waits for no memory.
const CELLS_IN_CACHE: usize = 20_000;

/// Bytes of a segment besides its cells: itself and the list, each behind an `Arc` with two counters.
const EMPTY_HEAP_BYTES: usize = size_of::<Segment>() + size_of::<SkipList>() + 4 * size_of::<usize>();

impl Segment {
    /// An empty segment that takes writes. It takes memory for cells when the first one comes: 4 KiB, then chunks of
    /// a quarter of what it has, up to 2 MiB.
    pub fn new(order: CellOrder) -> Arc<Self> {
        Self::expecting(order, None, 0, 0)
    }

    /// An empty segment that will take about so many bytes of nodes and of records, and so begins with larger chunks.
    fn expecting(
        order: CellOrder,
        beginning: Option<Beginning>,
        node_bytes: usize,
        record_bytes: usize,
    ) -> Arc<Self> {
        let list = SkipList::new(order, beginning, node_bytes, record_bytes);
        Arc::new(Self { order, statistics: Statistics::new(), cells: Cells::SkipList(Arc::new(list)) })
    }

    /// An empty segment for rows like those of this one.
    pub(crate) fn small_successor(&self) -> Arc<Self> {
        Self::expecting(self.order, self.beginning(), 0, 0)
    }

    /// An empty segment for writes as this one took them.
    pub(crate) fn successor(&self) -> Arc<Self> {
        let nodes = self.len() * AVERAGE_NODE_BYTES;
        let records = self.statistics.taken_bytes().saturating_sub(nodes);
        Self::expecting(self.order, self.beginning(), nodes, records)
    }

    /// What rows that come next begin with, most likely.
    fn beginning(&self) -> Option<Beginning> {
        match &self.cells {
            // A few say little about others.
            Cells::SkipList(list) if self.len() < TELLING_CELLS => list.beginning().copied(),
            _ => self.first_and_last_row().map(|(first, last)| Beginning::expected(&first, &last)),
        }
    }

    fn first_and_last_row(&self) -> Option<(Vec<u8>, Vec<u8>)> {
        let scanner = self.scanner();
        let (first, _) = scanner.peek()?;
        Some((first.row().to_vec(), scanner.previous_row(None)?.to_vec()))
    }

    /// Copies `cell` into the segment; readers may see it from then on. A cell with the same key and sequence id is
    /// replaced, as in HBase.
    ///
    /// Nobody waits for anybody.
    ///
    /// # Panics
    /// If the segment [is flat](Segment::is_flat).
    pub fn insert(&self, cell: &Cell<'_>, sequence_id: u64) -> Growth {
        self.insert_all(std::iter::once(*cell), sequence_id)
    }

    /// Inserts several cells with one sequence id as [`Segment::insert`] does; fastest when they come in order.
    ///
    /// # Panics
    /// If the segment [is flat](Segment::is_flat).
    pub fn insert_all<'a>(&self, cells: impl IntoIterator<Item = Cell<'a>>, sequence_id: u64) -> Growth {
        let mut change = Change::default();
        // The statistics have each cell before readers can find it.
        let cells = cells.into_iter().inspect(|cell| self.statistics.widen(cell, sequence_id));
        let note_it = |cell: &Cell<'_>, inserted: &Inserted<'_>| note(&mut change, cell, inserted);
        let mut inserter = self.list().inserter();
        if self.len() > CELLS_IN_CACHE {
            inserter.insert_scattered(cells, sequence_id, note_it);
        } else {
            inserter.insert_all(cells, sequence_id, note_it);
        }
        self.apply(&change)
    }

    /// Inserts a put that is newer than all there is of its column. Of the older versions only the newest one with a
    /// sequence id up to `smallest_read_point` need stay; so one of them may go.
    ///
    /// The caller must keep other writers of the row away.
    ///
    /// # Panics
    /// If the segment [is flat](Segment::is_flat).
    pub fn upsert(&self, cell: &Cell<'_>, sequence_id: u64, smallest_read_point: u64) -> Growth {
        let mut change = Change::default();
        self.statistics.widen(cell, sequence_id);
        let inserted = self.list().inserter().upsert(cell, sequence_id, smallest_read_point);
        note(&mut change, cell, &inserted);
        self.apply(&change)
    }

    fn list(&self) -> &SkipList {
        let Cells::SkipList(list) = &self.cells else { panic!("a flat segment takes no writes") };
        list
    }

    fn apply(&self, change: &Change) -> Growth {
        let active_bytes = self.statistics.apply(change);
        Growth { heap_bytes: change.heap_bytes, active_bytes }
    }

    /// A flat copy of those cells of a segment that takes no more writes which `keeps` lets stay: smaller, and faster to
    /// search. `keeps` is asked for each cell and sequence id in order. Large cells are shared, not copied.
    pub(crate) fn flatten(&self, mut keeps: impl FnMut(&Cell<'_>, u64) -> bool) -> Arc<Self> {
        let size = self.size();
        let common = self.common();
        let record_bytes = size.data_bytes + size.cells * HEADER_SIZE;
        let mut builder = FlatBuilder::new(self.order, &common, size.cells, record_bytes);
        let statistics = Statistics::new();
        let mut change = Change::default();
        let mut scanner = self.scanner();
        while let (Some((cell, sequence_id)), Some(record)) = (scanner.peek(), scanner.record()) {
            if keeps(&cell, sequence_id) {
                builder.push(&cell, sequence_id, record);
                statistics.widen(&cell, sequence_id);
                change.add(&cell);
            }
            scanner.next();
        }
        statistics.apply(&change);
        let cells = match &self.cells {
            Cells::SkipList(list) => builder.finish(&list.records().chunks()),
            Cells::Flat(cells) => builder.finish(cells.chunks()),
        };
        Self::flat(self.order, statistics, cells)
    }

    /// Bytes that all rows begin with.
    fn common(&self) -> Vec<u8> {
        match &self.cells {
            Cells::Flat(cells) => cells.common().to_vec(),
            Cells::SkipList(_) if self.order == CellOrder::Meta => Vec::new(),
            Cells::SkipList(_) => {
                let Some((mut first, last)) = self.first_and_last_row() else { return Vec::new() };
                first.truncate(common_length(&first, &last));
                first
            }
        }
    }

    /// One flat segment in the place of several, newest first. No cell is copied or left out. `None` if one of them is
    /// not flat.
    pub(crate) fn merge(segments: &[Arc<Self>]) -> Option<Arc<Self>> {
        let flat = |segment: &'_ Arc<Self>| match &segment.cells {
            Cells::Flat(cells) => Some(Arc::clone(cells)),
            Cells::SkipList(_) => None,
        };
        let sources: Vec<Arc<FlatCells>> = segments.iter().map(flat).collect::<Option<_>>()?;
        let order = segments.first()?.order;
        let statistics = Statistics::new();
        segments.iter().for_each(|segment| statistics.merge(&segment.statistics));
        let sources: Vec<&FlatCells> = sources.iter().map(|cells| &**cells).collect();
        Some(Self::flat(order, statistics, merge(order, &sources)))
    }

    fn flat(order: CellOrder, statistics: Statistics, cells: FlatCells) -> Arc<Self> {
        let fixed = size_of::<Self>() + size_of::<FlatCells>() + 4 * size_of::<usize>();
        statistics.set_heap_bytes(fixed + cells.allocated_bytes());
        Arc::new(Self { order, statistics, cells: Cells::Flat(Arc::new(cells)) })
    }

    /// The part of the cells that `keeps` would not let stay, found by asking it for some, in runs of neighbours all over
    /// the segment. 0 to 1.
    pub(crate) fn sample(&self, mut keeps: impl FnMut(&Cell<'_>, u64) -> bool) -> f64 {
        /// Together enough to tell 4 % from 5 %.
        const RUNS: usize = 64;
        const CELLS_PER_RUN: usize = 64;
        let Cells::Flat(cells) = &self.cells else { return 0.0 };
        let distance = (cells.len() / RUNS).max(CELLS_PER_RUN);
        let (mut asked, mut dropped) = (0_usize, 0_usize);
        for start in (0..cells.len()).step_by(distance) {
            for at in start..(start + CELLS_PER_RUN).min(cells.len()) {
                if let Some((cell, sequence_id)) = cells.get(at) {
                    asked += 1;
                    dropped += usize::from(!keeps(&cell, sequence_id));
                }
            }
        }
        dropped as f64 / asked.max(1) as f64
    }

    /// A scanner that stands on the first cell.
    pub fn scanner(&self) -> SegmentScanner {
        SegmentScanner::new(match &self.cells {
            Cells::SkipList(list) => Cursor::SkipList(SkipListCursor::new(list.clone())),
            Cells::Flat(cells) => Cursor::Flat(FlatCursor::new(cells.clone())),
        })
    }

    /// Tells its cells in memory from those of other segments, as long as somebody keeps them, see
    /// [`SegmentScanner::address`].
    pub fn address(&self) -> usize {
        match &self.cells {
            Cells::SkipList(list) => Arc::as_ptr(list).addr(),
            Cells::Flat(cells) => Arc::as_ptr(cells).addr(),
        }
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

    /// [`Segment::heap_bytes`], without those that an empty segment has: what insertions told of as growth.
    pub(crate) fn grown_bytes(&self) -> usize {
        self.statistics.heap_bytes()
    }

    /// Bytes in use, see [`Growth::active_bytes`].
    pub(crate) fn taken_bytes(&self) -> usize {
        self.statistics.taken_bytes()
    }

    /// All three sizes.
    pub fn size(&self) -> MemStoreSize {
        let mut size = self.statistics.size();
        if !self.is_flat() {
            size.heap_bytes += EMPTY_HEAP_BYTES;
        }
        size
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

/// Notes an insertion. A cell that took another's place took no node.
fn note(change: &mut Change, cell: &Cell<'_>, inserted: &Inserted<'_>) {
    change.add(cell);
    change.heap_bytes += inserted.allocated_bytes;
    change.taken_bytes += Record::size(cell);
    match &inserted.replaced {
        Some(replaced) => change.remove(replaced),
        None => change.taken_bytes += AVERAGE_NODE_BYTES,
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
