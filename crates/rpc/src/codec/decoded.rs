//! A cell block in our layout, while it is made of what a client has sent.

use super::CodecError;
use bytes::Bytes;
use finback_cell::CellBlockBuilder;
use finback_cell::cell::CellParts;

/// The memory that a block may take.
pub(crate) struct Room<'a> {
    /// Bytes of it at most, decompressed and in our layout.
    pub(crate) limit: usize,
    /// Asked before so many more bytes are taken.
    pub(crate) take: &'a mut dyn FnMut(usize) -> bool,
}

/// The cells so far.
pub(super) struct Decoded<'a, 'r> {
    cells: CellBlockBuilder,
    /// Bytes that have been asked for.
    taken: usize,
    room: &'a mut Room<'r>,
}

impl<'a, 'r> Decoded<'a, 'r> {
    /// A block of about as many bytes as were sent.
    pub(super) fn of(sent: usize, room: &'a mut Room<'r>) -> Result<Self, CodecError> {
        let taken = sent.min(room.limit);
        if !(room.take)(taken) {
            return Err(CodecError::NoRoom);
        }
        Ok(Self { cells: CellBlockBuilder::with_capacity(taken), taken, room })
    }

    /// Appends a cell that a client has sent.
    pub(super) fn push(&mut self, parts: &CellParts<'_>, index: usize) -> Result<(), CodecError> {
        parts.check().map_err(|source| CodecError::Cell { index, source })?;
        let bytes = self.cells.len() + size_of::<u32>() + parts.size();
        let limit = self.room.limit;
        if bytes > limit {
            return Err(CodecError::TooLarge { limit });
        }
        if bytes > self.taken {
            // The builder takes twice what it had, too; where there is no room for that, it may not need all of it.
            let needed = bytes - self.taken;
            let steps = [self.taken, self.taken / 8, 0];
            let Some(more) =
                steps.into_iter().map(|step| step.max(needed)).find(|more| (self.room.take)(*more))
            else {
                return Err(CodecError::NoRoom);
            };
            self.taken += more;
        }
        self.cells.push_parts(parts);
        Ok(())
    }

    pub(super) fn finish(self) -> Bytes {
        self.cells.finish().bytes().clone()
    }
}
