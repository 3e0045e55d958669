//! A store file as a source of a read: behind its Bloom filter, where that can tell.

use crate::store_file::StoreFile;
use crate::whole_block::WholeBlock;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_hfile::{Block, BloomProbe, HFileScanner, ScanInterrupt, StoredForm, TakeRows};
use finback_layout::{Half, Reference};
use finback_metrics::file_io;
use std::cmp::Ordering;
use std::sync::Arc;

/// A scanner of a file that may turn out to have nothing of the row that is read.
pub(crate) struct FileSource {
    scanner: HFileScanner,
    /// The sequence id of all cells, if the file was bulk loaded: those in it are of another region or none.
    bulk_sequence_id: Option<u64>,
    /// The question that is still open; asked at the first seek, so that only a read that comes to this file pays.
    probe: Option<BloomProbe>,
    /// The Bloom filter said no.
    absent: bool,
    /// Which of the cells there are, if not all.
    reference: Option<Arc<Reference>>,
    /// The scanner stands at a cell behind the half that there is.
    is_behind: bool,
}

impl FileSource {
    pub(crate) fn new(scanner: HFileScanner, file: &StoreFile, probe: Option<BloomProbe>) -> Self {
        Self {
            scanner,
            bulk_sequence_id: file.bulk_sequence_id(),
            probe,
            absent: false,
            reference: file.reference().cloned(),
            is_behind: false,
        }
    }

    /// The newest timestamp of any of its cells, if the file says.
    pub(crate) fn newest_timestamp(&self) -> Option<i64> {
        self.scanner.reader().time_range().map(|(_, newest)| newest)
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<(Cell<'_>, u64)> {
        // A scanner that was never moved stands nowhere: nothing to do for one that is absent.
        let (cell, sequence_id) = self.scanner.peek().filter(|_| !self.is_behind)?;
        Some((cell, self.bulk_sequence_id.unwrap_or(sequence_id)))
    }

    /// Key and sequence id of the current cell, also while the scanner rests.
    pub(crate) fn key(&self) -> Option<(Key<'_>, u64)> {
        let (key, sequence_id) = self.scanner.key().filter(|_| !self.is_behind)?;
        Some((key, self.bulk_sequence_id.unwrap_or(sequence_id)))
    }

    /// Whether there is a current cell of which only the key is in memory.
    #[inline]
    pub(crate) fn is_resting(&self) -> bool {
        self.scanner.is_resting() && !self.is_behind
    }

    /// Whether the cell behind the current one is known to have another key, or not to be there.
    pub(crate) fn next_has_another_key(&self) -> bool {
        self.scanner.next_has_another_key()
    }

    /// Whether the row of the current cell is known to end with it.
    #[inline]
    pub(crate) fn is_last_of_row(&self) -> bool {
        self.scanner.is_last_of_row()
    }

    /// Keeps of the current cell only the key until [`FileSource::wake`], if its block is larger than `most` bytes.
    pub(crate) fn rest(&mut self, most: usize) {
        if self.block_bytes() > most {
            self.scanner.rest();
        }
    }

    /// Bytes of the block of the current cell.
    #[inline]
    pub(crate) fn block_bytes(&self) -> usize {
        self.scanner.data_block_bytes()
    }

    /// Has the current cell again.
    pub(crate) fn wake(&mut self) -> Result<(), ScanInterrupt> {
        self.scanner.wake()
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<(), ScanInterrupt> {
        self.scanner.advance()?;
        self.look_where_it_stands();
        Ok(())
    }

    /// Moves to the next cells of the block and the row as long as `take`, given the cell before, the cell and its sequence
    /// id, takes them.
    #[inline]
    pub(crate) fn advance_in_row(&mut self, mut take: impl FnMut(&Cell<'_>, &Cell<'_>, u64) -> bool) {
        // A half has either all of a row or nothing.
        if !self.is_behind {
            let bulk_sequence_id = self.bulk_sequence_id;
            self.scanner.advance_in_row(|before, cell, sequence_id| {
                take(before, cell, bulk_sequence_id.unwrap_or(sequence_id))
            });
        }
    }

    /// Moves to the next cell if it is in the same block and `goes`, given the cell and the next one, says so; whether it has
    /// moved.
    #[inline]
    pub(crate) fn advance_if(&mut self, goes: impl FnOnce(&Cell<'_>, &Cell<'_>) -> bool) -> bool {
        let moved = !self.is_behind && self.scanner.advance_if(goes);
        if moved {
            self.look_where_it_stands();
        }
        moved
    }

    /// Moves from the first cell of a row behind whole rows of the block before `end` (empty: no end) that `rows` takes; whether it
    /// has moved.
    #[inline]
    pub(crate) fn advance_rows(&mut self, order: CellOrder, end: &[u8], rows: &mut impl TakeRows) -> bool {
        // Of a half rows have to be looked at one by one.
        self.reference.is_none() && {
            let bulk_sequence_id = self.bulk_sequence_id;
            self.scanner.advance_rows(&mut RowsBefore { order, end, bulk_sequence_id, rows })
        }
    }

    /// Of a bottom half there is nothing from the split row on.
    #[inline]
    fn look_where_it_stands(&mut self) {
        if let Some(Reference { half: Half::Bottom, split_row }) = self.reference.as_deref() {
            self.is_behind = self.scanner.key().is_some_and(|(key, _)| key.row >= split_row.as_slice());
        }
    }

    /// Goes to the key, or to where a top half begins.
    fn go(
        &mut self,
        key: &Key<'_>,
        go: fn(&mut HFileScanner, &Key<'_>) -> Result<(), ScanInterrupt>,
    ) -> Result<(), ScanInterrupt> {
        match self.reference.as_deref() {
            Some(Reference { half: Half::Top, split_row }) if key.row < split_row.as_slice() => {
                go(&mut self.scanner, &Key::first_on_row(split_row))?;
            }
            _ => go(&mut self.scanner, key)?,
        }
        self.look_where_it_stands();
        Ok(())
    }

    pub(crate) fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        if let Some(probe) = &mut self.probe {
            self.absent = !probe.may_contain()?;
            file_io().asked_bloom(!self.absent);
            self.probe = None;
        }
        if self.absent { Ok(()) } else { self.go(key, HFileScanner::seek) }
    }

    pub(crate) fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        self.go(key, HFileScanner::reseek)
    }

    pub(crate) fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
        match self.reference.as_deref() {
            None => self.scanner.previous_row(row),
            Some(Reference { half: Half::Top, split_row }) => {
                let found = self.scanner.previous_row(row)?;
                Ok(found.filter(|found| found >= split_row))
            }
            Some(Reference { half: Half::Bottom, split_row }) => {
                let row = row.map_or(split_row.as_slice(), |row| row.min(split_row.as_slice()));
                self.scanner.previous_row(Some(row))
            }
        }
    }

