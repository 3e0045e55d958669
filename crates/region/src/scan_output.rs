//! Where a scan puts what it finds: cells as a cell block, and how they divide into results.

use finback_cell::block::CellIter;
use finback_cell::{Cell, CellBlock};

/// Memory that the first cell is given, in bytes: as much as a few small ones need.
const FIRST_BYTES: usize = 512;

/// Memory that is added at least when that is not enough.
const NEXT_BYTES: usize = 4 << 10;

/// Memory of a row that goes on in another reply which is kept, however little of it is used.
const KEPT_BYTES: usize = 64 << 10;

/// What a cell counts beside its bytes and their length: with it, as much as HBase's KeyValue takes of a Java heap. Clients
/// that limit the size of replies expect them to be cut there.
const CELL_BYTES: usize = 28;

/// Results of one reply. Cells stand as `u32 length | KeyValue`, one result after the other.
#[derive(Debug, Default)]
pub struct ScanOutput {
    /// The cell block.
    pub cells: Vec<u8>,
    /// Whether any of them may have tags.
    pub may_have_tags: bool,
    /// Number of cells of each result.
    pub counts: Vec<u32>,
    /// Numbers of the results whose row goes on in the next one, ascending.
    pub partial: Vec<usize>,
    /// Rows that ended.
    pub rows_completed: usize,
    /// Rows looked at, with those that a filter dropped.
    pub rows_scanned: u64,
    /// Rows that a filter dropped.
    pub rows_filtered: u64,
    /// Where the result being built begins in `cells`.
    pub(crate) result_start: usize,
    /// Cells of the result being built.
    pub(crate) open_cells: u32,
    /// Cells of the results before it.
    closed_cells: usize,
}

impl ScanOutput {
    /// Without results yet, whose cells will stand behind these.
    pub fn behind(cells: Vec<u8>) -> Self {
        Self { result_start: cells.len(), cells, ..Self::default() }
    }

    /// Takes the first so many bytes of the cells out, which were there before what was found.
    pub fn take_before(&mut self, bytes: usize) -> Vec<u8> {
        if bytes == 0 {
            return Vec::new();
        }
        let found = self.cells.split_off(bytes);
        self.result_start -= bytes;
        std::mem::replace(&mut self.cells, found)
    }

    /// Whether nothing was found yet.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.open_cells == 0
    }

    /// The cells found. They are whole as long as nobody else wrote into [`ScanOutput::cells`].
    pub fn cells(&self) -> CellIter<'_> {
        CellIter::over_checked(&self.cells)
    }

    /// What is to be compared with the client's limit of the size of a reply: at least the length of the cells.
    pub fn size(&self) -> usize {
        self.cells.len() + (self.closed_cells + self.open_cells as usize) * CELL_BYTES
    }

    /// The same with one cell more.
    pub(crate) fn size_with(&self, cell: &Cell<'_>) -> usize {
        self.size() + bytes_of(cell) + CELL_BYTES
    }

    /// Whether the cells end within `end` with one more.
    #[inline]
    pub(crate) fn ends_within(&self, end: usize, cell: &Cell<'_>) -> bool {
        self.cells.len().saturating_add(bytes_of(cell)) <= end
    }

    /// Appends a cell, or what `transform` makes of it. One that does not end within `end` is left to the next call, which takes it:
    /// `left` has its bytes meanwhile. Whether it was appended.
    pub(crate) fn push_or_leave(
        &mut self,
        cell: &Cell<'_>,
        end: usize,
        left: &mut usize,
        transform: impl FnOnce(&Cell<'_>, &mut Vec<u8>) -> bool,
    ) -> bool {
        let takes = std::mem::take(left) > 0 || self.ends_within(end, cell);
        if takes {
            self.push(cell, transform);
        } else {
            *left = bytes_of(cell);
        }
        takes
    }

    /// Whether the row of each result goes on in the next one.
    pub fn partial_flags(&self) -> Vec<bool> {
        let mut flags = vec![false; self.counts.len()];
        self.partial.iter().for_each(|&result| flags[result] = true);
        flags
    }

    /// Forgets everything, and keeps the memory for the next reply.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.counts.clear();
        self.partial.clear();
        *self = Self {
            cells: std::mem::take(&mut self.cells),
            counts: std::mem::take(&mut self.counts),
            partial: std::mem::take(&mut self.partial),
            ..Self::default()
        };
    }

    /// The cells found, as a checked block.
    pub fn into_cells(self) -> CellBlock {
        CellBlock::parse(self.cells.into()).unwrap_or_default()
    }

    /// Appends a cell, or what `transform` makes of it.
    #[inline]
    pub(crate) fn push(&mut self, cell: &Cell<'_>, transform: impl FnOnce(&Cell<'_>, &mut Vec<u8>) -> bool) {
        let bytes = cell.bytes();
        let length_at = self.cells.len();
        let (needed, capacity) = (4 + bytes.len(), self.cells.capacity());
        if capacity - length_at < needed {
            self.cells.reserve(needed.max(if capacity == 0 { FIRST_BYTES } else { NEXT_BYTES }));
        }
        self.cells.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        if transform(cell, &mut self.cells) {
            let length = (self.cells.len() - length_at - 4) as u32;
            self.cells[length_at..length_at + 4].copy_from_slice(&length.to_be_bytes());
            self.may_have_tags = true;
        } else {
            self.may_have_tags |= !cell.tags().is_empty();
            self.cells.extend_from_slice(bytes);
        }
        self.open_cells += 1;
    }

    /// Ends the result being built. One without cells is none.
    #[inline]
    pub(crate) fn close_result(&mut self, partial: bool) {
        if self.open_cells > 0 {
            if partial {
                self.partial.push(self.counts.len());
            }
            self.counts.push(self.open_cells);
            self.closed_cells += self.open_cells as usize;
        }
        self.open_cells = 0;
        self.result_start = self.cells.len();
    }

    /// Drops the result being built.
    pub(crate) fn drop_result(&mut self) {
        self.cells.truncate(self.result_start);
        self.open_cells = 0;
    }

    /// Takes the result being built out, to go on with it in another reply. Copies it only where others stand before it.
    pub(crate) fn carry_out(&mut self) -> (Vec<u8>, u32) {
        let mut cells = match self.result_start {
            0 => std::mem::take(&mut self.cells),
            start => self.cells.split_off(start),
        };
        if cells.capacity() > KEPT_BYTES && cells.len() < cells.capacity() / 2 {
            cells.shrink_to_fit();
        }
        let carried = (cells, self.open_cells);
        self.open_cells = 0;
        carried
    }

    /// Puts a result being built back.
    pub(crate) fn carry_in(&mut self, (cells, count): (Vec<u8>, u32)) {
        self.result_start = self.cells.len();
        if self.cells.is_empty() {
            self.cells = cells;
        } else {
            self.cells.extend_from_slice(&cells);
        }
        self.may_have_tags = true;
        self.open_cells = count;
    }
}

