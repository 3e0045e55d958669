//! Which log file is still needed by which region.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

type Region = Arc<[u8]>;

/// A file that is no longer written.
#[derive(Debug)]
pub(crate) struct RolledLog {
    pub(crate) path: PathBuf,
    /// Highest sequence id of each region with edits in it that are not known to be in store files.
    highest: HashMap<Region, u64>,
}

/// One entry per region and file: bounded by the number of open regions times the number of files kept.
#[derive(Debug, Default)]
pub(crate) struct Accounting {
    current: HashMap<Region, u64>,
    /// Oldest first.
    rolled: Vec<RolledLog>,
    /// Everything below this sequence id is in store files.
    lowest_unflushed: HashMap<Region, u64>,
}

impl Accounting {
    /// An entry was written to the current file.
    pub(crate) fn wrote(&mut self, region: &Region, sequence_id: u64) {
        if self.lowest_unflushed.get(region).is_some_and(|&lowest| sequence_id < lowest) {
            return;
        }
        match self.current.get_mut(region) {
            Some(highest) => *highest = sequence_id.max(*highest),
            None => {
                self.current.insert(region.clone(), sequence_id);
            }
        }
    }

    /// The current file was closed, or given up with entries in it.
    pub(crate) fn rolled(&mut self, path: PathBuf) {
        self.rolled.push(RolledLog { path, highest: std::mem::take(&mut self.current) });
    }

    /// The current file was removed.
    pub(crate) fn discarded(&mut self) {
        self.current.clear();
    }

    /// Everything of the region below `lowest` is in store files; `None`: everything written so far.
    pub(crate) fn flushed(&mut self, region: &Region, lowest: Option<u64>) {
        let needed = |highest: &u64| lowest.is_some_and(|lowest| *highest >= lowest);
        let files = self.rolled.iter_mut().map(|log| &mut log.highest).chain([&mut self.current]);
        for highest in files {
            if highest.get(region).is_some_and(|h| !needed(h)) {
                highest.remove(region);
            }
        }
        if let Some(lowest) = lowest {
            self.lowest_unflushed.insert(region.clone(), lowest);
        }
    }

    /// The region is gone from this server with everything in store files.
    pub(crate) fn closed(&mut self, region: &Region) {
        self.flushed(region, None);
        self.lowest_unflushed.remove(region);
    }

    /// Takes out the files that no region needs.
    pub(crate) fn take_unneeded(&mut self) -> Vec<RolledLog> {
        self.rolled.extract_if(.., |log| log.highest.is_empty()).collect()
    }

    /// Puts a file back that could not be archived.
    pub(crate) fn put_back(&mut self, log: RolledLog) {
        self.rolled.insert(0, log);
    }

    pub(crate) fn rolled_logs(&self) -> usize {
        self.rolled.len()
    }

    /// The regions to flush so that the oldest file becomes unneeded, if there are more than `max_logs`.
    pub(crate) fn regions_to_flush(&self, max_logs: usize) -> Vec<Region> {
        let too_many = self.rolled.len() + 1 > max_logs;
        let oldest = self.rolled.iter().find(|log| !log.highest.is_empty());
        oldest.filter(|_| too_many).map(|log| log.highest.keys().cloned().collect()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
