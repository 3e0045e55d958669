//! A store file that is being served.

use crate::compaction_config::StoreEngine;
use crate::compaction_policy::striped::InStripe;
use crate::compaction_policy::{ALL_AGES, Candidate};
use crate::error::RegionError;
use crate::java_random::hash_code;
use finback_cell::Bytes;
use finback_cell::key::row_of;
use finback_fs::FileSystem;
use finback_hfile::HFileReader;
use finback_hfile::file_info_keys as keys;
use finback_layout::{Half, MOB_CELLS_COUNT, MOB_FILE_REFS, Reference, StoreFileEntry};
use finback_proto::{pb, pbuf};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

/// Written into files that are made to be bulk loaded: when.
const BULKLOAD_TIMESTAMP: &[u8] = b"BULKLOAD_TIMESTAMP";

/// The cells of a bulk loaded file keep the sequence ids that they have: MOB compactions of HBase 1 made such.
const SKIP_RESET_SEQ_ID: &[u8] = b"SKIP_RESET_SEQ_ID";

/// Set by bulk loads that ask for it: only compactions of all files take the file.
const EXCLUDE_FROM_MINOR_COMPACTION: &[u8] = b"EXCLUDE_FROM_MINOR_COMPACTION";

/// Entries of the file info that compactions write.
pub(crate) mod file_info {
    /// HBase's: the first row that a file of a stripe may have; empty when there is none.
    pub(crate) const STRIPE_START_KEY: &[u8] = b"STRIPE_START_KEY";
    /// HBase's: the row after the last that a file of a stripe may have; empty when there is none.
    pub(crate) const STRIPE_END_KEY: &[u8] = b"STRIPE_END_KEY";
    /// Ours, in the form of HBase's compaction event: in all files but the last of a compaction with several, the names
    /// of its inputs. With all of them still there and served the file is of a compaction that came to no end.
    pub(crate) const PART_OF_COMPACTION: &[u8] = b"FINBACK_PART_OF_COMPACTION";
}

/// An open HFile of a store.
#[derive(Debug)]
pub(crate) struct StoreFile {
    reader: Arc<HFileReader>,
    path: PathBuf,
    size_bytes: u64,
    /// When it was written, ms since the epoch: as it says, or else when it was last changed.
    made_ms: i64,
    bulk: Option<BulkLoaded>,
    /// Whether it says that it has references to MOB files.
    refers_to_mob: bool,
    is_historical: bool,
    /// Whether the cells are in a file of another region or table, which others may be reading too.
    is_elsewhere: bool,
    /// Which of the cells are this store's, if not all.
    reference: Option<Arc<Reference>>,
}

/// What is special about a file that was bulk loaded.
#[derive(Clone, Copy, Debug)]
struct BulkLoaded {
    /// The sequence id in its name, or else in its file info.
    sequence_id: Option<u64>,
    /// Whether its cells have sequence ids of their own.
    own_ids: bool,
}

impl StoreFile {
    /// Opens a file that was found in the store's directory.
    pub(crate) fn open(fs: &dyn FileSystem, entry: StoreFileEntry) -> Result<Arc<Self>, RegionError> {
        let place = entry.elsewhere.as_ref().unwrap_or(&entry.path);
        let mut opened = Self::open_at(fs, place, place, entry.bulk_sequence_id)?;
        opened.is_elsewhere = entry.elsewhere.is_some();
        opened.path = entry.path;
        opened.reference = entry.reference.map(Arc::new);
        Ok(Arc::new(opened))
    }

    /// Opens the file that is now at `place` and is about to be renamed to `path`.
    pub(crate) fn open_as(
        fs: &dyn FileSystem,
        place: &Path,
        path: &Path,
        bulk_sequence_id: Option<u64>,
    ) -> Result<Arc<Self>, RegionError> {
        Self::open_at(fs, place, path, bulk_sequence_id).map(Arc::new)
    }

    fn open_at(
        fs: &dyn FileSystem,
        place: &Path,
        path: &Path,
        bulk_sequence_id: Option<u64>,
    ) -> Result<Self, RegionError> {
        let file = fs.open(place).map_err(|error| RegionError::io(place, &error))?;
        let size_bytes = file.len().map_err(|error| RegionError::io(place, &error))?;
        let reader = HFileReader::open_identified(file, path)?;
        let refers_to_mob = refers_to_mob(&reader);
        let is_historical = reader.file_info(keys::HISTORICAL).is_some_and(|flag| flag != [0]);
        let made_ms = match said_ms(&reader) {
            // As some tools make files for a bulk load.
            ..=0 => modified_ms(fs, place)?,
            said => said,
        };
        let bulk = BulkLoaded::of(&reader, bulk_sequence_id);
        let path = path.to_owned();
        Ok(Self {
            reader,
            path,
            size_bytes,
            made_ms,
            bulk,
            refers_to_mob,
            is_historical,
            is_elsewhere: false,
            reference: None,
        })
    }

    /// The reader.
    pub(crate) fn reader(&self) -> &Arc<HFileReader> {
        &self.reader
    }

