//! Regions that are made of a snapshot have [links](crate::file_links) to its files, and none of their own, and references to what links
//! lead to:
//!
//! ```text
//! data/<ns>/<table>/<region>/<family>/[<ns>=]<table>=<region>-<file>.<region>
//! ```
//!
//! So too MOB files, below `mobdir`, where the region is the table's MOB region in either case. Whoever reads them does not need
//! the links: the cells name the table. They keep the files from being taken out of the archive.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_proto::pb;

use super::manifest::{FamilyFiles, SnapshotFile, SnapshotManifest};
use crate::{
    FileLink, LayoutError, Reference, Result, RootDir, StoreFileName, StoreFileTracker, error::At,
    mob_region, small_file,
};

/// A region that is being made.
struct Making<'a> {
    table: &'a TableName,
    /// The region of the snapshot.
    from: String,
    /// The table of the snapshot.
    from_table: &'a TableName,
    region: String,
    /// Encoded names of the regions that are made of those of the snapshot.
    made: &'a BTreeMap<String, String>,
}

/// Files that are going to be written, and the sizes of what they lead to by name.
#[derive(Default)]
struct Planned {
    back_references: Vec<PathBuf>,
    links: Vec<PathBuf>,
    references: Vec<(PathBuf, Vec<u8>)>,
    listed: Vec<(String, u64)>,
}

impl RootDir {
    /// Makes regions in the directory of a table, each of one that a snapshot has: `regions` are pairs of these. They do not
    /// count before hbase:meta has them; a crash leaves some of them. The table gets links to all MOB files of the snapshot, its
    /// own too.
    ///
    /// # Errors
    /// [`LayoutError::NotFound`] if there is no such snapshot any more, [`LayoutError::Corrupt`] if it has no such region;
    /// the storage's.
    pub fn make_regions_of_snapshot(
        &self,
        snapshot: &pb::SnapshotDescription,
        table: &TableDescriptor,
        regions: &[(RegionInfo, RegionInfo)],
    ) -> Result<()> {
        let dir = self.snapshot_dir(&snapshot.name)?;
        let manifest = self.manifest_of(snapshot)?;
        self.verify_snapshot(&snapshot.name, &manifest.table.name, &manifest)?;
        let made = regions.iter().map(|(old, new)| (old.encoded_name(), new.encoded_name())).collect();
        for (old, new) in regions {
            let from = old.encoded_name();
            let Some(files) = manifest.regions.iter().find(|files| files.region.encoded_name() == from)
            else {
                return Err(LayoutError::Corrupt { path: dir, reason: format!("there is no region {from}") });
            };
            let making = Making {
                table: &table.name,
                from,
                from_table: &manifest.table.name,
                region: new.encoded_name(),
                made: &made,
            };
            for family in &files.families {
                self.make_family(&making, table, family)?;
            }
            self.create_region_dir(new)?;
        }
        // Behind the store files, to which a sweep that begins now looks what they refer to.
        let Some(files) = manifest.mob_files() else { return Ok(()) };
        let making = Making {
            table: &table.name,
            from: files.region.encoded_name(),
            from_table: &manifest.table.name,
            region: mob_region(&table.name),
            made: &made,
        };
        files.families.iter().try_for_each(|family| self.link_mob_files(&making, family))
    }

    /// What a snapshot has, if it is the one that is described.
    pub(super) fn manifest_of(&self, snapshot: &pb::SnapshotDescription) -> Result<SnapshotManifest> {
        let is_same = match self.read_snapshot_info(&snapshot.name) {
            Err(error) if error.is_not_found() => false,
            read => read? == *snapshot,
        };
        match is_same {
            true => self.read_snapshot_manifest(&snapshot.name),
            false => {
                Err(LayoutError::NotFound { what: "snapshot", path: self.snapshot_dir(&snapshot.name)? })
            }
        }
    }

