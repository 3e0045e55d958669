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
/// When a device has taken so much longer, for whatever reason, it is too slow for who appends to this file.
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

    /// Writes as much of `slices`, and takes it off them, as is missing to the end of a block.
    fn append_to_block(&mut self, slices: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        let Some(piece) = &mut self.piece else { return Ok(()) };
        let to_block = self.file.len.next_multiple_of(BLOCK as u64) - self.file.len;
        fill(piece, slices, to_block as usize);
        self.file.append(piece.bytes())?;
        IoSlice::advance_slices(slices, piece.len());
        Ok(())
    }

    /// Writes blocks past the page cache as long as `slices` has any, and that works, and takes them off it.
    fn append_blocks(&mut self, slices: &mut &mut [IoSlice<'_>]) -> io::Result<()> {
        let Some(piece) = &mut self.piece else { return Ok(()) };
        if self.file.set_direct(true).is_err() {
            self.piece = None;
            return Ok(());
        }
        let (begun, before) = (Instant::now(), self.file.len);
        let written = loop {
            fill(piece, slices, PIECE);
            piece.resize(piece.len() / BLOCK * BLOCK);
            if piece.len() == 0 {
                break Ok(());
            }
            match self.file.write_blocks(piece.bytes(), self.file.len) {
                Ok(()) => self.file.len += piece.len() as u64,
                Err(error) => break Err(error),
            }
            IoSlice::advance_slices(slices, piece.len());
        };
        self.took(begun.elapsed(), self.file.len - before);
        self.file.set_direct(false)?;
        match written {
            Ok(()) => Ok(()),
            // The rest goes through the page cache, over what there may be of it.
            Err(Errno::INVAL) => {
                self.piece = None;
                Ok(())
            }
            Err(error) => {
                // What there may be of the piece does not count. Best effort, on a device that just failed.
                let _ = self.file.file.set_len(self.file.len);
                Err(error.into())
            }
        }
    }

    /// Notes how long the device took.
    fn took(&mut self, took: Duration, bytes: u64) {
        let allowed = Duration::from_nanos(bytes * 1_000_000_000 / LEAST_SPEED);
        self.behind = (self.behind + took).saturating_sub(allowed);
        if self.behind > MOST_BEHIND {
            self.piece = None;
        }
    }
}

/// Makes `piece` the first bytes of `slices`, up to so many.
fn fill(piece: &mut AlignedBuffer, slices: &[IoSlice<'_>], most: usize) {
    piece.resize(0);
    for slice in slices {
        let taken = slice.len().min(most - piece.len());
        piece.extend(&slice[..taken]);
    }
}

impl WritableFile for LocalFlushed {
    fn append_vectored(&mut self, mut slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        if bytes >= LEAST_DIRECT {
            self.append_to_block(&mut slices)?;
            self.append_blocks(&mut slices)?;
        }
        self.file.append_vectored(slices)
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
