//! A scanner whose blocks are written, as they are stored, to another file.

use super::HFileScanner;
use crate::block::BlockRef;
use crate::copyable_block::{CopyableBlock, StoredForm};
use crate::position::Position;
use crate::writer::OWN_BLOCK_BYTES;
use crate::writer_options::WriterOptions;
use finback_cell::key::Key;

impl HFileScanner {
    /// The same scanner, whose data blocks are read with their stored form ([`BlockRequest::read_to_copy`]) if a file that
    /// is written with these options has them stored alike.
    ///
    /// [`BlockRequest::read_to_copy`]: crate::BlockRequest::read_to_copy
    pub fn copying_to(self, options: &WriterOptions) -> Self {
        Self { copies: self.cache.is_none() && self.reader.stores_blocks_as(options), ..self }
    }

    /// Whether a data block is worth having twice: large ones, which have a cell or two, are not.
    pub(super) fn copies_block(&self, place: BlockRef) -> bool {
        self.copies && (place.size as usize) < OWN_BLOCK_BYTES
    }

    /// Hands over the stored form of the block that was just provided.
    pub fn provide_stored(&mut self, stored: StoredForm) {
        self.stored = Some(Box::new(stored));
    }

    /// Whether there is a stored form that was not taken.
    #[inline]
    pub fn has_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// The data block at whose first cell the scanner stands, if its stored form was read, and the next block is known to
    /// begin with another key. Once only: whoever has no use for it gets no second chance.
    pub fn take_copyable(&mut self) -> Option<CopyableBlock> {
        let stored = self.stored.take()?;
        let position = self.position.as_ref()?;
        let is_first = position.among().is_some_and(|(number, _)| number == 0);
        let block = CopyableBlock::new(position.block(), *stored).filter(|_| is_first)?;
        let order = self.reader.order();
        let last = block.last();
        let goes_on = self
            .key_behind_block()
            .is_some_and(|next| order.compare_flat_to_key(next, &Key::of(&last)).is_le());
        (!goes_on).then_some(block)
    }

    /// Moves to the last cell of the data block in which it stands.
    pub fn go_to_last_of_block(&mut self) {
        let last = self.position.as_ref().and_then(Position::among).map(|(_, cells)| cells.len() - 1);
        if let (Some(position), Some(last)) = (&mut self.position, last) {
            position.move_to(last);
        }
    }
}
