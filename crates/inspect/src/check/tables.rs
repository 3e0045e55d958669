//! Tables and regions: what hbase:meta says beside the directories.

use super::chain::{Break, breaks};
use super::finding::{Finding, FindingKind as Kind};
use super::hole::{self, HoleFilling, overlap};
use super::repair::Repair;
use super::{Check, meta_dir};
use crate::error::InspectError;
use crate::offline_meta::{MetaRegion, OfflineMeta};
use finback_cell::region_info::META_ENCODED_NAME;
use finback_cell::{RegionInfo, StringBinary, TableDescriptor, TableName};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Digits of a region's encoded name.
const ENCODED_DIGITS: usize = 32;
/// Directories below a region's that are no family's, and what is in them was never finished.
const UNFINISHED: [&str; 3] = [".tmp", ".splits", ".merges"];
/// The same, but that a log may say how it goes on.
const BULK_LOAD: &str = ".bulk_load";

impl Check<'_> {
    pub(super) fn tables(&mut self, meta: &OfflineMeta) -> Result<(), InspectError> {
        for problem in &meta.malformed {
            self.note(Finding::new(Kind::MetaRow, meta_dir(self.root), problem))?;
        }
        let known = meta.table_names();
        self.report.tables = known.len() as u64;
        self.report.regions = meta.regions.values().map(|regions| regions.len() as u64).sum();
        let directories: BTreeSet<TableName> = match self.root.list_tables() {
            Ok(tables) => tables.into_iter().filter(|table| !table.is_meta()).collect(),
            Err(error) => return self.note_unreadable(self.root.data_dir(), error),
        };
        self.meta_region()?;
        if known.is_empty() && !directories.is_empty() {
            // Not all of them are orphans: it is hbase:meta that has gone.
            let message = format!(
                "hbase:meta is empty, and there are directories of {} tables. No table can be checked, and a server does not start: \
                 bring hbase:meta and its logs back from a backup",
                directories.len()
            );
            return self.note(Finding::new(Kind::MetaUnreadable, meta_dir(self.root), message));
        }
        for table in known.iter().copied().chain(&directories).collect::<BTreeSet<_>>() {
            let path = self.root.table_dir(table);
            match (known.contains(table), directories.contains(table)) {
                (true, true) => self.table(table, meta)?,
                (true, false) => {
                    let message = format!("hbase:meta has table {table}, and it has no directory");
                    self.note(Finding::new(Kind::TableDirectoryMissing, path, message))?;
                }
                (false, _) => {
                    let message = format!("hbase:meta has no table {table}");
                    let finding = Finding::new(Kind::OrphanTable, path, message);
                    self.note(self.aside_unless_needed(finding))?;
                }
            }
        }
        Ok(())
    }

    /// hbase:meta itself, of which no region can be missing.
    fn meta_region(&mut self) -> Result<(), InspectError> {
        let table = TableName::meta();
        let descriptor = match self.root.read_table_descriptor(&table) {
            Ok(descriptor) => descriptor,
            Err(error) if error.is_not_found() => TableDescriptor::new(table),
            Err(error) => return self.note_unreadable(meta_dir(self.root), error),
        };
        self.families(&descriptor, META_ENCODED_NAME)
    }

    fn table(&mut self, table: &TableName, meta: &OfflineMeta) -> Result<(), InspectError> {
        let none = Vec::new();
        let regions = meta.regions.get(table).unwrap_or(&none);
        let descriptor = self.descriptor(table)?;
        self.chain(table, regions)?;
        let by_name: HashMap<String, &MetaRegion> =
            regions.iter().map(|region| (region.info.encoded_name(), region)).collect();
        // They keep their files until nothing refers to them.
        let merged: HashSet<&str> =
            regions.iter().flat_map(|region| &region.merged_from).map(String::as_str).collect();
        let table_dir = self.root.table_dir(table);
        let mut there = HashSet::new();
        for entry in self.entries(&table_dir)? {
            let path = table_dir.join(&entry.name);
            match entry.name.as_str() {
                ".tabledesc" if entry.is_dir => {}
                ".tmp" if entry.is_dir => self.unfinished(&path)?,
                name if entry.is_dir && is_encoded(name) => {
                    match by_name.get(name) {
                        Some(region) => self.region(&region.info, descriptor.as_ref())?,
                        None if merged.contains(name) => {}
                        None => self.orphan_region(table, name, regions)?,
                    }
                    there.insert(entry.name);
                }
                _ => {
                    let message = "neither a region nor anything else that a table has";
                    self.note(Finding::new(Kind::Stray, path, message).aside())?;
                }
            }
        }
        for (name, region) in by_name.iter().filter(|(name, _)| !there.contains(*name)) {
            if region.serves() {
                let path = self.root.region_dir(table, name);
                let message =
                    format!("hbase:meta has region {name}, and it has no directory: {}", rows(&region.info));
                let repair = Repair::MakeRegion { region: region.info.clone() };
                self.note(Finding::new(Kind::RegionDirectoryMissing, path, message).repaired_by(repair))?;
            }
        }
        self.mob_links(table)
    }

    /// Holes, overlaps, and regions that are on their way.
    fn chain(&mut self, table: &TableName, regions: &[MetaRegion]) -> Result<(), InspectError> {
        use finback_cell::RegionState::{Merging, MergingNew, Splitting, SplittingNew};
        let path = self.root.table_dir(table);
        for region in regions {
            if matches!(region.state, Splitting | SplittingNew | Merging | MergingNew) {
                let name = region.info.encoded_name();
                let message = format!("region {name} is {}; the next start goes on", region.state.name());
                self.note(Finding::new(Kind::RegionInTransition, path.clone(), message))?;
            }
        }
        let serving: Vec<&RegionInfo> =
            regions.iter().filter(|region| region.serves()).map(|region| &region.info).collect();
        if serving.is_empty() {
            let message = format!("table {table} has no regions");
            let finding = Finding::new(Kind::NoRegions, path, message);
            return self.note(self.filled(finding, table, (&[], &[]), regions));
        }
        breaks(&serving).into_iter().try_for_each(|found| {
            let finding = of_break(table, path.clone(), &found);
            self.note(match found {
                Break::Hole(from, to) => self.filled(finding, table, (from, to), regions),
                Break::Overlap(..) => finding,
            })
        })
    }

    /// A hole, with what fills it if nobody has to decide that.
    fn filled(
        &self,
        finding: Finding,
        table: &TableName,
        hole: (&[u8], &[u8]),
        regions: &[MetaRegion],
    ) -> Finding {
        match self.hole_filling(table, hole, regions) {
            Some(filling) => finding.repaired_by(Repair::FillHole(filling)),
            None => finding,
        }
    }

    fn hole_filling(
        &self,
        table: &TableName,
        hole: (&[u8], &[u8]),
        regions: &[MetaRegion],
    ) -> Option<HoleFilling> {
        if !hole::can_be_told(self.root) {
            return None;
        }
        let known: HashSet<String> = regions
            .iter()
            .flat_map(|region| region.merged_from.iter().cloned().chain([region.info.encoded_name()]))
            .collect();
        let directories = self.root.list_regions(table).ok()?;
        let unknown = directories.iter().filter(|name| !known.contains(*name));
        let mut orphans = Vec::new();
        for name in unknown {
            match self.root.read_region_info(table, name) {
                Ok(info) => orphans.push(info),
                // Its rows may be those that are missing.
                Err(_) if self.may_have_cells(table, name) => return None,
                Err(_) => {}
            }
        }
        hole::filling(table, hole, regions, &orphans)
    }

    /// Whether a region's directory has store files, or cannot be looked into.
    fn may_have_cells(&self, table: &TableName, region: &str) -> bool {
        let has_files = |family: &String| {
            let files = self.root.list_store_files(table, region, family.as_bytes());
            files.map_or(true, |files| !files.is_empty())
        };
        self.root.list_families(table, region).map_or(true, |families| families.iter().any(has_files))
    }

    /// A directory that hbase:meta has no region for. It stays where it is if it has rows that no region has.
    fn orphan_region(
        &mut self,
        table: &TableName,
        name: &str,
        regions: &[MetaRegion],
    ) -> Result<(), InspectError> {
        let path = self.root.region_dir(table, name);
        let finding = |message| Finding::new(Kind::OrphanRegion, path.clone(), message);
        let info = match self.root.read_region_info(table, name) {
            Ok(info) => info,
            Err(error) if self.may_have_cells(table, name) => {
                let message = format!(
                    "hbase:meta has no region {name}, and nothing says which rows it has, but it has store files: {error}"
                );
                return self.note(finding(message));
            }
            Err(_) => {
                let message = format!("hbase:meta has no region {name}, and nothing says which rows it has");
                return self.note(self.aside_unless_needed(finding(message)));
            }
        };
        let serving: Vec<&RegionInfo> =
            regions.iter().filter(|region| region.serves()).map(|region| &region.info).collect();
        let is_missed = serving.is_empty()
            || breaks(&serving).iter().any(|found| match found {
                Break::Hole(from, to) => overlap((&info.start_key, &info.end_key), (from, to)),
                Break::Overlap(..) => false,
            });
        if !is_missed {
            let parents = self.root.leads_to(table, name)?;
            let mut known = regions.iter().map(|region| region.info.encoded_name());
            if let Some(parent) = known.find(|name| parents.contains(name)) {
                let message = format!(
                    "hbase:meta has no region {name}, which has files of region {parent}: it may be of a split or merge under way. \
                     Start the server once, which ends or undoes it"
                );
                return self.note(finding(message));
            }
            let message = format!("hbase:meta has no region {name}; others have its rows: {}", rows(&info));
            return self.note(self.aside_unless_needed(finding(message)));
        }
        let message = format!(
            "hbase:meta has no region {name}, and no other has its rows: {}. It has to come back into hbase:meta (with the \
             repair of the hole, if there is one; else HBase's hbck2: addFsRegionsMissingInMeta) before a server starts, \
             which would archive it",
            rows(&info)
        );
        self.note(finding(message))
    }

    /// The directory of a region that hbase:meta has.
    fn region(
        &mut self,
        info: &RegionInfo,
        descriptor: Option<&TableDescriptor>,
    ) -> Result<(), InspectError> {
        let (table, name) = (&info.table, info.encoded_name());
        let path = self.root.region_dir(table, &name);
        match self.root.read_region_info(table, &name) {
            Ok(found) if same_rows(&found, info) => {}
            Ok(found) => {
                let message = format!(".regioninfo says {}, hbase:meta {}", rows(&found), rows(info));
                self.note(Finding::new(Kind::RegionInfoWrong, path.join(".regioninfo"), message))?;
            }
            Err(error) if error.is_not_found() => {
                let repair = Repair::MakeRegion { region: info.clone() };
                let message = "there is no .regioninfo";
                self.note(Finding::new(Kind::RegionInfoMissing, path, message).repaired_by(repair))?;
            }
            Err(error) => {
                let finding =
                    Finding::new(Kind::RegionInfoWrong, path.join(".regioninfo"), error.to_string());
                self.note(match error.is_corrupt() {
                    true => finding.repaired_by(Repair::RewriteRegionInfo { region: info.clone() }),
                    false => finding,
                })?;
            }
        }
        match descriptor {
            Some(descriptor) => self.families(descriptor, &name),
            None => Ok(()),
        }
    }

    /// What is in the directory of a region.
    fn families(&mut self, descriptor: &TableDescriptor, region: &str) -> Result<(), InspectError> {
        let region_dir = self.root.region_dir(&descriptor.name, region);
        let is_family = |name: &str| descriptor.families.iter().any(|family| family.name == name.as_bytes());
        for entry in self.entries(&region_dir)? {
            let path = region_dir.join(&entry.name);
            match entry.name.as_str() {
                ".regioninfo" if !entry.is_dir => {}
                name if entry.is_dir && UNFINISHED.contains(&name) => self.unfinished(&path)?,
                BULK_LOAD if entry.is_dir && self.has_logs(&region_dir)? => self.waiting_load(&path)?,
                BULK_LOAD if entry.is_dir => self.unfinished(&path)?,
                "recovered.edits" if entry.is_dir => self.recovered_edits(&region_dir)?,
                name if entry.is_dir && is_family(name) => self.store(descriptor, region, name)?,
                // hbase:meta of older versions has no descriptor.
                _ if entry.is_dir && descriptor.families.is_empty() => {}
                name if entry.is_dir && !name.starts_with('.') => {
                    let message = format!("table {} has no family {name}", descriptor.name);
                    let finding = Finding::new(Kind::UnknownFamily, path, message);
                    self.note(self.aside_unless_needed(finding))?;
                }
                _ => {
                    let message = "nothing that a region has";
                    self.note(Finding::new(Kind::Stray, path, message).aside())?;
                }
            }
        }
        Ok(())
    }

    /// What is below a directory for things that are not finished: the next start removes it.
    fn unfinished(&mut self, path: &Path) -> Result<(), InspectError> {
        for left in self.left_in(path)? {
            let message = "left behind by something that was never finished";
            self.note(Finding::new(Kind::Leftover, left, message).aside())?;
        }
        Ok(())
    }

    /// The same of bulk loads of which a log may say that they were decided.
    fn waiting_load(&mut self, path: &Path) -> Result<(), InspectError> {
        for left in self.left_in(path)? {
            let message = "files of a bulk load: the next start finishes it, or removes them";
            self.note(Finding::new(Kind::Leftover, left, message))?;
        }
        Ok(())
    }

    fn left_in(&mut self, path: &Path) -> Result<Vec<PathBuf>, InspectError> {
        let mut left = Vec::new();
        for entry in self.entries(path)? {
            // Directories of families are made in advance.
            let below = path.join(&entry.name);
            if !entry.is_dir || !self.entries(&below)?.is_empty() {
                left.push(below);
            }
        }
        Ok(left)
    }

    /// Whether there are logs, or recovered edits of a region, for the next start.
    fn has_logs(&mut self, region_dir: &Path) -> Result<bool, InspectError> {
        let edits = finback_wal::recovered_edits(&**self.root.fs(), region_dir);
        Ok(edits.is_ok_and(|edits| !edits.is_empty()) || !self.root.list_wal_dirs()?.is_empty())
    }

    fn recovered_edits(&mut self, region_dir: &Path) -> Result<(), InspectError> {
        match finback_wal::recovered_edits(&**self.root.fs(), region_dir) {
            Ok(files) if files.is_empty() => Ok(()),
            Ok(files) => {
                let message = format!("recovered edits ({}) wait for the region to be opened", files.len());
                self.note(Finding::new(Kind::RecoveredEdits, region_dir.join("recovered.edits"), message))
            }
            Err(error) => self.note_unreadable(region_dir, error),
        }
    }
}

