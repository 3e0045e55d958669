//! MOB files that are open: a bounded number of them, those that were not used lately are closed first.

use super::reference::Reference;
use crate::error::RegionError;
use finback_cell::{Bytes, TableName};
use finback_hfile::{BlockCache, HFileError, HFileReader};
use finback_layout::RootDir;
use finback_metrics::MobFigures;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The MOB files of a server that are open, and what is counted of MOB. All regions share it.
#[derive(Debug)]
pub struct MobFiles {
    most: usize,
    open: Mutex<Open>,
    pub(super) counters: Counters,
}

#[derive(Debug, Default)]
struct Open {
    files: HashMap<FileKey, OpenFile>,
    /// Counts uses.
    clock: u64,
    /// What it was when unused files were closed last.
    closed_at: u64,
}

#[derive(Debug)]
struct OpenFile {
    reader: Arc<HFileReader>,
    used: u64,
}

/// A file by table, family and name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FileKey(TableName, Bytes, Box<str>);

#[derive(Debug, Default)]
pub(super) struct Counters {
    accesses: AtomicU64,
    misses: AtomicU64,
    evicted: AtomicU64,
    pub(super) flushes: AtomicU64,
    pub(super) flushed: CellsAndBytes,
    pub(super) scanned: CellsAndBytes,
    pub(super) compacted_to_mob: CellsAndBytes,
    pub(super) compacted_from_mob: CellsAndBytes,
}

/// Cells, and the bytes of their values.
#[derive(Debug, Default)]
pub(super) struct CellsAndBytes {
    cells: AtomicU64,
    bytes: AtomicU64,
}