    /// Where the file is, or what stands in the store for it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its name within the store.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether it says that it has nothing that a read of the present needs.
    pub(crate) fn is_historical(&self) -> bool {
        self.is_historical
    }

    /// Whether it says that it has references to MOB files. HBase before 2.5 does not say so of what a flush has written.
    pub(crate) fn refers_to_mob(&self) -> bool {
        self.refers_to_mob
    }

    /// Whether it says which MOB files it refers to, be it none.
    pub(crate) fn says_if_it_refers_to_mob(&self) -> bool {
        self.reader.file_info(MOB_FILE_REFS).is_some()
    }

    /// Whether the cells are in a file of another region or table, which others may be reading too.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_elsewhere
    }

    /// Which of the cells are this store's, if not all.
    pub(crate) fn reference(&self) -> Option<&Arc<Reference>> {
        self.reference.as_ref()
    }

    /// Timestamp of its oldest put; the least there is when it does not say.
    pub(crate) fn earliest_put(&self) -> i64 {
        self.reader.file_info(keys::EARLIEST_PUT_TS).and_then(long).unwrap_or(i64::MIN)
    }

    /// Names of the files that this one is the compaction of.
    pub(crate) fn compacted_files(&self) -> Vec<Vec<u8>> {
        self.named_by(keys::COMPACTION_EVENT)
    }

    /// Names of the files that this one is a part of the compaction of, and not its last.
    pub(crate) fn inputs_of_part(&self) -> Vec<Vec<u8>> {
        self.named_by(file_info::PART_OF_COMPACTION)
    }

    /// Whether it says that it was compacted from others, whoever made it.
    pub(crate) fn names_others(&self) -> bool {
        let keys = [keys::COMPACTION_EVENT, file_info::PART_OF_COMPACTION];
        keys.iter().any(|key| !self.said_of_others(key).is_empty())
    }

    /// A file that was loaded was not made here: what it has to say of others of its directory is another one's.
    fn named_by(&self, key: &[u8]) -> Vec<Vec<u8>> {
        if self.bulk.is_some() { Vec::new() } else { self.said_of_others(key) }
    }

    fn said_of_others(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let event = self.reader.file_info(key).unwrap_or(b"PBUF");
        let event: Result<pb::CompactionEventTracker, _> = pbuf::decode(event, "CompactionEventTracker");
        event
            .map(|event| event.compacted_store_file.iter().map(|name| name.to_vec()).collect())
            .unwrap_or_default()
    }

    /// What the choice of a compaction needs to know.
    pub(crate) fn candidate(&self) -> Candidate {
        Candidate {
            size_bytes: self.size_bytes,
            written_ms: self.made_ms,
            timestamps: self.range_of_ages(),
            is_empty: self.is_empty(),
            is_major: self.flag(keys::MAJOR_COMPACTION),
            is_bulk_loaded: self.bulk.is_some(),
            major_only: self.flag(EXCLUDE_FROM_MINOR_COMPACTION),
            is_reference: self.reference.is_some(),
            name_hash: hash_code(&self.name()),
        }
    }

    /// What a store with stripes needs to know. A file that has other rows than it tells of counts for all stripes.
    pub(crate) fn in_stripe(&self) -> InStripe {
        let bound = |key| self.reader.file_info(key).map(Bytes::copy_from_slice);
        let rows = bound(file_info::STRIPE_START_KEY).zip(bound(file_info::STRIPE_END_KEY));
        let has_all = |(start, end): &(Bytes, Bytes)| {
            self.row_range()
                .is_none_or(|(first, last)| first >= &start[..] && (end.is_empty() || last < &end[..]))
        };
        // The file that a reference leads to was one of another region's stripes.
        let rows = rows.filter(|rows| self.reference.is_none() && has_all(rows));
        InStripe { rows, cells: self.reader.entry_count() }
    }

    fn flag(&self, key: &[u8]) -> bool {
        self.reader.file_info(key).is_some_and(|flag| flag != [0])
    }

    /// When it was written, ms since the epoch; 0 when it does not say.
    pub(crate) fn written_ms(&self) -> i64 {
        said_ms(&self.reader)
    }

    /// When it was written, ms since the epoch, if a compaction of all files did it.
    pub(crate) fn major_compaction_ms(&self) -> Option<u64> {
        self.flag(keys::MAJOR_COMPACTION).then(|| self.written_ms().unsigned_abs())
    }

    /// Highest sequence id that is written with its cells; 0 without any.
    pub(crate) fn max_cell_sequence_id(&self) -> u64 {
        let highest = self.reader.file_info(keys::MAX_MEMSTORE_TS).and_then(long).unwrap_or(0);
        u64::try_from(highest).unwrap_or(0)
    }

    /// Highest sequence id that any of its cells has, written or not.
    pub(crate) fn highest_sequence_id_of_cells(&self) -> u64 {
        self.bulk_sequence_id().unwrap_or_else(|| self.max_cell_sequence_id())
    }

    /// Whether it, or any of its cells, has a sequence id that means something.
    pub(crate) fn has_sequence_ids(&self) -> bool {
        self.max_sequence_id().unwrap_or(0) > 0 || self.highest_sequence_id_of_cells() > 0
    }

    /// Length in bytes.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The sequence id of all its cells, if it was bulk loaded: 0 if it was loaded under none.
    pub(crate) fn bulk_sequence_id(&self) -> Option<u64> {
        let bulk = self.bulk.filter(|bulk| !bulk.own_ids)?;
        Some(bulk.sequence_id.map_or(0, |sequence_id| self.of_half(sequence_id)))
    }

    /// Whether it was loaded, and its cells have sequence ids of their own.
    pub(crate) fn keeps_ids_of_load(&self) -> bool {
        self.bulk.is_some_and(|bulk| bulk.own_ids)
    }

    /// As HBase does it, top halves are newer than bottom halves of the same file.
    fn of_half(&self, sequence_id: u64) -> u64 {
        let is_top = self.reference.as_ref().is_some_and(|reference| reference.half == Half::Top);
        sequence_id.saturating_add(u64::from(is_top))
    }

    /// All edits of the store up to this one are in this or older files.
    pub(crate) fn max_sequence_id(&self) -> Option<u64> {
        let sequence_id = match self.bulk {
            Some(bulk) => bulk.sequence_id,
            None => self.reader.max_sequence_id(),
        };
        sequence_id.map(|sequence_id| self.of_half(sequence_id))
    }

    /// First and last row, or rows between which the store's half of the cells is; `None` for a file without cells.
    pub(crate) fn row_range(&self) -> Option<(&[u8], &[u8])> {
        let (first, last) = (row_of(self.reader.first_key()?), row_of(self.reader.last_key()?));
        match self.reference.as_deref() {
            None => Some((first, last)),
            Some(Reference { half: Half::Top, split_row }) => {
                (last >= split_row.as_slice()).then(|| (first.max(split_row.as_slice()), last))
            }
            Some(Reference { half: Half::Bottom, split_row }) => {
                (first < split_row.as_slice()).then(|| (first, last.min(split_row.as_slice())))
            }
        }
    }

    /// Lowest and highest timestamp; `None` when the file does not say.
    pub(crate) fn time_range(&self) -> Option<(i64, i64)> {
        self.reader.time_range()
    }

    /// The same for what goes by age. In HBase a file without cells is of all ages there.
    fn range_of_ages(&self) -> Option<(i64, i64)> {
        if self.is_empty() { Some(ALL_AGES) } else { self.time_range() }
    }

    fn is_empty(&self) -> bool {
        self.reader.entry_count() == 0
    }

    /// Older files first: by sequence id, then in a date-tiered store by the newest cell, then larger first, then by
    /// the time of the bulk load, then by name.
    pub(crate) fn age_order(&self, other: &Self, engine: StoreEngine) -> Ordering {
        let newest = |file: &Self| match engine {
            StoreEngine::DateTiered => file.range_of_ages().map_or(i64::MAX, |(_, newest)| newest),
            StoreEngine::Default | StoreEngine::Stripe => 0,
        };
        self.max_sequence_id()
            .cmp(&other.max_sequence_id())
            .then_with(|| newest(self).cmp(&newest(other)))
            .then_with(|| other.size_bytes.cmp(&self.size_bytes))
            .then_with(|| self.bulk_load_ms().cmp(&other.bulk_load_ms()))
            .then_with(|| self.path.cmp(&other.path))
    }

    /// When it was made for a bulk load, ms since the epoch. As for HBase, files that were not sort behind.
    fn bulk_load_ms(&self) -> i64 {
        self.reader.file_info(BULKLOAD_TIMESTAMP).and_then(long).unwrap_or(i64::MAX)
    }
}

