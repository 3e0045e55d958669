use std::path::{Path, PathBuf};

use finback_fs::FileSystem;

use crate::{WalError, server_log_dir};

/// Renames `WALs/<server>` to `WALs/<server>-splitting` and returns that, or `None` if the server left no logs. A
/// server that only seemed dead cannot begin a new log from then on (on a local disk it can still write to the one
/// it has open: only the end of its process prevents that). Repeating it is harmless.
pub fn fence(fs: &dyn FileSystem, root: &Path, server: &str) -> Result<Option<PathBuf>, WalError> {
    let live = server_log_dir(root, server);
    let splitting = server_log_dir(root, &format!("{server}-splitting"));
    let exists = |path: &Path| fs.exists(path).map_err(|e| WalError::io(path, "look for", e));
    match (exists(&live)?, exists(&splitting)?) {
        (false, false) => return Ok(None),
        (false, true) => {}
        (true, false) => fs.rename(&live, &splitting).map_err(|e| WalError::io(&live, "rename", e))?,
        // Fenced before, and the directory was made anew: nothing in it may be lost.
        (true, true) => join_directories(fs, &live, &splitting)?,
    }
    Ok(Some(splitting))
}

fn join_directories(fs: &dyn FileSystem, from: &Path, to: &Path) -> Result<(), WalError> {
    for entry in fs.list(from).map_err(|e| WalError::io(from, "list", e))? {
        let (source, target) = (from.join(&entry.name), to.join(&entry.name));
        if fs.exists(&target).map_err(|e| WalError::io(&target, "look for", e))? {
            return Err(WalError::corrupt(&source, 0, format!("{} exists as well", target.display())));
        }
        fs.rename(&source, &target).map_err(|e| WalError::io(&source, "rename", e))?;
    }
    fs.remove_dir_all(from).map_err(|e| WalError::io(from, "remove", e))
}