impl CellsAndBytes {
    pub(super) fn add(&self, bytes: usize) {
        self.cells.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn get(&self) -> (u64, u64) {
        (self.cells.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

impl Default for MobFiles {
    /// HBase's number of files.
    fn default() -> Self {
        Self::new(1000)
    }
}

impl MobFiles {
    /// For at most so many open files (`hbase.mob.file.cache.size`); one stays open in any case.
    pub fn new(most_open: usize) -> Self {
        Self { most: most_open.max(1), open: Mutex::default(), counters: Counters::default() }
    }

    /// Closes files that were not used since this was called last, and then those that were not used for the longest time, until
    /// `ratio` of those are left that may be open (`hbase.mob.cache.evict.remain.ratio`).
    pub fn close_unused(&self, ratio: f64) {
        let left = (self.most as f64 * ratio.clamp(0.0, 1.0)) as usize;
        let mut open = self.open.lock();
        let closed_at = open.closed_at;
        let mut closed: Vec<_> = open.files.extract_if(|_, file| file.used <= closed_at).collect();
        closed.extend(open.leave(left));
        open.closed_at = open.clock;
        drop(open);
        self.counters.evicted.fetch_add(closed.len() as u64, Ordering::Relaxed);
    }

    /// Closes a file that goes to the archive: who needs it finds it there, and when it is removed its room comes back.
    pub fn forget(&self, table: &TableName, family: &[u8], name: &str) {
        let key = FileKey(table.clone(), Bytes::copy_from_slice(family), name.into());
        drop(self.open.lock().files.remove(&key));
    }

    /// What was counted.
    pub fn figures(&self) -> MobFigures {
        let counters = &self.counters;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (flushed_cells, flushed_bytes) = counters.flushed.get();
        let (scanned_cells, scanned_bytes) = counters.scanned.get();
        let (cells_compacted_to_mob, bytes_compacted_to_mob) = counters.compacted_to_mob.get();
        let (cells_compacted_from_mob, bytes_compacted_from_mob) = counters.compacted_from_mob.get();
        MobFigures {
            open_files: self.open.lock().files.len() as u64,
            accesses: count(&counters.accesses),
            misses: count(&counters.misses),
            evicted: count(&counters.evicted),
            flushes: count(&counters.flushes),
            flushed_cells,
            flushed_bytes,
            scanned_cells,
            scanned_bytes,
            cells_compacted_to_mob,
            bytes_compacted_to_mob,
            cells_compacted_from_mob,
            bytes_compacted_from_mob,
        }
    }

    fn get(&self, key: &FileKey) -> Option<Arc<HFileReader>> {
        self.counters.accesses.fetch_add(1, Ordering::Relaxed);
        let found = self.look(key);
        if found.is_none() {
            self.counters.misses.fetch_add(1, Ordering::Relaxed);
        }
        found
    }

    /// The same, without being counted.
    fn look(&self, key: &FileKey) -> Option<Arc<HFileReader>> {
        let mut open = self.open.lock();
        open.clock += 1;
        let now = open.clock;
        let file = open.files.get_mut(key)?;
        file.used = now;
        Some(Arc::clone(&file.reader))
    }

    /// Keeps a file open; gives back the one to be used, which another thread may have opened meanwhile.
    fn put(&self, key: FileKey, reader: Arc<HFileReader>) -> Arc<HFileReader> {
        let mut open = self.open.lock();
        open.clock += 1;
        let used = open.clock;
        let file = open.files.entry(key).or_insert(OpenFile { reader, used });
        let reader = Arc::clone(&file.reader);
        let closed = open.leave(self.most);
        drop(open);
        self.counters.evicted.fetch_add(closed.len() as u64, Ordering::Relaxed);
        reader
    }
}

impl Open {
    /// Takes files out until so many are left.
    fn leave(&mut self, most: usize) -> Vec<(FileKey, OpenFile)> {
        let Some(surplus) = self.files.len().checked_sub(most).filter(|&surplus| surplus > 0) else {
            return Vec::new();
        };
        let mut uses: Vec<u64> = self.files.values().map(|file| file.used).collect();
        let (_, newest_to_go, _) = uses.select_nth_unstable(surplus - 1);
        let newest_to_go = *newest_to_go;
        self.files.extract_if(|_, file| file.used <= newest_to_go).collect()
    }
}

/// Where the MOB files of a store are looked for.
pub(crate) struct MobPlaces {
    pub(crate) root: RootDir,
    pub(crate) family: Bytes,
    pub(crate) files: Arc<MobFiles>,
    pub(crate) cache: Arc<dyn BlockCache>,
}

impl std::fmt::Debug for MobPlaces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MobPlaces({} of {})", self.family.escape_ascii(), self.root.path().display())
    }
}

impl MobPlaces {
    /// The file, if it is open.
    pub(super) fn get(&self, table: &TableName, name: &str) -> Option<Arc<HFileReader>> {
        self.files.get(&self.key(table, name))
    }

    /// The length in bytes of the file of a reference; `None` if it is nowhere.
    pub(super) fn len_of(&self, reference: &Reference<'_>) -> Result<Option<u64>, RegionError> {
        let Ok(table) = TableName::parse(reference.table) else { return Ok(None) };
        for place in self.root.mob_file_places(&table, &self.family, reference.file) {
            match self.root.fs().metadata(&place) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                found => return Ok(Some(found.map_err(|error| RegionError::io(&place, &error))?.len)),
            }
        }
        Ok(None)
    }

    fn key(&self, table: &TableName, name: &str) -> FileKey {
        FileKey(table.clone(), self.family.clone(), name.into())
    }

    fn open(&self, table: &TableName, name: &str) -> Result<Arc<HFileReader>, RegionError> {
        // Others may have asked for it, too, and were faster.
        let key = self.key(table, name);
        if let Some(reader) = self.files.look(&key) {
            return Ok(reader);
        }
        let places = self.root.mob_file_places(table, &self.family, name);
        for place in &places {
            let file = match self.root.fs().open(place) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                opened => opened.map_err(|error| RegionError::io(place, &error))?,
            };
            let reader = HFileReader::open_identified(file, place).map_err(|error| match error {
                HFileError::Corrupt { .. } => RegionError::DamagedMobFile(Arc::new(error)),
                error => error.into(),
            })?;
            reader.charge_to(&self.cache);
            return Ok(self.files.put(key, reader));
        }
        Err(RegionError::MissingMobFile { name: name.to_owned(), places: places.into() })
    }
}

/// A MOB file that a read needs and that is not open.
#[derive(Clone, Debug)]
pub struct FileRequest {
    places: Arc<MobPlaces>,
    table: TableName,
    name: Arc<str>,
    outcome: Arc<OnceLock<Result<Arc<HFileReader>, RegionError>>>,
}

impl FileRequest {
    pub(super) fn new(places: &Arc<MobPlaces>, table: TableName, name: &str) -> Self {
        Self { places: Arc::clone(places), table, name: name.into(), outcome: Arc::default() }
    }

    /// Opens the file, waiting for the storage if need be. What came of it is kept for the scanner that asked, which is to be called
    /// again.
    pub fn open(&self) {
        self.outcome.get_or_init(|| self.places.open(&self.table, &self.name));
    }

    /// Whether another request is for the same file.
    pub fn is_same(&self, other: &Self) -> bool {
        self.name == other.name && self.table == other.table && self.places.family == other.places.family
    }

    pub(super) fn is_for(&self, table: &TableName, name: &str) -> bool {
        &*self.name == name && self.table == *table
    }

    pub(super) fn outcome(&self) -> Option<Result<Arc<HFileReader>, RegionError>> {
        self.outcome.get().cloned()
    }
}
