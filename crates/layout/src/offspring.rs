//! Directories of regions that come of others: the daughters of a split, and what a merge gives. They have references to
//! the files of their parents, whose directories stay until no reference leads there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use finback_cell::{Bytes, RegionInfo, TableDescriptor, TableName};

use crate::{Half, LayoutError, Reference, Result, RootDir, StoreFileName, StoreFileTracker, small_file};

impl RootDir {
    /// Makes the directory of a region with references to the cells of its parents that are within its keys. The parents
    /// are closed; `families` are all that the table has: of others nothing would be left. A crash leaves a directory without
    /// `.regioninfo`, or a whole one; neither counts before hbase:meta has the region.
    ///
    /// # Errors
    /// [`LayoutError::Unsupported`] for a parent that has references itself; [`LayoutError::Corrupt`] if the table's descriptor has
    /// other families; the storage's.
    pub fn create_offspring(
        &self,
        region: &RegionInfo,
        parents: &[RegionInfo],
        families: &[Bytes],
    ) -> Result<()> {
        let (table, encoded) = (&region.table, region.encoded_name());
        let descriptor = self.descriptor_with(table, families)?;
        let mut files = Vec::new();
        let mut sequence_id = 0;
        for parent in parents {
            let content = part_of(parent, region).encode();
            for family in families {
                let dir = self.family_dir(table, &encoded, family);
                for name in self.files_to_refer_to(parent, family)? {
                    files.push((dir.join(format!("{name}.{}", parent.encoded_name())), content.clone()));
                }
            }
            let noted = self.max_noted_sequence_id(table, &parent.encoded_name())?;
            sequence_id = sequence_id.max(noted.unwrap_or(0));
        }
        let dirs: Vec<_> = families.iter().map(|family| self.family_dir(table, &encoded, family)).collect();
        let region_dir = self.region_dir(table, &encoded);
        self.fs()
            .create_dirs_all(&dirs)
            .map_err(|source| LayoutError::Io { path: region_dir.clone(), source })?;
        small_file::write_all_new(&**self.fs(), &files)?;
        if let Some(descriptor) = descriptor {
            self.list_references(&descriptor, region, parents, &files)?;
        }
        // Sequence ids go on where those of the parents ended.
        self.write_sequence_id_file(table, &encoded, sequence_id)?;
        self.create_region_dir(region)
    }

    /// The descriptor of a table, if it has one, and no families but these.
    fn descriptor_with(&self, table: &TableName, families: &[Bytes]) -> Result<Option<TableDescriptor>> {
        let descriptor = match self.read_table_descriptor(table) {
            Err(LayoutError::NotFound { .. }) => return Ok(None),
            read => read?,
        };
        match descriptor.families.iter().find(|family| !families.contains(&family.name)) {
            None => Ok(Some(descriptor)),
            Some(family) => Err(LayoutError::Corrupt {
                path: self.table_dir(table),
                reason: format!("its descriptor has a family {}, which is new", family.name.escape_ascii()),
            }),
        }
    }

    /// Lists the references of families whose tracker keeps a list: without it HBase would see none of them. The lists are
    /// called as those of the parents are.
    fn list_references(
        &self,
        descriptor: &TableDescriptor,
        region: &RegionInfo,
        parents: &[RegionInfo],
        files: &[(PathBuf, Vec<u8>)],
    ) -> Result<()> {
        let (table, encoded) = (&region.table, region.encoded_name());
        for family in &descriptor.families {
            let tracker = StoreFileTracker::of(descriptor, family);
            if !tracker.is_ok_and(StoreFileTracker::writes_list) {
                continue;
            }
            let dir = self.family_dir(table, &encoded, &family.name);
            let of_family = files.iter().filter(|(path, _)| path.parent() == Some(&*dir));
            let named = of_family.filter_map(|(path, content)| {
                Some((path.file_name()?.to_str()?, u64::try_from(content.len()).ok()?))
            });
            let mut generation = None;
            for parent in parents {
                let of_parent =
                    self.store_file_list_generation(table, &parent.encoded_name(), &family.name)?;
                generation = generation.max(of_parent);
            }
            self.write_store_file_list_as(table, &encoded, &family.name, named, generation)?;
        }
        Ok(())
    }

    fn files_to_refer_to(&self, parent: &RegionInfo, family: &[u8]) -> Result<Vec<String>> {
        let dir = self.family_dir(&parent.table, &parent.encoded_name(), family);
        let mut names = Vec::new();
        for entry in self.list_if_exists(&dir)? {
            match StoreFileName::parse(&entry.name) {
                Some(StoreFileName::Reference { .. }) => {
                    let what = "a reference, of which there can be no other";
                    return Err(LayoutError::Unsupported { path: dir.join(entry.name), what });
                }
                Some(StoreFileName::Link(_)) => names.push(entry.name),
                Some(_) if entry.len > 0 && !entry.is_dir => names.push(entry.name),
                _ => {}
            }
        }
        Ok(names)
    }

    /// The regions of its table to whose files files of a region lead.
    ///
    /// # Errors
    /// The storage's.
    pub fn leads_to(&self, table: &TableName, region: &str) -> Result<BTreeSet<String>> {
        let mut others = BTreeSet::new();
        for family in self.list_families(table, region)? {
            for entry in self.list_if_exists(&self.family_dir(table, region, family.as_bytes()))? {
                match StoreFileName::parse(&entry.name) {
                    Some(StoreFileName::Reference { region, .. }) => others.insert(region.to_owned()),
                    Some(StoreFileName::Link(link)) if link.table == *table => {
                        others.insert(link.region.to_owned())
                    }
                    _ => false,
                };
            }
        }
        Ok(others)
    }
}

/// What of a parent's cells is the region's.
fn part_of(parent: &RegionInfo, region: &RegionInfo) -> Reference {
    let ends_before =
        !region.end_key.is_empty() && (parent.end_key.is_empty() || region.end_key < parent.end_key);
    if region.start_key > parent.start_key {
        Reference { split_row: region.start_key.to_vec(), half: Half::Top }
    } else if ends_before {
        Reference { split_row: region.end_key.to_vec(), half: Half::Bottom }
    } else {
        // All of it, as HBase writes it down.
        Reference { split_row: parent.start_key.to_vec(), half: Half::Top }
    }
}

#[cfg(test)]
mod tests;
