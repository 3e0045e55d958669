//! Reads that fail, and copies of files that are damaged.

use super::Faults;
use crate::RandomAccessFile;
use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
    sync::Arc,
};

/// A byte of a copy that is not what was written.
#[derive(Debug)]
pub(super) struct Damage {
    /// The file's name, without directories: it may be renamed.
    name: OsString,
    copy: usize,
    offset: u64,
    mask: u8,
}

impl Faults {
    /// All files have a second copy from now on.
    pub fn set_second_copy(&self, has: bool) {
        self.0.state.lock().has_second_copy = has;
    }

    /// Flips the bits of `mask` at `offset` of one copy (0 or 1) of the file of this name, in whatever directory.
    pub fn damage(&self, name: &str, copy: usize, offset: u64, mask: u8) {
        self.0.state.lock().damages.push(Damage { name: name.into(), copy, offset, mask });
    }

    /// All copies are as they were written.
    pub fn repair(&self) {
        self.0.state.lock().damages.clear();
    }

    pub(super) fn begin_read(&self, what: &str) -> io::Result<()> {
        let mut state = self.0.state.lock();
        let n = state.reads;
        state.reads += 1;
        if state.fail_read == Some(n) || state.fail_reads_from.is_some_and(|from| n >= from) {
            return Err(io::Error::other(format!("injected failure of look {n}: {what}")));
        }
        Ok(())
    }

    fn apply_damages(&self, name: &OsStr, copy: usize, offset: u64, buf: &mut [u8]) {
        for damage in self.0.state.lock().damages.iter().filter(|d| d.name == name && d.copy == copy) {
            let at = damage.offset.checked_sub(offset).and_then(|at| usize::try_from(at).ok());
            if let Some(byte) = at.and_then(|at| buf.get_mut(at)) {
                *byte ^= damage.mask;
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct FaultyReadable {
    inner: Arc<dyn RandomAccessFile>,
    name: OsString,
    faults: Faults,
}

impl FaultyReadable {
    pub(super) fn new(inner: Arc<dyn RandomAccessFile>, path: &Path, faults: Faults) -> Self {
        Self { inner, name: path.file_name().unwrap_or_default().to_owned(), faults }
    }
}

impl RandomAccessFile for FaultyReadable {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.faults.begin_read("read")?;
        let n = self.inner.read_at(offset, buf)?;
        self.faults.apply_damages(&self.name, 0, offset, &mut buf[..n]);
        Ok(n)
    }

    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.faults.begin_read("read")?;
        let read = self.inner.read_at_nowait(offset, buf)?;
        self.faults.apply_damages(&self.name, 0, offset, buf);
        Ok(read)
    }

    fn read_other_copy_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.faults.begin_read("read")?;
        if !self.faults.0.state.lock().has_second_copy {
            return self.inner.read_other_copy_at(offset, buf);
        }
        self.inner.read_exact_at(offset, buf)?;
        self.faults.apply_damages(&self.name, 1, offset, buf);
        Ok(Some(()))
    }

    fn can_be_streamed(&self) -> bool {
        self.inner.can_be_streamed()
    }

    fn streamed(&self, piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        let inner = self.inner.streamed(piece_bytes)?;
        Some(Arc::new(Self { inner, name: self.name.clone(), faults: self.faults.clone() }))
    }

    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        self.inner.identity()
    }

    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}
