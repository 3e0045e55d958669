//! Directories of regions that come of others: the daughters of a split, and what a merge gives. They have references to
//! the files of their parents, whose directories stay until no reference leads there. A daughter has a link to a file all of
//! whose rows are its own, and nothing of one that has none of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use finback_cell::{Bytes, RegionInfo, TableDescriptor, TableName};

use crate::{
    FileLink, Half, LayoutError, Reference, Result, RootDir, StoreFileName, StoreFileTracker, small_file,
};

/// Which rows a store file has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowsOfFile {
    /// None.
    None,
    /// The first and the last one.
    Range(Vec<u8>, Vec<u8>),
}

/// What a region has of a file of its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    Nothing,
    Part,
    All,
}

/// What is written for the files of a family.
#[derive(Debug, Default)]
struct Planned {
    back_references: Vec<PathBuf>,
    links: Vec<PathBuf>,
    references: Vec<(PathBuf, Vec<u8>)>,
    /// Of links and references, with their sizes.
    listed: Vec<(Bytes, String, u64)>,
}

impl RootDir {
    /// Makes the directory of a region with references to the cells of its parents that are within its keys. The parents
    /// are closed; `families` are all that the table has: of others nothing would be left. `rows_of` looks into a store file; one that
    /// it cannot tell the rows of is referred to by either daughter. A crash leaves a directory without `.regioninfo`, or a whole one;
    /// neither counts before hbase:meta has the region.
    ///
    /// # Errors
    /// [`LayoutError::Unsupported`] for a parent that has references itself; [`LayoutError::Corrupt`] if the table's descriptor has
    /// other families; the storage's.
    pub fn create_offspring(
        &self,
        region: &RegionInfo,
        parents: &[RegionInfo],
        families: &[Bytes],
        rows_of: &dyn Fn(&Path) -> Option<RowsOfFile>,
    ) -> Result<()> {
        let (table, encoded) = (&region.table, region.encoded_name());
        let descriptor = self.descriptor_with(table, families)?;
        let mut planned = Planned::default();
        let mut sequence_id = 0;
        for parent in parents {
            for family in families {
                self.plan_family(region, parent, family, rows_of, &mut planned)?;
            }
            let noted = self.max_noted_sequence_id(table, &parent.encoded_name())?;
            sequence_id = sequence_id.max(noted.unwrap_or(0));
        }
        let dirs: Vec<_> = families.iter().map(|family| self.family_dir(table, &encoded, family)).collect();
        let region_dir = self.region_dir(table, &encoded);
        self.fs()
            .create_dirs_all(&dirs)
            .map_err(|source| LayoutError::Io { path: region_dir.clone(), source })?;
        // Nothing leads to a file before the file knows of it.
        self.create_empty(&planned.back_references)?;
        self.create_empty(&planned.links)?;
        small_file::write_all_new(&**self.fs(), &planned.references)?;
        if let Some(descriptor) = descriptor {
            self.list_files(&descriptor, region, parents, &planned.listed)?;
        }
        // Sequence ids go on where those of the parents ended.
        self.write_sequence_id_file(table, &encoded, sequence_id)?;
        self.create_region_dir(region)
    }

    fn plan_family(
        &self,
        region: &RegionInfo,
        parent: &RegionInfo,
        family: &Bytes,
        rows_of: &dyn Fn(&Path) -> Option<RowsOfFile>,
        planned: &mut Planned,
    ) -> Result<()> {
        let (table, encoded, of_parent) = (&region.table, region.encoded_name(), parent.encoded_name());
        let dir = self.family_dir(table, &encoded, family);
        let part = part_of(parent, region);
        for name in self.files_to_refer_to(parent, family)? {
            // Of a merge all files are referred to, as in HBase: the regions that are merged go when these are compacted.
            let place = if part.split_row[..] == parent.start_key[..] {
                None
            } else {
                self.cells_of(table, &of_parent, family, &name).ok()
            };
            let rows = place.as_deref().and_then(rows_of);
            match (share_of(&part, rows), place) {
                (Share::Nothing, _) => {}
                (Share::All, Some(place)) => {
                    let link = match StoreFileName::parse(&name) {
                        Some(StoreFileName::Link(link)) => link,
                        _ => FileLink { table: table.clone(), region: &of_parent, file: &name },
                    };
                    planned.back_references.push(self.back_reference(&link, family, (table, &encoded)));
                    planned.links.push(dir.join(link.to_string()));
                    let len = self.fs().metadata(&place).map_or(0, |found| found.len);
                    planned.listed.push((family.clone(), link.to_string(), len));
                }
                _ => {
                    let (name, content) = (format!("{name}.{of_parent}"), part.encode());
                    planned.listed.push((family.clone(), name.clone(), content.len() as u64));
                    planned.references.push((dir.join(name), content));
                }
            }
        }
        Ok(())
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

    /// Lists the files of families whose tracker keeps a list: without it HBase would see none of them. The lists are
    /// called as those of the parents are.
    fn list_files(
        &self,
        descriptor: &TableDescriptor,
        region: &RegionInfo,
        parents: &[RegionInfo],
        files: &[(Bytes, String, u64)],
    ) -> Result<()> {
        let (table, encoded) = (&region.table, region.encoded_name());
        for family in &descriptor.families {
            let tracker = StoreFileTracker::of(descriptor, family);
            if !tracker.is_ok_and(StoreFileTracker::writes_list) {
                continue;
            }
            let of_family = files.iter().filter(|(of, ..)| *of == family.name);
            let named = of_family.map(|(_, name, size)| (name.as_str(), *size));
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

    /// The regions of its table to whose files files of a region lead, by references and by links.
    ///
    /// # Errors
    /// The storage's.
    pub fn leads_to(&self, table: &TableName, region: &str) -> Result<BTreeSet<String>> {
        self.others(table, region, |name| match name {
            StoreFileName::Reference { region, .. } => Some(region.to_owned()),
            StoreFileName::Link(link) if link.table == *table => Some(link.region.to_owned()),
            _ => None,
        })
    }

    /// The regions of its table to which references of a region lead: they have to stay. Links go on leading to files that were put
    /// away.
    ///
    /// # Errors
    /// The storage's.
    pub fn refers_to(&self, table: &TableName, region: &str) -> Result<BTreeSet<String>> {
        self.others(table, region, |name| match name {
            StoreFileName::Reference { region, .. } => Some(region.to_owned()),
            _ => None,
        })
    }

    fn others(
        &self,
        table: &TableName,
        region: &str,
        other: impl Fn(StoreFileName<'_>) -> Option<String>,
    ) -> Result<BTreeSet<String>> {
        let mut others = BTreeSet::new();
        for family in self.list_families(table, region)? {
            let entries = self.list_if_exists(&self.family_dir(table, region, family.as_bytes()))?;
            others.extend(entries.iter().filter_map(|entry| other(StoreFileName::parse(&entry.name)?)));
        }
        Ok(others)
    }
}

/// What of a file is of a part of its region.
fn share_of(part: &Reference, rows: Option<RowsOfFile>) -> Share {
    let (first, last) = match rows {
        None => return Share::Part,
        Some(RowsOfFile::None) => return Share::Nothing,
        Some(RowsOfFile::Range(first, last)) => (first, last),
    };
    let (is_above, is_below) = (first >= part.split_row, last < part.split_row);
    match part.half {
        Half::Top if is_above => Share::All,
        Half::Top if is_below => Share::Nothing,
        Half::Bottom if is_below => Share::All,
        Half::Bottom if is_above => Share::Nothing,
        _ => Share::Part,
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
