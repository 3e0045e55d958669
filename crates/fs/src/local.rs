use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, IoSliceMut, Read, Write},
    num::NonZeroU64,
    os::unix::fs::{FileExt, MetadataExt},
    path::Path,
    sync::Arc,
};

use rustix::{
    buffer::spare_capacity,
    fs::Advice,
    io::{Errno, ReadWriteFlags},
};

use crate::{DirEntry, FileSystem, FsError, LockGuard, Metadata, NextRead, RandomAccessFile, WritableFile};

mod aligned_buffer;
mod flushed;
mod held;
mod large;
mod log;
#[cfg(test)]
mod page_cache;
mod streamed;
mod writable;

use flushed::LocalFlushed;
use large::LocalLarge;
use log::LocalLog;
use streamed::LocalStreamed;
use writable::{LocalWritable, writes_in_place};

/// How much of a lock file is read in search of the holder's process id.
const MAX_PID_BYTES: u64 = 32;

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalFileSystem;

impl LocalFileSystem {
    /// The one there is.
    pub fn new() -> Self {
        Self
    }
}

/// The directory that holds the name; a bare name is in the current directory.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(p) if p.as_os_str().is_empty() => Path::new("."),
        Some(p) => p,
        None => path,
    }
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

impl FileSystem for LocalFileSystem {
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(LocalWritable::create_new(path)?))
    }

    fn create_large(&self, path: &Path, read: NextRead) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(LocalLarge::new(LocalWritable::create_new(path)?, read)))
    }

    fn create_log(&self, path: &Path, mark: &'static [u8]) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(LocalLog::new(LocalWritable::create_new(path)?, mark)))
    }

    fn create_flushed_log(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        Ok(Box::new(LocalFlushed::new(LocalWritable::create_new(path)?)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(LocalReadable::open(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)?;
        // The new name first: a crash between the syncs may leave both names, never neither.
        sync_directory(parent(to))?;
        if parent(from) != parent(to) {
            sync_directory(parent(from))?;
        }
        Ok(())
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        // Of the file itself, where `from` is a symbolic link to it.
        fs::hard_link(fs::canonicalize(from)?, to)
    }

    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        Ok(fs::metadata(path)?.nlink() > 1)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        // Before it is opened: opening a pipe would wait for somebody to write.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        File::open(path)?.sync_data()
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir_all(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir_all(path)
    }

    fn remove_empty_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }

    fn touch(&self, path: &Path) -> io::Result<()> {
        File::open(path)?.set_modified(std::time::SystemTime::now())
    }

    fn create_dir_all(&self, path: &Path) -> io::Result<()> {
        self.create_dirs_all(&[path.to_owned()])
    }

    /// All are made, then all are synced: the first sync makes most of them durable at once.
    fn create_dirs_all(&self, paths: &[std::path::PathBuf]) -> io::Result<()> {
        let mut changed = std::collections::BTreeSet::new();
        for path in paths {
            let missing: Vec<&Path> =
                path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.is_dir()).collect();
            for dir in missing.into_iter().rev() {
                match fs::create_dir(dir) {
                    Err(e) if e.kind() != io::ErrorKind::AlreadyExists || !dir.is_dir() => return Err(e),
                    // Somebody was faster; the sync below covers their creation as well.
                    _ => changed.insert(parent(dir)),
                };
            }
        }
        changed.into_iter().try_for_each(sync_directory)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                tracing::warn!(directory = %path.display(), name = ?entry.file_name(), "name is not UTF-8, left out");
                continue;
            };
            let meta = match entry.metadata() {
                Ok(meta) => meta,
                // Removed since the directory was read.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            };
            let len = if meta.is_dir() { 0 } else { meta.len() };
            entries.push(DirEntry { name, is_dir: meta.is_dir(), len, modified: meta.modified()? });
        }
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let meta = fs::metadata(path)?;
        let len = if meta.is_dir() { 0 } else { meta.len() };
        let identity = Some((meta.dev(), meta.ino()));
        Ok(Metadata { is_dir: meta.is_dir(), len, modified: meta.modified()?, identity })
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        sync_directory(path)
    }

    fn available_space(&self, path: &Path) -> io::Result<u64> {
        let stat = rustix::fs::statvfs(path)?;
        Ok(stat.f_bavail.saturating_mul(stat.f_frsize))
    }

    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError> {
        let io_error = |source| FsError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io_error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FsError::Locked { path: path.to_owned(), pid: pid_in(&file) });
            }
            Err(TryLockError::Error(e)) => return Err(io_error(e)),
        }
        file.set_len(0).map_err(io_error)?;
        writeln!(file, "{}", std::process::id()).map_err(io_error)?;
        Ok(LockGuard::new(file))
    }
}

fn pid_in(file: &File) -> Option<u32> {
    let mut text = String::new();
    file.take(MAX_PID_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[derive(Debug, Clone)]
struct LocalReadable {
    file: Arc<File>,
    /// Device and inode.
    identity: (u64, u64),
}

impl LocalReadable {
    fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        Ok(Self { file: Arc::new(file), identity: (metadata.dev(), metadata.ino()) })
    }
}

impl RandomAccessFile for LocalReadable {
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read_at(buf, offset) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    fn append_exact_at(&self, offset: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let begin = bytes.len();
        bytes.reserve_exact(length);
        while bytes.len() < begin + length {
            let at = offset + (bytes.len() - begin) as u64;
            match rustix::io::pread(&self.file, spare_capacity(bytes), at) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // There may have been more room, and more of the file.
        bytes.truncate(begin + length);
        Ok(())
    }

    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>> {
        if buf.is_empty() {
            return Ok(Some(()));
        }
        let wanted = buf.len();
        match rustix::io::preadv2(&self.file, &mut [IoSliceMut::new(buf)], offset, ReadWriteFlags::NOWAIT) {
            Ok(n) if n == wanted => Ok(Some(())),
            // A short read, or nothing: the rest is not in memory, or the file ends. The blocking read will tell which.
            Ok(_) | Err(Errno::AGAIN | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INTR) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    fn can_be_streamed(&self) -> bool {
        matches!(writes_in_place(&self.file), Ok(true))
    }

    fn streamed(&self, piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        let opened = self.can_be_streamed().then(|| LocalStreamed::of(self, piece_bytes)).flatten();
        opened.map(|streamed| Arc::new(streamed) as _)
    }

    fn will_need(&self, offset: u64, length: u64) {
        // Without the hint a read is as right as with it.
        let _ = rustix::fs::fadvise(&self.file, offset, NonZeroU64::new(length), Advice::WillNeed);
    }

    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        Ok(Some(self.identity))
    }

    fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }
}
