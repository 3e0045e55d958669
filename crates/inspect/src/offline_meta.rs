//! What hbase:meta says, read from its files and logs. Nothing is changed, and nothing replayed into files.

mod row;
mod visible_cells;

use crate::error::InspectError;
use finback_cell::key::Key;
use finback_cell::region_info::META_ENCODED_NAME;
use finback_cell::{StringBinary, TableDescriptor, TableName};
use finback_hfile::{HFileReader, HFileScanner, file_info_keys, read_through};
use finback_layout::{LayoutError, RootDir, StoreFileEntry, StoreFileTracker};
use finback_proto::{pb, pbuf};
use finback_wal::{META_FAMILY, WalReader, recovered_edits};
pub(crate) use row::MetaRegion;
use row::MetaRow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use visible_cells::VisibleCells;

/// The families that are read.
const FAMILIES: [&[u8]; 2] = [b"info", b"table"];

/// Regions and tables, as hbase:meta has them.
#[derive(Debug, Default)]
pub(crate) struct OfflineMeta {
    /// By table; in order of start keys, and of ids.
    pub(crate) regions: BTreeMap<TableName, Vec<MetaRegion>>,
    /// Tables with a state, by which clients know that they are there; and those states.
    pub(crate) tables: BTreeMap<TableName, String>,
    /// Rows that say nothing sensible: what is wrong with each.
    pub(crate) malformed: Vec<String>,
}

impl OfflineMeta {
    /// Reads the files of hbase:meta, then what recovered edits and logs have that the files do not.
    ///
    /// # Errors
    /// A file or log is damaged or cannot be read: what hbase:meta says is not known then.
    pub(crate) fn read(root: &RootDir) -> Result<Self, InspectError> {
        let table = TableName::meta();
        let descriptor = match root.read_table_descriptor(&table) {
            Err(error) if error.is_not_found() => TableDescriptor::new(table.clone()),
            descriptor => descriptor?,
        };
        let mut cells = VisibleCells::default();
        let mut flushed = BTreeMap::new();
        for family in FAMILIES {
            let files = store_files(root, &descriptor, META_ENCODED_NAME, family)?;
            flushed.insert(family, read_store(root, &files, &mut cells)?);
        }
        let region_dir = root.region_dir(&table, META_ENCODED_NAME);
        for (path, _) in recovered_edits(&**root.fs(), &region_dir)? {
            read_log(root, &path, &flushed, &mut cells)?;
        }
        for directory in root.list_wal_dirs()? {
            for entry in root.fs().list(&directory.path).map_err(InspectError::io(&directory.path))? {
                if !entry.is_dir {
                    read_log(root, &directory.path.join(&entry.name), &flushed, &mut cells)?;
                }
            }
        }
        Ok(Self::of(&cells))
    }

    fn of(cells: &VisibleCells) -> Self {
        let mut meta = Self::default();
        for (row, columns) in cells.rows() {
            match row::decode(&row, &columns) {
                Ok(Some(MetaRow::Region(region))) => {
                    meta.regions.entry(region.info.table.clone()).or_default().push(region);
                }
                Ok(Some(MetaRow::Table(table, state))) => {
                    meta.tables.insert(table, state);
                }
                Ok(None) => {}
                Err(problem) => meta.malformed.push(format!("row {}: {problem}", StringBinary(&row))),
            }
        }
        for regions in meta.regions.values_mut() {
            regions.sort_by(|a, b| {
                (&a.info.start_key, a.info.region_id).cmp(&(&b.info.start_key, b.info.region_id))
            });
        }
        meta
    }

    /// All tables that it knows.
    pub(crate) fn table_names(&self) -> BTreeSet<&TableName> {
        self.regions.keys().chain(self.tables.keys()).collect()
    }
}

/// The store files of a family, by whatever says which they are.
pub(crate) fn store_files(
    root: &RootDir,
    descriptor: &TableDescriptor,
    region: &str,
    family: &[u8],
) -> Result<Vec<StoreFileEntry>, LayoutError> {
    match tracker(descriptor, family).reads_list() {
        true => root.listed_store_files(&descriptor.name, region, family),
        false => root.list_store_files(&descriptor.name, region, family),
    }
}

/// The tracker of a family. A name that nobody knows stands for the directory itself.
pub(crate) fn tracker(descriptor: &TableDescriptor, family: &[u8]) -> StoreFileTracker {
    let family = descriptor.families.iter().find(|known| known.name == family);
    let tracker = match family {
        Some(family) => StoreFileTracker::of(descriptor, family),
        None => StoreFileTracker::of_settings(|key| descriptor.attribute(key)),
    };
    tracker.unwrap_or(StoreFileTracker::Default)
}

/// Reads the cells of a store. The highest sequence id of its files.
fn read_store(
    root: &RootDir,
    files: &[StoreFileEntry],
    cells: &mut VisibleCells,
) -> Result<u64, InspectError> {
    let mut readers = Vec::new();
    let mut compacted = HashSet::new();
    for entry in files {
        let path = entry.elsewhere.as_ref().unwrap_or(&entry.path);
        let file = root.fs().open(path).map_err(InspectError::io(path))?;
        let reader = HFileReader::open_to_inspect(file, path)?;
        compacted.extend(compacted_files(&reader));
        readers.push((entry, reader));
    }
    // A crash may have left what another file is the compaction of.
    readers.retain(|(entry, _)| !compacted.contains(entry.name.as_bytes()));
    let mut newest = 0;
    for (_, reader) in readers {
        newest = newest.max(reader.max_sequence_id().unwrap_or_default());
        let mut scanner = HFileScanner::new(reader, None, false);
        read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(&[])))?;
        while let Some((cell, sequence_id)) = scanner.peek() {
            cells.add(&cell, sequence_id)?;
            read_through(&mut scanner, HFileScanner::advance)?;
        }
    }
    Ok(newest)
}

/// Names of the files that this one is the compaction of.
fn compacted_files(reader: &HFileReader) -> Vec<Vec<u8>> {
    let event = reader.file_info(file_info_keys::COMPACTION_EVENT).unwrap_or(b"PBUF");
    let event: Result<pb::CompactionEventTracker, _> = pbuf::decode(event, "CompactionEventTracker");
    event
        .map(|event| event.compacted_store_file.iter().map(|name| name.to_vec()).collect())
        .unwrap_or_default()
}

/// Reads the edits of hbase:meta that its files do not have.
fn read_log(
    root: &RootDir,
    path: &Path,
    flushed: &BTreeMap<&[u8], u64>,
    cells: &mut VisibleCells,
) -> Result<(), InspectError> {
    let mut reader = WalReader::open(&**root.fs(), path)?;
    while let Some(entry) = reader.next_entry()? {
        if entry.key.region() != META_ENCODED_NAME.as_bytes() {
            continue;
        }
        let sequence_id = entry.key.sequence_id();
        for cell in entry.cells().filter(|cell| cell.family() != META_FAMILY) {
            if flushed.get(cell.family()).is_some_and(|flushed| sequence_id > *flushed) {
                cells.add(&cell, entry.key.original_sequence_id().unwrap_or(sequence_id))?;
            }
        }
    }
    Ok(())
}
