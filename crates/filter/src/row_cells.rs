//! The kept cells of one row, as filters see them when the row has ended.

use finback_cell::Cell;
use finback_cell::block::CellIter;

/// The kept cells of a row, wherever their bytes are. A filter can only drop some of them, so the owner of the bytes
/// chooses a representation that needs no copy: [`BlockTail`] for cells that stand already in a reply, or a vector
/// of borrowed cells.
pub trait RowCells {
    /// Asks `keep` of each cell in order, and drops those of which it says `false`.
    fn retain(&mut self, keep: &mut dyn FnMut(&Cell<'_>) -> bool);
}

impl RowCells for Vec<Cell<'_>> {
    fn retain(&mut self, keep: &mut dyn FnMut(&Cell<'_>) -> bool) {
        Vec::retain(self, |cell| keep(cell));
    }
}

/// The end of a cell block that is being built: the cells of the current row, each behind its length.
///
/// ```text
/// ┌───────────────┬───────┬──────────┬───────┬──────────┐
/// │ earlier rows  │ kvLen │ KeyValue │ kvLen │ KeyValue │
/// └───────────────┴───────┴──────────┴───────┴──────────┘
///                 ↑ row_start
/// ```
/// Nothing moves unless a cell is dropped; then the cells after it move forward once.
pub struct BlockTail<'a> {
    block: &'a mut Vec<u8>,
    row_start: usize,
    count: usize,
}

impl<'a> BlockTail<'a> {
    /// The cells of `block` from `row_start` on, which must be whole checked cells.
    pub fn new(block: &'a mut Vec<u8>, row_start: usize) -> Self {
        let count = CellIter::over_checked(&block[row_start..]).count();
        Self { block, row_start, count }
    }

    /// Cells left of the row.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether no cell is left of the row.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl RowCells for BlockTail<'_> {
    fn retain(&mut self, keep: &mut dyn FnMut(&Cell<'_>) -> bool) {
        let (mut read, mut write) = (self.row_start, self.row_start);
        while let Some(cell) = CellIter::over_checked(&self.block[read..]).next() {
            let length = 4 + cell.bytes().len();
            if keep(&cell) {
                if write != read {
                    self.block.copy_within(read..read + length, write);
                }
                write += length;
            } else {
                self.count -= 1;
            }
            read += length;
        }
        self.block.truncate(write);
    }
}

#[cfg(test)]
mod tests;
