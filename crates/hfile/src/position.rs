//! Where a scanner stands: at a cell of a data block, which is taken apart once, however often it is looked at.

use crate::block::Block;
use crate::data_block::CellOffsets;
use finback_cell::Cell;
use std::sync::Arc;

/// What takes whole rows: [`HFileScanner::advance_rows`](crate::HFileScanner::advance_rows).
pub trait TakeRows {
    /// Takes a cell; `before`: the one before it in its row. False ends it all, and the row is not taken.
    fn take(&mut self, before: Option<&Cell<'_>>, cell: &Cell<'_>, sequence_id: u64) -> bool;

    /// All cells of the row are taken. False ends it all.
    fn end_row(&mut self) -> bool;

    /// Whether nothing older is wanted of the column of a cell that is the newest of it, and would be taken.
    fn hides_older(&self, cell: &Cell<'_>, sequence_id: u64) -> bool;
}

/// Cells that are asked for before a scanner comes to them: the next one is looked at as soon as it moves, if only for where it ends.
const PREFETCHED: usize = 2;

/// A cell of a data block.
#[derive(Clone)]
pub(crate) struct Position {
    block: Arc<Block>,
    number: usize,
    /// The cell that was sought: the number at which it began.
    begun: usize,
    /// Where the cell begins and ends in the payload.
    from: usize,
    to: usize,
    sequence_id: u64,
}

impl Position {
    /// At cell `number`; `None` if the block has no such cell.
    pub(crate) fn new(block: Arc<Block>, number: usize) -> Option<Self> {
        let mut position = Self { block, number, begun: number, from: 0, to: 0, sequence_id: 0 };
        position.move_to(number).then_some(position)
    }

    /// Moves to cell `number`, which was sought. False, and nothing done, if the block has no such cell.
    #[inline]
    pub(crate) fn move_to(&mut self, number: usize) -> bool {
        let Some(cells) = &self.block.cells else { return false };
        let Some((from, to, sequence_id)) = cells.place(self.block.payload(), number) else { return false };
        (self.number, self.begun) = (number, number);
        (self.from, self.to, self.sequence_id) = (from, to, sequence_id);
        true
    }

    /// Moves to the next cell. False, and nothing done, after the block's last.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let Some(cells) = &self.block.cells else { return false };
        let payload = self.block.payload();
        let Some((from, to, sequence_id)) = cells.place(payload, self.number + 1) else { return false };
        (self.number, self.from, self.to, self.sequence_id) = (self.number + 1, from, to, sequence_id);
        self.ask_ahead(cells, payload);
        true
    }

    /// Asks for a cell further on, once it is clear that it is read on and on: what a get of a few cells does not read is most
    /// likely in another page, and to ask for that costs as much as the cell that it reads.
    #[inline]
    fn ask_ahead(&self, cells: &CellOffsets, payload: &[u8]) {
        if self.number >= self.begun + PREFETCHED {
            cells.prefetch(payload, self.number + PREFETCHED);
        }
    }

    /// Moves to the next cells of the block as long as they are of the same row and `take`, given the cell before, the cell and
    /// its sequence id, takes them.
    #[inline]
    pub(crate) fn advance_in_row(&mut self, mut take: impl FnMut(&Cell<'_>, &Cell<'_>, u64) -> bool) {
        let Some(cells) = &self.block.cells else { return };
        let payload = self.block.payload();
        let mut before = Cell::from_checked(&payload[self.from..self.to]);
        let row = before.row();
        while let Some((from, to, sequence_id)) = cells.place(payload, self.number + 1) {
            let cell = Cell::from_checked(&payload[from..to]);
            if cell.row() != row || !take(&before, &cell, sequence_id) {
                return;
            }
            (self.number, self.from, self.to, self.sequence_id) = (self.number + 1, from, to, sequence_id);
            before = cell;
        }
    }

    /// Moves behind whole rows, to the first cell of another one of the block, as long as `rows` takes them; whether it has moved.
    /// Then it was at the first cell of a row. Not inlined: as a part of its callers
    /// it took a tenth more instructions by row.
    #[inline(never)]
    pub(crate) fn advance_rows(&mut self, rows: &mut impl TakeRows) -> bool {
        let Some(cells) = &self.block.cells else { return false };
        let payload = self.block.payload();
        let first = self.number;
        let (mut number, mut place) = (self.number, (self.from, self.to, self.sequence_id));
        let mut goes_on = true;
        while goes_on {
            let (mut before, mut cell) = (None, Cell::from_checked(&payload[place.0..place.1]));
            let row = cell.row();
            loop {
                if !rows.take(before.as_ref(), &cell, place.2) {
                    return self.number != first;
                }
                // The block's last row may go on in the next block.
                let Some(next) = cells.place(payload, number + 1) else { return self.number != first };
                (number, place) = (number + 1, next);
                before = Some(cell);
                cell = Cell::from_checked(&payload[place.0..place.1]);
                if cell.row() != row {
                    break;
                }
            }
            (self.number, self.from, self.to, self.sequence_id) = (number, place.0, place.1, place.2);
            goes_on = rows.end_row();
        }
        true
    }

    /// Moves to the next cell if the block has one and `goes`, given the cell and the next one, says so; whether it has moved.
    #[inline]
    pub(crate) fn advance_if(&mut self, goes: impl FnOnce(&Cell<'_>, &Cell<'_>) -> bool) -> bool {
        let Some(cells) = &self.block.cells else { return false };
        let payload = self.block.payload();
        let Some((from, to, sequence_id)) = cells.place(payload, self.number + 1) else { return false };
        let here = Cell::from_checked(&payload[self.from..self.to]);
        let goes = goes(&here, &Cell::from_checked(&payload[from..to]));
        if goes {
            (self.number, self.from, self.to, self.sequence_id) = (self.number + 1, from, to, sequence_id);
            self.ask_ahead(cells, payload);
        }
        goes
    }

    /// The cell and its sequence id.
    #[inline]
    pub(crate) fn cell(&self) -> (Cell<'_>, u64) {
        (Cell::from_checked(&self.block.payload()[self.from..self.to]), self.sequence_id)
    }

    /// The block.
    pub(crate) fn block(&self) -> &Arc<Block> {
        &self.block
    }

    /// The number of the cell, and where all of the block's are.
    pub(crate) fn among(&self) -> Option<(usize, &CellOffsets)> {
        Some((self.number, self.block.cells.as_ref()?))
    }
}
