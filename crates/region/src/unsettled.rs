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
use smallvec::SmallVec;
use std::ops::{Deref, Range};
use std::sync::Arc;

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

/// Such writes of one row, oldest first. A clone is a view of those of now, however many: it copies none, but for a change
/// that comes while it is there. So who reads them drops it before its own write comes to them.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnsettledWrites(Option<Arc<SmallVec<[Unsettled; 1]>>>);

impl UnsettledWrites {
    /// None.
    pub(crate) fn none() -> &'static Self {
        static NONE: UnsettledWrites = UnsettledWrites(None);
        &NONE
    }

    /// Adds the latest one.
    pub(crate) fn push(&mut self, write: Unsettled) {
        Arc::make_mut(self.0.get_or_insert_default()).push(write);
    }

    /// Takes out the one with this sequence id, which is settled: mostly the oldest.
    pub(crate) fn settle(&mut self, sequence_id: u64) {
        let Some(at) = self.iter().position(|write| write.sequence_id == sequence_id) else { return };
        if self.len() == 1 {
            self.0 = None;
        } else if let Some(writes) = &mut self.0 {
            Arc::make_mut(writes).remove(at);
        }
    }
}

impl Deref for UnsettledWrites {
    type Target = [Unsettled];

    fn deref(&self) -> &[Unsettled] {
        self.0.as_ref().map_or(&[], |writes| writes)
    }
}

/// What a read sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight<'a> {
    /// Of memstores and files: cells up to this sequence id.
    pub(crate) read_point: u64,
    /// And from this one on; 0: all.
    pub(crate) lowest: u64,
    /// Beside them.
    pub(crate) unsettled: &'a UnsettledWrites,
}

/// The cells of such writes in one family, as a source of reads.
#[derive(Debug)]
pub(crate) struct UnsettledCells {
    order: CellOrder,
    writes: UnsettledWrites,
    /// Where they stand, in order.
    places: Vec<Place>,
    /// How many are passed.
    at: usize,
}

/// A KeyValue of a write.
#[derive(Clone, Debug)]
struct Place {
    /// Which write.
    write: usize,
    bytes: Range<usize>,
}

impl Place {
    /// The cell and its sequence id.
    fn cell<'a>(&self, writes: &'a [Unsettled]) -> (Cell<'a>, u64) {
        let write = &writes[self.write];
        (Cell::from_checked(&write.cells[self.bytes.clone()]), write.sequence_id)
    }
}

impl UnsettledCells {
    /// `None` if there are none of `family`.
    pub(crate) fn of_family(writes: &UnsettledWrites, family: &[u8], order: CellOrder) -> Option<Self> {
        let mut places = Vec::with_capacity(writes.len());
        for (number, write) in writes.iter().enumerate() {
            let mut end = 0;
            for cell in CellIter::over_checked(&write.cells) {
                let begin = end + size_of::<u32>();
                end = begin + cell.bytes().len();
                if cell.family() == family {
                    places.push(Place { write: number, bytes: begin..end });
                }
            }
        }
        if places.is_empty() {
            return None;
        }
        // Stable: of two cells of a write with the same key the later one counts, as in a memstore.
        places.reverse();
        places.sort_by(|a, b| {
            let ((a, a_sequence), (b, b_sequence)) = (a.cell(writes), b.cell(writes));
            order.compare_with_sequence(&a, a_sequence, &b, b_sequence)
        });
        places.dedup_by(|later, kept| {
            let ((later, later_sequence), (kept, kept_sequence)) = (later.cell(writes), kept.cell(writes));
            later_sequence == kept_sequence && order.compare(&later, &kept).is_eq()
        });
        Some(Self { order, writes: writes.clone(), places, at: 0 })
    }

    /// The current cell and its sequence id.
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.places.get(self.at).map(|place| place.cell(&self.writes))
    }

    /// Moves to the next cell.
    pub(crate) fn next(&mut self) {
        self.at = self.places.len().min(self.at + 1);
    }

    /// Moves to the first cell at or after `key`.
    pub(crate) fn seek(&mut self, key: &Key<'_>) {
        let is_before =
            |place: &Place| self.order.compare_cell_to_key(&place.cell(&self.writes).0, key).is_lt();
        self.at = self.places.partition_point(is_before);
    }

    /// Moves forward to the first cell at or after `key`.
    pub(crate) fn reseek(&mut self, key: &Key<'_>) {
        let at = self.at;
        self.seek(key);
        self.at = self.at.max(at);
    }

    /// The greatest row before `row` (`None`: the last row).
    pub(crate) fn previous_row(&self, row: Option<&[u8]>) -> Option<&[u8]> {
        let mut rows = self.places.iter().rev().map(|place| place.cell(&self.writes).0.row());
        rows.find(|found| row.is_none_or(|row| self.order.compare_rows(found, row).is_lt()))
    }
}

#[cfg(test)]
mod tests;
