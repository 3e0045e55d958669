//! Verifies logs, and all logs of directory trees, to the end.

use crate::error::InspectError;
use finback_fs::FileSystem;
use finback_wal::{TornTail, WalError, WalReader};
use std::path::{Path, PathBuf};

/// Deeper directories than this are not looked into.
const MOST_LEVELS: usize = 32;
/// What logs begin with.
const MAGIC: &[u8; 4] = b"PWAL";
/// The directories of a root directory that have nothing but logs, and of a region that has some.
const LOG_DIRECTORIES: [&str; 3] = ["WALs", "oldWALs", "recovered.edits"];
/// How often progress is told: after so many entries.
const ENTRIES_BETWEEN: u64 = 256;

/// How a log ends.
#[derive(Debug)]
pub enum LogState {
    /// At its end, closed by its writer or not.
    Whole,
    /// In an entry that was never finished, and never acknowledged: what a crash leaves behind.
    Torn(TornTail),
    /// In damage.
    Damaged(WalError),
}

/// The sums.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct LogsVerification {
    /// Logs that were looked at.
    pub files: u64,
    /// Those whose end is torn.
    pub torn: u64,
    /// Those that are damaged or cannot be read.
    pub damaged: u64,
    /// Entries that are sound.
    pub entries: u64,
    /// Cells in them.
    pub cells: u64,
    /// Bytes of the logs.
    pub bytes: u64,
    /// Whether it was ended before the end.
    pub was_interrupted: bool,
}

/// Who is told how a verification goes on.
pub trait LogWatcher {
    /// So many bytes of all are done. Says whether to go on.
    fn progress(&mut self, done: u64, total: u64) -> bool;

    /// A log was looked at; it has so many sound entries.
    ///
    /// # Errors
    /// It cannot be told; that ends the verification.
    fn log(&mut self, path: &Path, entries: u64, state: &LogState) -> Result<(), InspectError>;
}

/// Verifies the logs among `paths`, and all below those that are directories: files that begin as logs do, and those in
/// directories of logs.
///
/// # Errors
/// One of `paths`, or a directory, cannot be read; or what `watcher` answers.
pub fn verify_logs(
    fs: &dyn FileSystem,
    paths: &[PathBuf],
    watcher: &mut dyn LogWatcher,
) -> Result<LogsVerification, InspectError> {
    let mut logs = Vec::new();
    for path in paths {
        let found = fs.metadata(path).map_err(InspectError::io(path))?;
        match found.is_dir {
            true => collect(fs, path, 0, &mut logs)?,
            false => logs.push((path.clone(), found.len)),
        }
    }
    let total = logs.iter().map(|(_, len)| len).sum();
    let mut sums = LogsVerification::default();
    for (path, len) in logs {
        let mut watch = |done: u64| watcher.progress((sums.bytes + done.min(len)).min(total), total);
        let Some(found) = verify_log(fs, &path, &mut watch) else {
            sums.was_interrupted = true;
            break;
        };
        sums.files += 1;
        sums.entries += found.entries;
        sums.cells += found.cells;
        sums.bytes += len;
        match &found.state {
            LogState::Whole => {}
            LogState::Torn(_) => sums.torn += 1,
            LogState::Damaged(_) => sums.damaged += 1,
        }
        watcher.log(&path, found.entries, &found.state)?;
    }
    Ok(sums)
}

/// Logs are few: a server has some dozens.
fn collect(
    fs: &dyn FileSystem,
    directory: &Path,
    depth: usize,
    logs: &mut Vec<(PathBuf, u64)>,
) -> Result<(), InspectError> {
    if depth > MOST_LEVELS {
        return Ok(());
    }
    let mut entries = fs.list(directory).map_err(InspectError::io(directory))?;
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    let is_of_logs =
        directory.components().any(|part| LOG_DIRECTORIES.iter().any(|name| part.as_os_str() == *name));
    for entry in entries {
        let path = directory.join(&entry.name);
        if entry.is_dir {
            collect(fs, &path, depth + 1, logs)?;
        } else if begins_as_a_log(fs, &path) || (is_of_logs && entry.len > 0) {
            logs.push((path, entry.len));
        }
    }
    Ok(())
}

fn begins_as_a_log(fs: &dyn FileSystem, path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    let read = fs.open(path).and_then(|file| file.read_exact_at(0, &mut magic));
    read.is_ok() && magic == *MAGIC
}

struct Verified {
    entries: u64,
    cells: u64,
    state: LogState,
}

/// None if `watch` says so.
fn verify_log(fs: &dyn FileSystem, path: &Path, watch: &mut dyn FnMut(u64) -> bool) -> Option<Verified> {
    let mut found = Verified { entries: 0, cells: 0, state: LogState::Whole };
    let mut reader = match WalReader::open(fs, path) {
        Ok(reader) => reader,
        Err(error) => return Some(Verified { state: LogState::Damaged(error), ..found }),
    };
    loop {
        if found.entries.is_multiple_of(ENTRIES_BETWEEN) && !watch(reader.position()) {
            return None;
        }
        match reader.next_entry() {
            Ok(Some(entry)) => {
                found.entries += 1;
                found.cells += u64::from(entry.key.cell_count());
            }
            Ok(None) => break,
            Err(error) => return Some(Verified { state: LogState::Damaged(error), ..found }),
        }
    }
    if let Some(torn) = reader.torn_tail() {
        found.state = LogState::Torn(torn.clone());
    }
    Some(found)
}
