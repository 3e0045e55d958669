//! A reader's place in a segment.

use crate::flat::FlatCursor;
use crate::record::Record;
use crate::skip_list::SkipListCursor;
use finback_cell::Cell;
use finback_cell::key::Key;

/// Walks the cells of one segment in order; keeps its memory alive. Never waits, never fails, never allocates.
///
/// It sees every cell that was inserted before it was opened. Cells inserted later may be seen or not, by each movement
/// anew. So take the read point first and open the scanners then.
pub struct SegmentScanner {
    cursor: Cursor,
}

pub(crate) enum Cursor {
    SkipList(SkipListCursor),
    Flat(FlatCursor),
}

impl SegmentScanner {
    pub(crate) fn new(cursor: Cursor) -> Self {
        Self { cursor }
    }

    /// The current cell and its sequence id; `None` behind the last. A new scanner stands on the first cell.
    #[inline]
    pub fn peek(&self) -> Option<(Cell<'_>, u64)> {
        match &self.cursor {
            Cursor::SkipList(cursor) => cursor.peek(),
            Cursor::Flat(cursor) => cursor.peek(),
        }
    }

    /// [`Segment::address`](crate::Segment::address) of the segment whose cells the scanner keeps alive.
    pub fn address(&self) -> usize {
        match &self.cursor {
            Cursor::SkipList(cursor) => cursor.list_address(),
            Cursor::Flat(cursor) => cursor.cells_address(),
        }
    }

    /// Bytes of memory that the scanner keeps alive.
    pub fn kept_bytes(&self) -> usize {
        match &self.cursor {
            Cursor::SkipList(cursor) => cursor.kept_bytes(),
            Cursor::Flat(cursor) => cursor.kept_bytes(),
        }
    }

    /// The current cell's record.
    pub(crate) fn record(&self) -> Option<Record> {
        match &self.cursor {
            Cursor::SkipList(cursor) => cursor.record(),
            Cursor::Flat(cursor) => cursor.record(),
        }
    }

    /// Moves to the following cell. Behind the last one it stays there.
    #[inline]
    pub fn next(&mut self) {
        match &mut self.cursor {
            Cursor::SkipList(cursor) => cursor.next(),
            Cursor::Flat(cursor) => cursor.next(),
        }
    }

    /// Moves to the first cell of the segment.
    pub fn rewind(&mut self) {
        match &mut self.cursor {
            Cursor::SkipList(cursor) => cursor.rewind(),
            Cursor::Flat(cursor) => cursor.rewind(),
        }
    }

    /// Moves, forwards or backwards, to the first cell that is not before `key`: of several cells with that very key
    /// to the one with the highest sequence id.
    pub fn seek(&mut self, key: &Key<'_>) {
        match &mut self.cursor {
            Cursor::SkipList(cursor) => cursor.seek(key),
            Cursor::Flat(cursor) => cursor.seek(key),
        }
    }

    /// Moves forwards as [`SegmentScanner::seek`] does, in time logarithmic in the distance; stays where it is when it
    /// is not before `key`, or behind the last cell.
    pub fn reseek(&mut self, key: &Key<'_>) {
        match &mut self.cursor {
            Cursor::SkipList(cursor) => cursor.reseek(key),
            Cursor::Flat(cursor) => cursor.reseek(key),
        }
    }

    /// The greatest row of the segment strictly before `row`, or its last row. Does not move the scanner.
    pub fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        match &self.cursor {
            Cursor::SkipList(cursor) => cursor.list().previous_row(row),
            Cursor::Flat(cursor) => cursor.cells().previous_row(row),
        }
    }
}

impl std::fmt::Debug for SegmentScanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SegmentScanner").field(&self.peek()).finish()
    }
}
