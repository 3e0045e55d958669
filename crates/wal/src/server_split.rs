//! All logs of a dead server become recovered edits, in two steps: [`begin_split`] writes these, and regions may replay them;
//! [`finish_split`] waits for the disk, and puts the logs away. Until then the logs are what counts: a crash in between splits
//! them again, which gives the same files in the place of those that may not be whole.

use std::{
    collections::BTreeSet,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use finback_fs::{DirEntry, FileSystem};

use crate::{
    FlushedSequenceIds, LogName, SplitReport, WalError, fence, header::MAGIC, old_logs, split::split_unsynced,
};

/// Logs that are split at a time, on as many threads.
const MAX_SPLITS_AT_ONCE: usize = 4;

/// Fences a dead server, splits all of its logs, moves each to `oldWALs`, and removes the directory. May be killed anywhere and
/// run again. The first corrupt log ends it with an error and stays where it is, with those behind it.
pub fn split_server(
    fs: &dyn FileSystem,
    root: &Path,
    server: &str,
    flushed: &(dyn Fn(&[u8]) -> FlushedSequenceIds + Sync),
) -> Result<Vec<SplitReport>, WalError> {
    let reports = begin_split(fs, root, server, flushed)?;
    finish_split(fs, root, &reports)?;
    Ok(reports)
}

/// Fences a dead server and splits all of its logs, for regions of this process to replay. Nothing of that is durable, and the
/// logs stay, until [`finish_split`].
///
/// # Errors
/// As [`split_server`]; the logs before the corrupt one are finished then.
pub fn begin_split(
    fs: &dyn FileSystem,
    root: &Path,
    server: &str,
    flushed: &(dyn Fn(&[u8]) -> FlushedSequenceIds + Sync),
) -> Result<Vec<SplitReport>, WalError> {
    let Some(dir) = fence(fs, root, server)? else { return Ok(Vec::new()) };
    let mut names = log_names(fs, &dir)?;
    names.sort_by_key(|name| (!LogName::is_meta(name), name.clone()));
    let logs: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
    if logs.is_empty() {
        remove_if_empty(fs, root, &dir)?;
    }
    let mut reports = Vec::with_capacity(logs.len());
    for split in split_side_by_side(fs, root, &logs, flushed) {
        match split {
            Ok(report) => reports.push(report),
            Err(error) => {
                put_away(fs, root, &reports)?;
                return Err(error);
            }
        }
    }
    Ok(reports)
}

/// What became of each log, in order, up to the first error.
fn split_side_by_side(
    fs: &dyn FileSystem,
    root: &Path,
    logs: &[PathBuf],
    flushed: &(dyn Fn(&[u8]) -> FlushedSequenceIds + Sync),
) -> Vec<Result<SplitReport, WalError>> {
    let (next, failed, naming) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX), Mutex::new(()));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let at_once = processors.min(MAX_SPLITS_AT_ONCE).min(logs.len()).max(1);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            // Those before a log that failed are split in any case.
            let Some(log) = logs.get(at).filter(|_| at < failed.load(Ordering::Relaxed)) else { return done };
            // What a server had not synced yet may be there or not after a power loss, and its last entry names a file.
            let synced = fs.sync_file(log).map_err(|e| WalError::io(log, "sync", e));
            let split = synced.and_then(|()| split_unsynced(fs, root, log, flushed, &naming, at_once));
            if split.is_err() {
                failed.fetch_min(at, Ordering::Relaxed);
            }
            done.push((at, split));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..at_once)
            .filter_map(|_| {
                std::thread::Builder::new().name("split".to_owned()).spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut all = work();
        for thread in threads {
            match thread.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, split)| split).collect()
}

/// Makes what [`begin_split`] wrote durable, moves the logs to `oldWALs`, and removes the directories. Recovered edits that are
/// gone were flushed. May be tried again after an error, unless it was one of a sync of these.
pub fn finish_split(fs: &dyn FileSystem, root: &Path, reports: &[SplitReport]) -> Result<(), WalError> {
    put_away(fs, root, reports)?;
    let directories: BTreeSet<&Path> = reports.iter().filter_map(|report| report.wal.parent()).collect();
    directories.into_iter().try_for_each(|dir| remove_if_empty(fs, root, dir))
}

fn put_away(fs: &dyn FileSystem, root: &Path, reports: &[SplitReport]) -> Result<(), WalError> {
    for report in reports {
        report.sync_outputs(fs)?;
        old_logs::archive(fs, root, &report.wal)?;
    }
    Ok(())
}

fn remove_if_empty(fs: &dyn FileSystem, root: &Path, dir: &Path) -> Result<(), WalError> {
    match fs.list(dir) {
        Ok(entries) if entries.is_empty() => {
            fs.remove_dir_all(dir).map_err(|e| WalError::io(dir, "remove", e))?;
        }
        Ok(_) => {
            tracing::warn!(directory = %dir.display(), "left in place: it has files that are no logs");
            return Ok(());
        }
        // An earlier attempt removed it.
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(WalError::io(dir, "list", e)),
    }
    let parent = dir.parent().unwrap_or(root);
    fs.sync_dir(parent).map_err(|e| WalError::io(parent, "sync", e))
}

/// Names of the logs in a dead server's directory: of all that are called so, and, as HBase takes every file there for a log,
/// of what is one under another name.
fn log_names(fs: &dyn FileSystem, dir: &Path) -> Result<Vec<String>, WalError> {
    let mut names = Vec::new();
    for entry in fs.list(dir).map_err(|e| WalError::io(dir, "list", e))? {
        if !entry.is_dir && (LogName::is_valid(&entry.name) || begins_as_log(fs, dir, &entry)?) {
            names.push(entry.name);
        }
    }
    Ok(names)
}

fn begins_as_log(fs: &dyn FileSystem, dir: &Path, entry: &DirEntry) -> Result<bool, WalError> {
    let mut start = [0; MAGIC.len()];
    // What has no length may be no file, and keep whoever opens it waiting.
    if entry.len < MAGIC.len() as u64 {
        return Ok(false);
    }
    let path = dir.join(&entry.name);
    match fs.open(&path).and_then(|file| file.read_exact_at(0, &mut start)) {
        Ok(()) => Ok(start == MAGIC),
        // A link to nothing, or to a directory.
        Err(e)
            if matches!(
                e.kind(),
                ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::UnexpectedEof
            ) =>
        {
            Ok(false)
        }
        Err(e) => Err(WalError::io(&path, "read", e)),
    }
}
