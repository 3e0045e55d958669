use std::{
    io::{self, IoSlice},
    path::Path,
    sync::Arc,
};

use finback_sync::{Condvar, Mutex};

use crate::{DirEntry, FileSystem, FsError, LockGuard, Metadata, NextRead, RandomAccessFile, WritableFile};

mod readable;
use readable::{Damage, FaultyReadable};

/// Linux's number of "no space left on device".
const ENOSPC: i32 = 28;

/// Wraps another file system and fails on command.
///
/// Operations that change something (create, append, truncate, sync, rename, link, remove, make a directory) are
/// counted from 0 in the order they begin. Those that look (open, read, list, metadata) are counted apart. A failed append
/// has written half of its bytes, as a real one may. Files may have a second copy, and each copy its damage.
#[derive(Debug, Clone)]
pub struct FaultyFileSystem {
    inner: Arc<dyn FileSystem>,
    faults: Faults,
}

/// The control handle of a [`FaultyFileSystem`]; clones control the same one.
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    resumed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    operations: u64,
    appends: u64,
    syncs: u64,
    large_files: Vec<NextRead>,
    fail_at: Option<u64>,
    fail_from: Option<u64>,
    fail_syncs: bool,
    panic_in_sync: bool,
    fail_rename_syncs: bool,
    byte_budget: Option<u64>,
    reads: u64,
    fail_read: Option<u64>,
    fail_reads_from: Option<u64>,
    has_second_copy: bool,
    damages: Vec<Damage>,
    paused: bool,
    waiting: u64,
}

impl Faults {
    /// Fails operation number `n`, once.
    pub fn fail_operation(&self, n: u64) {
        self.0.state.lock().fail_at = Some(n);
    }

    /// Fails operation number `n` and all later ones: the process died there.
    pub fn fail_from(&self, n: u64) {
        self.0.state.lock().fail_from = Some(n);
    }

    /// No failures any more (a byte budget and damages stay).
    pub fn heal(&self) {
        let mut state = self.0.state.lock();
        (state.fail_at, state.fail_from) = (None, None);
        (state.fail_syncs, state.fail_rename_syncs) = (false, false);
        (state.fail_read, state.fail_reads_from) = (None, None);
    }

    /// Fails every sync of file data while true.
    pub fn fail_syncs(&self, fail: bool) {
        self.0.state.lock().fail_syncs = fail;
    }

    /// Panics in the next sync of file data, once.
    pub fn panic_in_sync(&self) {
        self.0.state.lock().panic_in_sync = true;
    }

    /// Fails every rename while true, but after it is made: a directory could not be synced.
    pub fn fail_rename_syncs(&self, fail: bool) {
        self.0.state.lock().fail_rename_syncs = fail;
    }

    /// Appends fail with "no space left" when `bytes` more have been written; `None`: room enough.
    pub fn set_byte_budget(&self, bytes: Option<u64>) {
        self.0.state.lock().byte_budget = bytes;
    }

    /// What is left of the bytes that may be written.
    pub fn byte_budget(&self) -> Option<u64> {
        self.0.state.lock().byte_budget
    }

    /// Operations block until [`resume`](Self::resume).
    pub fn pause(&self) {
        self.0.state.lock().paused = true;
    }

    /// Lets blocked operations go on.
    pub fn resume(&self) {
        self.0.state.lock().paused = false;
        self.0.resumed.notify_all();
    }

    /// Operations blocked by [`pause`](Self::pause) now.
    pub fn waiting(&self) -> u64 {
        self.0.state.lock().waiting
    }

    /// Operations begun so far, i.e. the number of the next.
    pub fn operations(&self) -> u64 {
        self.0.state.lock().operations
    }

    /// Appends begun so far.
    pub fn appends(&self) -> u64 {
        self.0.state.lock().appends
    }

    /// Syncs of file data begun so far.
    pub fn syncs(&self) -> u64 {
        self.0.state.lock().syncs
    }

    /// Large files begun so far, and when each is going to be read.
    pub fn large_files(&self) -> Vec<NextRead> {
        self.0.state.lock().large_files.clone()
    }

    /// Fails look number `n`, once: an open, a read, a list or a metadata.
    pub fn fail_read(&self, n: u64) {
        self.0.state.lock().fail_read = Some(n);
    }

    /// Fails look number `n` and all later ones.
    pub fn fail_reads_from(&self, n: u64) {
        self.0.state.lock().fail_reads_from = Some(n);
    }

    /// Looks begun so far.
    pub fn reads(&self) -> u64 {
        self.0.state.lock().reads
    }

    fn begin(&self, what: &str) -> io::Result<()> {
        let mut state = self.0.state.lock();
        let n = state.operations;
        state.operations += 1;
        while state.paused {
            state.waiting += 1;
            self.0.resumed.wait(&mut state);
            state.waiting -= 1;
        }
        let dead = state.fail_from.is_some_and(|from| n >= from);
        if dead || state.fail_at == Some(n) {
            return Err(io::Error::other(format!("injected failure of operation {n}: {what}")));
        }
        Ok(())
    }

    fn begin_sync(&self) -> io::Result<()> {
        self.0.state.lock().syncs += 1;
        self.begin("sync")?;
        assert!(!std::mem::take(&mut self.0.state.lock().panic_in_sync), "injected panic in a sync");
        if self.0.state.lock().fail_syncs {
            return Err(io::Error::other("injected failure of a sync"));
        }
        Ok(())
    }

