//! The list of a store's files on disk, where its tracker keeps one (HBase's store file tracker FILE).
//!
//! A file counts when it is listed: a flush lists its file before the log hears of it, a compaction exchanges its inputs for its
//! outputs in the list before its marker is written, a load lists its files when they have their places. What a crash leaves
//! unlisted is garbage, and goes to the archive at the next opening, when the log has been replayed: it may say that a load that
//! is in its place was decided.

use crate::error::RegionError;
use crate::region::Region;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_layout::StoreFileTracker;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the list of a store says.
#[derive(Debug)]
pub(crate) struct TrackedFiles {
    tracker: StoreFileTracker,
    /// One change at a time: it is not let go of before it is on disk.
    listed: Mutex<Listed>,
}

#[derive(Debug)]
struct Listed {
    /// Sizes by name.
    files: BTreeMap<String, u64>,
    /// Whether the list on disk may be another one: a change of it has failed.
    is_uncertain: bool,
}

impl TrackedFiles {
    /// Of a store with these files.
    pub(crate) fn new(tracker: StoreFileTracker, files: &[Arc<StoreFile>]) -> Self {
        let files = files.iter().map(|file| (file.name(), file.size_bytes())).collect();
        Self { tracker, listed: Mutex::new(Listed { files, is_uncertain: false }) }
    }
}

impl Region {
    /// Exchanges files in the list of a store, durably, if there is one.
    ///
    /// # Errors
    /// The storage's. The list says what it said before then, or it says this: see [`Region::settle_list`].
    pub(crate) fn track(
        &self,
        store: &Store,
        gone: &[Arc<StoreFile>],
        come: &[Arc<StoreFile>],
    ) -> Result<(), RegionError> {
        let tracked = &store.tracked;
        if !tracked.tracker.writes_list() {
            return Ok(());
        }
        let mut listed = tracked.listed.lock();
        let mut files = listed.files.clone();
        files.retain(|name, _| !gone.iter().any(|file| file.name() == *name));
        files.extend(come.iter().map(|file| (file.name(), file.size_bytes())));
        listed.is_uncertain = true;
        self.write_list(store, &files)?;
        *listed = Listed { files, is_uncertain: false };
        Ok(())
    }

    /// Takes a file out of the list of a store, if there is one, but not yet on disk: [`Region::settle_list`] does that, and until then
    /// the file has to stay.
    pub(crate) fn strike_off(&self, store: &Store, file: &StoreFile) {
        if store.tracked.tracker.writes_list() {
            let mut listed = store.tracked.listed.lock();
            listed.files.remove(&file.name());
            listed.is_uncertain = true;
        }
    }

    /// Sees to it that the list of a store, if there is one, says what it said before a change that failed, or without what was
    /// struck off.
    ///
    /// # Errors
    /// The storage's: the list may still be either.
    pub(crate) fn settle_list(&self, store: &Store) -> Result<(), RegionError> {
        let mut listed = store.tracked.listed.lock();
        if listed.is_uncertain {
            self.write_list(store, &listed.files)?;
            listed.is_uncertain = false;
        }
        Ok(())
    }

    fn write_list(&self, store: &Store, files: &BTreeMap<String, u64>) -> Result<(), RegionError> {
        let (root, table) = (&self.environment.root, &self.info.table);
        let files = files.iter().map(|(name, size)| (name.as_str(), *size));
        root.write_store_file_list(table, &self.encoded_name, &store.family.name, files)?;
        Ok(())
    }

    /// After the replay: the lists say what is served, and what is in the directories besides goes to the archive.
    pub(crate) fn settle_lists(&self) -> Result<(), RegionError> {
        for store in self.stores.iter().filter(|store| store.tracked.tracker.writes_list()) {
            let files = store.files().iter().map(|file| (file.name(), file.size_bytes())).collect();
            *store.tracked.listed.lock() = Listed { files, is_uncertain: true };
            self.settle_list(store)?;
            if store.tracked.tracker.reads_list() {
                self.archive_unlisted(store)?;
            }
        }
        Ok(())
    }

    fn archive_unlisted(&self, store: &Store) -> Result<(), RegionError> {
        let listed = store.tracked.listed.lock();
        let (root, table, family) = (&self.environment.root, &self.info.table, &store.family.name);
        for name in root.store_file_names(table, &self.encoded_name, family)? {
            if !listed.files.contains_key(&name) {
                tracing::warn!(region = %self.encoded_name, file = name, "not in the list of its store: archived");
                root.archive_store_file(table, &self.encoded_name, family, &name)?;
            }
        }
        Ok(())
    }
}
