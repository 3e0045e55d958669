use std::{
    any::Any,
    fmt::Debug,
    io::{self, IoSlice},
    path::Path,
    sync::Arc,
    time::SystemTime,
};

use crate::FsError;

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// The last component of the path.
    pub name: String,
    /// A directory (else a file).
    pub is_dir: bool,
    /// Length in bytes; 0 for a directory.
    pub len: u64,
    /// Time of the last change.
    pub modified: SystemTime,
}

/// What is known of a path without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// A directory (else a file).
    pub is_dir: bool,
    /// Length in bytes; 0 for a directory.
    pub len: u64,
    /// Time of the last change.
    pub modified: SystemTime,
    /// Two numbers that nothing else has as long as this is there, under whatever name; `None` where there are none.
    pub identity: Option<(u64, u64)>,
}

/// When a file that is being written is going to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextRead {
    /// Maybe as soon as it is there.
    Soon,
    /// Not for long, or never.
    Later,
}

/// A place that keeps files. Paths are absolute or relative to whatever the implementation calls its root.
pub trait FileSystem: Send + Sync + Debug {
    /// Makes a new file for appending; `AlreadyExists` if there is one. The name is durable only after
    /// [`sync_dir`](Self::sync_dir) of the parent, or a rename.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn WritableFile>>;

    /// As [`create_new`](Self::create_new), for a file of many megabytes that is written from end to end and synced once: what is
    /// appended may be in no file until [`sync_data`](WritableFile::sync_data). It goes to the device while it grows, and stays in
    /// memory if that serves its readers.
    fn create_large(&self, path: &Path, read: NextRead) -> io::Result<Box<dyn WritableFile>> {
        let _ = read;
        self.create_new(path)
    }

    /// As [`create_new`](Self::create_new), for a log, of which nothing counts before it is synced: what is appended may be
    /// in no file until [`sync_data`](WritableFile::sync_data), and does not have to stay in memory for who reads it. Until it
    /// is truncated, what is behind its end are `mark` and zeros, as after [`zero_ahead`](WritableFile::zero_ahead).
    fn create_log(&self, path: &Path, mark: &'static [u8]) -> io::Result<Box<dyn WritableFile>> {
        let _ = mark;
        self.create_new(path)
    }

    /// As [`create_new`](Self::create_new), for a log of which all counts that was appended, synced or not. It does not have to stay in
    /// memory for who reads it.
    fn create_flushed_log(&self, path: &Path) -> io::Result<Box<dyn WritableFile>> {
        self.create_new(path)
    }

    /// Opens a file for reading at any offset. It stays readable through this handle when it is renamed or removed.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn RandomAccessFile>>;

    /// Atomically gives `from` (file or directory) the name `to`, replacing a file of that name; both parent
    /// directories are synced before this returns. A non-empty directory is never replaced.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives a file a second name; `AlreadyExists` if there is a file of that name. The new name is durable only after
    /// [`sync_dir`](Self::sync_dir) of its parent. `Unsupported` on storage that has no second names, `CrossesDevices`
    /// where the two are on different devices: the caller then copies.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Whether a file has other names, under which somebody else may change it.
    fn has_other_names(&self, path: &Path) -> io::Result<bool> {
        self.metadata(path).map(|_| false)
    }

    /// Makes the content and the length of a file durable that somebody else wrote, and may not have synced. An error for
    /// anything but a regular file.
    fn sync_file(&self, path: &Path) -> io::Result<()>;

    /// Removes a file. Durable after [`sync_dir`](Self::sync_dir) of the parent.
    fn remove_file(&self, path: &Path) -> io::Result<()>;

    /// Removes a directory and what is in it. Not atomic. Durable after [`sync_dir`](Self::sync_dir) of the parent.
    fn remove_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Removes a directory that has nothing in it; an error for another one. Durable after [`sync_dir`](Self::sync_dir) of
    /// the parent. `Unsupported` on storage that cannot tell in one step.
    fn remove_empty_dir(&self, path: &Path) -> io::Result<()> {
        let _ = path;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Makes now the time of a file's last change, where the storage can. A crash may undo that.
    fn touch(&self, path: &Path) -> io::Result<()> {
        self.metadata(path).map(drop)
    }

    /// Makes a directory and its missing ancestors, durably. No error if it exists.
    fn create_dir_all(&self, path: &Path) -> io::Result<()>;

    /// Makes several directories, as [`create_dir_all`](Self::create_dir_all) each: durably when it returns, with fewer
    /// syncs than one after the other where the implementation can.
    fn create_dirs_all(&self, paths: &[std::path::PathBuf]) -> io::Result<()> {
        paths.iter().try_for_each(|path| self.create_dir_all(path))
    }

    /// The entries of a directory in order of name. Names that are not UTF-8 are left out: HBase has none.
    fn list(&self, path: &Path) -> io::Result<Vec<DirEntry>>;

    /// Kind, length, age and identity of a path; `NotFound` if there is nothing.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;

    /// Whether there is a file or directory of this name.
    fn exists(&self, path: &Path) -> io::Result<bool> {
        match self.metadata(path) {
            Ok(_) => Ok(true),
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
            Err(e) => Err(e),
        }
    }

    /// Makes the names in a directory durable: creations and removals since the last sync.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;

    /// Bytes that can still be written below `path`.
    fn available_space(&self, path: &Path) -> io::Result<u64>;

    /// Takes the advisory lock in the file `path` (made if missing) until the guard is dropped or the
    /// process dies; does not wait. The file then holds this process's id in decimal.
    fn lock_exclusive(&self, path: &Path) -> Result<LockGuard, FsError>;
}

/// A file being written, at its end only. Dropping it closes it without a sync.
pub trait WritableFile: Send + Debug {
    /// Writes all bytes at the end. After an error some of them may be in the file: [`len`](Self::len) tells.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.append_vectored(&mut [IoSlice::new(bytes)])
    }