    /// How many of `wanted` bytes may be written, and with what error the rest fails.
    fn begin_append(&self, wanted: usize) -> (usize, io::Result<()>) {
        self.0.state.lock().appends += 1;
        if let Err(e) = self.begin("append") {
            let dead = self.0.state.lock().fail_from.is_some();
            return (if dead { 0 } else { wanted / 2 }, Err(e));
        }
        let mut state = self.0.state.lock();
        let Some(budget) = &mut state.byte_budget else { return (wanted, Ok(())) };
        let allowed = wanted.min(usize::try_from(*budget).unwrap_or(usize::MAX));
        *budget -= allowed as u64;
        if allowed < wanted {
            return (allowed, Err(io::Error::from_raw_os_error(ENOSPC)));
        }
        (allowed, Ok(()))
    }
}

impl FaultyFileSystem {
    /// Wraps `inner`; nothing fails until told so.
    pub fn new(inner: Arc<dyn FileSystem>) -> Self {
        Self { inner, faults: Faults::default() }
    }

    /// The handle that makes it fail.
    pub fn faults(&self) -> Faults {
        self.faults.clone()
    }
}

impl FileSystem for FaultyFileSystem {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.faults.begin("create")?;
        Ok(Box::new(FaultyWritable {
            inner: self.inner.create_new(path)?,
            faults: self.faults.clone(),
            lent: 0,
        }))
    }

    fn create_large(&self, path: &Path, read: NextRead) -> io::Result<Box<dyn WritableFile>> {
        self.faults.begin("create")?;
        self.faults.0.state.lock().large_files.push(read);
        Ok(Box::new(FaultyWritable {
            inner: self.inner.create_large(path, read)?,
            faults: self.faults.clone(),
            lent: 0,
        }))
    }

    fn create_log(&self, path: &Path, mark: &'static [u8]) -> io::Result<Box<dyn WritableFile>> {
        self.faults.begin("create")?;
        let inner = self.inner.create_log(path, mark)?;
        Ok(Box::new(FaultyWritable { inner, faults: self.faults.clone(), lent: 0 }))
    }

    fn create_flushed_log(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.faults.begin("create")?;
        let inner = self.inner.create_flushed_log(path)?;
        Ok(Box::new(FaultyWritable { inner, faults: self.faults.clone(), lent: 0 }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        self.faults.begin_read("open")?;
        Ok(Arc::new(FaultyReadable::new(self.inner.open(path)?, path, self.faults.clone())))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.faults.begin("rename")?;
        self.inner.rename(from, to)?;
        if self.faults.0.state.lock().fail_rename_syncs {
            return Err(io::Error::other("injected failure of a rename's sync"));
        }
        Ok(())
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.faults.begin("hard_link")?;
        self.inner.hard_link(from, to)
    }

    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        self.faults.begin_read("metadata")?;
        self.inner.has_other_names(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.faults.begin_sync()?;
        self.inner.sync_file(path)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("remove_file")?;
        self.inner.remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("remove_dir_all")?;
        self.inner.remove_dir_all(path)
    }

    fn remove_empty_dir(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("remove_empty_dir")?;
        self.inner.remove_empty_dir(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("touch")?;
        self.inner.touch(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("create_dir_all")?;
        self.inner.create_dir_all(path)
    }

    fn create_dirs_all(&self, paths: &[std::path::PathBuf]) -> io::Result<()> {
        self.faults.begin("create_dirs_all")?;
        self.inner.create_dirs_all(paths)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.faults.begin_read("list")?;
        self.inner.list(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.faults.begin_read("metadata")?;
        self.inner.metadata(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.faults.begin("sync_dir")?;
        self.inner.sync_dir(path)
    }

    fn available_space(&self, path: &Path) -> io::Result<u64> {
        let space = self.inner.available_space(path)?;
        Ok(self.faults.0.state.lock().byte_budget.map_or(space, |budget| budget.min(space)))
    }

    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        self.inner.lock_exclusive(path)
    }
}

#[derive(Debug)]
struct FaultyWritable {
    inner: Box<dyn WritableFile>,
    faults: Faults,
    /// Bytes of what is lent that were there before.
    lent: usize,
}

impl WritableFile for FaultyWritable {
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()> {
        let wanted = slices.iter().map(|s| s.len()).sum();
        let (mut allowed, result) = self.faults.begin_append(wanted);
        if result.is_ok() {
            return self.inner.append_vectored(slices);
        }
        for slice in slices.iter() {
            let part = &slice[..allowed.min(slice.len())];
            self.inner.append(part)?;
            allowed -= part.len();
        }
        result
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.faults.begin_sync()?;
        self.inner.sync_data()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.faults.begin("truncate")?;
        self.inner.truncate(len)
    }

    fn zero_ahead(&mut self, bytes: u64, mark: &'static [u8]) -> io::Result<()> {
        self.faults.begin("zero ahead")?;
        if self.faults.0.state.lock().byte_budget.is_some_and(|budget| budget < bytes) {
            return Err(io::Error::from_raw_os_error(ENOSPC));
        }
        self.inner.zero_ahead(bytes, mark)
    }

    fn zeros_ahead(&self) -> u64 {
        self.inner.zeros_ahead()
    }

    fn held_bytes(&self) -> usize {
        self.inner.held_bytes()
    }

    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        let end = self.inner.lend_end(room)?;
        self.lent = end.len();
        Some(end)
    }

    fn append_lent(&mut self, mut end: Vec<u8>) -> io::Result<()> {
        let (allowed, result) = self.faults.begin_append(end.len().saturating_sub(self.lent));
        if result.is_err() {
            end.truncate(self.lent + allowed);
        }
        self.inner.append_lent(end)?;
        result
    }
}
