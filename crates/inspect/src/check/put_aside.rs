//! Where repairs keep what they take out of the way, and how they replace a file so that a kill at any moment leaves the
//! old one or the new one in its place.

use crate::error::InspectError;
use finback_fs::{FileSystem, NextRead};
use finback_layout::RootDir;
use std::io;
use std::path::{Path, PathBuf};

/// The directory for what was moved aside, as HBase's hbck2 has it.
pub(super) const ASIDE: &str = ".hbck";
/// Bytes copied at a time.
const COPY_BYTES: usize = 1 << 20;

/// The directory of one run of repairs, below [`ASIDE`]: a path below the root directory is there as it was.
pub(super) struct Aside<'a> {
    root: &'a RootDir,
    directory: PathBuf,
}

impl<'a> Aside<'a> {
    pub(super) fn new(root: &'a RootDir, run: &str) -> Self {
        Self { root, directory: root.path().join(ASIDE).join(run) }
    }

    /// Where `path` goes; its directory is made. What is there stays.
    fn place(&self, path: &Path) -> Result<PathBuf, InspectError> {
        let fs = self.root.fs();
        let to = self.directory.join(path.strip_prefix(self.root.path()).unwrap_or(path));
        let parent = to.parent().unwrap_or(&self.directory);
        fs.create_dir_all(parent).map_err(InspectError::io(parent))?;
        if fs.exists(&to).map_err(InspectError::io(&to))? {
            return Err(InspectError::Io { path: to, source: io::ErrorKind::AlreadyExists.into() });
        }
        Ok(to)
    }

    /// Moves a file or directory aside.
    pub(super) fn take(&self, path: &Path) -> Result<(), InspectError> {
        let to = self.place(path)?;
        self.root.fs().rename(path, &to).map_err(InspectError::io(path))
    }

    /// Keeps a file aside that stays where it is until another one takes its place: under a second name, or, on storage that
    /// has none, as a copy.
    pub(super) fn keep(&self, path: &Path) -> Result<(), InspectError> {
        let (fs, to) = (&**self.root.fs(), self.place(path)?);
        match fs.hard_link(path, &to) {
            Ok(()) => {}
            Err(error)
                if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::CrossesDevices) =>
            {
                copy(fs, path, &to).map_err(InspectError::io(path))?;
            }
            Err(error) => return Err(InspectError::Io { path: path.to_owned(), source: error }),
        }
        let parent = to.parent().unwrap_or(&self.directory);
        fs.sync_dir(parent).map_err(InspectError::io(parent))
    }

    /// Has `write` make a file in the directory for what is not finished, keeps what is at `path` aside, and gives the new file
    /// its place.
    pub(super) fn replace(
        &self,
        path: &Path,
        write: impl FnOnce(&Path) -> Result<(), InspectError>,
    ) -> Result<(), InspectError> {
        let (fs, directory) = (self.root.fs(), self.root.temp_dir());
        fs.create_dir_all(&directory).map_err(InspectError::io(&directory))?;
        let run = self.directory.file_name().unwrap_or_default().to_string_lossy();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = directory.join(format!("salvage-{run}-{name}"));
        let replaced = write(&temporary)
            .and_then(|()| self.keep(path))
            .and_then(|()| fs.rename(&temporary, path).map_err(InspectError::io(path)));
        if replaced.is_err() {
            // Best effort: on a full disk the useless part should not stay.
            let _ = fs.remove_file(&temporary);
        }
        replaced
    }
}

fn copy(fs: &dyn FileSystem, from: &Path, to: &Path) -> io::Result<()> {
    let (from, mut to) = (fs.open(from)?, fs.create_large(to, NextRead::Later)?);
    let (length, mut at) = (from.len()?, 0);
    let mut bytes = vec![0; COPY_BYTES];
    while at < length {
        let part = usize::try_from(length - at).unwrap_or(COPY_BYTES).min(COPY_BYTES);
        from.read_exact_at(at, &mut bytes[..part])?;
        to.append(&bytes[..part])?;
        at += part as u64;
    }
    to.sync_data()
}