fn is_encoded(name: &str) -> bool {
    name.len() == ENCODED_DIGITS && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn same_rows(a: &RegionInfo, b: &RegionInfo) -> bool {
    (&a.start_key, &a.end_key, a.region_id) == (&b.start_key, &b.end_key, b.region_id)
}

fn rows(info: &RegionInfo) -> String {
    format!("rows {}", range(&info.start_key, &info.end_key))
}

/// A break among the regions of a table.
pub(super) fn of_break(table: &TableName, path: impl Into<PathBuf>, found: &Break<'_>) -> Finding {
    match found {
        Break::Hole(from, to) => {
            let message = format!("no region of table {table} has the rows {}", range(from, to));
            Finding::new(Kind::Hole, path, message)
        }
        Break::Overlap(a, b) => {
            let message = format!(
                "regions of table {table} overlap: {} ({}) and {} ({}); merge them when a server has opened them (finback \
                 shell: merge_region)",
                a.encoded_name(),
                range(&a.start_key, &a.end_key),
                b.encoded_name(),
                range(&b.start_key, &b.end_key)
            );
            Finding::new(Kind::Overlap, path, message)
        }
    }
}

fn range(start: &[u8], end: &[u8]) -> String {
    match (start.is_empty(), end.is_empty()) {
        (true, true) => "from the first to the last".to_owned(),
        (true, false) => format!("from the first to before {}", StringBinary(end)),
        (false, true) => format!("from {} to the last", StringBinary(start)),
        (false, false) => format!("from {} to before {}", StringBinary(start), StringBinary(end)),
    }
}
