use std::io::{self, IoSlice};

use super::{
    aligned_buffer::{AlignedBuffer, BLOCK},
    writable::LocalWritable,
};
use crate::WritableFile;

/// A buffer begins with so much, and grows with what is appended.
pub(super) const LEAST_HELD: usize = 64 << 10;
/// More than this is written at once.
pub(super) const MOST_HELD: usize = 1 << 20;

/// The end of a file that is written past the page cache, in whole blocks: what is still to be written of it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) buffer: AlignedBuffer,
    /// Where in the file the buffer begins: at a block.
    pub(super) start: u64,
    pub(super) len: usize,
}

impl Held {
    /// Nothing, of a file that is empty.
    pub(super) fn new() -> Self {
        Self { buffer: AlignedBuffer::zeroed(LEAST_HELD), start: 0, len: 0 }
    }

    /// Where the file ends.
    pub(super) fn end(&self) -> u64 {
        self.start + self.len as u64
    }

    fn is_full(&self) -> bool {
        self.len == MOST_HELD
    }

    /// Takes what there is room for, and says how much.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let taken = bytes.len().min(MOST_HELD - self.len);
        let end = self.len + taken;
        self.buffer.grow(end, self.len);
        self.buffer.bytes_mut()[self.len..end].copy_from_slice(&bytes[..taken]);
        self.len = end;
        taken
    }

    /// Bytes of the blocks that are whole.
    pub(super) fn whole(&self) -> usize {
        self.len - self.len % BLOCK
    }

    /// All is written; only a block that is not whole is still needed.
    pub(super) fn let_go(&mut self) {
        let whole = self.whole();
        self.buffer.bytes_mut().copy_within(whole..self.len, 0);
        self.start += whole as u64;
        self.len -= whole;
    }

    /// What is held between two places of the file.
    pub(super) fn between(&self, from: u64, to: u64) -> &[u8] {
        let at = |place: u64| place.saturating_sub(self.start) as usize;
        self.buffer.bytes().get(at(from)..at(to)).unwrap_or_default()
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
                left = &left[held.take(left)..];
                if held.is_full() {
                    self.write_held()?;
                }
            }
        }
        Ok(())
    }
}
