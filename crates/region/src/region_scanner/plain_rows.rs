//! Rows of which all cells belong to the result for certain, and each of which is in one block of one file, but for older versions that
//! other files have of its only cell: they are taken one after the other, without what decides about a cell.

use super::RegionScanner;
use crate::matcher::PlainCells;
use crate::scan_limits::ScanLimits;
use crate::scan_output::ScanOutput;
use finback_cell::Cell;
use finback_cell::block::CellIter;
use finback_hfile::TakeRows;

/// Cells of a row at most: of longer ones no more is to be taken in vain, and their cells come quickly as it is.
const MOST_CELLS: usize = 16;

/// Rows that come otherwise between two tries, after many in vain.
const LONGEST_PAUSE: u8 = 64;

/// When to try it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Rows that come otherwise before the next try.
    left: u8,
    pause: u8,
}

impl Default for Pace {
    /// The first row comes otherwise: it may be excluded, or be the only one.
    fn default() -> Self {
        Self { left: 1, pause: 1 }
    }
}

impl Pace {
    fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// Behind rows that were taken there is one that was not.
    fn tried(&mut self, was_of_use: bool) {
        self.pause = if was_of_use { 1 } else { self.pause.saturating_mul(2).min(LONGEST_PAUSE) };
        self.left = if was_of_use { 1 } else { self.pause };
    }
}

/// Takes rows into the output up to the limits.
struct PlainRows<'a> {
    plain: PlainCells,
    read_point: u64,
    out: &'a mut ScanOutput,
    limits: &'a ScanLimits,
    /// What is left of it: each row counts one, and each of its cells.
    budget: &'a mut usize,
    turn_end: usize,
    /// Where the last row begins in the output.
    last_row: &'a mut usize,
    /// A limit was reached between two rows.
    is_over: bool,
}

impl TakeRows for PlainRows<'_> {
    #[inline]
    fn take(&mut self, before: Option<&Cell<'_>>, cell: &Cell<'_>, sequence_id: u64) -> bool {
        let cells = self.out.open_cells as usize;
        let is_full = self.is_over
            || cells >= MOST_CELLS.min(self.limits.batch)
            || cells + 2 > *self.budget
            || !self.out.ends_within(self.turn_end, cell)
            || (cells > 0 && self.limits.partial_rows && self.out.size() >= self.limits.bytes);
        let takes = !is_full && sequence_id <= self.read_point && self.plain.include(before, cell);
        if takes {
            self.out.push(cell, |_, _| false);
        }
        takes
    }

    #[inline]
    fn end_row(&mut self) -> bool {
        *self.budget -= 1 + self.out.open_cells as usize;
        *self.last_row = self.out.result_start;
        self.out.rows_scanned += 1;
        self.out.rows_completed += 1;
        self.out.close_result(false);
        self.is_over = self.limits.reached(self.out).is_some();
        !self.is_over
    }

    fn hides_older(&self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        // A reply that the cell fills tells its client that there is more of the row, be it only what is left out.
        let fills = self.limits.partial_rows && self.out.size_with(cell) >= self.limits.bytes;
        !fills && !self.is_over && sequence_id <= self.read_point && self.plain.hide_older(cell)
    }
}

impl RegionScanner {
    /// Between two rows: takes rows, where that is possible; whether it has taken any.
    pub(super) fn take_plain_rows(
        &mut self,
        out: &mut ScanOutput,
        limits: &ScanLimits,
        (budget, turn_end): (&mut usize, usize),
    ) -> bool {
        if self.filter.is_some() || !self.pace.is_due() {
            return false;
        }
        let [store] = &mut self.stores[..] else { return false };
        out.close_result(false);
        let mut last_row = 0;
        let moved = store.advance_rows(&self.range.stop, |plain, read_point| {
            let last_row = &mut last_row;
            let out = &mut *out;
            PlainRows { plain, read_point, out, limits, budget, turn_end, last_row, is_over: false }
        });
        // Of a row that was not taken to its end.
        out.drop_result();
        self.pace.tried(moved);
        if moved {
            self.row.clear();
            let first_cell = CellIter::over_checked(&out.cells[last_row..]).next();
            self.row.extend_from_slice(first_cell.map_or(&[], |cell| cell.row()));
        }
        moved
    }
}
