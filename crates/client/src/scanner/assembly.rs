//! Rows out of the parts in which they come: HBase's `ScanResultCache`s.
//!
//! A scan that is begun anew in the middle of a row gets the row from its beginning; what was handed over already is left
//! out.

use crate::row::Row;
use finback_cell::{Cell, CellOrder};

/// What is handed over: whole rows, rows in parts of so many cells, or parts as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grain {
    Whole,
    Cells(usize),
    AsTheyCome,
}

pub(super) struct Assembly {
    grain: Grain,
    order: CellOrder,
    /// Parts of the row that is not complete, and their cells.
    parts: Vec<Row>,
    cells: usize,
    /// The last cell that was handed over, of scans in parts, and whether its row goes on.
    last: Option<(Row, bool)>,
    complete_rows: u64,
    handed_over: u64,
}

impl Assembly {
    pub(super) fn new(grain: Grain, order: CellOrder) -> Self {
        Self { grain, order, parts: Vec::new(), cells: 0, last: None, complete_rows: 0, handed_over: 0 }
    }

    /// Rows that are known to be complete.
    pub(super) fn complete_rows(&self) -> u64 {
        self.complete_rows
    }

    /// How far the scan has come: whole rows, and parts that were handed over.
    pub(super) fn progress(&self) -> u64 {
        self.complete_rows + self.handed_over
    }

    /// Forgets parts that were not handed over: they will come again.
    pub(super) fn restart(&mut self) {
        self.parts.clear();
        self.cells = 0;
    }

    /// What of `rows` can be handed over. An answer without rows ends a row, unless it is only a sign of life.
    pub(super) fn add(&mut self, rows: Vec<Row>, heartbeat: bool) -> Vec<Row> {
        if rows.is_empty() {
            return if heartbeat { Vec::new() } else { self.row_ends() };
        }
        match self.grain {
            Grain::Whole => self.whole(rows),
            Grain::Cells(count) => rows.into_iter().flat_map(|row| self.in_parts(row, Some(count))).collect(),
            Grain::AsTheyCome => rows.into_iter().flat_map(|row| self.in_parts(row, None)).collect(),
        }
    }

    /// No more of the current row will come.
    fn row_ends(&mut self) -> Vec<Row> {
        if !self.parts.is_empty() {
            return vec![self.complete()];
        }
        if let Some((_, goes_on)) = &mut self.last
            && std::mem::take(goes_on)
        {
            self.complete_rows += 1;
        }
        Vec::new()
    }

    fn complete(&mut self) -> Row {
        self.complete_rows += 1;
        self.cells = 0;
        let row = Row::joined(&mut self.parts);
        if !matches!(self.grain, Grain::Whole) {
            self.last = last_cell(&row).map(|cell| (cell, false));
        }
        row
    }

    fn whole(&mut self, rows: Vec<Row>) -> Vec<Row> {
        let mut complete = Vec::with_capacity(rows.len() + 1);
        for row in rows {
            // The last part of a row may not be marked as a part: the next row tells.
            if self.parts.first().is_some_and(|first| first.key() != row.key()) {
                complete.push(self.complete());
            }
            let goes_on = row.is_partial();
            if self.parts.is_empty() && !goes_on {
                self.complete_rows += 1;
                complete.push(row);
                continue;
            }
            self.parts.push(row);
            if !goes_on {
                complete.push(self.complete());
            }
        }
        complete
    }

    /// The row as it comes, or in parts of `count` cells; without what was handed over before.
    fn in_parts(&mut self, row: Row, count: Option<usize>) -> Vec<Row> {
        let Some(row) = self.not_seen(row) else { return Vec::new() };
        let mut out = Vec::new();
        if self.parts.first().is_some_and(|first| first.key() != row.key()) {
            out.push(self.complete());
        } else if self.parts.is_empty()
            && let Some((last, goes_on)) = &mut self.last
            && last.key() != row.key()
            && std::mem::take(goes_on)
        {
            self.complete_rows += 1;
        }
        let goes_on = row.is_partial();
        let Some(count) = count else {
            self.handed_over(&row, goes_on);
            out.push(row);
            return out;
        };
        self.cells += row.len();
        self.parts.push(row);
        if self.cells >= count {
            let mut pieces = Row::joined(&mut self.parts).split_every(count);
            let rest = pieces.pop_if(|last| last.len() < count);
            self.cells = rest.as_ref().map_or(0, Row::len);
            let last = pieces.len().saturating_sub(1);
            for (place, piece) in pieces.into_iter().enumerate() {
                let more = goes_on || place < last || rest.is_some();
                self.handed_over(&piece, more);
                out.push(piece.with_partial(more));
            }
            self.parts.extend(rest);
        }
        if !goes_on && !self.parts.is_empty() {
            out.push(self.complete());
        }
        out
    }

    fn handed_over(&mut self, row: &Row, goes_on: bool) {
        self.complete_rows += u64::from(!goes_on);
        self.handed_over += 1;
        self.last = last_cell(row).map(|cell| (cell, goes_on));
    }

    /// The row without cells that were handed over; none if all of it was.
    fn not_seen(&self, row: Row) -> Option<Row> {
        let Some(last) = self.last.as_ref().and_then(|(last, _)| last.cells().next()) else {
            return Some(row);
        };
        if last.row() != row.key() {
            return Some(row);
        }
        let seen = |cell: &Cell<'_>| self.order.compare(cell, &last).is_le();
        let count = row.cells().take_while(seen).count();
        match count {
            0 => Some(row),
            all if all == row.len() => None,
            count => Some(row.skip(count)),
        }
    }
}

/// The last cell of a row, in memory of its own.
fn last_cell(row: &Row) -> Option<Row> {
    let count = row.len().checked_sub(1)?;
    Some(row.skip(count).detached())
}

#[cfg(test)]
mod tests;
