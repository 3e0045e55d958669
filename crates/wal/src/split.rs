use std::{
    collections::{HashMap, HashSet},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use finback_cell::{Bytes, Cell, CellBlockBuilder};
use finback_fs::FileSystem;

use crate::{
    BULK_LOAD_INTENT, META_FAMILY, WalCompression, WalEntry, WalError, WalReader, replay::COMPACTION_MARKER,
    split_output::SplitOutput,
};

/// Outputs of a log written at the same time: each has an open file and up to 1 MiB of buffer. A log with more regions is read
/// once more for each further group.
const MAX_OPEN_OUTPUTS: usize = 64;
/// The same for all compressed logs that are split at a time: their outputs have dictionaries besides.
const MAX_COMPRESSED_OUTPUTS: usize = 64;

/// What is known to be in store files already, from the server's last reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FlushedSequenceIds {
    /// All families: edits up to this sequence id are flushed. `None`: unknown.
    pub region: Option<u64>,
    /// Family and the sequence id up to which it is flushed.
    pub stores: Vec<(Vec<u8>, u64)>,
}

/// What a split did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SplitReport {
    /// The log.
    pub wal: PathBuf,
    /// Entries in it.
    pub entries: u64,
    /// Entries not needed any more: region gone, already flushed, or markers.
    pub skipped: u64,
    /// The recovered edits files, in order of their regions' appearance.
    pub outputs: Vec<PathBuf>,
    /// Bytes of a torn tail.
    pub dropped_bytes: u64,
}

/// Splits one log into recovered edits of its regions under `<root>/data`. Memory is bounded whatever the log's size.
/// May be killed anywhere and run again. The log stays: the caller archives it.
pub fn split(
    fs: &dyn FileSystem,
    root: &Path,
    wal: &Path,
    flushed: &dyn Fn(&[u8]) -> FlushedSequenceIds,
) -> Result<SplitReport, WalError> {
    let report = split_unsynced(fs, root, wal, flushed, &Mutex::new(()), 1)?;
    report.sync_outputs(fs)?;
    Ok(report)
}

/// As [`split`], but that the outputs are not durable yet. `naming` is held while an output gets its name;
/// `at_once` logs are split at a time.
pub(crate) fn split_unsynced(
    fs: &dyn FileSystem,
    root: &Path,
    wal: &Path,
    flushed: &dyn Fn(&[u8]) -> FlushedSequenceIds,
    naming: &Mutex<()>,
    at_once: usize,
) -> Result<SplitReport, WalError> {
    let report = SplitReport { wal: wal.to_owned(), ..SplitReport::default() };
    let mut splitter = Splitter { fs, root, wal, flushed, naming, at_once, done: HashSet::new(), report };
    while splitter.pass()? {}
    Ok(splitter.report)
}

