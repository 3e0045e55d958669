//! Directories of our own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, process};

static MADE: AtomicUsize = AtomicUsize::new(0);

/// A new directory, which goes with all that is in it when it is dropped.
pub(crate) struct Directory(PathBuf);

impl Directory {
    pub(crate) fn new() -> io::Result<Self> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        // Of the same length in every process: a longer path is more to copy.
        let directory = env::temp_dir().join(format!("finback-counts-{:07}-{number:03}", process::id()));
        fs::create_dir(&directory)?;
        Ok(Self(directory))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // What is left of it is in the directory for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
