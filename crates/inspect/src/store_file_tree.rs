//! All store files under a directory.

use crate::error::InspectError;
use finback_fs::FileSystem;
use finback_layout::StoreFileName;
use std::path::{Path, PathBuf};

/// Deeper directories than this are not looked into: HBase's deepest, in the archive, are eight below the root.
const MOST_LEVELS: usize = 32;
/// What is below a directory of this name was never finished, or is being written.
const UNFINISHED: &str = ".tmp";
/// What HFiles begin their trailers with.
const TRAILER_MAGIC: &[u8; 8] = b"TRABLK\"$";
/// Digits of the random name of a store file.
const NAME_DIGITS: usize = 32;
/// Bytes of the trailer.
const TRAILER_SIZE: u64 = 4096;

/// Goes through a directory tree in the order of names, and finds files that are HFiles, or ought to be. Those in directories
/// for what is not finished are none yet, and empty ones are ignored, as servers do.
pub struct StoreFileTree<'a> {
    fs: &'a dyn FileSystem,
    /// Files, and directories with their depth, that are still to be looked at; the next is last.
    left: Vec<Found>,
}

enum Found {
    File(StoreFile),
    Directory(PathBuf, usize),
}

/// A file that is an HFile, or ought to be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreFile {
    /// Where it is.
    pub path: PathBuf,
    /// Length in bytes.
    pub len: u64,
}

impl<'a> StoreFileTree<'a> {
    /// The trees under `roots`. One that is a file is found, whatever is in it.
    ///
    /// # Errors
    /// One of them is not there.
    pub fn new(fs: &'a dyn FileSystem, roots: &[PathBuf]) -> Result<Self, InspectError> {
        let found = |path: &PathBuf| {
            let metadata = fs.metadata(path).map_err(InspectError::io(path))?;
            Ok(match metadata.is_dir {
                true => Found::Directory(path.clone(), 0),
                false => Found::File(StoreFile { path: path.clone(), len: metadata.len }),
            })
        };
        let left = roots.iter().rev().map(found).collect::<Result<_, InspectError>>()?;
        Ok(Self { fs, left })
    }

    fn open_directory(&mut self, path: &Path, depth: usize) -> Result<(), InspectError> {
        if depth > MOST_LEVELS {
            return Ok(());
        }
        let mut entries = self.fs.list(path).map_err(InspectError::io(path))?;
        entries.sort_by(|a, b| b.name.cmp(&a.name));
        for entry in entries {
            let path = path.join(&entry.name);
            if entry.is_dir {
                if entry.name != UNFINISHED {
                    self.left.push(Found::Directory(path, depth + 1));
                }
            } else if entry.len == 0 {
                // Servers ignore it.
            } else if is_named_like_an_hfile(&entry.name) || looks_like_an_hfile(self.fs, &path) {
                self.left.push(Found::File(StoreFile { path, len: entry.len }));
            }
        }
        Ok(())
    }
}

impl Iterator for StoreFileTree<'_> {
    type Item = Result<StoreFile, InspectError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.left.pop()? {
                Found::File(file) => return Some(Ok(file)),
                Found::Directory(path, depth) => {
                    if let Err(error) = self.open_directory(&path, depth) {
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

/// The random name of a store file; not what leads to another file, nor the number that recovered edits are called by.
fn is_named_like_an_hfile(name: &str) -> bool {
    name.len() >= NAME_DIGITS
        && matches!(StoreFileName::parse(name), Some(StoreFileName::Plain | StoreFileName::BulkLoaded { .. }))
}

/// Whether a file ends as an HFile does.
pub fn looks_like_an_hfile(fs: &dyn FileSystem, path: &Path) -> bool {
    let magic = || {
        let file = fs.open(path).ok()?;
        let at = file.len().ok()?.checked_sub(TRAILER_SIZE)?;
        let mut magic = [0; TRAILER_MAGIC.len()];
        file.read_exact_at(at, &mut magic).ok()?;
        Some(magic)
    };
    magic().as_ref() == Some(TRAILER_MAGIC)
}
