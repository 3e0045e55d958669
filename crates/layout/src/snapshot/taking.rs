//! A snapshot is made in `.tmp`, region by region, and becomes valid by one rename.

use std::path::{Path, PathBuf};

use finback_cell::{Bytes, RegionInfo, TableDescriptor, TableName};
use finback_proto::{Message, pb};

use super::{
    info::{SNAPSHOT_INFO, check_name},
    manifest::{
        DATA_MANIFEST, FamilyFiles, MAX_MANIFEST_BYTES, REGION_MANIFEST, RegionFiles, SnapshotFile,
        SnapshotManifest, read,
    },
};
use crate::{
    LayoutError, Reference, Result, RootDir, StoreFileName, StoreFileTracker, error::At, small_file,
};

impl RootDir {
    /// Begins a snapshot; what an earlier attempt at it left is removed.
    ///
    /// # Errors
    /// As [`snapshot_dir`](Self::snapshot_dir); the storage's.
    pub fn begin_snapshot(&self, snapshot: &pb::SnapshotDescription) -> Result<()> {
        let dir = self.working_snapshot_dir(&snapshot.name)?;
        small_file::remove_dir_if_exists(&**self.fs(), &dir)?;
        self.fs().create_dir_all(&dir).at(&dir)?;
        small_file::write_all_new(&**self.fs(), &[(dir.join(SNAPSHOT_INFO), snapshot.encode_to_vec())])
    }

    /// Adds a region to a snapshot that was begun. `files` are the names of its store files by family, as whoever serves
    /// the region says; None: those that its directory has, which nobody serves.
    ///
    /// # Errors
    /// [`LayoutError::NotFound`] for a file that is neither in its place nor in the archive; the storage's.
    pub fn add_region_to_snapshot(
        &self,
        snapshot: &str,
        table: &TableDescriptor,
        region: &RegionInfo,
        files: Option<&[(Bytes, Vec<String>)]>,
    ) -> Result<()> {
        let mut families = Vec::new();
        for family in &table.families {
            let served = files.map(|files| files.iter().filter(|(name, _)| *name == family.name));
            let names = match served {
                Some(served) => served.flat_map(|(_, names)| names).cloned().collect(),
                None => self.names_on_disk(table, region, &family.name)?,
            };
            let describe = |name: String| self.describe_file(region, &family.name, name);
            let files = names.into_iter().map(describe).collect::<Result<_>>()?;
            families.push(FamilyFiles { name: family.name.clone(), files });
        }
        let working = self.working_snapshot_dir(snapshot)?;
        self.write_region_manifest(&working, &RegionFiles { region: region.clone(), families })
    }

    /// In the place of what there is of it.
    pub(super) fn write_region_manifest(&self, working: &Path, manifest: &RegionFiles) -> Result<()> {
        let path = region_manifest_path(working, &manifest.region);
        small_file::remove_if_exists(&**self.fs(), &path)?;
        small_file::write_new(&**self.fs(), &path, &manifest.to_message().encode_to_vec())
    }

    /// Completes a snapshot that has all of `regions`, with the MOB files that the table has by now. One that is complete already,
    /// with the same description, stays as it is.
    ///
    /// # Errors
    /// [`LayoutError::Exists`] if there is another one of that name; [`LayoutError::Corrupt`] if a region, or a file of
    /// one, is missing; the storage's.
    pub fn complete_snapshot(
        &self,
        snapshot: &pb::SnapshotDescription,
        table: &TableDescriptor,
        regions: &[RegionInfo],
    ) -> Result<()> {
        let (dir, working) = (self.snapshot_dir(&snapshot.name)?, self.working_snapshot_dir(&snapshot.name)?);
        if self.fs().exists(&dir).at(&dir)? {
            return match self.read_snapshot_info(&snapshot.name)? == *snapshot {
                true => small_file::remove_dir_if_exists(&**self.fs(), &working),
                false => Err(LayoutError::Exists { what: "snapshot", path: dir }),
            };
        }
        self.add_mob_files_to_snapshot(&snapshot.name, table)?;
        let of_mob_files = RegionInfo::of_mob_files(table.name.clone());
        let mut files = self.region_manifests(&working, regions)?;
        files.extend(self.region_manifest(&working, &of_mob_files)?);
        let manifest = SnapshotManifest { table: table.clone(), regions: files };
        self.verify_snapshot_files(&dir, &table.name, &manifest)?;
        let path = working.join(DATA_MANIFEST);
        let encoded = manifest.encode_readable(MAX_MANIFEST_BYTES);
        let encoded = encoded.map_err(|reason| LayoutError::Corrupt { path: path.clone(), reason })?;
        small_file::write_all_new(&**self.fs(), &[(path, encoded)])?;
        for region in regions.iter().chain([&of_mob_files]) {
            small_file::remove_if_exists(&**self.fs(), &region_manifest_path(&working, region))?;
        }
        self.fs().sync_dir(&working).at(&working)?;
        self.fs().rename(&working, &dir).at(&working)
    }

