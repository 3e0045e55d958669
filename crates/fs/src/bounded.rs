use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::descriptor_cache::{DescriptorCache, DescriptorStatistics, Slot};
use crate::handle_names::{HandleNames, Named, Names};
use crate::moves::Moves;
use crate::{DirEntry, FileSystem, FsError, LockGuard, Metadata, NextRead, RandomAccessFile, WritableFile};

/// Linux's numbers of "too many open files": in the system, in the process.
const TOO_MANY_OPEN: [i32; 2] = [23, 24];
/// How often a file is tried to be opened: names may change meanwhile, and descriptors may be short.
const OPEN_ATTEMPTS: usize = 8;

/// Wraps another file system so that of the files that are open for reading only so many have a descriptor: those not
/// read lately are closed, and opened again when they are read. Handles do not notice.
///
/// A file that is renamed through this file system is found under its new name; one that is removed, or replaced, keeps
/// its descriptor until its handle is dropped, limit or not. Files must not be moved behind its back: such a file is not
/// found again, and another one in its place is not taken for it where files can be told apart
/// ([`RandomAccessFile::identity`]).
///
/// The number of descriptors is at most the limit, and one for each thread that is reading, and for each removed file; and
/// for each file that was opened while it was being moved, or replaced, until that has ended.
#[derive(Debug, Clone)]
pub struct BoundedFileSystem {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    inner: Arc<dyn FileSystem>,
    descriptors: DescriptorCache,
    handles: HandleNames<BoundedFile>,
    moves: Moves<BoundedFile>,
}

impl BoundedFileSystem {
    /// At most `limit` files of `inner` are open for reading.
    pub fn new(inner: Arc<dyn FileSystem>, limit: usize) -> Self {
        let descriptors = DescriptorCache::new(limit);
        let (handles, moves) = (HandleNames::default(), Moves::default());
        let shared = Shared { inner, descriptors, handles, moves };
        Self { shared: Arc::new(shared) }
    }

    /// What was opened and closed so far.
    pub fn statistics(&self) -> DescriptorStatistics {
        self.shared.descriptors.statistics()
    }

    /// Moves, removes or replaces what is at `paths`.
    fn moving<T>(&self, paths: &[&Path], work: impl FnOnce(&Shared) -> io::Result<T>) -> io::Result<T> {
        let _moving = Moving { shared: &self.shared, number: self.shared.moves.begin(paths) };
        work(&self.shared)
    }

    /// Removes what is at `path`; the files that are open there keep their descriptors.
    fn removing(
        &self,
        path: &Path,
        files: impl FnOnce(&HandleNames<BoundedFile>) -> Vec<Arc<BoundedFile>>,
        remove: impl FnOnce(&dyn FileSystem) -> io::Result<()>,
    ) -> io::Result<()> {
        self.moving(&[path], |shared| {
            let pinned = pin(files(&shared.handles));
            let removed = remove(&*shared.inner);
            if removed.is_err() {
                unpin(&pinned);
            }
            removed
        })
    }
}

/// A move under way; it ends with this, whatever becomes of the work.
struct Moving<'a> {
    shared: &'a Shared,
    number: u64,
}

impl Drop for Moving<'_> {
    fn drop(&mut self) {
        for (path, file) in self.shared.moves.end(self.number) {
            file.settle(&path);
        }
    }
}

/// Has files keep their descriptors. One that cannot be opened has been lost already.
fn pin(mut files: Vec<Arc<BoundedFile>>) -> Vec<Arc<BoundedFile>> {
    files.retain(|file| file.file().map(|open| file.slot.pin(open)).is_ok());
    files
}

/// After an operation that failed: what still has its name need not be kept open.
fn unpin(files: &[Arc<BoundedFile>]) {
    let named = files.iter().filter(|file| file.open_by_name().is_ok());
    named.for_each(|file| file.shared.descriptors.unpin(&file.slot));
}

/// A handle.
#[derive(Debug)]
struct BoundedFile {
    shared: Arc<Shared>,
    names: Names,
    slot: Arc<Slot>,
    identity: Option<(u64, u64)>,
}

impl Named for BoundedFile {
    fn names(&self) -> &Names {
        &self.names
    }
}

impl BoundedFile {
    fn file(&self) -> io::Result<Arc<dyn RandomAccessFile>> {
        if let Some(file) = self.slot.get() {
            return Ok(file);
        }
        match self.open_by_name() {
            Ok(opened) => Ok(self.shared.descriptors.admit(&self.slot, opened)),
            // Who removed it meanwhile has opened it before.
            Err(error) => self.slot.get().ok_or(error),
        }
    }

    /// Takes back the pin that the file has from its opening, which something moved meanwhile: if it is found under its name
    /// now. If it is not, it was moved before its handle was known, and keeps its descriptor.
    fn settle(self: &Arc<Self>, opened_at: &Path) {
        // What began before the handle was known may still move it. What began later tells the handle.
        if self.shared.moves.put_off(opened_at, self) {
            return;
        }
        // Without an identity another file could be taken for it.
        if self.identity.is_some() && self.open_by_name().is_ok() {
            self.shared.descriptors.unpin(&self.slot);
        }
    }