    /// Writes all slices at the end, in order, in as few system calls as the system permits. The slices are
    /// used up in the process.
    fn append_vectored(&mut self, slices: &mut [IoSlice<'_>]) -> io::Result<()>;

    /// Makes everything written, and the length, durable. After an error nothing is known of what was written
    /// since the last success: the file should be given up (a second call may report success wrongly).
    fn sync_data(&mut self) -> io::Result<()>;

    /// Bytes in the file.
    fn len(&self) -> u64;

    /// Nothing in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts the file to `len` bytes, and what zeros are behind them; durable after the next sync. An error if it is shorter.
    fn truncate(&mut self, len: u64) -> io::Result<()>;

    /// Puts `mark` and zeros behind the end, up to so many `bytes`, for the next appends to overwrite: their syncs then have no
    /// new length to make durable, which is half of what a small sync costs on many file systems. On others nothing is done.
    /// An append that leaves some of them puts the mark before what is left, in the same write, and a zero behind it if there is none:
    /// a mark is never what a file ends with. Readers see them,
    /// [`len`](Self::len) does not count them, and [`truncate`](Self::truncate) takes them away. After an error some may be
    /// there.
    fn zero_ahead(&mut self, bytes: u64, mark: &'static [u8]) -> io::Result<()> {
        let _ = (bytes, mark);
        Ok(())
    }

    /// How many bytes, of the mark and zeros, are left.
    fn zeros_ahead(&self) -> u64 {
        0
    }

    /// Bytes of memory for what was appended and is in no file yet, without what is lent.
    fn held_bytes(&self) -> usize {
        0
    }

    /// Lends the memory that holds the end of the file, with room for so many bytes more, for what comes next to be made where it
    /// goes to the device from. What is in it already must stay as it is; what is pushed to it is appended by
    /// [`append_lent`](Self::append_lent), before which nothing else may be done with the file. `None` if there is none: what was
    /// made elsewhere is appended as well.
    fn lend_end(&mut self, room: usize) -> Option<Vec<u8>> {
        let _ = room;
        None
    }

    /// Takes back what was lent, and appends what was pushed to it, as [`append`](Self::append) does. An error for anything else.
    fn append_lent(&mut self, end: Vec<u8>) -> io::Result<()> {
        let _ = end;
        Err(io::ErrorKind::InvalidInput.into())
    }
}

/// An open file that many threads may read.
pub trait RandomAccessFile: Send + Sync + Debug {
    /// Reads up to `buf.len()` bytes; 0 at the end of the file.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<usize>;

    /// Fills `buf`; `UnexpectedEof` if the file ends before.
    fn read_exact_at(&self, mut offset: u64, mut buf: &mut [u8]) -> io::Result<()> {
        while !buf.is_empty() {
            let n = self.read_at(offset, buf)?;
            if n == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            offset += n as u64;
            buf = &mut buf[n..];
        }
        Ok(())
    }

    /// Reads `length` bytes behind those that `bytes` has, without filling its memory with zeros before where that can be spared;
    /// `UnexpectedEof` if the file ends before. After an error what is behind them is undefined.
    fn append_exact_at(&self, offset: u64, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        let begin = bytes.len();
        bytes.resize(begin + length, 0);
        self.read_exact_at(offset, &mut bytes[begin..])
    }

    /// Fills `buf` if that needs no waiting for a device; `None` (and `buf` undefined) if it might.
    fn read_at_nowait(&self, offset: u64, buf: &mut [u8]) -> io::Result<Option<()>>;

    /// A hint that these bytes will be read soon: they may be fetched from the device meanwhile. Does not wait for it.
    fn will_need(&self, offset: u64, length: u64) {
        let _ = (offset, length);
    }

    /// Whether the storage has the way that [`streamed`](Self::streamed) opens.
    fn can_be_streamed(&self) -> bool {
        false
    }

    /// The same file for who reads it once, from one end to the other, with about `piece_bytes` of memory for it: what the system has
    /// not in memory does not come to be there. `None` where the storage has no such way, or has none at the moment.
    fn streamed(&self, piece_bytes: usize) -> Option<Arc<dyn RandomAccessFile>> {
        let _ = piece_bytes;
        None
    }

    /// Two numbers that no other file has while this one is open; `None` where there are none.
    fn identity(&self) -> io::Result<Option<(u64, u64)>> {
        Ok(None)
    }

    /// Fills `buf` from another copy than the one that [`read_at`](Self::read_at) takes, for who found that one damaged;
    /// `None` (and `buf` undefined) where there is no other. A file system below that has several may not know which of
    /// them is bad, so that the content must be checked again.
    fn read_other_copy_at(&self, _offset: u64, _buf: &mut [u8]) -> io::Result<Option<()>> {
        Ok(None)
    }

    /// The length now; a file may still be growing.
    fn len(&self) -> io::Result<u64>;

    /// Nothing in it.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

/// Holds a lock of [`FileSystem::lock_exclusive`] until dropped.
#[must_use = "the lock is released when the guard is dropped"]
pub struct LockGuard(#[allow(dead_code)] Box<dyn Any + Send + Sync>);

impl LockGuard {
    /// For implementations: dropping `held` releases the lock.
    pub fn new(held: impl Any + Send + Sync) -> Self {
        Self(Box::new(held))
    }
}

impl Debug for LockGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LockGuard")
    }
}
