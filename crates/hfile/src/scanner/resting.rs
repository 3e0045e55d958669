//! A scanner whose cell nobody asks for keeps the key of it, and not its block.
//!
//! Who merges files needs of most of them no more than the key that comes next: blocks are as large as their cells, and so
//! many large ones as there are files would be in memory for one that is read.

use super::{Direction, HFileScanner, ScanInterrupt};
use crate::block::BlockRef;
use crate::position::Position;
use finback_cell::CellOrder;
use finback_cell::key::Key;
use std::cmp::Ordering;

/// Blocks of more bytes in memory are let go of before the next one is read, unless somebody wants it otherwise.
pub(super) const LEFT_BLOCK_BYTES: usize = 1 << 20;

/// The cell at which a scanner stands.
#[derive(Debug)]
pub(super) struct Resting {
    /// Its number in the data block.
    pub(super) number: usize,
    is_last_in_block: bool,
    /// Its flat key.
    key: Vec<u8>,
    sequence_id: u64,
    /// The block.
    pub(super) place: BlockRef,
}

impl Resting {
    /// Whether `key` is behind all cells of the block at `place`.
    pub(super) fn is_before(&self, place: BlockRef, order: CellOrder, key: &Key<'_>) -> bool {
        self.is_last_in_block
            && self.place == place
            && order.compare_flat_to_key(&self.key, key) == Ordering::Less
    }
}

impl HFileScanner {
    /// Key and sequence id of the cell at the position, whether the scanner rests or not.
    pub fn key(&self) -> Option<(Key<'_>, u64)> {
        match &self.resting {
            Some(resting) => Some((Key::from_checked(&resting.key), resting.sequence_id)),
            None => self.peek().map(|(cell, sequence_id)| (Key::of(&cell), sequence_id)),
        }
    }

    /// Whether it rests.
    #[inline]
    pub fn is_resting(&self) -> bool {
        self.resting.is_some()
    }

    /// Lets go of the data block until [`HFileScanner::wake`], if that is worth it: until then there is a key and no cell.
    pub fn rest(&mut self) {
        let Some(position) = &self.position else { return };
        let Some((number, cells)) = position.among() else { return };
        let (cell, sequence_id) = position.cell();
        if cell.key_length() > position.block().memory_bytes() / 2 {
            return;
        }
        self.resting = Some(Box::new(Resting {
            number,
            is_last_in_block: number + 1 == cells.len(),
            key: cell.key().to_vec(),
            sequence_id,
            place: position.block().place(),
        }));
        self.position = None;
        self.stored = None;
    }

    /// Has the cell again, if the scanner rests.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    pub fn wake(&mut self) -> Result<(), ScanInterrupt> {
        let Some(resting) = &self.resting else { return Ok(()) };
        // A file whose blocks are let go of and read again is not read once.
        self.stream = None;
        let block = self.child(&self.path)?;
        let place = block.place();
        let position = Position::new(block, resting.number);
        self.position = Some(position.ok_or_else(|| self.reader.misplaced(place, place))?);
        self.resting = None;
        self.given.clear();
        Ok(())
    }

    /// Bytes of the data block at whose cell the scanner stands, if it has it.
    pub fn data_block_bytes(&self) -> usize {
        self.position.as_ref().map_or(0, |position| position.block().memory_bytes())
    }

    /// Lets go of a large block all of whose cells are done with, so that it is not in memory beside the next one.
    pub(super) fn rest_at_end_of_block(&mut self) {
        let Some(position) = &mut self.position else { return };
        if position.block().memory_bytes() <= self.left_bytes {
            return;
        }
        if let Some(last) = position.among().map(|(_, cells)| cells.len() - 1) {
            position.move_to(last);
            self.rest();
        }
    }

    /// Moves on from where it rests.
    #[cold]
    pub(super) fn advance_from_rest(&mut self) -> Result<(), ScanInterrupt> {
        let Some(resting) = &self.resting else { return Ok(()) };
        if resting.is_last_in_block {
            let found = self.beside(&self.path, Direction::Forward)?;
            self.settle(found);
            return Ok(());
        }
        self.wake()?;
        self.advance()
    }

    /// Whether it rests at a cell at or after `key`.
    #[cold]
    pub(super) fn rests_at_or_after(&self, key: &Key<'_>) -> bool {
        let order = self.reader.order();
        let is_before = |at: &Resting| order.compare_flat_to_key(&at.key, key) == Ordering::Less;
        self.resting.as_deref().is_some_and(|at| !is_before(at))
    }
}
