use std::{io, sync::Arc};

use finback_fs::RandomAccessFile;

/// Bytes read at a time.
const READ_BYTES: usize = 256 << 10;

/// A window that slides over a file: memory for one entry and the read-ahead, not for the file.
#[derive(Debug)]
pub(crate) struct FileWindow {
    file: Arc<dyn RandomAccessFile>,
    /// Nothing at or after this offset is looked at.
    len: u64,
    bytes: Vec<u8>,
    start: u64,
}

impl FileWindow {
    pub(crate) fn new(file: Arc<dyn RandomAccessFile>, len: u64) -> Self {
        Self { file, len, bytes: Vec::new(), start: 0 }
    }

    /// Another one over the same file.
    pub(crate) fn again(&self) -> Self {
        Self::new(Arc::clone(&self.file), self.len)
    }

    pub(crate) fn file_len(&self) -> u64 {
        self.len
    }

    /// The bytes at `offset`; fewer than `len` only where the file ends. The allocation follows the file's real
    /// length, never `len` alone.
    pub(crate) fn slice(&mut self, offset: u64, len: usize) -> io::Result<&[u8]> {
        let rest = self.len.saturating_sub(offset);
        let len = usize::try_from(rest).unwrap_or(usize::MAX).min(len);
        let loaded_end = self.start + self.bytes.len() as u64;
        if offset < self.start || offset + len as u64 > loaded_end {
            self.load(offset, len)?;
        }
        let from = (offset - self.start) as usize;
        Ok(&self.bytes[from..from + len])
    }

    fn load(&mut self, offset: u64, len: usize) -> io::Result<()> {
        let loaded_end = self.start + self.bytes.len() as u64;
        if (self.start..=loaded_end).contains(&offset) {
            self.bytes.drain(..(offset - self.start) as usize);
        } else {
            self.bytes.clear();
        }
        self.start = offset;
        let rest = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        // Doubling keeps the copies of an entry that grows cell by cell linear.
        let wanted = (len + READ_BYTES).max(self.bytes.len().saturating_mul(2)).min(rest).max(len);
        let have = self.bytes.len();
        if wanted <= have {
            return Ok(());
        }
        self.bytes.resize(wanted, 0);
        if let Err(e) = self.file.read_exact_at(offset + have as u64, &mut self.bytes[have..]) {
            self.bytes.truncate(have);
            return Err(e);
        }
        Ok(())
    }
}
