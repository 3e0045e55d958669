use std::path::Path;

use finback_fs::FileSystem;

use crate::{LayoutError, Result, error::At};

/// No descriptor comes near this; a larger file is not read into memory.
const MAX_SMALL_FILE_BYTES: u64 = 16 << 20;

/// Reads a small file whole.
pub(crate) fn read(fs: &dyn FileSystem, path: &Path) -> Result<Vec<u8>> {
    let file = fs.open(path).at(path)?;
    let len = file.len().at(path)?;
    if len > MAX_SMALL_FILE_BYTES {
        let reason = format!("{len} bytes, more than {MAX_SMALL_FILE_BYTES}");
        return Err(LayoutError::Corrupt { path: path.to_owned(), reason });
    }
    let mut bytes = vec![0; len as usize];
    file.read_exact_at(0, &mut bytes).at(path)?;
    Ok(bytes)
}

/// Writes a new file into a directory that is not valid yet: no rename needed. The name is durable after a sync of
/// the directory.
pub(crate) fn write_new(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = fs.create_new(path).at(path)?;
    file.append(bytes).at(path)?;
    file.sync_data().at(path)
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