/// When a file was written, ms since the epoch, as it says; 0 when it does not.
fn said_ms(reader: &HFileReader) -> i64 {
    reader.file_info(keys::CREATE_TIME).and_then(long).unwrap_or(0)
}

/// When a file was last changed, ms since the epoch.
fn modified_ms(fs: &dyn FileSystem, path: &Path) -> Result<i64, RegionError> {
    let modified = fs.metadata(path).map_err(|error| RegionError::io(path, &error))?.modified;
    let since_epoch = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}

impl BulkLoaded {
    /// `None` for a file that was not bulk loaded.
    fn of(reader: &HFileReader, in_name: Option<u64>) -> Option<Self> {
        if in_name.is_none() && reader.file_info(BULKLOAD_TIMESTAMP).is_none() {
            return None;
        }
        // Of a load that has none its own mean nothing either.
        let own_ids =
            in_name != Some(0) && reader.file_info(SKIP_RESET_SEQ_ID).is_some_and(|flag| flag != [0]);
        Some(Self { sequence_id: in_name.or_else(|| reader.max_sequence_id()), own_ids })
    }
}

/// Whether a file says that it has references to MOB files.
fn refers_to_mob(reader: &HFileReader) -> bool {
    let has_cells = reader.file_info(MOB_CELLS_COUNT).and_then(long).is_some_and(|cells| cells > 0);
    has_cells || reader.file_info(MOB_FILE_REFS).is_some_and(|names| !matches!(names, [] | [0]))
}

fn long(bytes: &[u8]) -> Option<i64> {
    Some(i64::from_be_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests;
