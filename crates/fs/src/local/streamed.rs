use std::{
    fs::File,
    io,
    os::fd::AsRawFd,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
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
    /// Whether it cannot be read so after all.
    refused: AtomicBool,
    piece: Mutex<Piece>,
}

/// A part of the file, as it is in memory.
#[derive(Debug)]
struct Piece {
    buffer: AlignedBuffer,
    start: u64,
    most: usize,
}

impl LocalStreamed {
    /// With about so many bytes of memory; `None` where the file cannot be read so.
    pub(super) fn of(file: &Arc<File>, piece_bytes: usize) -> Option<Self> {
        // Another opening of the same file, whatever it is called by now, has flags of its own.
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        let direct = File::from(rustix::fs::open(path, flags, Mode::empty()).ok()?);
        let length = usize::try_from(file.metadata().ok()?.len()).unwrap_or(usize::MAX);
        let most = piece_bytes.min(length).max(1).next_multiple_of(BLOCK);
        let piece = Piece { buffer: AlignedBuffer::with_room(most), start: 0, most };
        Some(Self {
            file: LocalReadable { file: Arc::clone(file) },
            direct,
            refused: AtomicBool::new(false),
            piece: Mutex::new(piece),
        })
    }

    /// Reads as [`RandomAccessFile::read_at`] does, from the piece, or a new one.
    fn read_from_piece(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        let mut piece = self.piece.lock();
        if let Some(bytes) = piece.from(offset) {
            return Ok(copy(bytes, buf));
        }
        match piece.read(&self.direct, offset) {
            Ok(()) => Ok(piece.from(offset).map_or(0, |bytes| copy(bytes, buf))),
            Err(Errno::INVAL) => {
                self.refused.store(true, Ordering::Relaxed);
                piece.buffer = AlignedBuffer::with_room(0);
                self.file.read_at(offset, buf)
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Piece {
    /// What it has from there on, unless that is nothing.
    fn from(&self, offset: u64) -> Option<&[u8]> {
        let skipped = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.buffer.bytes().get(skipped..).filter(|bytes| !bytes.is_empty())
    }

    /// Becomes the part of the file that begins there, or a little before.
    fn read(&mut self, file: &File, offset: u64) -> rustix::io::Result<()> {
        self.start = offset - offset % BLOCK as u64;
        // What was there before is as good as zeros until it is overwritten.
        self.buffer.resize(self.most);
        let read = loop {
            match rustix::io::pread(file, self.buffer.bytes_mut(), self.start) {
                Err(Errno::INTR) => {}
                read => break read,
            }
        };
        self.buffer.resize(*read.as_ref().unwrap_or(&0));
        read.map(drop)
    }
}

/// Copies what there is room for, and says how much.
fn copy(bytes: &[u8], buf: &mut [u8]) -> usize {
    let length = bytes.len().min(buf.len());
    buf[..length].copy_from_slice(&bytes[..length]);
    length
}

impl RandomAccessFile for LocalStreamed {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() || self.refused.load(Ordering::Relaxed) {
            return self.file.read_at(offset, buf);
        }
        self.read_from_piece(offset, buf)
    }

    fn append_exact_at(&self, offset: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let (begin, end) = (bytes.len(), bytes.len() + length);
        bytes.reserve_exact(length);
        while bytes.len() < end {
            let (begun, at) = (bytes.len(), offset + (bytes.len() - begin) as u64);
            if let Some(there) = self.piece.lock().from(at) {
                bytes.extend_from_slice(&there[..there.len().min(end - begun)]);
                continue;
            }
            bytes.resize(end, 0);
            let read = self.read_at(at, &mut bytes[begun..])?;
            bytes.truncate(begun + read);
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
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
