use std::{
    io,
    path::{Path, PathBuf},
};

use crate::FileSystem;

/// Writes a whole file so that after a crash there is the old content (or none) or the new, never a part:
/// to `<path>.tmp`, synced, then renamed onto `path`. A `.tmp` left by a crash is replaced. Two callers must not
/// write the same path at once: one of them then fails.
pub fn write_file_durably(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_path(path)?;
    match fs.remove_file(&temporary) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = fs.create_new(&temporary)?;
    let written = file.append(bytes).and_then(|()| file.sync_data());
    drop(file);
    if let Err(e) = written.and_then(|()| fs.rename(&temporary, path)) {
        // Best effort: on a full disk the useless part should not stay.
        let _ = fs.remove_file(&temporary);
        return Err(e);
    }
    Ok(())
}

fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(".tmp");
    Ok(path.with_file_name(name))
}