impl SplitReport {
    /// Makes the outputs durable. One that is gone was replayed and flushed.
    pub(crate) fn sync_outputs(&self, fs: &dyn FileSystem) -> Result<(), WalError> {
        for output in &self.outputs {
            match fs.sync_file(output) {
                Err(e) if e.kind() != ErrorKind::NotFound => return Err(WalError::io(output, "sync", e)),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Closes an output and gives it its name.
fn finish(fs: &dyn FileSystem, output: SplitOutput, naming: &Mutex<()>) -> Result<PathBuf, WalError> {
    let _one_at_a_time = naming.lock().unwrap_or_else(PoisonError::into_inner);
    output.finish(fs)
}

struct Splitter<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    wal: &'a Path,
    flushed: &'a dyn Fn(&[u8]) -> FlushedSequenceIds,
    naming: &'a Mutex<()>,
    at_once: usize,
    /// Regions that an earlier pass has written.
    done: HashSet<Vec<u8>>,
    report: SplitReport,
}

/// One region in one pass.
struct Region {
    flushed: FlushedSequenceIds,
    /// `None`: the region is gone, its edits are dropped.
    directory: Option<PathBuf>,
    output: Option<SplitOutput>,
}

impl Splitter<'_> {
    /// Reads the log once; `true` if there are regions left for another pass.
    fn pass(&mut self) -> Result<bool, WalError> {
        let mut reader = WalReader::open(self.fs, self.wal)?;
        // The recovered edits are compressed as the log was.
        let compression = reader.compression();
        let max_open = match compression {
            Some(_) => (MAX_COMPRESSED_OUTPUTS / self.at_once).max(1),
            None => MAX_OPEN_OUTPUTS,
        };
        let mut regions: HashMap<Vec<u8>, Region> = HashMap::new();
        let mut order = Vec::new();
        let (mut entries, mut open, mut more) = (0, 0, false);
        let mut finished = Vec::new();
        while let Some(entry) = reader.next_entry()? {
            entries += 1;
            let name = entry.key.region();
            if self.done.contains(name) {
                continue;
            }
            if !regions.contains_key(name) {
                if open == max_open {
                    more = true;
                    continue;
                }
                let region = self.region(&entry)?;
                open += usize::from(region.directory.is_some());
                regions.insert(name.to_vec(), region);
                order.push(name.to_vec());
            }
            if let Some(region) = regions.get_mut(name)
                && !region.take(self, compression, &entry, &mut finished)?
            {
                self.report.skipped += 1;
            }
        }
        self.report.outputs.append(&mut finished);
        self.report.entries = entries;
        self.report.dropped_bytes = reader.torn_tail().map_or(0, |tail| tail.dropped_bytes);
        for name in order {
            if let Some(output) = regions.get_mut(&name).and_then(|region| region.output.take()) {
                self.report.outputs.push(finish(self.fs, output, self.naming)?);
            }
            self.done.insert(name);
        }
        Ok(more)
    }

    fn region(&self, entry: &WalEntry<'_>) -> Result<Region, WalError> {
        let corrupt = |what: &str, name: &[u8]| {
            WalError::corrupt(self.wal, entry.offset, format!("{what} {:?}", name.escape_ascii().to_string()))
        };
        let (table, name) = (entry.key.table(), entry.key.region());
        let directory = region_directory(self.root, table, name)
            .ok_or_else(|| corrupt("not a table and region: ", &[table, b"/", name].concat()))?;
        let exists = self.fs.exists(&directory).map_err(|e| WalError::io(&directory, "look for", e))?;
        if !exists {
            tracing::info!(region = %directory.display(), "edits of a region that is gone are dropped");
        }
        Ok(Region { flushed: (self.flushed)(name), directory: exists.then_some(directory), output: None })
    }
}

impl Region {
    /// Whether the entry, or a part of it, is needed; then it is in the output.
    fn take(
        &mut self,
        splitter: &Splitter<'_>,
        compression: Option<WalCompression>,
        entry: &WalEntry<'_>,
        finished: &mut Vec<PathBuf>,
    ) -> Result<bool, WalError> {
        let (fs, wal) = (splitter.fs, splitter.wal);
        let Some(directory) = &self.directory else { return Ok(false) };
        let sequence_id = entry.key.sequence_id();
        if self.flushed.region.is_some_and(|flushed| flushed >= sequence_id) {
            return Ok(false);
        }
        let needed_marker = |cell: Cell<'_>| {
            cell.family() == META_FAMILY
                && (cell.qualifier().starts_with(COMPACTION_MARKER) || cell.qualifier() == BULK_LOAD_INTENT)
        };
        if entry.is_meta_edit() && !entry.cells().any(needed_marker) {
            return Ok(false);
        }
        let Some((count, cells)) = self.unflushed_cells(entry) else { return Ok(false) };
        let output = match &mut self.output {
            Some(output) => output,
            none => none.insert(SplitOutput::create(fs, directory, wal, compression, sequence_id)?),
        };
        output.put(entry, count, cells.as_deref().unwrap_or(entry.cell_block))?;
        if let Some(full) = self.output.take_if(|output| output.is_full()) {
            finished.push(finish(fs, full, splitter.naming)?);
        }
        Ok(true)
    }

    /// How many cells are needed, and which (`None`: all). `None` altogether if the entry had cells and none is.
    #[allow(clippy::type_complexity)]
    fn unflushed_cells(&self, entry: &WalEntry<'_>) -> Option<(u32, Option<Bytes>)> {
        let sequence_id = entry.key.sequence_id();
        let is_flushed = |family: &[u8]| {
            self.flushed.stores.iter().any(|(name, flushed)| name == family && *flushed >= sequence_id)
        };
        if !entry.cells().any(|cell| is_flushed(cell.family())) {
            return Some((entry.key.cell_count(), None));
        }
        let mut kept = CellBlockBuilder::with_capacity(entry.cell_block.len());
        entry.cells().filter(|cell| !is_flushed(cell.family())).for_each(|cell| kept.push(&cell));
        (!kept.is_empty()).then(|| (kept.count() as u32, Some(kept.finish().bytes().clone())))
    }
}

/// `<root>/data/<namespace>/<table>/<region>`; `None` if the names could lead anywhere else.
fn region_directory(root: &Path, table: &[u8], region: &[u8]) -> Option<PathBuf> {
    let table = std::str::from_utf8(table).ok()?;
    let region = std::str::from_utf8(region).ok()?;
    let (namespace, qualifier) = table.split_once(':').unwrap_or(("default", table));
    let safe =
        |name: &str| !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\\', '\0']);
    if !safe(namespace) || !safe(qualifier) || !safe(region) {
        return None;
    }
    Some(root.join("data").join(namespace).join(qualifier).join(region))
}

#[cfg(test)]
mod tests;