    /// Of a table that becomes what it was there may be files in their places still. They are linked like those that are not: a sweep
    /// that has looked before may be about to move them to the archive, where a link keeps them.
    fn link_mob_files(&self, making: &Making<'_>, family: &FamilyFiles) -> Result<()> {
        let dir = self.mob_family_dir(making.table, &family.name);
        let mut planned = Planned::default();
        for file in &family.files {
            if matches!(StoreFileName::parse(&file.name), Some(StoreFileName::Reference { .. })) {
                let (path, reason) = (dir.join(&file.name), "a reference, where MOB files are".to_owned());
                return Err(LayoutError::Corrupt { path, reason });
            }
            self.plan(making, &family.name, &dir, file, &mut planned)?;
        }
        self.create_empty(&planned.back_references)?;
        self.create_empty(&planned.links)
    }

    fn make_family(&self, making: &Making<'_>, table: &TableDescriptor, family: &FamilyFiles) -> Result<()> {
        let dir = self.family_dir(making.table, &making.region, &family.name);
        let mut planned = Planned::default();
        for file in &family.files {
            self.plan(making, &family.name, &dir, file, &mut planned)?;
        }
        // Nothing leads to a file before the file knows of it.
        self.create_empty(&planned.back_references)?;
        self.fs().create_dir_all(&dir).at(&dir)?;
        self.create_empty(&planned.links)?;
        small_file::write_all_new(&**self.fs(), &planned.references)?;
        let tracker = table.family(&family.name).map(|family| StoreFileTracker::of(table, family));
        if tracker.is_some_and(|tracker| tracker.is_ok_and(StoreFileTracker::writes_list)) {
            let listed = planned.listed.iter().map(|(name, size)| (name.as_str(), *size));
            self.write_store_file_list(making.table, &making.region, &family.name, listed)?;
        }
        Ok(())
    }

    fn plan(
        &self,
        making: &Making<'_>,
        family: &[u8],
        dir: &Path,
        file: &SnapshotFile,
        planned: &mut Planned,
    ) -> Result<()> {
        let to = (making.table, making.region.as_str());
        let of_region = |region, file| FileLink { table: making.from_table.clone(), region, file };
        let parsed = StoreFileName::parse(&file.name);
        let name = match &parsed {
            Some(StoreFileName::Link(link)) => {
                planned.back_references.push(self.back_reference(link, family, to));
                planned.links.push(dir.join(&file.name));
                file.name.clone()
            }
            Some(StoreFileName::Reference { file: referred, region }) => {
                let link = match StoreFileName::parse(referred) {
                    Some(StoreFileName::Link(link)) => link,
                    _ => of_region(region, referred),
                };
                let parent = making.made.get(*region);
                if parent.is_none() {
                    // No region that is made has a link to it.
                    planned.back_references.push(self.back_reference(&link, family, to));
                }
                let name = format!("{link}.{}", parent.map_or(*region, String::as_str));
                planned.references.push((dir.join(&name), self.content(making, family, file)?));
                name
            }
            _ => {
                let link = of_region(&making.from, &file.name);
                planned.back_references.push(self.back_reference(&link, family, to));
                planned.links.push(dir.join(link.to_string()));
                link.to_string()
            }
        };
        planned.listed.push((name, file.size.unwrap_or(0)));
        Ok(())
    }

    /// What a reference says; HBase's first snapshots do not have it.
    fn content(&self, making: &Making<'_>, family: &[u8], file: &SnapshotFile) -> Result<Vec<u8>> {
        if let Some(reference) = &file.reference {
            return Ok(reference.encode());
        }
        let path = self.served_or_archived(making.from_table, &making.from, family, &file.name)?;
        Reference::read(&**self.fs(), &path).map(|reference| reference.encode())
    }

    /// Puts away all regions of a table but these.
    ///
    /// # Errors
    /// As [`archive_region`](Self::archive_region).
    pub fn archive_other_regions(&self, table: &TableName, keep: &[String]) -> Result<()> {
        let mut regions = self.list_regions(table)?;
        regions.retain(|region| !keep.contains(region));
        regions.iter().try_for_each(|region| self.archive_region(table, region))
    }
}
