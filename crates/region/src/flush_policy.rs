//! Which families of a region a flush for memory takes.
//!
//! To flush small memstores along with a large one would make many small files. So only the large ones go, and those that
//! hold old edits, for which the log is kept; all, when none is such (HBase's FlushAllLargeStoresPolicy). A store with
//! in-memory compaction gets more out of staying in memory, and its turn comes only when no other store is large (its
//! FlushNonSloppyStoresFirstPolicy).

use crate::region::Region;
use crate::store::Store;
use std::time::Duration;

/// Age of an edit in one of HBase's own tables at which it is flushed: they are small, and should not keep logs.
const SYSTEM_FLUSH_INTERVAL: Duration = Duration::from_secs(300);

/// HBase's `hbase.hregion.percolumnfamilyflush.size.lower.bound`, an attribute of tables: what a large memstore is, in
/// bytes.
pub(crate) const LOWER_BOUND: &str = "hbase.hregion.percolumnfamilyflush.size.lower.bound";

/// What counts of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    /// Bytes in memory that no flush has taken yet.
    pub(crate) bytes: u64,
    /// Whether it has in-memory compaction.
    pub(crate) is_sloppy: bool,
    /// Whether it has edits so old that they should be in files.
    pub(crate) is_old: bool,
}

impl Region {
    /// The families whose flush gives back most memory, and those that have old edits; all if there are none.
    pub fn families_to_flush(&self) -> Vec<Vec<u8>> {
        let now = self.environment.host.now_ms();
        let candidates: Vec<Candidate> = self
            .stores
            .iter()
            .map(|store| Candidate {
                bytes: store.memstore.unflushed_size().heap_bytes as u64,
                is_sloppy: store.keeper.is_sloppy(),
                is_old: self.has_old_edits_in(store, now),
            })
            .collect();
        let minimum = self.environment.config.flush_lower_bound_bytes;
        let configured = self.table.parsed(LOWER_BOUND);
        let bound = lower_bound(self.flush_size(), self.stores.len(), minimum, configured);
        let chosen = choose(&candidates, bound);
        chosen.into_iter().map(|at| self.stores[at].family.name.to_vec()).collect()
    }

    /// Whether some family has edits so old, or so many younger ones after them, that they should be in files by now.
    pub fn has_old_edits(&self) -> bool {
        let now = self.environment.host.now_ms();
        !self.is_closing() && self.stores.iter().any(|store| self.has_old_edits_in(store, now))
    }

    fn has_old_edits_in(&self, store: &Store, now: i64) -> bool {
        if store.memstore.is_empty() {
            return false;
        }
        let config = &self.environment.config;
        let limit = match config.periodic_flush_interval {
            Some(interval) if self.info.table.is_system() => Some(interval.min(SYSTEM_FLUSH_INTERVAL)),
            interval => interval,
        };
        let age = store.keeper.oldest_edit_ms().map_or(0, |oldest| now.saturating_sub(oldest));
        let is_old = limit.is_some_and(|limit| age > i64::try_from(limit.as_millis()).unwrap_or(i64::MAX));
        let lowest = store.memstore.lowest_unflushed_sequence_id();
        let follow = lowest.map_or(0, |lowest| self.read_point().saturating_sub(lowest));
        is_old || follow > config.flush_per_changes
    }
}

/// What a large memstore is, in bytes: the average at a flush, unless that is less than `minimum`; `configured` wins.
pub(crate) fn lower_bound(flush_size: u64, families: usize, minimum: u64, configured: Option<u64>) -> u64 {
    configured.unwrap_or_else(|| minimum.max(flush_size / families.max(1) as u64))
}

/// The numbers of the stores to flush.
pub(crate) fn choose(candidates: &[Candidate], lower_bound: u64) -> Vec<usize> {
    let wanted = |sloppy: bool| -> Vec<usize> {
        let is_wanted = |candidate: &Candidate| {
            candidate.is_sloppy == sloppy && (candidate.is_old || candidate.bytes > lower_bound)
        };
        let numbered = candidates.iter().enumerate();
        numbered.filter(|(_, candidate)| is_wanted(candidate)).map(|(number, _)| number).collect()
    };
    let plain = wanted(false);
    let chosen = if plain.is_empty() { wanted(true) } else { plain };
    if chosen.is_empty() { (0..candidates.len()).collect() } else { chosen }
}

#[cfg(test)]
mod tests {
    use super::{Candidate, choose, lower_bound};

    fn plain(bytes: u64) -> Candidate {
        Candidate { bytes, is_sloppy: false, is_old: false }
    }

    fn sloppy(bytes: u64) -> Candidate {
        Candidate { is_sloppy: true, ..plain(bytes) }
    }

    #[test]
    fn large_stores_go_and_all_when_none_is_large() {
        assert_eq!(choose(&[plain(10), plain(30), plain(11)], 10), [1, 2]);
        assert_eq!(choose(&[plain(10), plain(3)], 10), [0, 1]);
        assert_eq!(choose(&[plain(10)], 10), [0]);
        assert_eq!(choose(&[sloppy(10), sloppy(30)], 10), [1]);
    }

    #[test]
    fn stores_with_in_memory_compaction_go_last() {
        assert_eq!(choose(&[sloppy(100), plain(11), sloppy(12)], 10), [1]);
        assert_eq!(choose(&[sloppy(100), plain(5), sloppy(12)], 10), [0, 2]);
    }

    #[test]
    fn old_edits_make_a_store_go_whatever_its_size() {
        let old = Candidate { is_old: true, ..plain(1) };
        assert_eq!(choose(&[old, plain(30), plain(1)], 10), [0, 1]);
    }

    #[test]
    fn the_bound_is_the_average_or_the_minimum_or_what_the_table_says() {
        assert_eq!(lower_bound(128, 4, 16, None), 32);
        assert_eq!(lower_bound(128, 100, 16, None), 16);
        assert_eq!(lower_bound(128, 4, 16, Some(1)), 1);
        assert_eq!(lower_bound(128, 0, 16, None), 128);
    }
}
