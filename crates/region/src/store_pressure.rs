//! How much the stores of a region need compactions.

use crate::region::Region;
use crate::store::Store;

impl Region {
    /// How near the worst store is to having too many files: 0 where there is nothing to compact, 1 at
    /// `hbase.hstore.blockingStoreFiles`, more above it.
    pub fn compaction_pressure(&self) -> f64 {
        self.stores.iter().map(Store::compaction_pressure).fold(0.0, f64::max)
    }

    /// Whether a store has more files than `hbase.hstore.blockingStoreFiles`: its next flush should wait for a
    /// compaction.
    pub fn has_too_many_files(&self) -> bool {
        self.stores.iter().any(|store| store.files().len() > store.compaction().blocking_files)
    }

    /// Whether a store has as many files as it may have: its compactions go before a split.
    pub fn has_no_room_for_files(&self) -> bool {
        self.stores.iter().any(|store| store.files().len() >= store.compaction().blocking_files)
    }

    /// Whether a store has files of the region that this one was split or merged from.
    pub fn has_references(&self, family: &[u8]) -> bool {
        self.store(family).is_ok_and(Store::has_references)
    }

    /// How many files a store may still get before it has too many; negative above that. HBase's priority of a
    /// compaction: lower goes first. `None` for a family that there is not.
    pub fn files_before_blocking(&self, family: &[u8]) -> Option<i64> {
        let store = self.store(family).ok()?;
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        Some(signed(store.compaction().blocking_files) - signed(store.files().len()))
    }

    /// Bytes of the files that a compaction of this store would take now.
    pub fn compaction_bytes(&self, family: &[u8], major: bool) -> u64 {
        let Ok(store) = self.store(family) else { return 0 };
        let files = store.files_oldest_first();
        let inputs = self.select(store, &files, major).map(|selection| selection.inputs(&files));
        inputs.iter().flatten().map(|file| file.size_bytes()).fold(0, u64::saturating_add)
    }
}

impl Store {
    /// HBase's `getCompactionPressure` of a self.
    fn compaction_pressure(&self) -> f64 {
        let config = self.compaction();
        let (files, least) = (self.files().len(), config.min_files);
        if files <= least {
            return 0.0;
        }
        // With a limit that is no more than the least, whatever can be compacted is too much.
        (files - least) as f64 / config.blocking_files.saturating_sub(least).max(1) as f64
    }
}
