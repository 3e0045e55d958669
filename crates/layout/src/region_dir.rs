//! ```text
//! data/<ns>/<table>/<encoded region>/.regioninfo:   "PBUF" | varint length | RegionInfo
//! data/<ns>/<table>/<encoded region>/recovered.edits/<n>.seqid:   empty; n is a sequence id that the region has used up
//! data/<ns>/<table>/<encoded region>/recovered.edits/<n>.flushed: empty; all edits up to n are in store files
//! ```

use std::path::{Path, PathBuf};

use finback_cell::{RegionInfo, TableName, region_info::META_ENCODED_NAME};
use finback_fs::{DirEntry, write_file_durably};
use finback_proto::{pb, pbuf};

use crate::{LayoutError, Result, RootDir, error::At, small_file};

const REGION_INFO: &str = ".regioninfo";

/// How the names of a kind of notes end: what is written, and what was.
type Suffixes = &'static [&'static str];
/// The second is that of HBase 0.98.
const SEQUENCE_ID: Suffixes = &[".seqid", "_seqid"];
/// HBase does not look at these.
const FLUSHED: Suffixes = &[".flushed"];

impl RootDir {
    /// Encoded names of the region directories of a table, sorted. None if there is no such table.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_regions(&self, table: &TableName) -> Result<Vec<String>> {
        let entries = self.list_if_exists(&self.table_dir(table))?;
        Ok(entries.into_iter().filter(|e| e.is_dir && is_encoded_name(&e.name)).map(|e| e.name).collect())
    }

    /// Makes a region's directory, with its `.regioninfo`, if it is not there.
    ///
    /// # Errors
    /// The storage's.
    pub fn create_region_dir(&self, region: &RegionInfo) -> Result<()> {
        let dir = self.region_dir(&region.table, &region.encoded_name());
        self.fs().create_dir_all(&dir).at(&dir)?;
        let path = self.region_info_path(region);
        match self.fs().exists(&path).at(&path)? {
            true => Ok(()),
            false => self.write_region_info(region),
        }
    }

    /// Where the `.regioninfo` of a region is.
    pub fn region_info_path(&self, region: &RegionInfo) -> PathBuf {
        self.region_dir(&region.table, &region.encoded_name()).join(REGION_INFO)
    }

    /// Writes a region's `.regioninfo`, whatever was there.
    ///
    /// # Errors
    /// The storage's; what was there is there then.
    pub fn write_region_info(&self, region: &RegionInfo) -> Result<()> {
        let path = self.region_info_path(region);
        let content = pbuf::encode_delimited(&pb::RegionInfo::from(region));
        write_file_durably(&**self.fs(), &path, &content).at(&path)
    }

    /// Makes the directories of a region's families that are not there, as HBase does when it opens a region.
    ///
    /// # Errors
    /// The storage's.
    pub fn create_family_dirs<'a>(
        &self,
        region: &RegionInfo,
        families: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<()> {
        let (table, encoded) = (&region.table, region.encoded_name());
        let there = self.list_families(table, &encoded)?;
        let is_missing = |family: &&[u8]| !there.iter().any(|name| name.as_bytes() == *family);
        let missing = families.into_iter().filter(is_missing);
        let dirs: Vec<_> = missing.map(|family| self.family_dir(table, &encoded, family)).collect();
        match dirs.is_empty() {
            true => Ok(()),
            false => self.fs().create_dirs_all(&dirs).at(&self.region_dir(table, &encoded)),
        }
    }

    /// Reads a region's `.regioninfo`.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`], also where it is another region's; the storage's, `NotFound` among them.
    pub fn read_region_info(&self, table: &TableName, encoded_region: &str) -> Result<RegionInfo> {
        let path = self.region_dir(table, encoded_region).join(REGION_INFO);
        let bytes = small_file::read(&**self.fs(), &path)?;
        let corrupt = |reason: String| LayoutError::Corrupt { path: path.clone(), reason };
        let message: pb::RegionInfo =
            pbuf::decode_delimited(&bytes, "RegionInfo").map_err(|e| corrupt(e.to_string()))?;
        let region = RegionInfo::try_from(&message).map_err(|e| corrupt(e.to_string()))?;
        if region.table != *table || region.encoded_name() != encoded_region {
            return Err(corrupt(format!("it describes {}", region.encoded_name())));
        }
        Ok(region)
    }

    /// The largest sequence id that the region is known to have used up, if any is noted, in whichever kind of note.
    ///
    /// # Errors
    /// The storage's.
    pub fn max_noted_sequence_id(&self, table: &TableName, encoded_region: &str) -> Result<Option<u64>> {
        // After a crash one of the notes of a close may be there without the other.
        self.largest_note(table, encoded_region, &[SEQUENCE_ID, FLUSHED])
    }

    /// Up to which sequence id all edits of the region were in store files when it was closed last, if that was noted.
    ///
    /// # Errors
    /// The storage's.
    pub fn flushed_before_close(&self, table: &TableName, encoded_region: &str) -> Result<Option<u64>> {
        self.largest_note(table, encoded_region, &[FLUSHED])
    }

    fn largest_note(
        &self,
        table: &TableName,
        encoded_region: &str,
        kinds: &[Suffixes],
    ) -> Result<Option<u64>> {
        let entries = self.list_if_exists(&self.recovered_edits_dir(table, encoded_region))?;
        let noted = |entry: &DirEntry| kinds.iter().find_map(|kind| noted(&entry.name, kind));
        Ok(entries.iter().filter_map(noted).max())
    }

    /// Notes in `recovered.edits/<n>.seqid` that the region has used sequence ids up to `n`, then removes older notes.
    ///
    /// # Errors
    /// The storage's; the older notes are then still there.
    pub fn write_sequence_id_file(&self, table: &TableName, encoded_region: &str, n: u64) -> Result<()> {
        self.note(table, encoded_region, n, &[SEQUENCE_ID])
    }

    /// As [`RootDir::write_sequence_id_file`]; and in `recovered.edits/<n>.flushed` that all edits up to `n` are in store files.
    ///
    /// # Errors
    /// The storage's; the older notes are then still there.
    pub fn write_close_notes(&self, table: &TableName, encoded_region: &str, n: u64) -> Result<()> {
        self.note(table, encoded_region, n, &[SEQUENCE_ID, FLUSHED])
    }

    fn note(&self, table: &TableName, encoded_region: &str, n: u64, kinds: &[Suffixes]) -> Result<()> {
        let dir = self.recovered_edits_dir(table, encoded_region);
        self.fs().create_dir_all(&dir).at(&dir)?;
        for kind in kinds {
            let path = dir.join(format!("{n}{}", kind[0]));
            match self.fs().create_new(&path) {
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => return Err(e).at(&path),
                _ => {}
            }
        }
        self.fs().sync_dir(&dir).at(&dir)?;
        for entry in self.list_if_exists(&dir)? {
            if kinds.iter().any(|kind| noted(&entry.name, kind).is_some_and(|old| old < n)) {
                small_file::remove_if_exists(&**self.fs(), &dir.join(entry.name))?;
            }
        }
        Ok(()) // An old note that comes back after a crash does no harm: the largest counts.
    }
}

/// The `.regioninfo` of a region, below its table's directory.
pub(crate) fn region_info_file(table_dir: &Path, region: &RegionInfo) -> (PathBuf, Vec<u8>) {
    let content = pbuf::encode_delimited(&pb::RegionInfo::from(region));
    (table_dir.join(region.encoded_name()).join(REGION_INFO), content)
}

/// Whether a name can be a region's encoded name.
pub(crate) fn is_encoded_name(name: &str) -> bool {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    name == META_ENCODED_NAME || (name.len() == 32 && name.bytes().all(hex))
}

fn noted(name: &str, kind: Suffixes) -> Option<u64> {
    kind.iter().find_map(|suffix| name.strip_suffix(suffix))?.parse().ok()
}