    /// Opens the file under one of its names. No lock is held meanwhile.
    fn open_by_name(&self) -> io::Result<Arc<dyn RandomAccessFile>> {
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        for _ in 0..OPEN_ATTEMPTS {
            let names = self.names.all();
            for name in &names {
                match self.shared.inner.open(name) {
                    Ok(file) if file.identity()? == self.identity => return Ok(file),
                    Ok(_) => failure = replaced(name),
                    Err(error) => failure = error,
                }
            }
            let is_short = failure.raw_os_error().is_some_and(|number| TOO_MANY_OPEN.contains(&number));
            if is_short {
                self.shared.descriptors.shed();
            } else if self.names.all() == names {
                break;
            }
        }
        Err(failure)
    }
}

fn replaced(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("{} is another file than the one opened", path.display()))
}

impl Drop for BoundedFile {
    fn drop(&mut self) {
        self.shared.handles.forget(&self.names);
    }
}

/// A [`BoundedFile`] as its users see it.
#[derive(Debug)]
struct Handle(Arc<BoundedFile>);

impl RandomAccessFile for Handle {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        self.0.file()?.read_at(offset, buf)
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.0.file()?.read_exact_at(offset, buf)
    }

    fn append_exact_at(&self, offset: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.0.file()?.append_exact_at(offset, length, bytes)
    }

    /// A file that would have to be opened is for those who may wait.
    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.0.slot.get().map_or(Ok(None), |file| file.read_at_nowait(offset, buf))
    }

    fn read_other_copy_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        self.0.file()?.read_other_copy_at(offset, buf)
    }

    fn len(&self) -> io::Result<u64> {
        self.0.file()?.len()
    }

    fn can_be_streamed(&self) -> bool {
        self.0.file().is_ok_and(|file| file.can_be_streamed())
    }

    /// Stays open until it is dropped.
    fn streamed(&self, piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        self.0.file().ok()?.streamed(piece_bytes)
    }

    fn will_need(&self, offset: u64, length: u64) {
        if let Some(file) = self.0.slot.get() {
            file.will_need(offset, length);
        }
    }

    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        Ok(self.0.identity)
    }
}

impl FileSystem for BoundedFileSystem {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        let shared = &self.shared;
        let moves_before = shared.moves.all_ended();
        let open = || match shared.inner.open(path) {
            Err(error) if error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN.contains(&number)) => {
                shared.descriptors.shed();
                shared.inner.open(path)
            }
            opened => opened,
        };
        let opened = open()?;
        let identity = opened.identity()?;
        let file = Arc::new(BoundedFile {
            shared: Arc::clone(shared),
            names: Names::new(path),
            slot: shared.descriptors.pinned(opened),
            identity,
        });
        shared.handles.add(path, &file);
        // What is moved between the opening and this line is moved without the handle being told.
        if moves_before.is_some() && shared.moves.all_ended() == moves_before {
            shared.descriptors.unpin(&file.slot);
        } else {
            file.settle(path);
        }
        Ok(Arc::new(Handle(file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.moving(&[from, to], |shared| {
            let replaced = pin(shared.handles.at(to));
            let moving = shared.handles.begin_move(from, to);
            let renamed = shared.inner.rename(from, to);
            match &renamed {
                Ok(()) => shared.handles.end_move(moving),
                // Both names are kept. What was to be replaced may be there still.
                Err(_) => unpin(&replaced),
            }
            renamed
        })
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.removing(path, |handles| handles.at(path), |inner| inner.remove_file(path))
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        let below = |handles: &HandleNames<BoundedFile>| {
            handles.at_or_below(path).into_iter().map(|(_, file)| file).collect()
        };
        self.removing(path, below, |inner| inner.remove_dir_all(path))
    }

    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.shared.inner.create_new(path)
    }

    fn create_large(&self, path: &Path, read: NextRead) -> io::Result<Box<dyn WritableFile>> {
        self.shared.inner.create_large(path, read)
    }

    fn create_log(&self, path: &Path, mark: &'static [u8]) -> io::Result<Box<dyn WritableFile>> {
        self.shared.inner.create_log(path, mark)
    }

    fn create_flushed_log(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.shared.inner.create_flushed_log(path)
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.shared.inner.hard_link(from, to)
    }

    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        self.shared.inner.has_other_names(path)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.shared.inner.sync_file(path)
    }

    fn remove_empty_dir(&self, path: &Path) -> io::Result<()> {
        self.shared.inner.remove_empty_dir(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        self.shared.inner.touch(path)
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.shared.inner.create_dir_all(path)
    }

    fn create_dirs_all(&self, paths: &[PathBuf]) -> io::Result<()> {
        self.shared.inner.create_dirs_all(paths)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        self.shared.inner.list(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.shared.inner.metadata(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        self.shared.inner.sync_dir(path)
    }

    fn available_space(&self, path: &Path) -> io::Result<u64> {
        self.shared.inner.available_space(path)
    }

    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        self.shared.inner.lock_exclusive(path)
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
