//! Into which of several files each cell of a flush or a compaction goes.

use crate::compaction_policy::Cut;
use crate::history::History;
use crate::whole_block::WholeBlock;
use finback_cell::{Bytes, Cell, CellOrder};
use std::cmp::Ordering;

/// The first and the last-but-one bound of a file's rows; empty where there is none.
pub(crate) type Stripe = (Bytes, Bytes);

/// Sorts the cells of one output, which come in order, into its pieces.
pub(crate) struct Cutter {
    order: CellOrder,
    cut: Cut,
    /// By rows: the piece of the last cell. By count: the number of the last piece.
    current: usize,
    by_count: ByCount,
    history: History,
    /// All scanners see the cells up to this sequence id.
    seen: u64,
}

/// The pieces of an output that is cut by what is history.
const HISTORY: usize = 0;
const PRESENT: usize = 1;

/// Where an output that is cut by the number of cells stands.
#[derive(Default)]
struct ByCount {
    /// First rows of the pieces but the first.
    starts: Vec<Bytes>,
    /// Cells written to the current piece, and cells read for it.
    written: u64,
    seen: u64,
    seen_before: u64,
    /// The current piece has enough, and ends with this row.
    last_row: Option<Vec<u8>>,
}

impl Cutter {
    pub(crate) fn new(cut: Cut, order: CellOrder) -> Self {
        let max_versions = if let Cut::History { max_versions } = cut { max_versions } else { 0 };
        let history = History::new(max_versions);
        Self { order, cut, current: 0, by_count: ByCount::default(), history, seen: u64::MAX }
    }

    /// Of cells of which some scanners see no more than up to this sequence id.
    pub(crate) fn seen_up_to(&mut self, sequence_id: u64) {
        self.seen = sequence_id;
    }

    /// How many pieces there are so far, at least.
    pub(crate) fn pieces(&self) -> usize {
        match &self.cut {
            Cut::Whole => 1,
            Cut::Times(starts) => starts.len(),
            Cut::Rows { bounds, .. } => bounds.len().saturating_sub(1).max(1),
            Cut::Cells { .. } => self.by_count.starts.len() + 1,
            Cut::History { .. } => 2,
        }
    }

    /// The piece of a cell with this sequence id, which is the `read`th that was read. Rows never go back.
    pub(crate) fn piece_of(&mut self, cell: &Cell<'_>, sequence_id: u64, read: u64) -> usize {
        match &self.cut {
            Cut::Whole => 0,
            Cut::Times(starts) => piece_of_time(starts, cell.timestamp()),
            Cut::Rows { bounds, .. } => {
                self.current = self.piece_of_row(bounds, cell.row());
                self.current
            }
            &Cut::Cells { pieces, cells, .. } => {
                self.by_count.place(cell, read, pieces, cells);
                self.by_count.starts.len()
            }
            Cut::History { .. } if sequence_id <= self.seen && self.history.has(cell) => HISTORY,
            Cut::History { .. } => PRESENT,
        }
    }

    /// The piece of all cells of a block, if it is one. By count, and of history, that is known of a cell when it is its turn.
    pub(crate) fn piece_of_all(&self, block: &WholeBlock) -> Option<usize> {
        match &self.cut {
            Cut::Whole => Some(0),
            Cut::Times(starts) => {
                let piece = piece_of_time(starts, block.first().timestamp());
                block
                    .cells()
                    .all(|(cell, _)| piece_of_time(starts, cell.timestamp()) == piece)
                    .then_some(piece)
            }
            Cut::Rows { bounds, .. } => {
                let piece = self.piece_of_row(bounds, block.first().row());
                (self.piece_of_row(bounds, block.last().row()) == piece).then_some(piece)
            }
            Cut::Cells { .. } | Cut::History { .. } => None,
        }
    }

    /// Whether a piece is history.
    pub(crate) fn is_history(&self, piece: usize) -> bool {
        matches!(self.cut, Cut::History { .. }) && piece == HISTORY
    }

    /// The piece of a row, which is not before the last cell's.
    fn piece_of_row(&self, bounds: &[Bytes], row: &[u8]) -> usize {
        let mut piece = self.current;
        // The last bound is open, or nothing of this output is beyond it.
        while piece + 2 < bounds.len() && self.order.compare_rows(row, &bounds[piece + 1]) != Ordering::Less {
            piece += 1;
        }
        piece
    }

    /// The rows of a piece, of an output that is cut by rows.
    pub(crate) fn stripe(&self, piece: usize) -> Option<Stripe> {
        match &self.cut {
            Cut::Whole | Cut::Times(_) | Cut::History { .. } => None,
            Cut::Rows { bounds, .. } => Some((bounds.get(piece)?.clone(), bounds.get(piece + 1)?.clone())),
            Cut::Cells { start, end, .. } => {
                let starts = &self.by_count.starts;
                let first = piece.checked_sub(1).map_or(start, |before| &starts[before]);
                Some((first.clone(), starts.get(piece).unwrap_or(end).clone()))
            }
        }
    }

    /// Pieces that get a file although no cell went to them; `has_any`: whether some piece has got a file. One has to, to name what
    /// it stands for: an input that could not be archived would be served again after a crash.
    pub(crate) fn empty_pieces(&self, has_any: bool) -> std::ops::Range<usize> {
        match &self.cut {
            Cut::Rows { whole: Some((first, end)), .. } => *first..*end,
            Cut::Whole | Cut::Times(_) if !has_any => 0..1,
            // As in HBase, whatever history there is.
            Cut::History { .. } => PRESENT..PRESENT + 1,
            Cut::Rows { .. } | Cut::Cells { .. } if !has_any => self.pieces() - 1..self.pieces(),
            _ => 0..0,
        }
    }
}

/// The piece of a timestamp: earlier ones than the first piece's go there, too.
pub(crate) fn piece_of_time(starts: &[i64], timestamp: i64) -> usize {
    starts.partition_point(|start| *start <= timestamp).saturating_sub(1)
}

impl ByCount {
    /// Begins a piece at this cell if the one before has enough cells. As in HBase cells count that were read, whether
    /// or not they were written.
    fn place(&mut self, cell: &Cell<'_>, read: u64, pieces: usize, cells: u64) {
        if self.last_row.as_deref().is_some_and(|last| last != cell.row()) {
            self.last_row = None;
            self.seen_before += self.seen;
            self.written = 0;
            self.starts.push(Bytes::copy_from_slice(cell.row()));
        }
        self.written += 1;
        self.seen = self.written.max(read.saturating_sub(self.seen_before));
        if self.last_row.is_none() && self.starts.len() + 1 < pieces && self.seen >= cells {
            self.last_row = Some(cell.row().to_vec());
        }
    }
}

#[cfg(test)]
mod tests;
