//! Writes that let go of their row before they are on disk.
//!
//! A write that reads first (increment, append, checkAndMutate) has its row alone. Held until the log is synced, the lock would let
//! one such write of a row into each sync, however many wait. So a small one lets go of the row as soon as it has its place in the
//! log, and until readers see it its cells stay with the row lock. Who locks the row next reads them beside memstores and files,
//! as nobody else can, and takes its place in the log behind them ([`WalAppend::after`](finback_wal::WalAppend::after)): if their
//! write fails, so does its own. What is answered from them alone waits until they are on disk.
//! (Johnson et al., "Aether: a scalable approach to logging", VLDB 2010: early lock release.)

use bytes::Bytes;
use finback_cell::block::CellIter;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_wal::Position;

/// Of so many such writes of one row the next one keeps its lock: each is read by those that follow.
pub(crate) const MAX_UNSETTLED: usize = 64;
/// A write of more bytes than this keeps its lock, for the same reason.
pub(crate) const MAX_UNSETTLED_BYTES: usize = 16 << 10;

/// A write that has its place in the log and is not seen by readers yet.
#[derive(Clone, Debug)]
pub(crate) struct Unsettled {
    pub(crate) sequence_id: u64,
    pub(crate) position: Position,
    /// `u32 length | KeyValue`, repeated.
    pub(crate) cells: Bytes,
}

/// What a read sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'a> {
    /// Of memstores and files: cells up to this sequence id.
    pub(crate) read_point: u64,
    /// Beside them.
    pub(crate) unsettled: &'a [Unsettled],
}

/// The cells of such writes in one family, as a source of reads.
#[derive(Debug)]
pub(crate) struct UnsettledCells {
    order: CellOrder,
    /// KeyValues with their sequence ids, in order.
    cells: Vec<(Bytes, u64)>,
    /// How many are passed.
    at: usize,
}

impl UnsettledCells {
    /// `None` if there are none of `family`.
    pub(crate) fn of_family(writes: &[Unsettled], family: &[u8], order: CellOrder) -> Option<Self> {
        let mut cells = Vec::new();
        for write in writes {
            let of_family = CellIter::over_checked(&write.cells).filter(|cell| cell.family() == family);
            cells.extend(of_family.map(|cell| (write.cells.slice_ref(cell.bytes()), write.sequence_id)));
        }
        if cells.is_empty() {
            return None;
        }
        // Stable: of two cells of a write with the same key the later one counts, as in a memstore.
        cells.reverse();
        cells.sort_by(|(a, a_sequence), (b, b_sequence)| {
            let (a, b) = (Cell::from_checked(a), Cell::from_checked(b));
            order.compare_with_sequence(&a, *a_sequence, &b, *b_sequence)
        });
        cells.dedup_by(|(later, later_sequence), (kept, kept_sequence)| {
            let (later, kept) = (Cell::from_checked(later), Cell::from_checked(kept));
            later_sequence == kept_sequence && order.compare(&later, &kept).is_eq()
        });
        Some(Self { order, cells, at: 0 })
    }

    /// The current cell and its sequence id.
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.cells.get(self.at).map(|(cell, sequence_id)| (Cell::from_checked(cell), *sequence_id))
    }

    /// Moves to the next cell.
    pub(crate) fn next(&mut self) {
        self.at = self.cells.len().min(self.at + 1);
    }

    /// Moves to the first cell at or after `key`.
    pub(crate) fn seek(&mut self, key: &Key<'_>) {
        let is_before =
            |(cell, _): &(Bytes, u64)| self.order.compare_cell_to_key(&Cell::from_checked(cell), key).is_lt();
        self.at = self.cells.partition_point(is_before);
    }

    /// Moves forward to the first cell at or after `key`.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) {
        let at = self.at;
        self.seek(key);
        self.at = self.at.max(at);
    }

    /// The greatest row before `row` (`None`: the last row).
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let mut rows = self.cells.iter().rev().map(|(cell, _)| Cell::from_checked(cell).row());
        rows.find(|found| row.is_none_or(|row| self.order.compare_rows(found, row).is_lt()))
    }
}

#[cfg(test)]
mod tests;
