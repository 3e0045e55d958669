//! A device whose reads end when the test wants it, and syncs of files that others have written how it wants it.

use crate::world::LONG;
use finback_fs::{DirEntry, FileSystem, FsError, LockGuard, Metadata, RandomAccessFile, WritableFile};
use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Instant;

/// How many reads are under way, how many there were at most, and how many files were opened.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    /// How many reads must be under way before one of them is done; 0: none waits.
    gather: usize,
    pub(crate) now: usize,
    pub(crate) most: usize,
    pub(crate) all: usize,
    /// How many files were opened.
    pub(crate) opened: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Gate {
    reads: Mutex<Reads>,
    changed: Condvar,
}

impl Gate {
    pub(crate) fn gather(&self, reads: usize) {
        *self.reads.lock().unwrap() = Reads { gather: reads, ..Reads::default() };
        self.changed.notify_all();
    }

    pub(crate) fn reads(&self) -> MutexGuard<'_, Reads> {
        self.reads.lock().unwrap()
    }

    /// A read: it ends when enough of them are under way, or when the test has waited too long.
    fn pass(&self) {
        let mut reads = self.reads.lock().unwrap();
        reads.now += 1;
        reads.all += 1;
        reads.most = reads.most.max(reads.now);
        self.changed.notify_all();
        let since = Instant::now();
        while reads.most < reads.gather && since.elapsed() < LONG {
            reads = self.changed.wait_timeout(reads, LONG).unwrap().0;
        }
        // It may have been another gathering.
        reads.now = reads.now.saturating_sub(1);
    }
}

/// What becomes of the syncs of files that others have written: with these a bulk load begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It waits.
    Unknown,
    #[default]
    Good,
    Failure,
    Panic,
}

/// How many of them there were, and what becomes of those that are under way, and of later ones.
#[derive(Debug, Default)]
pub(crate) struct ForeignSyncs {
    begun_and_fate: Mutex<(usize, Fate)>,
    changed: Condvar,
}

impl ForeignSyncs {
    pub(crate) fn decide(&self, fate: Fate) {
        self.begun_and_fate.lock().unwrap().1 = fate;
        self.changed.notify_all();
    }

    pub(crate) fn begun(&self) -> usize {
        self.begun_and_fate.lock().unwrap().0
    }

    fn pass(&self) -> io::Result<()> {
        let mut state = self.begun_and_fate.lock().unwrap();
        state.0 += 1;
        let since = Instant::now();
        while state.1 == Fate::Unknown && since.elapsed() < LONG {
            state = self.changed.wait_timeout(state, LONG).unwrap().0;
        }
        let fate = state.1;
        drop(state);
        match fate {
            Fate::Good => Ok(()),
            Fate::Failure => Err(io::Error::other("the test wants it to fail")),
            Fate::Panic => panic!("the test wants it to panic"),
            Fate::Unknown => panic!("the test has waited too long"),
        }
    }
}

/// A device that every read of a store file must wait for.
#[derive(Debug)]
pub(crate) struct Device {
    inner: Arc<dyn FileSystem>,
    gate: Arc<Gate>,
    syncs: Arc<ForeignSyncs>,
}

impl Device {
    pub(crate) fn new(inner: &Arc<dyn FileSystem>, gate: &Arc<Gate>) -> Self {
        Self { inner: Arc::clone(inner), gate: Arc::clone(gate), syncs: Arc::default() }
    }

    /// One whose reads do not wait.
    pub(crate) fn with_syncs(inner: &Arc<dyn FileSystem>, syncs: &Arc<ForeignSyncs>) -> Self {
        Self { inner: Arc::clone(inner), gate: Arc::default(), syncs: Arc::clone(syncs) }
    }
}

#[derive(Debug)]
struct File {
    inner: Arc<dyn RandomAccessFile>,
    gate: Arc<Gate>,
}

impl RandomAccessFile for File {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.inner.read_at(offset, buf)
    }
    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.gate.pass();
        self.inner.read_exact_at(offset, buf)
    }
    fn read_at_nowait(&self, _: u64, _: &mut [u8]) -> io::Result<Option<()>> {
        Ok(None)
    }
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }
}

impl FileSystem for Device {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        let inner = self.inner.open(path)?;
        self.gate.reads().opened += 1;
        Ok(Arc::new(File { inner, gate: Arc::clone(&self.gate) }))
    }
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.inner.create_new(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.hard_link(from, to)
    }
    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        self.inner.has_other_names(path)
    }
    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.syncs.pass()?;
        self.inner.sync_file(path)
    }
    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_file(path)
    }
    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.remove_dir_all(path)
    }
    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.inner.create_dir_all(path)
    }
    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.inner.list(path)
    }
    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.inner.metadata(path)
    }
    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.inner.sync_dir(path)
    }
    fn available_space(&self, path: &Path) -> io::Result<u64> {
        self.inner.available_space(path)
    }
    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        self.inner.lock_exclusive(path)
    }
}
