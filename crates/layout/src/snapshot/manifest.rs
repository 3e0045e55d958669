//! Which files a snapshot has, checked: names lead nowhere but into the directories of tables.

use std::path::Path;

use finback_cell::{Bytes, RegionInfo, TableDescriptor};
use finback_fs::FileSystem;
use finback_proto::{
    Message,
    footprint::{self, Measured},
    pb,
};
use pb::snapshot_region_manifest as message;

use crate::{LayoutError, MobFileName, Reference, Result, RootDir, StoreFileName, small_file};

pub(super) const DATA_MANIFEST: &str = "data.manifest";
pub(super) const REGION_MANIFEST: &str = "region-manifest.";
/// A manifest is no longer than this (HBase's `snapshot.manifest.size.limit`).
pub(super) const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// A snapshot's table and its files.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotManifest {
    /// The table as it was.
    pub table: TableDescriptor,
    /// Its regions, and the one that has its MOB files.
    pub regions: Vec<RegionFiles>,
}

/// The files of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionFiles {
    /// The region.
    pub region: RegionInfo,
    /// By family.
    pub families: Vec<FamilyFiles>,
}

/// The files of a family of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct FamilyFiles {
    /// The family's name.
    pub name: Bytes,
    /// Its files.
    pub files: Vec<SnapshotFile>,
}

/// A store file.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotFile {
    /// Its name in the family's directory: a file's, a link's or a reference's.
    pub name: String,
    /// What it says, if it is a reference.
    pub reference: Option<Reference>,
    /// Length in bytes of the file that has the cells.
    pub size: Option<u64>,
}

impl RootDir {
    /// Reads which files a complete snapshot has.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`], [`LayoutError::Unsupported`] for HBase's first format; the storage's, `NotFound` among
    /// them.
    pub fn read_snapshot_manifest(&self, name: &str) -> Result<SnapshotManifest> {
        let dir = self.snapshot_dir(name)?;
        let info = self.read_snapshot_info(name)?;
        if info.version() != super::info::VERSION {
            return Err(LayoutError::Unsupported { path: dir, what: "a snapshot of another version than 2" });
        }
        let path = dir.join(DATA_MANIFEST);
        let manifest: pb::SnapshotDataManifest = read(&**self.fs(), &path)?;
        let corrupt = |reason: String| LayoutError::Corrupt { path: path.clone(), reason };
        let table = TableDescriptor::try_from(&manifest.table_schema).map_err(|e| corrupt(e.to_string()))?;
        let regions =
            manifest.region_manifests.iter().map(RegionFiles::of).collect::<std::result::Result<_, _>>();
        Ok(SnapshotManifest { table, regions: regions.map_err(corrupt)? })
    }
}

/// Reads a manifest; not one that would take many times its length in memory, as no table has it.
pub(super) fn read<M: Measured>(fs: &dyn FileSystem, path: &Path) -> Result<M> {
    let bytes = Bytes::from(small_file::read_at_most(fs, path, MAX_MANIFEST_BYTES)?);
    let corrupt = |reason: String| LayoutError::Corrupt { path: path.to_owned(), reason };
    footprint::measure::<M>(&bytes, footprint::budget(bytes.len())).map_err(|e| corrupt(e.to_string()))?;
    M::decode(bytes).map_err(|error| corrupt(error.to_string()))
}

impl SnapshotManifest {
    /// The regions that the table is made of.
    pub fn table_regions(&self) -> impl Iterator<Item = &RegionFiles> {
        self.regions.iter().filter(|files| !files.are_mob_files())
    }

    /// The MOB files of the table, if it has a family that has such.
    pub fn mob_files(&self) -> Option<&RegionFiles> {
        self.regions.iter().find(|files| files.are_mob_files())
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        pb::SnapshotDataManifest {
            table_schema: (&self.table).into(),
            region_manifests: self.regions.iter().map(RegionFiles::to_message).collect(),
        }
        .encode_to_vec()
    }

    /// The same, if it can be read again: what a snapshot needs that cannot be read nobody knows, and the archive would never be
    /// cleaned any more. Else, why it cannot.
    pub(super) fn encode_readable(&self, max_bytes: u64) -> std::result::Result<Vec<u8>, String> {
        let bytes = self.encode();
        if bytes.len() as u64 > max_bytes {
            return Err(format!("{} bytes, more than {max_bytes}", bytes.len()));
        }
        footprint::measure::<pb::SnapshotDataManifest>(&bytes, footprint::budget(bytes.len()))
            .map_err(|error| error.to_string())?;
        Ok(bytes)
    }
}

impl RegionFiles {
    /// Whether it is no region of the table, but what its MOB files are filed under: no other has 0 for an id.
    pub(super) fn are_mob_files(&self) -> bool {
        self.region.start_key == ".mob" && self.region.region_id == 0
    }

    /// The files that a message names; else, what is wrong with it.
    pub(super) fn of(manifest: &pb::SnapshotRegionManifest) -> std::result::Result<Self, String> {
        let region = RegionInfo::try_from(&manifest.region_info).map_err(|error| error.to_string())?;
        let families =
            manifest.family_files.iter().map(FamilyFiles::of).collect::<std::result::Result<_, _>>()?;
        Ok(Self { region, families })
    }

    pub(super) fn to_message(&self) -> pb::SnapshotRegionManifest {
        pb::SnapshotRegionManifest {
            version: None,
            region_info: (&self.region).into(),
            family_files: self.families.iter().map(FamilyFiles::to_message).collect(),
        }
    }
}

impl FamilyFiles {
    fn of(family: &message::FamilyFiles) -> std::result::Result<Self, String> {
        let name = std::str::from_utf8(&family.family_name).unwrap_or_default();
        // It becomes a directory.
        if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\', '\0', ':']) {
            return Err(format!("{} is no family's name", family.family_name.escape_ascii()));
        }
        let files = family.store_files.iter().map(SnapshotFile::of).collect::<std::result::Result<_, _>>()?;
        Ok(Self { name: family.family_name.clone(), files })
    }

    fn to_message(&self) -> message::FamilyFiles {
        let store_files = self.files.iter().map(SnapshotFile::to_message).collect();
        message::FamilyFiles { family_name: self.name.clone(), store_files }
    }
}

impl SnapshotFile {
    fn of(file: &message::StoreFile) -> std::result::Result<Self, String> {
        if StoreFileName::parse(&file.name).is_none() && MobFileName::parse(&file.name).is_none() {
            return Err(format!("{} is no store file's name", file.name));
        }
        let reference = file.reference.as_ref().map(Reference::of).transpose()?;
        Ok(Self { name: file.name.clone(), reference, size: file.file_size })
    }

    fn to_message(&self) -> message::StoreFile {
        let reference = self.reference.as_ref().map(Reference::to_message);
        message::StoreFile { name: self.name.clone(), reference, file_size: self.size }
    }
}
