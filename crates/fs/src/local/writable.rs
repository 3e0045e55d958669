use std::{
    fs::{File, OpenOptions},
    io::{self, IoSlice},
    os::unix::fs::FileExt,
    path::Path,
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::Errno,
};

use crate::WritableFile;

#[derive(Debug)]
pub(super) struct LocalWritable {
    pub(super) file: File,
    pub(super) len: u64,
    /// Where zeros that were put ahead end.
    pub(super) zeroed_to: u64,
    /// What stands before them.
    pub(super) mark: &'static [u8],
    /// Whether syncs of this file system are cheaper where the length stays; unknown before the first question.
    writes_in_place: Option<bool>,
}

/// File systems that write in place, and more for a file that has grown: ext2 to ext4, and XFS.
const WRITE_IN_PLACE: [i64; 2] = [0xef53, 0x5846_5342];
/// Zeros written at a time.
const ZEROS: &[u8] = &[0; 64 << 10];

/// Whether the file system of a file writes in place.
pub(super) fn writes_in_place(file: &File) -> io::Result<bool> {
    Ok(WRITE_IN_PLACE.contains(&(rustix::fs::fstatfs(file)?.f_type as i64)))
}

impl LocalWritable {
    pub(super) fn create_new(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Ok(Self { file, len: 0, zeroed_to: 0, mark: &[], writes_in_place: None })
    }

    /// Has writes go past the page cache, from now on or no longer.
    pub(super) fn set_direct(&self, direct: bool) -> rustix::io::Result<()> {
        let mut flags = fcntl_getfl(&self.file)?;
        flags.set(OFlags::DIRECT, direct);
        fcntl_setfl(&self.file, flags)
    }

    /// Has them go past the page cache if the file system writes in place, and can; whether it does.
    pub(super) fn try_direct(&mut self) -> bool {
        matches!(self.writes_in_place(), Ok(true)) && self.set_direct(true).is_ok()
    }

    /// Writes whole blocks at a block, wherever the file ends. `INVAL`: not past the page cache, here.
    pub(super) fn write_blocks(&self, mut blocks: &[u8], mut at: u64) -> rustix::io::Result<()> {
        while !blocks.is_empty() {
            match rustix::io::pwrite(&self.file, blocks, at) {
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

    /// Whether the file system writes in place.
    pub(super) fn writes_in_place(&mut self) -> io::Result<bool> {
        if let Some(in_place) = self.writes_in_place {
            return Ok(in_place);
        }
        let in_place = writes_in_place(&self.file)?;
        self.writes_in_place = Some(in_place);
        Ok(in_place)
    }

    /// Writes at the end; what comes to stand behind `end` does not count.
    fn write_slices(&mut self, mut slices: &mut [IoSlice<'_>], end: u64) -> io::Result<()> {
        let mut at = self.len;
        IoSlice::advance_slices(&mut slices, 0); // drops leading empty slices
        while !slices.is_empty() {
            match rustix::io::pwritev(&self.file, slices, at) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => {
                    at += n as u64;
                    self.len = at.min(end);
                    IoSlice::advance_slices(&mut slices, n);
                }
                Err(Errno::INTR) => {}
                Err(e) => return Err(e.into()),
            }
        }
        Ok(())
    }
}

impl WritableFile for LocalWritable {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let end = self.len + slices.iter().map(|slice| slice.len() as u64).sum::<u64>();
        if self.zeroed_to <= end {
            return self.write_slices(slices, end);
        }
        let mut marked = slices.to_vec();
        marked.push(IoSlice::new(self.mark));
        let mut marked_to = end + self.mark.len() as u64;
        // A mark is never what a file ends with.
        if self.zeroed_to <= marked_to {
            marked.push(IoSlice::new(&[0]));
            marked_to += 1;
        }
        self.write_slices(&mut marked, end)?;
        self.zeroed_to = self.zeroed_to.max(marked_to);
        Ok(())
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if len > self.len {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.file.set_len(len)?;
        (self.len, self.zeroed_to) = (len, len);
        Ok(())
    }

    fn zero_ahead(&mut self, bytes: u64, mark: &'static [u8]) -> io::Result<()> {
        let gains = self.writes_in_place()?;
        let end = self.len + bytes;
        if gains && self.zeroed_to <= self.len {
            let marked = [mark, &[0]].concat();
            (self.mark, self.zeroed_to) = (mark, self.len + marked.len() as u64);
            self.file.write_all_at(&marked, self.len)?;
        }
        let mut at = self.zeroed_to;
        while gains && at < end {
            let piece = ZEROS.len().min((end - at) as usize);
            at += self.file.write_at(&ZEROS[..piece], at)? as u64;
            self.zeroed_to = at;
        }
        Ok(())
    }

    fn zeros_ahead(&self) -> u64 {
        self.zeroed_to.saturating_sub(self.len)
    }
}
