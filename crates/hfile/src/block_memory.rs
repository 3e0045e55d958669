//! Where a block of a file being written is made.

use crate::block::HEADER_SIZE;
use finback_fs::WritableFile;
use std::io;

/// Room for a header and, behind it, what was pushed of the block's payload; in memory of the file's own if that has any, behind
/// what it holds of other blocks, so that the block goes to the device from where it was made.
#[derive(Debug, Default)]
pub(crate) struct BlockMemory {
    /// What is pushed becomes the block's.
    pub(crate) bytes: Vec<u8>,
    start: usize,
    is_of_file: bool,
}

impl BlockMemory {
    /// Memory for a payload of about so many bytes, the file's or what is `kept`.
    pub(crate) fn of(file: &mut dyn WritableFile, kept: &mut Vec<u8>, payload: usize) -> Self {
        // With some for checksums.
        let room = HEADER_SIZE + payload + payload / 1024 + 64;
        let Some(mut bytes) = file.lend_end(room) else { return Self::apart(kept, room) };
        let start = bytes.len();
        bytes.resize(start + HEADER_SIZE, 0);
        Self { bytes, start, is_of_file: true }
    }

    /// What is `kept`, with room for so many bytes.
    pub(crate) fn apart(kept: &mut Vec<u8>, room: usize) -> Self {
        let mut bytes = std::mem::take(kept);
        bytes.clear();
        bytes.reserve(room);
        bytes.resize(HEADER_SIZE, 0);
        Self { bytes, start: 0, is_of_file: false }
    }

    /// Where the block begins in `bytes`.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn block(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(crate) fn block_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.block()[HEADER_SIZE..]
    }

    /// Appends the block to the file that the memory was taken for. What is not of the file is `kept`.
    pub(crate) fn append_to(self, file: &mut dyn WritableFile, kept: &mut Vec<u8>) -> io::Result<()> {
        if self.is_of_file {
            return file.append_lent(self.bytes);
        }
        let appended = file.append(&self.bytes);
        *kept = self.bytes;
        appended
    }
}
