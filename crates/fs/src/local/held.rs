use std::io::{self, IoSlice};

use super::{
    aligned_buffer::{AlignedBuffer, BLOCK},
    writable::LocalWritable,
};
use crate::WritableFile;

/// A buffer begins with so much, and grows with what is appended.
pub(super) const LEAST_HELD: usize = 64 << 10;
/// As soon as it is so much, it is written.
pub(super) const MOST_HELD: usize = 1 << 20;
/// What something large made larger than this is given back.
pub(super) const MOST_KEPT: usize = 4 << 20;

/// The end of a file that is written past the page cache, in whole blocks: what is still to be written of it.
#[derive(Debug)]
pub(super) struct Held {
    /// What is held, and what pads it while it is written.
    pub(super) buffer: AlignedBuffer,
    /// Where in the file the buffer begins: at a block.
    pub(super) start: u64,
    pub(super) len: usize,
    is_lent: bool,
}

impl Held {
    /// Nothing, of a file that is empty.
    pub(super) fn new() -> Self {
        Self { buffer: AlignedBuffer::with_room(LEAST_HELD), start: 0, len: 0, is_lent: false }
    }

    /// Where the file ends.
    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    pub(super) fn is_full(&self) -> bool {
        self.len >= MOST_HELD
    }

    /// Takes what there is room for, and says how much.
    fn take(&mut self, bytes: &[u8]) -> usize {
        // More is held only if it could not be written.
        let taken = bytes.len().min(MOST_HELD.saturating_sub(self.len));
        self.buffer.resize(self.len);
        self.buffer.extend(&bytes[..taken]);
        self.len += taken;
        taken
    }

    /// Bytes of the blocks that are whole.
    pub(super) fn whole(&self) -> usize {
        self.len - self.len % BLOCK
    }

    /// All is written; only a block that is not whole is still needed.
    pub(super) fn let_go(&mut self) {
        let whole = self.whole();
        self.buffer.resize(self.len);
        self.buffer.remove_first(whole);
        self.start += whole as u64;
        self.len -= whole;
        if self.buffer.capacity() > MOST_KEPT {
            let mut smaller = AlignedBuffer::with_room(LEAST_HELD);
            smaller.extend(self.buffer.bytes());
            self.buffer = smaller;
        }
    }

    /// What is held between two places of the file.
    pub(super) fn between(&self, from: u64, to: u64) -> &[u8] {
        let at = |place: u64| place.saturating_sub(self.start) as usize;
        self.buffer.bytes().get(at(from)..at(to)).unwrap_or_default()
    }

    /// Gives the memory away, unless it is, with room for so many bytes more behind what is held.
    pub(super) fn lend(&mut self, room: usize) -> Option<Vec<u8>> {
        if self.is_lent {
            return None;
        }
        self.buffer.resize(self.len);
        self.buffer.make_room(room);
        self.is_lent = true;
        Some(self.buffer.lend())
    }

    /// Takes the memory back, and what was pushed to it. An error for other memory.
    pub(super) fn take_back(&mut self, memory: Vec<u8>) -> io::Result<()> {
        if !self.is_lent || !self.buffer.take_back(memory, self.len) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.len = self.buffer.len();
        self.is_lent = false;
        Ok(())
    }

    /// Bytes of memory, without what is lent.
    pub(super) fn memory_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// An error while it is lent: nothing can be put behind what is still being made.
    pub(super) fn check_not_lent(&self) -> io::Result<()> {
        if self.is_lent {
            Err(io::Error::other("the end of the file is being made elsewhere"))
        } else {
            Ok(())
        }
    }
}

/// A file whose end may be held.
pub(super) trait HoldsEnd {
    /// The file, and what is held of it; nothing once it is an ordinary one.
    fn parts(&mut self) -> (&mut LocalWritable, &mut Option<Held>);

    /// Writes what is held, as far as it can be written, so that there is room.
    fn write_held(&mut self) -> io::Result<()>;

    /// Puts `slices` behind what is held, or into the file if nothing is to be.
    fn append_to_end(&mut self, slices: &[IoSlice<'_>]) -> io::Result<()> {
        for slice in slices {
            let mut left = &slice[..];
            while !left.is_empty() {
                let (file, held) = self.parts();
                let Some(held) = held else {
                    file.append(left)?;
                    break;
                };
                held.check_not_lent()?;
                left = &left[held.take(left)..];
                if held.is_full() {
                    self.write_held()?;
                }
            }
        }
        Ok(())
    }
}
