//! Blocks that come into the cache before somebody asks for them: those of files that were just written, and those of a
//! region that was just opened, as far as the settings want them there.

use crate::job_control::JobControl;
use crate::region::Region;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_hfile::Prefetch;
use std::sync::Arc;

/// For so many bytes at a time a file is read that is not in the system's memory.
const STREAMED_BYTES: usize = 1 << 20;

impl Region {
    /// Whether [`Region::prefetch`] has anything to do.
    pub fn wants_prefetch(&self) -> bool {
        self.stores.iter().any(|store| store.caching.prefetch_on_open)
    }

    /// Brings the blocks of stores with PREFETCH_BLOCKS_ON_OPEN into the cache, while there is room in it. Waits for the
    /// device, and ends when the region closes.
    pub fn prefetch(&self) {
        for store in self.stores.iter().filter(|store| store.caching.prefetch_on_open) {
            for file in store.files().iter() {
                self.prefetch_file(store, file);
            }
        }
    }

    /// Brings into the cache what is wanted there of a file that was just written.
    pub(crate) fn cache_written(&self, store: &Store, file: &StoreFile, wanted: Prefetch) {
        if !wanted.is_nothing() {
            self.bring_in(store, file, wanted, |_| true);
        }
        if store.caching.prefetch_on_open {
            self.prefetch_file(store, file);
        }
    }

    /// Brings into the cache files that were just written past the system's memory, if there is room for them beside all that is
    /// there. Whether there is.
    pub(crate) fn cache_beside(
        &self,
        store: &Store,
        files: &[Arc<StoreFile>],
        control: &dyn JobControl,
    ) -> bool {
        let bytes = usize::try_from(uncompressed_bytes(files)).unwrap_or(usize::MAX);
        let has_room = store.cache.has_room(bytes);
        if has_room {
            self.cache_files(store, files, control, |bytes| store.cache.has_room(bytes));
        }
        has_room
    }

    /// Brings as much of them into the cache as has just left it.
    pub(crate) fn cache_instead(
        &self,
        store: &Store,
        files: &[Arc<StoreFile>],
        mut left_bytes: u64,
        control: &dyn JobControl,
    ) {
        let stored = files.iter().map(|file| file.size_bytes()).fold(0, u64::saturating_add).max(1);
        let in_memory = uncompressed_bytes(files);
        self.cache_files(store, files, control, |bytes| {
            let bytes = u128::from(in_memory) * bytes as u128 / u128::from(stored);
            let left = u64::try_from(bytes).ok().and_then(|bytes| left_bytes.checked_sub(bytes));
            left_bytes = left.unwrap_or(0);
            left.is_some()
        });
    }

    fn cache_files(
        &self,
        store: &Store,
        files: &[Arc<StoreFile>],
        control: &dyn JobControl,
        mut goes_on: impl FnMut(usize) -> bool,
    ) {
        let wanted = Prefetch { streamed_bytes: Some(STREAMED_BYTES), ..Prefetch::all(store.data_priority) };
        for file in files {
            self.bring_in(store, file, wanted, |bytes| {
                control.wrote(bytes as u64);
                !control.is_cancelled() && goes_on(bytes)
            });
        }
    }

    fn prefetch_file(&self, store: &Store, file: &StoreFile) {
        let data = Some(store.data_priority).filter(|_| store.rules.caches_blocks);
        let wanted = Prefetch { data, indexes: true, blooms: true, streamed_bytes: None };
        self.bring_in(store, file, wanted, |bytes| store.cache.has_room(bytes));
    }

    fn bring_in(
        &self,
        store: &Store,
        file: &StoreFile,
        wanted: Prefetch,
        mut goes_on: impl FnMut(usize) -> bool,
    ) {
        let done = file.reader().prefetch(&store.cache, wanted, |bytes| !self.is_closing() && goes_on(bytes));
        if let Err(error) = done {
            // Who needs the block will be told.
            tracing::warn!(region = %self.encoded_name, %error, "blocks could not be brought into the cache");
        }
    }
}

/// Bytes of files as they are in the cache.
fn uncompressed_bytes(files: &[Arc<StoreFile>]) -> u64 {
    let bytes_of = |file: &Arc<StoreFile>| file.reader().trailer().fields.total_uncompressed_bytes();
    files.iter().map(bytes_of).fold(0, u64::saturating_add)
}
