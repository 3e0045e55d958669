use std::path::{Path, PathBuf};

use finback_fs::FileSystem;

use crate::{FlushedSequenceIds, LogName, SplitReport, WalError, old_logs, server_log_dir, split};

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

/// Fences a dead server, splits all of its logs (those of hbase:meta first), moves each to `oldWALs` when it is
/// split, and removes the directory. May be killed anywhere and run again. The first corrupt log ends it with an
/// error and stays where it is.
pub fn split_server(
    fs: &dyn FileSystem,
    root: &Path,
    server: &str,
    flushed: &dyn Fn(&[u8]) -> FlushedSequenceIds,
) -> Result<Vec<SplitReport>, WalError> {
    let Some(dir) = fence(fs, root, server)? else { return Ok(Vec::new()) };
    let mut names = log_names(fs, &dir)?;
    names.sort_by_key(|name| (!LogName::is_meta(name), name.clone()));
    let mut reports = Vec::with_capacity(names.len());
    for name in names {
        let log = dir.join(&name);
        reports.push(split(fs, root, &log, flushed)?);
        old_logs::archive(fs, root, &log)?;
    }
    if fs.list(&dir).map_err(|e| WalError::io(&dir, "list", e))?.is_empty() {
        fs.remove_dir_all(&dir).map_err(|e| WalError::io(&dir, "remove", e))?;
        let parent = dir.parent().unwrap_or(root);
        fs.sync_dir(parent).map_err(|e| WalError::io(parent, "sync", e))?;
    } else {
        tracing::warn!(directory = %dir.display(), "left in place: it has files that are no logs");
    }
    Ok(reports)
}

fn log_names(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<String>, WalError> {
    let entries = fs.list(dir).map_err(|e| WalError::io(dir, "list", e))?;
    Ok(entries.into_iter().filter(|e| !e.is_dir && LogName::is_valid(&e.name)).map(|e| e.name).collect())
}
