//! How much the stores of a region need compactions.

use crate::compaction_config::StoreEngine;
use crate::compaction_policy::stripes::Stripes;
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
    /// compaction: lower goes first; with stripes a mean of them. `None` for a family that there is not.
    pub fn files_before_blocking(&self, family: &[u8]) -> Option<i64> {
        self.store(family).ok().map(Store::files_before_blocking)
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
    fn files_before_blocking(&self) -> i64 {
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (files, blocking) = (self.files().len(), self.compaction().blocking_files);
        match self.stripes() {
            Some(stripes) if files < blocking => stripes.left_in_each(blocking - files),
            _ => signed(blocking) - signed(files),
        }
    }

    /// HBase's `getCompactionPressure` of a store.
    fn compaction_pressure(&self) -> f64 {
        let config = self.compaction();
        let (files, least, blocking) = (self.files().len(), config.min_files, config.blocking_files);
        if let Some(stripes) = self.stripes() {
            let least = config.stripe.min_files(least);
            return if files > blocking { 2.0 } else { stripes.pressure(blocking, least) };
        }
        // With a limit that is no more than the least, whatever can be compacted is too much.
        files.saturating_sub(least) as f64 / blocking.saturating_sub(least).max(1) as f64
    }

    /// Its stripes, if it has some.
    fn stripes(&self) -> Option<Stripes> {
        let of_engine = self.compaction().engine == StoreEngine::Stripe;
        let stripes = of_engine.then(|| Stripes::of_files(&self.files_oldest_first()))?;
        (!stripes.files.is_empty()).then_some(stripes)
    }
}
