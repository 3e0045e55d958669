//! What an opening finds in recovered edits goes into the memstores, and stays there: the region is served before it is
//! written to files. Until a flush has done that, the recovered edits stay too, and a crash replays them again.

use crate::bulk_load::sweep_staged;
use crate::error::RegionError;
use crate::flush_matcher::FlushMatcher;
use crate::open::NonceSink;
use crate::region::Region;
use crate::store::Store;
use finback_cell::Cell;
use finback_proto::{Message, pb};
use finback_wal::{ReplayRules, ReplaySink, ReplaySummary, WalEntry, delete_recovered_edits, replay};
use std::sync::atomic::Ordering;

/// While memory is short, a replay flushes at this part of the flush size.
const SHORT_PART: u64 = 16;

/// Edits that are in memory and in recovered edits, and not all in store files.
pub(crate) struct Recovered {
    /// The highest sequence id among them.
    newest: u64,
}

impl Region {
    /// Replays recovered edits. They are flushed at once where memory is short.
    pub(crate) fn recover(&mut self, nonces: NonceSink<'_>) -> Result<(), RegionError> {
        let (summary, has_load) = self.replay(nonces)?;
        let newest = self.mvcc.read_point().max(summary.max_sequence_id);
        if summary.cells > 0 {
            tracing::info!(region = %self.encoded_name, cells = summary.cells, "replayed edits of an earlier server");
        }
        let has_only_expired = !self.has_edits_in_memory() && !self.stores.iter().all(Store::is_flushed);
        // What a load's marker says is carried out once.
        if has_load || has_only_expired || self.environment.host.write_room().is_short() {
            self.flush_anyway(None, Some(newest))?;
        }
        if self.has_edits_in_memory() {
            // As in HBase, which flushes them before they can be read, all versions of them stay until a compaction.
            self.mvcc.keep_after(Some(self.mvcc.read_point()));
            *self.recovered.get_mut() = Some(Recovered { newest });
        }
        self.mvcc.advance_to(newest);
        sweep_staged(&self.environment.root, &self.info)?;
        match self.recovered.get_mut() {
            Some(_) => Ok(()),
            None => self.delete_recovered_edits(),
        }
    }

    /// Also whether a bulk load was among the edits.
    fn replay(&self, nonces: NonceSink<'_>) -> Result<(ReplaySummary, bool), RegionError> {
        let root = &self.environment.root;
        let dir = root.region_dir(&self.info.table, &self.encoded_name);
        let stored: Vec<(Vec<u8>, u64)> = self
            .stores
            .iter()
            .map(|store| (store.family.name.to_vec(), store.max_sequence_id().unwrap_or(0)))
            .collect();
        // What a family of the same name had, which was deleted since, is in the log as well, and in no store file.
        let closed_at = root.flushed_before_close(&self.info.table, &self.encoded_name)?.unwrap_or(0);
        let store_sequence_id = |family: &[u8]| {
            let stored = stored.iter().find(|(name, _)| name == family)?.1;
            Some(stored.max(closed_at))
        };
        let rules = ReplayRules {
            region: self.encoded_name.as_bytes(),
            store_sequence_id: &store_sequence_id,
            min_store_sequence_id: stored.iter().map(|(_, sequence_id)| *sequence_id).min().unwrap_or(0),
            contains_row: &|row| self.info.is_meta() || self.info.contains_row(row),
        };
        let now = self.environment.host.now_ms();
        let expiry = self.stores.iter().map(|store| FlushMatcher::new(&store.rules, 0, now)).collect();
        let mut sink = Replay { region: self, nonces, expiry, has_load: false };
        let summary = replay(&**root.fs(), &dir, &rules, &mut sink)?;
        Ok((summary, sink.has_load))
    }

    /// Edits up to this sequence id are in store files when the region opens.
    pub(crate) fn flushed_before_opening(&self) -> u64 {
        self.lowest_in_memory().map_or(self.read_point(), |lowest| lowest.saturating_sub(1))
    }

    fn lowest_in_memory(&self) -> Option<u64> {
        self.stores.iter().filter_map(|store| store.memstore.lowest_sequence_id()).min()
    }