/// What a cell takes among others.
#[inline]
fn bytes_of(cell: &Cell<'_>) -> usize {
    4 + cell.bytes().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::CellBlockBuilder;
    use finback_cell::cell::CellParts;

    fn push(out: &mut ScanOutput, tags: &[u8]) {
        let mut block = CellBlockBuilder::default();
        block.push_parts(&CellParts {
            row: b"r",
            family: b"f",
            qualifier: b"q",
            timestamp: 1,
            type_code: 4,
            value: b"v",
            tags,
        });
        for cell in block.iter() {
            out.push(&cell, |_, _| false);
        }
    }

    #[test]
    fn whether_a_cell_has_tags_is_known() {
        let mut out = ScanOutput::default();
        push(&mut out, b"");
        assert!(!out.may_have_tags);
        push(&mut out, b"\0\x02\x41x");
        push(&mut out, b"");
        assert!(out.may_have_tags);
        out.clear();
        assert!(!out.may_have_tags);
    }

    #[test]
    fn what_was_there_before_can_be_taken_out_again_whatever_was_found() {
        let mut before = ScanOutput::default();
        push(&mut before, b"");
        for found in [0, 2] {
            let mut out = ScanOutput::behind(before.cells.clone());
            (0..found).for_each(|_| push(&mut out, b""));
            assert_eq!(out.take_before(before.cells.len()), before.cells);
            assert_eq!(out.cells().count(), found);
            push(&mut out, b"");
            out.close_result(false);
            assert_eq!((out.cells().count(), &out.counts[..]), (found + 1, &[found as u32 + 1][..]));
            out.drop_result();
            assert_eq!(out.cells().count(), found + 1, "nothing is being built");
        }
    }

    #[test]
    fn what_is_carried_into_another_reply_may_have_tags() {
        let mut out = ScanOutput::default();
        push(&mut out, b"\0\x02\x41x");
        let place = out.cells.as_ptr();
        let carried = out.carry_out();
        assert_eq!(carried.0.as_ptr(), place, "it was not copied");
        out.clear();
        out.carry_in(carried);
        assert!(out.may_have_tags);
        assert_eq!((out.cells.as_ptr(), out.cells().count()), (place, 1), "it was not copied");
    }

    #[test]
    fn what_is_carried_stands_behind_what_is_there() {
        let mut out = ScanOutput::default();
        push(&mut out, b"");
        out.close_result(false);
        push(&mut out, b"\0\x02\x41x");
        let carried = out.carry_out();
        assert_eq!((out.cells().count(), carried.1), (1, 1));
        out.carry_in(carried);
        push(&mut out, b"");
        out.close_result(false);
        assert_eq!((out.cells().count(), &out.counts[..]), (3, &[1, 2][..]));
    }
}
