use std::{fs::File, io, os::fd::AsRawFd};

use parking_lot::{Mutex, MutexGuard};
use rustix::{
    fs::{Mode, OFlags},
    io::Errno,
};

use super::{
    LocalReadable,
    aligned_buffer::{AlignedBuffer, BLOCK},
};
use crate::RandomAccessFile;

/// A file that is read once, from one end to the other: past the page cache, a large piece at a time, into memory that is there
/// already. No pages are found for it, or taken from those who read.
#[derive(Debug)]
pub(super) struct LocalStreamed {
    file: LocalReadable,
    direct: File,
    piece: Mutex<Piece>,
}

/// A part of the file, as it is in memory.
#[derive(Debug)]
struct Piece {
    /// As long as a piece may be from the first one on: its zeros are written once.
    buffer: AlignedBuffer,
    start: u64,
    length: usize,
    most: usize,
    /// Whether the file cannot be read so after all.
    is_refused: bool,
}

impl LocalStreamed {
    /// With about so many bytes of memory; `None` where the file cannot be read so.
    pub(super) fn of(readable: &LocalReadable, piece_bytes: usize) -> Option<Self> {
        // Another opening of the same file, whatever it is called by now, has flags of its own.
        let path = format!("/proc/self/fd/{}", readable.file.as_raw_fd());
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        let direct = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
        let length = usize::try_from(readable.len().ok()?).unwrap_or(usize::MAX);
        let most = piece_bytes.min(length).max(1).next_multiple_of(BLOCK);
        let buffer = AlignedBuffer::with_room(most);
        let piece = Piece { buffer, start: 0, length: 0, most, is_refused: false };
        Some(Self { file: readable.clone(), direct, piece: Mutex::new(piece) })
    }

    /// Sees to it that the piece has what the file has there. `None` where it cannot be read so: whoever reads it otherwise learns
    /// why, if that is no way either.
    fn piece_at(&self, offset: u64) -> Option<MutexGuard<'_, Piece>> {
        let mut piece = self.piece.lock();
        if piece.is_refused {
            return None;
        }
        if piece.from(offset).is_none() && piece.read(&self.direct, offset).is_err() {
            *piece = Piece { buffer: AlignedBuffer::with_room(0), length: 0, is_refused: true, ..*piece };
            return None;
        }
        Some(piece)
    }
}

impl Piece {
    /// What it has from there on, unless that is nothing.
    fn from(&self, offset: u64) -> Option<&[u8]> {
        let skipped = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.buffer.bytes()[..self.length].get(skipped..).filter(|bytes| !bytes.is_empty())
    }

    /// Becomes the part of the file that begins there, or a little before.
    fn read(&mut self, file: &File, offset: u64) -> rustix::io::Result<()> {
        let before = (offset % BLOCK as u64) as usize;
        self.start = offset - before as u64;
        self.buffer.resize(self.most);
        self.length = 0;
        let mut length = 0;
        while length <= before {
            match rustix::io::pread(file, &mut self.buffer.bytes_mut()[length..], self.start + length as u64)
            {
                Ok(0) => break,
                Ok(read) => length += read,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
        self.length = length;
        Ok(())
    }
}

impl RandomAccessFile for LocalStreamed {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let Some(piece) = self.piece_at(offset) else { return self.file.read_at(offset, buf) };
        let there = piece.from(offset).unwrap_or_default();
        let length = there.len().min(buf.len());
        buf[..length].copy_from_slice(&there[..length]);
        Ok(length)
    }

    fn append_exact_at(&self, offset: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let (begin, end) = (bytes.len(), bytes.len() + length);
        bytes.reserve_exact(length);
        while bytes.len() < end {
            let (missing, at) = (end - bytes.len(), offset + (bytes.len() - begin) as u64);
            let Some(piece) = self.piece_at(at) else { return self.file.append_exact_at(at, missing, bytes) };
            let Some(there) = piece.from(at) else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            bytes.extend_from_slice(&there[..there.len().min(missing)]);
        }
        Ok(())
    }

    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.file.read_at_nowait(offset, buf)
    }

    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        self.file.identity()
    }

    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }
}

#[cfg(test)]
mod tests;
