//! The MOB files of a table in its snapshots: they stand there as those of one region more, which hbase:meta does not have.

use std::collections::{HashMap, HashSet};

use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_fs::DirEntry;
use finback_proto::pb;

use super::manifest::{FamilyFiles, RegionFiles, SnapshotFile};
use crate::{FileLink, MobFileName, Result, RootDir, StoreFileName, archive::is_written_by, mob_region};

impl RootDir {
    /// Adds the MOB files that a table has to a snapshot that was begun, to those that were added before.
    ///
    /// HBase lists them once, behind the regions. A compaction may meanwhile have written anew what a file had that a store file
    /// of the snapshot refers to, and the file be gone to the archive. So here they are listed before the first region is added,
    /// and by [`complete_snapshot`](Self::complete_snapshot) again: what is referred to was there then, or has come since. A file
    /// that has both come and gone to the archive in between is not among them; but servers do not put away what is young.
    ///
    /// # Errors
    /// The storage's.
    pub fn add_mob_files_to_snapshot(&self, snapshot: &str, table: &TableDescriptor) -> Result<()> {
        let working = self.working_snapshot_dir(snapshot)?;
        let region = RegionInfo::of_mob_files(table.name.clone());
        let before = self.region_manifest(&working, &region)?;
        let mut before = before.map_or_else(Vec::new, |files| files.families);
        let mut families = Vec::new();
        for family in &table.families {
            let added = before.iter_mut().find(|known| known.name == family.name);
            let mut files = added.map_or_else(Vec::new, |known| std::mem::take(&mut known.files));
            let known: HashSet<String> = files.iter().map(|file| file.name.clone()).collect();
            for entry in self.list_mob_files(&table.name, &family.name)? {
                if is_served(&entry) && !known.contains(&entry.name) {
                    // Of a link, too, the length is its own, which is none: to HBase that is no HFileLink.
                    files.push(SnapshotFile { name: entry.name, reference: None, size: Some(entry.len) });
                }
            }
            // One without files has no entry, as HBase's.
            if !files.is_empty() {
                families.push(FamilyFiles { name: family.name.clone(), files });
            }
        }
        // A family that has become another may have references still, which HBase forgets.
        let has_mob_files = table.families.iter().any(|family| family.mob_threshold_bytes().is_some());
        match has_mob_files || !families.is_empty() {
            true => self.write_region_manifest(&working, &RegionFiles { region, families }),
            false => Ok(()),
        }
    }

    /// Moves those MOB files of a table that was restored to the archive which its snapshot does not have, as HBase does, unless
    /// one of `regions` has written them: those are of the restored table. If it tells of none, all stay: its store files may refer to
    /// some all the same, of a family that has IS_MOB no more. No error if the snapshot is gone: they stay, too.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_mob_files_not_in_snapshot(
        &self,
        snapshot: &pb::SnapshotDescription,
        table: &TableName,
        regions: &[String],
    ) -> Result<()> {
        let manifest = match self.manifest_of(snapshot) {
            Err(error) if error.is_not_found() => return Ok(()),
            read => read?,
        };
        let Some(files) = manifest.mob_files() else { return Ok(()) };
        let region = mob_region(&manifest.table.name);
        let mut kept: HashMap<&[u8], HashSet<String>> = HashMap::new();
        for family in &files.families {
            let names = kept.entry(&family.name).or_default();
            for SnapshotFile { name, .. } in &family.files {
                let link = FileLink { table: manifest.table.name.clone(), region: &region, file: name };
                names.extend([link.to_string(), name.clone()]);
            }
        }
        self.archive_mob_files(table, |family, name| {
            is_written_by(name, regions)
                || kept.get(family.as_bytes()).is_some_and(|names| names.contains(name))
        })
    }
}

/// Whether it is a MOB file, or a link to one: whatever else lies there is nobody's.
fn is_served(entry: &DirEntry) -> bool {
    match StoreFileName::parse(&entry.name) {
        Some(StoreFileName::Link(_)) => true,
        // Those of HBase before 2.5 do not say which region wrote them, and are called as store files are.
        Some(StoreFileName::Plain) => entry.len > 0,
        Some(_) => false,
        None => entry.len > 0 && MobFileName::parse(&entry.name).is_some(),
    }
}
