use std::io::{self, IoSlice};

use rustix::io::Errno;

use super::{
    aligned_buffer::{AlignedBuffer, BLOCK},
    held::{Held, HoldsEnd},
    writable::LocalWritable,
};
use crate::WritableFile;

/// Zeros written at a time.
const ZEROS: usize = 64 << 10;

/// A file that is written past the page cache, in whole blocks: no pages have to be found, filled, and looked for again by the sync
/// that follows, and none are taken from those who read. The last block is kept, as the next append goes on in it.
///
/// On file systems that do not write in place, or not past the page cache, it is an ordinary file; and it becomes one when it
/// is truncated.
#[derive(Debug)]
pub(super) struct LocalLog {
    /// Its length is how much of the log was written.
    file: LocalWritable,
    mark: &'static [u8],
    held: Option<Held>,
    /// While something is held: the next sync puts zeros ahead up to here.
    zeros_to: u64,
}

impl LocalLog {
    pub(super) fn new(mut file: LocalWritable, mark: &'static [u8]) -> Self {
        let held = file.try_direct().then(Held::new);
        Self { file, mark, held, zeros_to: 0 }
    }

    /// Puts those zeros ahead that are asked for. A disk without room for them is none for long, and that is told by the writes.
    fn put_zeros(&mut self) {
        let to = std::mem::take(&mut self.zeros_to).next_multiple_of(BLOCK as u64);
        if to <= self.file.zeroed_to {
            return;
        }
        let mut zeros = AlignedBuffer::with_room(ZEROS);
        zeros.resize(ZEROS);
        while self.file.zeroed_to < to {
            let piece = ZEROS.min((to - self.file.zeroed_to) as usize);
            if let Err(error) = self.file.write_blocks(&zeros.bytes()[..piece], self.file.zeroed_to) {
                tracing::debug!(%error, "no zeros ahead of a log");
                return;
            }
            self.file.zeroed_to += piece as u64;
        }
    }

    /// Goes on through the page cache.
    fn become_ordinary(&mut self) -> io::Result<()> {
        let len = self.len();
        self.become_ordinary_up_to(len)
    }

    /// As [`become_ordinary`](Self::become_ordinary), without what is held behind `end`.
    fn become_ordinary_up_to(&mut self, end: u64) -> io::Result<()> {
        let Some(held) = self.held.take() else { return Ok(()) };
        self.file.set_direct(false)?;
        (self.file.mark, self.zeros_to) = (self.mark, 0);
        // Without any there is nothing to be written, not even the mark: the disk may take nothing any more.
        match held.between(self.file.len, end) {
            [] => Ok(()),
            rest => self.file.append(rest),
        }
    }
}

impl HoldsEnd for LocalLog {
    fn parts(&mut self) -> (&mut LocalWritable, &mut Option<Held>) {
        (&mut self.file, &mut self.held)
    }

    /// Writes all that is held, and makes the rest of the last block mark and zeros.
    fn write_held(&mut self) -> io::Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        if held.end() == self.file.len && self.zeros_to <= self.file.zeroed_to {
            return Ok(());
        }
        let padded = pad(held, self.file.zeroed_to.max(self.zeros_to), self.mark);
        match self.file.write_blocks(&held.buffer.bytes()[..padded], held.start) {
            Ok(()) => {}
            Err(Errno::INVAL) => return self.become_ordinary(),
            Err(error) => return Err(error.into()),
        }
        self.file.len = held.end();
        self.file.zeroed_to = self.file.zeroed_to.max(held.start + padded as u64);
        held.let_go();
        self.put_zeros();
        Ok(())
    }
}

impl WritableFile for LocalLog {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.append_to_end(slices)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.write_held()?;
        self.file.sync_data()
    }

    fn len(&self) -> u64 {
        self.held.as_ref().map_or(self.file.len, Held::end)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if len > self.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.become_ordinary_up_to(len)?;
        self.file.truncate(len)
    }

    fn zero_ahead(&mut self, bytes: u64, mark: &'static [u8]) -> io::Result<()> {
        let Some(held) = &self.held else { return self.file.zero_ahead(bytes, mark) };
        self.zeros_to = held.end() + bytes;
        Ok(())
    }

    fn zeros_ahead(&self) -> u64 {
        self.file.zeroed_to.max(self.zeros_to).saturating_sub(self.len())
    }
}

/// Puts the mark and zeros behind what is held, up to the end of a block, if anything of the file is behind it, up to `zeros_to`;
/// how much is to be written. A mark is never what a file ends with: HBase's reader takes that for a size, and asks for so much memory.
fn pad(held: &mut Held, zeros_to: u64, mark: &[u8]) -> usize {
    let ends_here = held.len.is_multiple_of(BLOCK) && zeros_to <= held.end();
    let marked = if ends_here { held.len } else { held.len + mark.len() };
    let padded = if ends_here { held.len } else { (marked + 1).next_multiple_of(BLOCK) };
    held.buffer.resize(held.len);
    held.buffer.extend(&mark[..marked - held.len]);
    held.buffer.resize(padded);
    padded
}

#[cfg(test)]
mod tests;