    /// Removes what there is of a snapshot that comes to no end.
    ///
    /// # Errors
    /// The storage's.
    pub fn discard_snapshot(&self, name: &str) -> Result<()> {
        small_file::remove_dir_if_exists(&**self.fs(), &self.working_snapshot_dir(name)?)
    }

    /// Removes what a crash left of snapshots that were being taken or removed.
    ///
    /// # Errors
    /// The storage's.
    pub fn sweep_snapshots(&self) -> Result<()> {
        small_file::remove_dir_if_exists(&**self.fs(), &self.working_snapshots_dir())
    }

    fn region_manifests(&self, working: &Path, regions: &[RegionInfo]) -> Result<Vec<RegionFiles>> {
        let mut manifests = Vec::with_capacity(regions.len());
        for region in regions {
            let Some(files) = self.region_manifest(working, region)? else {
                let path = region_manifest_path(working, region);
                let reason = format!("no region {} in the snapshot", region.encoded_name());
                return Err(LayoutError::Corrupt { path, reason });
            };
            manifests.push(files);
        }
        Ok(manifests)
    }

    /// What there is of a region in a snapshot that is being taken.
    pub(super) fn region_manifest(&self, working: &Path, region: &RegionInfo) -> Result<Option<RegionFiles>> {
        let path = region_manifest_path(working, region);
        let message = match read(&**self.fs(), &path) {
            Err(error) if error.is_not_found() => return Ok(None),
            read => read?,
        };
        let files = RegionFiles::of(&message).map_err(|reason| LayoutError::Corrupt { path, reason })?;
        Ok(Some(files))
    }

    fn names_on_disk(
        &self,
        table: &TableDescriptor,
        region: &RegionInfo,
        family: &Bytes,
    ) -> Result<Vec<String>> {
        let encoded = region.encoded_name();
        let tracker = table.family(family).map(|family| StoreFileTracker::of(table, family));
        let reads_list = tracker.is_some_and(|tracker| tracker.is_ok_and(StoreFileTracker::reads_list));
        let files = match reads_list {
            true => self.listed_store_files(&region.table, &encoded, family)?,
            false => self.list_store_files(&region.table, &encoded, family)?,
        };
        Ok(files.into_iter().map(|file| file.name).collect())
    }

    fn describe_file(&self, region: &RegionInfo, family: &[u8], name: String) -> Result<SnapshotFile> {
        let (table, encoded) = (&region.table, region.encoded_name());
        let Some(parsed) = StoreFileName::parse(&name) else {
            let path = self.family_dir(table, &encoded, family).join(name);
            return Err(LayoutError::Corrupt { path, reason: "no store file's name".to_owned() });
        };
        let reference = match parsed {
            StoreFileName::Reference { .. } => Some(Reference::read(
                &**self.fs(),
                &self.served_or_archived(table, &encoded, family, &name)?,
            )?),
            _ => None,
        };
        let size = self.length_of_cells(table, &encoded, family, &name)?;
        Ok(SnapshotFile { name, reference, size: Some(size) })
    }

    /// Whether there can be a snapshot of that name.
    ///
    /// # Errors
    /// [`LayoutError::Name`].
    pub fn check_snapshot_name(name: &str) -> Result<()> {
        check_name(name)
    }

    /// The table of a snapshot.
    ///
    /// # Errors
    /// [`LayoutError::Name`].
    pub fn snapshot_table(snapshot: &pb::SnapshotDescription) -> Result<TableName> {
        let name = snapshot.table();
        TableName::parse(name.as_bytes())
            .map_err(|error| LayoutError::Name { name: name.to_owned(), reason: error.to_string() })
    }
}

fn region_manifest_path(working: &Path, region: &RegionInfo) -> PathBuf {
    working.join(format!("{REGION_MANIFEST}{}", region.encoded_name()))
}
