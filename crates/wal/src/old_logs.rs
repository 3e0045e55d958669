use std::{
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use finback_fs::FileSystem;

use crate::{LogName, WalError};

/// `<root>/oldWALs`, where logs wait for the cleaner once nobody needs them for recovery.
pub fn old_logs_dir(root: &Path) -> PathBuf {
    root.join("oldWALs")
}

/// Moves a log to `oldWALs`, under its own name, or if that is none of a log's, behind which `.0` makes it one for the cleaner. May be tried again after an error, even one of a move that was made and
/// could not be synced: a log that is gone is done once the directories are synced.
pub(crate) fn archive(fs: &dyn FileSystem, root: &Path, log: &Path) -> Result<(), WalError> {
    let dir = old_logs_dir(root);
    let mut name = log.file_name().unwrap_or_default().to_string_lossy();
    if !LogName::is_valid(&name) {
        name += ".0";
    }
    let archived = dir.join(&*name);
    let Err(error) = fs.rename(log, &archived) else { return Ok(()) };
    let done = match fs.exists(log) {
        Ok(false) => fs.sync_dir(&dir).and_then(|()| match fs.sync_dir(log.parent().unwrap_or(root)) {
            // It was removed when it had no log left.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            synced => synced,
        }),
        // The first needs the directory.
        Ok(true) if error.kind() == std::io::ErrorKind::NotFound => {
            fs.create_dir_all(&dir).and_then(|()| fs.rename(log, &archived))
        }
        _ => Err(error),
    };
    done.map_err(|e| WalError::io(log, "archive", e))
}

/// Deletes logs in `oldWALs` last changed more than `ttl` (`hbase.master.logcleaner.ttl`, 10 minutes) before
/// `now`; says how many. Files that are not logs stay. To be called from a timer.
///
/// # Errors
/// The first of those met; all that can be deleted is deleted nevertheless.
pub fn clean_old_logs(
    fs: &dyn FileSystem,
    root: &Path,
    ttl: Duration,
    now: SystemTime,
) -> Result<usize, WalError> {
    let dir = old_logs_dir(root);
    let entries = match fs.list(&dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(WalError::io(&dir, "list", e)),
    };
    let expired = |modified| now.duration_since(modified).is_ok_and(|age| age > ttl);
    let (mut deleted, mut failed) = (0, Ok(()));
    for entry in entries {
        if !entry.is_dir && LogName::is_valid(&entry.name) && expired(entry.modified) {
            let path = dir.join(&entry.name);
            match fs.remove_file(&path) {
                Ok(()) => deleted += 1,
                Err(e) => failed = failed.and(Err(WalError::io(&path, "delete", e))),
            }
        }
    }
    failed.map(|()| deleted)
}
