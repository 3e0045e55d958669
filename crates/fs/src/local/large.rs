use std::io::{self, IoSlice};

use rustix::io::Errno;

use super::{
    held::{Held, HoldsEnd},
    writable::LocalWritable,
};
use crate::{NextRead, WritableFile};

/// Through the page cache so much is on its way to the device at most. A sync waits for it, and is worth as many calls.
const MOST_UNSYNCED: u64 = 16 << 20;

/// A file of many megabytes. If it is not going to be read soon, it is written past the page cache, in whole blocks: no pages are
/// found and filled for it, or taken from those who read, and none are left for others' syncs to wait for. Its end, which is no
/// whole block, goes through it.
///
/// If it is, and on file systems that do not write in place, or not past the page cache, and behind the first sync it is an
/// ordinary file, which is synced while it grows, and not all at its end: others' syncs wait for what the device has before them.
#[derive(Debug)]
pub(super) struct LocalLarge {
    file: LocalWritable,
    held: Option<Held>,
    synced: u64,
}

impl LocalLarge {
    pub(super) fn new(mut file: LocalWritable, read: NextRead) -> Self {
        let is_direct = read == NextRead::Later && file.try_direct();
        Self { file, held: is_direct.then(Held::new), synced: 0 }
    }

    /// Goes on through the page cache.
    fn become_ordinary(&mut self) -> io::Result<()> {
        if let Some(held) = &self.held {
            held.check_not_lent()?;
        }
        let Some(held) = self.held.take() else { return Ok(()) };
        self.file.set_direct(false)?;
        self.synced = self.file.len;
        self.file.append(held.between(held.start, held.end()))
    }
}

impl HoldsEnd for LocalLarge {
    fn parts(&mut self) -> (&mut LocalWritable, &mut Option<Held>) {
        (&mut self.file, &mut self.held)
    }

    /// Writes the whole blocks that are held.
    fn write_held(&mut self) -> io::Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        held.check_not_lent()?;
        match self.file.write_blocks(&held.buffer.bytes()[..held.whole()], held.start) {
            Ok(()) => {}
            Err(Errno::INVAL) => return self.become_ordinary(),
            Err(error) => return Err(error.into()),
        }
        held.let_go();
        self.file.len = held.start;
        Ok(())
    }
}

impl WritableFile for LocalLarge {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        self.append_to_end(slices)?;
        let is_much = self.held.is_none() && self.file.len - self.synced >= MOST_UNSYNCED;
        if is_much { self.sync_data() } else { Ok(()) }
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.write_held()?;
        if self.held.as_ref().is_some_and(|held| held.len > 0) {
            self.become_ordinary()?;
        }
        self.file.sync_data()?;
        self.synced = self.file.len;
        Ok(())
    }

    fn len(&self) -> u64 {
        self.held.as_ref().map_or(self.file.len, Held::end)
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if len > self.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.become_ordinary()?;
        self.file.truncate(len)?;
        self.synced = self.synced.min(len);
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        self.held.as_ref().map_or(0, Held::memory_bytes)
    }

    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        self.held.as_mut().and_then(|held| held.lend(room))
    }

    fn append_lent(&mut self, end: Vec<u8>) -> io::Result<()> {
        let Some(held) = &mut self.held else { return Err(io::ErrorKind::InvalidInput.into()) };
        held.take_back(end)?;
        if held.is_full() { self.write_held() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
