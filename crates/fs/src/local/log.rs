use std::io::{self, IoSlice};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};

use super::{
    aligned_buffer::{AlignedBuffer, BLOCK},
    writable::LocalWritable,
};
use crate::WritableFile;

/// A buffer begins with so much, and grows with what is appended between syncs.
const LEAST_HELD: usize = 64 << 10;
/// More than this is written at once.
const MOST_HELD: usize = 1 << 20;
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
}

/// What is to be written, behind what of its block has been.
#[derive(Debug)]
struct Held {
    buffer: AlignedBuffer,
    /// Where in the file the buffer begins: at a block.
    start: u64,
    len: usize,
    /// The next sync puts zeros ahead up to here.
    zeros_to: u64,
}

impl Held {
    fn end(&self) -> u64 {
        self.start + self.len as u64
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

    /// Puts the mark and zeros behind what is held, if any of the file is there, up to the end of a block; how much is to be written.
    fn pad(&mut self, file_end: u64, mark: &[u8]) -> usize {
        let ends_here = self.len.is_multiple_of(BLOCK) && file_end.max(self.zeros_to) <= self.end();
        let marked = if ends_here { self.len } else { self.len + mark.len() };
        let padded = marked.next_multiple_of(BLOCK);
        self.buffer.grow(padded, self.len);
        let bytes = self.buffer.bytes_mut();
        bytes[self.len..marked].copy_from_slice(&mark[..marked - self.len]);
        bytes[marked..padded].fill(0);
        padded
    }

    /// All is written; only a block that is not whole is still needed.
    fn let_go(&mut self) {
        let whole = self.len - self.len % BLOCK;
        self.buffer.bytes_mut().copy_within(whole..self.len, 0);
        self.start += whole as u64;
        self.len -= whole;
    }
}

impl LocalLog {
    pub(super) fn new(mut file: LocalWritable, mark: &'static [u8]) -> Self {
        let is_direct = file.gains_by_zeros().is_ok_and(|gains| gains) && set_direct(&file, true).is_ok();
        let held = is_direct.then(|| Held {
            buffer: AlignedBuffer::zeroed(LEAST_HELD),
            start: 0,
            len: 0,
            zeros_to: 0,
        });
        Self { file, mark, held }
    }

    /// Writes all that is held, and makes the rest of the last block mark and zeros.
    fn write_held(&mut self) -> io::Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        if held.end() == self.file.len && held.zeros_to <= self.file.zeroed_to {
            return Ok(());
        }
        let padded = held.pad(self.file.zeroed_to, self.mark);
        match write_blocks(&self.file, &held.buffer.bytes()[..padded], held.start) {
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

    /// Puts those zeros ahead that are asked for. A disk without room for them is none for long, and that is told by the writes.
    fn put_zeros(&mut self) {
        let Some(held) = &mut self.held else { return };
        let to = std::mem::take(&mut held.zeros_to).next_multiple_of(BLOCK as u64);
        if to <= self.file.zeroed_to {
            return;
        }
        let zeros = AlignedBuffer::zeroed(ZEROS);
        while self.file.zeroed_to < to {
            let piece = ZEROS.min((to - self.file.zeroed_to) as usize);
            if let Err(error) = write_blocks(&self.file, &zeros.bytes()[..piece], self.file.zeroed_to) {
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
        set_direct(&self.file, false)?;
        self.file.mark = self.mark;
        let from = (self.file.len - held.start) as usize;
        let to = end.saturating_sub(held.start) as usize;
        if from < to { self.file.append(&held.buffer.bytes()[from..to]) } else { Ok(()) }
    }
}

impl WritableFile for LocalLog {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        for slice in slices.iter() {
            let mut left = &slice[..];
            while let (Some(held), false) = (&mut self.held, left.is_empty()) {
                left = &left[held.take(left)..];
                if held.len == MOST_HELD {
                    self.write_held()?;
                }
            }
            if !left.is_empty() {
                self.file.append(left)?;
            }
        }
        Ok(())
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
        let Some(held) = &mut self.held else { return self.file.zero_ahead(bytes, mark) };
        held.zeros_to = held.end() + bytes;
        Ok(())
    }

    fn zeros_ahead(&self) -> u64 {
        let wanted = self.held.as_ref().map_or(0, |held| held.zeros_to);
        self.file.zeroed_to.max(wanted).saturating_sub(self.len())
    }

    fn allocate(&mut self, len: u64) -> io::Result<()> {
        self.file.allocate(len)
    }
}

/// Whether writes go past the page cache.
fn set_direct(file: &LocalWritable, direct: bool) -> rustix::io::Result<()> {
    let mut flags = fcntl_getfl(&file.file)?;
    flags.set(OFlags::DIRECT, direct);
    fcntl_setfl(&file.file, flags)
}

/// Writes whole blocks at a block. `INVAL`: not past the page cache, here.
fn write_blocks(file: &LocalWritable, mut blocks: &[u8], mut at: u64) -> rustix::io::Result<()> {
    while !blocks.is_empty() {
        match rustix::io::pwrite(&file.file, blocks, at) {
            Ok(0) => return Err(Errno::NOSPC),
            Ok(written) => {
                blocks = &blocks[written..];
                at += written as u64;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
