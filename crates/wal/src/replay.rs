use std::{
    fmt::Display,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use finback_cell::Cell;
use finback_fs::FileSystem;

use crate::{META_FAMILY, WalEntry, WalError, WalReader};

pub(crate) const COMPACTION_MARKER: &[u8] = b"HBASE::COMPACTION";
const BULK_LOAD_MARKER: &[u8] = b"HBASE::BULK_LOAD";

pub(crate) fn recovered_edits_dir(region_directory: &Path) -> PathBuf {
    region_directory.join("recovered.edits")
}

/// What a region knows when it opens.
pub struct ReplayRules<'a> {
    /// Encoded name of the region.
    pub region: &'a [u8],
    /// The highest sequence id of a family's store files, 0 if it has none; `None` if there is no such family.
    pub store_sequence_id: &'a dyn Fn(&[u8]) -> Option<u64>,
    /// The least of these over all families: of files that have nothing above it only the nonces are read.
    pub min_store_sequence_id: u64,
    /// Whether a row is of this region.
    pub contains_row: &'a dyn Fn(&[u8]) -> bool,
}

/// Takes what a replay finds.
pub trait ReplaySink {
    /// Why it may refuse.
    type Error: Display;

    /// The nonce of an entry (not 0), also of one whose cells are all in store files.
    fn nonce(&mut self, group: u64, nonce: u64, entry: &WalEntry<'_>) -> Result<(), Self::Error>;

    /// A CompactionDescriptor of this region (protobuf): its inputs that are still in the store must go.
    fn compaction(&mut self, descriptor: &[u8]) -> Result<(), Self::Error>;

    /// A BulkLoadDescriptor of this region (protobuf): its files must be in their stores, if the load was decided.
    fn bulk_load(&mut self, _descriptor: &[u8]) -> Result<(), Self::Error> {
        Ok(())
    }

    /// A cell for the memstore, and the sequence id it enters with.
    fn cell(&mut self, cell: Cell<'_>, sequence_id: u64) -> Result<(), Self::Error>;

    /// All of an entry's cells were handed over: a good place to flush.
    fn entry_done(&mut self, _sequence_id: u64) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// What a replay found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Files read.
    pub files: u64,
    /// Files of which only the nonces were read, because all else in them is in store files.
    pub skipped_files: u64,
    /// Cells handed over.
    pub cells: u64,
    /// Cells not needed.
    pub skipped_cells: u64,
    /// Highest sequence id of all entries read; 0 if none.
    pub max_sequence_id: u64,
}

/// The recovered edits files of a region in the order of replay, with the highest sequence id in each.
pub fn recovered_edits(
    fs: &dyn FileSystem,
    region_directory: &Path,
) -> Result<Vec<(PathBuf, u64)>, WalError> {
    let dir = recovered_edits_dir(region_directory);
    let entries = match fs.list(&dir) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(WalError::io(&dir, "list", e)),
    };
    let mut files: Vec<_> = entries
        .into_iter()
        .filter(|entry| !entry.is_dir)
        .filter_map(|entry| Some((dir.join(&entry.name), highest_in_name(&entry.name)?)))
        .collect();
    files.sort_by_key(|(_, highest)| *highest);
    Ok(files)
}

/// `-?[0-9]+`; HBase takes the number's absolute value.
fn highest_in_name(name: &str) -> Option<u64> {
    let digits = name.strip_prefix('-').unwrap_or(name);
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}

/// Reads the recovered edits of a region in order and hands over what its store files do not have yet.
pub fn replay<S: ReplaySink>(
    fs: &dyn FileSystem,
    region_directory: &Path,
    rules: &ReplayRules<'_>,
    sink: &mut S,
) -> Result<ReplaySummary, WalError> {
    let mut summary = ReplaySummary::default();
    for (path, highest) in recovered_edits(fs, region_directory)? {
        if highest <= rules.min_store_sequence_id {
            summary.skipped_files += 1;
            replay_nonces(fs, &path, sink)?;
            continue;
        }
        summary.files += 1;
        let mut reader = WalReader::open(fs, &path)?;
        while let Some(entry) = reader.next_entry()? {
            let refused = |e: S::Error| WalError::Refused {
                path: path.clone(),
                offset: entry.offset,
                reason: e.to_string(),
            };
            replay_entry(&entry, rules, sink, &mut summary).map_err(refused)?;
        }
        if reader.lacks_its_end() {
            let reason =
                "recovered edits end here without the trailer that they had when they got their name";
            return Err(WalError::corrupt(&path, reader.position(), reason));
        }
    }
    Ok(summary)
}

/// Reads a file for its nonces alone: damage to it loses no edit, and does not keep the region from being opened.
fn replay_nonces<S: ReplaySink>(fs: &dyn FileSystem, path: &Path, sink: &mut S) -> Result<(), WalError> {
    let mut read = || {
        let mut reader = WalReader::open(fs, path)?;
        while let Some(entry) = reader.next_entry()? {
            replay_nonce(&entry, sink).map_err(|e| WalError::Refused {
                path: path.to_owned(),
                offset: entry.offset,
                reason: e.to_string(),
            })?;
        }
        Ok(())
    };
    match read() {
        Err(error) if !matches!(error, WalError::Refused { .. }) => {
            tracing::warn!(path = %path.display(), %error, "nonces of edits that are in store files are lost");
            Ok(())
        }
        read => read,
    }
}

fn replay_nonce<S: ReplaySink>(entry: &WalEntry<'_>, sink: &mut S) -> Result<(), S::Error> {
    match entry.key.nonce() {
        0 => Ok(()),
        nonce => sink.nonce(entry.key.nonce_group(), nonce, entry),
    }
}

fn replay_entry<S: ReplaySink>(
    entry: &WalEntry<'_>,
    rules: &ReplayRules<'_>,
    sink: &mut S,
    summary: &mut ReplaySummary,
) -> Result<(), S::Error> {
    let key = &entry.key;
    summary.max_sequence_id = summary.max_sequence_id.max(key.sequence_id());
    replay_nonce(entry, sink)?;
    let own = key.region() == rules.region;
    let sequence_id = key.original_sequence_id().unwrap_or(key.sequence_id());
    for cell in entry.cells() {
        if cell.family() == META_FAMILY {
            if own && cell.qualifier().starts_with(COMPACTION_MARKER) {
                sink.compaction(cell.value())?;
            } else if own && cell.qualifier() == BULK_LOAD_MARKER {
                sink.bulk_load(cell.value())?;
            }
        } else if is_needed(key.sequence_id(), &cell, own, rules) {
            sink.cell(cell, sequence_id)?;
            summary.cells += 1;
        } else {
            summary.skipped_cells += 1;
        }
    }
    sink.entry_done(key.sequence_id())
}

fn is_needed(sequence_id: u64, cell: &Cell<'_>, own: bool, rules: &ReplayRules<'_>) -> bool {
    let Some(stored) = (rules.store_sequence_id)(cell.family()) else { return false };
    sequence_id > stored && (own || (rules.contains_row)(cell.row()))
}

/// Deletes the recovered edits of a region, after everything replayed was flushed. Other files stay.
pub fn delete_recovered_edits(fs: &dyn FileSystem, region_directory: &Path) -> Result<(), WalError> {
    let files = recovered_edits(fs, region_directory)?;
    for (path, _) in &files {
        fs.remove_file(path).map_err(|e| WalError::io(path, "remove", e))?;
    }
    if !files.is_empty() {
        let dir = recovered_edits_dir(region_directory);
        fs.sync_dir(&dir).map_err(|e| WalError::io(&dir, "sync", e))?;
    }
    Ok(())
}
