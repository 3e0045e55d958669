use std::{
    io::{self, IoSlice},
    time::{Duration, Instant},
};

use rustix::io::Errno;

use super::{
    aligned_buffer::{AlignedBuffer, BLOCK},
    writable::LocalWritable,
};
use crate::WritableFile;

/// Fewer bytes are faster in the page cache than on the device.
const LEAST_DIRECT: usize = 256 << 10;
/// Written at a time.
const PIECE: usize = 1 << 20;
/// Bytes that a device is to take in a second. The page cache takes what comes in bursts at once.
const LEAST_SPEED: u64 = 200 << 20;
/// When a device has taken so much longer, it is too slow for who appends.
const MOST_BEHIND: Duration = Duration::from_millis(100);

/// A log of which all counts that was appended. What comes many bytes at a time goes past the page cache, as far as it is whole
/// blocks: no pages are found and filled for it, or taken from those who read. The rest goes through it.
///
/// On file systems that do not write in place, or not past the page cache, and as soon as the device turns out to be slow, it is an
/// ordinary file.
#[derive(Debug)]
pub(super) struct LocalFlushed {
    file: LocalWritable,
    /// What is on its way; none in an ordinary file.
    piece: Option<AlignedBuffer>,
    /// How far the device is behind what is asked of it.
    behind: Duration,
}

impl LocalFlushed {
    pub(super) fn new(mut file: LocalWritable) -> Self {
        let is_in_place = matches!(file.writes_in_place(), Ok(true));
        Self { file, piece: is_in_place.then(|| AlignedBuffer::with_room(0)), behind: Duration::ZERO }
    }

    /// Writes blocks past the page cache as long as `bytes` has any, and that works; what is left of them.
    fn append_blocks<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let mut left = bytes;
        let Some(piece) = self.piece.as_mut().filter(|_| bytes.len() >= BLOCK) else { return Ok(left) };
        if self.file.set_direct(true).is_err() {
            self.piece = None;
            return Ok(left);
        }
        let begun = Instant::now();
        let written = loop {
            let (now, later) = left.split_at(left.len().min(PIECE) / BLOCK * BLOCK);
            if now.is_empty() {
                break Ok(());
            }
            piece.resize(0);
            piece.extend(now);
            match self.file.write_blocks(piece.bytes(), self.file.len) {
                Ok(()) => (self.file.len, left) = (self.file.len + now.len() as u64, later),
                Err(error) => break Err(error),
            }
        };
        self.took(begun.elapsed(), bytes.len() - left.len());
        self.file.set_direct(false)?;
        match written {
            // Whoever writes the rest through the page cache writes over what there may be of it.
            Err(Errno::INVAL) => self.piece = None,
            written => written?,
        }
        Ok(left)
    }

    /// Notes how long the device took.
    fn took(&mut self, took: Duration, bytes: usize) {
        let allowed = Duration::from_nanos(bytes as u64 * 1_000_000_000 / LEAST_SPEED);
        self.behind = (self.behind + took).saturating_sub(allowed);
        if self.behind > MOST_BEHIND {
            self.piece = None;
        }
    }
}

impl WritableFile for LocalFlushed {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        for slice in slices.iter() {
            let mut left = &slice[..];
            if self.piece.is_some() && left.len() >= LEAST_DIRECT {
                let to_block = self.file.len.next_multiple_of(BLOCK as u64) - self.file.len;
                let (first, rest) = left.split_at(to_block as usize);
                self.file.append(first)?;
                left = self.append_blocks(rest)?;
            }
            self.file.append(left)?;
        }
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn len(&self) -> u64 {
        self.file.len
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.file.truncate(len)
    }
}

#[cfg(test)]
mod tests;