    fn has_edits_in_memory(&self) -> bool {
        self.stores.iter().any(|store| !store.memstore.is_empty())
    }

    /// After a flush: recovered edits that are in store files go. What cannot be deleted is deleted by the next opening.
    pub(crate) fn drop_recovered_edits(&self) {
        let mut recovered = self.recovered.lock();
        let flushed = self.last_flush_sequence_id.load(Ordering::Relaxed);
        if recovered.take_if(|recovered| recovered.newest <= flushed).is_none() {
            return;
        }
        self.mvcc.keep_after(None);
        if let Err(error) = self.delete_recovered_edits() {
            tracing::warn!(region = %self.encoded_name, %error, "recovered edits that were flushed are still there");
        }
    }

    fn delete_recovered_edits(&self) -> Result<(), RegionError> {
        let root = &self.environment.root;
        let dir = root.region_dir(&self.info.table, &self.encoded_name);
        Ok(delete_recovered_edits(&**root.fs(), &dir)?)
    }
}

/// Puts replayed cells into a region that is being opened.
struct Replay<'a, 'n> {
    region: &'a Region,
    nonces: NonceSink<'n>,
    /// For each store, what tells cells that have expired: with a read point of 0 it lets all others stay.
    expiry: Vec<FlushMatcher>,
    has_load: bool,
}

impl ReplaySink for Replay<'_, '_> {
    type Error = RegionError;

    fn nonce(&mut self, group: u64, nonce: u64, entry: &WalEntry<'_>) -> Result<(), RegionError> {
        (self.nonces)(group, nonce, entry.key.write_time_ms());
        Ok(())
    }

    fn compaction(&mut self, descriptor: &[u8]) -> Result<(), RegionError> {
        let descriptor = pb::CompactionDescriptor::decode(descriptor)
            .map_err(|error| RegionError::Invalid(error.to_string()))?;
        let region = self.region;
        let Ok(store) = region.store(&descriptor.family_name) else { return Ok(()) };
        let root = &region.environment.root;
        let (table, family) = (&region.info.table, &store.family.name);
        let places = [
            root.family_dir(table, &region.encoded_name, family),
            root.archived_family_dir(table, &region.encoded_name, family),
        ];
        for output in &descriptor.compaction_output {
            let is_at = |dir: &std::path::PathBuf| root.fs().exists(&dir.join(output)).unwrap_or(false);
            if !places.iter().any(is_at) {
                // Whatever became of it, its inputs are all there is.
                tracing::warn!(region = %region.encoded_name, output, "a compaction in the log has no output");
                return Ok(());
            }
        }
        let removed = store.remove_files(&descriptor.compaction_input);
        if !removed.is_empty() {
            region.track(store, &removed, &[])?;
        }
        for file in removed {
            let name =
                file.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            root.archive_store_file(table, &region.encoded_name, family, &name)?;
        }
        Ok(())
    }

    fn bulk_load(&mut self, descriptor: &[u8]) -> Result<(), RegionError> {
        self.has_load = true;
        self.region.replay_bulk_load(descriptor)
    }

    fn cell(&mut self, cell: Cell<'_>, sequence_id: u64) -> Result<(), RegionError> {
        let stores = self.region.stores.iter().zip(&mut self.expiry);
        let found = stores.into_iter().find(|(store, _)| store.family.name == cell.family());
        let Some((store, expiry)) = found else { return Ok(()) };
        if !expiry.keeps(&cell, u64::MAX) {
            store.recovered_expired.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let grown = store.insert_all(std::iter::once(cell), sequence_id);
        self.region.memstore_bytes.grow(grown);
        Ok(())
    }

    fn entry_done(&mut self, sequence_id: u64) -> Result<(), RegionError> {
        let (bytes, flush_size) = (self.region.memstore_bytes.bytes(), self.region.flush_size());
        let is_short =
            || bytes > flush_size / SHORT_PART && self.region.environment.host.write_room().is_short();
        if bytes > flush_size || is_short() {
            self.region.flush_anyway(None, Some(sequence_id))?;
        }
        Ok(())
    }
}