    /// Hands over the stored form of the block that was just provided.
    pub(crate) fn provide_stored(&mut self, stored: StoredForm) {
        self.scanner.provide_stored(stored);
    }

    /// Whether there is a stored form that was not taken.
    #[inline]
    pub(crate) fn has_stored(&self) -> bool {
        self.scanner.has_stored()
    }

    /// The block at whose first cell the source stands, if it may be copied, and all of it is there: once.
    pub(crate) fn take_whole_block(&mut self) -> Option<WholeBlock> {
        let block = self.scanner.take_copyable()?;
        let is_cut = match self.reference.as_deref() {
            Some(Reference { half: Half::Bottom, split_row }) => block.last().row() >= split_row.as_slice(),
            // What is before a top half was not read.
            Some(Reference { half: Half::Top, .. }) | None => false,
        };
        (!is_cut).then_some(WholeBlock { block, bulk_sequence_id: self.bulk_sequence_id })
    }

    /// Moves on within the block in which it stands.
    pub(crate) fn go_to_last_of_block(&mut self) {
        self.scanner.go_to_last_of_block();
    }

    /// Lets go of all blocks, until [`FileSource::unpark`].
    pub(crate) fn park(&mut self) {
        self.scanner.park();
    }

    pub(crate) fn unpark(&mut self) -> Result<(), ScanInterrupt> {
        self.scanner.unpark()
    }

    /// Bytes of the blocks that the scanner keeps in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        self.scanner.held_bytes()
    }

    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        match &mut self.probe {
            Some(probe) => probe.provide(block),
            None => self.scanner.provide(block),
        }
    }
}

/// Takes rows before an end.
struct RowsBefore<'a, R> {
    order: CellOrder,
    /// Empty: there is none.
    end: &'a [u8],
    bulk_sequence_id: Option<u64>,
    rows: &'a mut R,
}

impl<R: TakeRows> TakeRows for RowsBefore<'_, R> {
    #[inline]
    fn take(&mut self, before: Option<&Cell<'_>>, cell: &Cell<'_>, sequence_id: u64) -> bool {
        let is_begun = before.is_some() || self.end.is_empty();
        (is_begun || self.order.compare_rows(cell.row(), self.end) == Ordering::Less)
            && self.rows.take(before, cell, self.bulk_sequence_id.unwrap_or(sequence_id))
    }

    #[inline]
    fn end_row(&mut self) -> bool {
        self.rows.end_row()
    }

    fn hides_older(&self, cell: &Cell<'_>, sequence_id: u64) -> bool {
        self.rows.hides_older(cell, sequence_id)
    }
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.scanner)
    }
}
