use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use finback_fs::{FileSystem, WritableFile};

use crate::{LayoutError, Result, error::At};

/// No descriptor comes near this; a larger file is not read into memory.
const MAX_SMALL_FILE_BYTES: u64 = 16 << 20;

/// Files that are open at the same time.
const MAX_OPEN_FILES: usize = 64;

/// Reads a small file whole.
pub(crate) fn read(fs: &dyn FileSystem, path: &Path) -> Result<Vec<u8>> {
    read_at_most(fs, path, MAX_SMALL_FILE_BYTES)
}

/// Reads a file whole that is no longer than that.
pub(crate) fn read_at_most(fs: &dyn FileSystem, path: &Path, max_bytes: u64) -> Result<Vec<u8>> {
    let file = fs.open(path).at(path)?;
    let len = file.len().at(path)?;
    if len > max_bytes {
        let reason = format!("{len} bytes, more than {max_bytes}");
        return Err(LayoutError::Corrupt { path: path.to_owned(), reason });
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(0, &mut bytes).at(path)?;
    Ok(bytes)
}

/// Writes a new file that nobody looks at before it is renamed.
pub(crate) fn write_new(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = fs.create_new(path).at(path)?;
    file.append(bytes).at(path)?;
    file.sync_data().at(path)
}

/// Writes new files into directories that are not valid yet: no renames needed. All are written before the first is
/// synced, so that the file system can put them into one commit.
pub(crate) fn write_all_new(fs: &dyn FileSystem, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let mut open = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        let mut file = fs.create_new(path).at(path)?;
        file.append(bytes).at(path)?;
        open.push(file);
        if open.len() == MAX_OPEN_FILES {
            sync_all(&mut open, files)?;
        }
    }
    sync_all(&mut open, files)?;
    let directories: BTreeSet<&Path> = files.iter().filter_map(|(path, _)| path.parent()).collect();
    directories.into_iter().try_for_each(|dir| fs.sync_dir(dir).at(dir))
}

fn sync_all(open: &mut Vec<Box<dyn WritableFile>>, files: &[(PathBuf, Vec<u8>)]) -> Result<()> {
    let directory = files.first().map(|(path, _)| path.as_path()).unwrap_or(Path::new(""));
    open.drain(..).try_for_each(|mut file| file.sync_data().at(directory))
}

/// Removes a file that may be gone already.
pub(crate) fn remove_if_exists(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    match fs.remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e).at(path),
        _ => Ok(()),
    }
}

/// Removes a directory that may be gone already.
pub(crate) fn remove_dir_if_exists(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    match fs.remove_dir_all(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e).at(path),
        _ => Ok(()),
    }
}
