//! Which log file is still needed by which family of which region: HBase's SequenceIdAccounting, but that a file remembers
//! the families apart, so that the oldest edit of one family does not keep files that have only edits of others.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use finback_cell::block::CellIter;

use crate::{
    BULK_LOAD_INTENT, META_FAMILY, RegionToFlush, queued_entries::QueuedEntry, replay::COMPACTION_MARKER,
};

type Region = Arc<[u8]>;

/// Families with a sequence id each. A table has few: a search from the front is faster than a map.
#[derive(Debug, Default)]
struct ByFamily(Vec<(Box<[u8]>, u64)>);

impl ByFamily {
    fn get(&self, family: &[u8]) -> Option<u64> {
        self.0.iter().find(|(name, _)| **name == *family).map(|(_, id)| *id)
    }

    fn raise(&mut self, family: &[u8], id: u64) {
        match self.0.iter_mut().find(|(name, _)| **name == *family) {
            Some((_, highest)) => *highest = id.max(*highest),
            None => self.0.push((family.into(), id)),
        }
    }
}

/// From which sequence id on a region's edits are in no store file.
#[derive(Debug)]
struct Unflushed {
    from: u64,
    /// Families with older edits than that.
    older: ByFamily,
}

impl Unflushed {
    fn from(&self, family: &[u8]) -> u64 {
        self.older.get(family).unwrap_or(self.from)
    }
}

/// Highest sequence id of each family with edits in a file that are not known to be in store files.
type Needed = HashMap<Region, ByFamily>;

/// A file that is no longer written.
#[derive(Debug)]
pub(crate) struct RolledLog {
    pub(crate) path: PathBuf,
    needed: Needed,
}

/// One entry per family, region and file: bounded by the number of open stores times the number of files kept.
#[derive(Debug, Default)]
pub(crate) struct Accounting {
    current: Needed,
    /// Oldest first.
    rolled: Vec<RolledLog>,
    unflushed: HashMap<Region, Unflushed>,
}

impl Accounting {
    /// Entries were written to the current file; those of a region in the order of their sequence ids.
    pub(crate) fn wrote<'a>(&mut self, entries: impl Iterator<Item = QueuedEntry<'a>>) {
        // Neighbours are mostly of the same family of the same region, of which only the last counts.
        let mut run: Option<(&Region, &[u8], u64)> = None;
        for entry in entries {
            let mut last: &[u8] = b"";
            for cell in CellIter::over_checked(entry.cells.bytes()) {
                let family = cell.family();
                let is_marker = family == META_FAMILY;
                // Cells of a family stand together.
                if family == last && !is_marker || is_marker && !recovery_needs(cell.qualifier()) {
                    continue;
                }
                last = family;
                match &mut run {
                    Some((region, of, highest)) if Arc::ptr_eq(region, entry.region) && *of == family => {
                        *highest = entry.key.sequence_id.max(*highest);
                    }
                    _ => {
                        let next = (entry.region, family, entry.key.sequence_id);
                        self.wrote_run(run.replace(next));
                    }
                }
            }
        }
        self.wrote_run(run);
    }

    fn wrote_run(&mut self, run: Option<(&Region, &[u8], u64)>) {
        if let Some((region, family, highest)) = run {
            self.wrote_family(region, family, highest);
        }
    }

    fn wrote_family(&mut self, region: &Region, family: &[u8], sequence_id: u64) {
        if self.unflushed.get(region).is_some_and(|unflushed| sequence_id < unflushed.from(family)) {
            return;
        }
        match self.current.get_mut(region) {
            Some(families) => families.raise(family, sequence_id),
            None => {
                self.current.insert(region.clone(), ByFamily(vec![(family.into(), sequence_id)]));
            }
        }
    }

    /// The current file was closed, or given up with entries in it.
    pub(crate) fn rolled(&mut self, path: PathBuf) {
        self.rolled.push(RolledLog { path, needed: std::mem::take(&mut self.current) });
    }

    /// The current file was removed.
    pub(crate) fn discarded(&mut self) {
        self.current.clear();
    }

    /// Everything of the region below `from` is in store files, but for the families in `older`: of these what is below
    /// their own sequence id.
    pub(crate) fn flushed(&mut self, region: &Region, from: u64, older: &[(&[u8], u64)]) {
        let older = ByFamily(older.iter().map(|(family, id)| ((*family).into(), *id)).collect());
        let unflushed = Unflushed { from, older };
        self.keep(region, |family, highest| highest >= unflushed.from(family));
        self.unflushed.insert(region.clone(), unflushed);
    }

    /// The region is gone from this server with everything in store files.
    pub(crate) fn closed(&mut self, region: &Region) {
        self.keep(region, |_, _| false);
        self.unflushed.remove(region);
    }

    /// Forgets the families of a region for which `needed` (with the highest sequence id in the file) is false.
    fn keep(&mut self, region: &Region, needed: impl Fn(&[u8], u64) -> bool) {
        let files = self.rolled.iter_mut().map(|log| &mut log.needed).chain([&mut self.current]);
        for file in files {
            if let Some(families) = file.get_mut(region) {
                families.0.retain(|(family, highest)| needed(family, *highest));
                if families.0.is_empty() {
                    file.remove(region);
                }
            }
        }
    }

    /// Takes out the files that no region needs.
    pub(crate) fn take_unneeded(&mut self) -> Vec<RolledLog> {
        self.rolled.extract_if(.., |log| log.needed.is_empty()).collect()
    }

    /// Puts a file back that could not be archived.
    pub(crate) fn put_back(&mut self, log: RolledLog) {
        self.rolled.insert(0, log);
    }

    pub(crate) fn rolled_logs(&self) -> usize {
        self.rolled.len()
    }

    /// The regions, and their families, to flush so that the oldest file becomes unneeded, if there are more than
    /// `max_logs`.
    pub(crate) fn to_flush(&self, max_logs: usize) -> Vec<RegionToFlush> {
        let too_many = self.rolled.len() + 1 > max_logs;
        let Some(oldest) = self.rolled.iter().find(|log| !log.needed.is_empty()).filter(|_| too_many) else {
            return Vec::new();
        };
        let names = |families: &ByFamily| {
            let real = families.0.iter().filter(|(family, _)| **family != *META_FAMILY);
            real.map(|(family, _)| family.clone()).collect()
        };
        let to_flush = |(region, families): (&Region, _)| RegionToFlush {
            region: region.clone(),
            families: names(families),
        };
        oldest.needed.iter().map(to_flush).collect()
    }
}

/// Of the markers, these are looked at by recovery.
fn recovery_needs(qualifier: &[u8]) -> bool {
    qualifier.starts_with(COMPACTION_MARKER) || qualifier == BULK_LOAD_INTENT
}

#[cfg(test)]
mod tests;
