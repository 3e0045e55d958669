//! Compaction: several store files become one, or several others.
//!
//! The outputs are written beside the store (`.tmp`), synced, and renamed into it; a marker in the log names inputs and
//! outputs; readers are switched; the inputs go to the archive. The file info of the last output names the inputs too: a
//! server that died between its rename and the end of the archiving finds at opening which files are leftovers.
//!
//! Scanners that are open keep the inputs open, and read on.

use crate::blocking::wait_for;
use crate::compaction_config::StoreEngine;
use crate::compaction_memory::CompactionTurn;
use crate::compaction_output::CompactionJob;
use crate::compaction_policy::{Candidate, Occasion, Selection};
use crate::compaction_progress::CompactionUnderWay;
use crate::error::RegionError;
use crate::job_control::{JobControl, Unhindered};
use crate::region::Region;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_cell::Bytes;
use finback_proto::{Message, pb};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names of files in a store's directory that the store does not serve, because they could not be put into the archive
/// yet. Each output names them, so that an opening does not serve them either.
pub(crate) type Leftovers = BTreeSet<String>;

/// What a compaction did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionOutcome {
    /// Files that went away.
    pub inputs: usize,
    /// Files that came in their place.
    pub outputs: usize,
    /// Whether these were all files of the store, so that delete markers went.
    pub all_files: bool,
    /// Whether all were meant: asked for, or due. HBase counts no other as major.
    pub is_major: bool,
    /// Rows of which these were all files, so that delete markers of these went: from the first to before the second;
    /// empty is open.
    pub whole_rows: Option<(Bytes, Bytes)>,
    /// Cells read.
    pub cells_read: u64,
    /// Bytes of them.
    pub cell_bytes_read: u64,
    /// Cells written.
    pub cells_written: u64,
    /// Data blocks that were written as they were stored.
    pub blocks_copied: u64,
    /// Whether these were all blocks: the files were joined, and nobody looked at their cells.
    pub is_joined: bool,
    /// Delete markers read and not written.
    pub markers_dropped: u64,
    /// Bytes of the output file.
    pub bytes_written: u64,
    /// Bytes of the files that went away.
    pub bytes_read: u64,
}

impl Region {
    /// Compacts the store of one family, if there is something worth it; `major`: all its files. Files of which all
    /// cells have expired go first. Blocks the calling thread.
    ///
    /// # Errors
    /// The region's; the store is then as it was, but for expired files.
    pub fn compact(&self, family: &[u8], major: bool) -> Result<Option<CompactionOutcome>, RegionError> {
        self.compact_under(family, major, &Unhindered)
    }

    /// Does what [`compact`](Self::compact) does at the pace, and to the end, that `control` says.
    ///
    /// # Errors
    /// As [`compact`](Self::compact); [`RegionError::Cancelled`].
    pub fn compact_under(
        &self,
        family: &[u8],
        major: bool,
        control: &dyn JobControl,
    ) -> Result<Option<CompactionOutcome>, RegionError> {
        self.compact_if(family, |region, store, leftovers| {
            let expired = region.drop_expired(store, leftovers)?;
            let files = store.files_oldest_first();
            let major = store.major_is_due.fetch_or(major, Ordering::Relaxed) || major;
            let Some(selection) = region.select(store, &files, major) else {
                let outcome = CompactionOutcome { inputs: expired, ..CompactionOutcome::default() };
                return Ok((expired > 0).then_some(outcome));
            };
            store.major_is_due.store(false, Ordering::Relaxed);
            let _off_peak = region.off_peak_turn(&selection);
            // As in HBase: not one of all files that has come due.
            let rewrites_mob = major || (control.is_asked_for() && selection.all_files);
            let job = CompactionJob::new(store, selection, &files).rewriting_mob(rewrites_mob);
            let outcome = region.compact_files(store, &job, leftovers, control)?;
            Ok(Some(CompactionOutcome { inputs: outcome.inputs + expired, ..outcome }))
        })
    }

    /// Compacts the files of these numbers, counted from the oldest, whatever the policy would choose. Blocks the
    /// calling thread.
    ///
    /// # Errors
    /// Numbers that the store does not have; otherwise as [`compact`](Self::compact).
    pub fn compact_run(
        &self,
        family: &[u8],
        run: std::ops::Range<usize>,
    ) -> Result<CompactionOutcome, RegionError> {
        self.compact_if(family, |region, store, leftovers| {
            let files = store.files_oldest_first();
            match files.get(run.clone()) {
                Some(inputs) if !inputs.is_empty() => {
                    let job = CompactionJob::whole(store, inputs, files.len());
                    region.compact_files(store, &job, leftovers, &Unhindered)
                }
                _ => Err(RegionError::Invalid(format!("no files {run:?} among {}", files.len()))),
            }
        })
    }

    /// Does something to the files of a store, when nothing else does.
    fn compact_if<T>(
        &self,
        family: &[u8],
        compaction: impl FnOnce(&Self, &Store, &mut Leftovers) -> Result<T, RegionError>,
    ) -> Result<T, RegionError> {
        self.check_open()?;
        let store = self.store(family)?;
        let mut leftovers = store.compaction_lock.lock();
        leftovers.extend(store.flush_leftovers.lock().drain(..));
        // A region that closes waits for this lock: it may have had its turn.
        self.check_open()?;
        compaction(self, store, &mut leftovers)
    }

    /// Whether the table lets a server compact the region (COMPACTION_ENABLED). As in HBase, otherwise not even what somebody asks
    /// for is done, nor do expired files go.
    pub fn may_be_compacted(&self) -> bool {
        self.rules.may_be_compacted
    }

    /// Families whose stores have files worth compacting.
    pub fn families_to_compact(&self) -> Vec<Bytes> {
        self.families_to_compact_of(|_| true)
    }

    /// The same of those stores whose turn it is at this look at all stores. There should be one every 10 s.
    pub fn families_to_compact_at_look(&self, look: u64) -> Vec<Bytes> {
        self.families_to_compact_of(|store| store.compaction().is_due_at_look(look))
    }

    fn families_to_compact_of(&self, wanted: impl Fn(&Store) -> bool) -> Vec<Bytes> {
        let worth = |store: &&Store| {
            if !wanted(store) {
                return false;
            }
            let files = store.files_oldest_first();
            store.progress.under_way() == (false, false)
                && (self.select(store, &files, false).is_some() || !self.expired(store).is_empty())
        };
        if self.is_closing() || !self.may_be_compacted() {
            return Vec::new();
        }
        self.stores.iter().filter(worth).map(|store| store.family.name.clone()).collect()
    }

    /// Notes that all files of a store are to be compacted, by its next compaction.
    pub fn want_major(&self, family: &[u8]) {
        if let Ok(store) = self.store(family) {
            store.major_is_due.store(true, Ordering::Relaxed);
        }
    }

    /// The compactions that are under way.
    pub fn compactions(&self) -> Vec<CompactionUnderWay> {
        self.stores.iter().filter_map(|store| store.progress.of(&store.family.name)).collect()
    }

    /// Whether compactions of some files, and of all files of a store, are under way.
    pub fn compactions_under_way(&self) -> (bool, bool) {
        self.stores
            .iter()
            .map(|store| store.progress.under_way())
            .fold((false, false), |sum, one| (sum.0 || one.0, sum.1 || one.1))
    }

    /// What the policy of the store chooses among its files, oldest first.
    pub(crate) fn select(&self, store: &Store, files: &[Arc<StoreFile>], major: bool) -> Option<Selection> {
        if !major && !self.may_be_compacted() {
            return None;
        }
        let now_ms = self.environment.host.now_ms();
        // By the order of writing no cell goes while others of its row may be elsewhere: such a file would be chosen again.
        let keeps_expired = store.compaction().is_fifo() && store.rules.new_version_behavior;
        let outlives_ttl = store.rules.min_versions > 0 || keeps_expired;
        let ttl_ms = store.family.ttl_seconds().filter(|_| !outlives_ttl).map(|ttl| i64::from(ttl) * 1000);
        let host = &self.environment.host;
        let hours = store.compaction().off_peak_hours();
        let off_peak = hours.is_some_and(|hours| hours.contains(now_ms, host.utc_offset_ms(now_ms)))
            && !self.environment.config.off_peak_taken.load(Ordering::Relaxed);
        let candidates: Vec<Candidate> = files.iter().map(|file| file.candidate()).collect();
        let occasion = Occasion { major, off_peak, now_ms, ttl_ms };
        if store.compaction().engine == StoreEngine::Stripe {
            let in_stripes: Vec<_> = files.iter().map(|file| file.in_stripe()).collect();
            return store.compaction().select_striped(&candidates, &in_stripes, occasion);
        }
        store.compaction().select(&candidates, occasion)
    }

    /// Keeps other compactions from making use of off-peak hours, if this one does, until the guard is dropped.
    fn off_peak_turn(&self, selection: &Selection) -> Option<OffPeakTurn<'_>> {
        let taken = &*self.environment.config.off_peak_taken;
        (selection.off_peak && !taken.swap(true, Ordering::Relaxed)).then_some(OffPeakTurn(taken))
    }

    /// Files of which all cells have expired, oldest first. The newest stays, for the sequence id that it has.
    fn expired(&self, store: &Store) -> Vec<Arc<StoreFile>> {
        if store.rules.min_versions > 0 || !store.compaction().deletes_expired_files {
            return Vec::new();
        }
        let oldest = store.rules.oldest_unexpired(self.environment.host.now_ms());
        let mut files = store.files_oldest_first();
        if store.compaction().engine == StoreEngine::Stripe {
            // Nor may the newest of a stripe, which tells of it.
            let mut kept = std::collections::HashSet::new();
            files.reverse();
            files.retain(|file| !kept.insert(file.in_stripe().rows));
            files.reverse();
        } else {
            files.pop();
        }
        // A file without cells is none of them: as in HBase it counts among the files worth a compaction, where these are not
        // chosen by age alone.
        let is_fifo = store.compaction().is_fifo();
        let has_expired = |file: &Arc<StoreFile>| {
            let file = file.candidate();
            is_fifo && file.is_empty || file.timestamps.is_some_and(|(_, newest)| newest < oldest)
        };
        files.retain(has_expired);
        files
    }

    /// Stops serving the expired files; gives back how many.
    fn drop_expired(&self, store: &Store, leftovers: &mut Leftovers) -> Result<usize, RegionError> {
        let mut expired = self.expired(store);
        // A file that goes must not be the only one that says what else is left over. That may be put away by now; whose log takes a
        // marker has no successor that reads it.
        if !expired.is_empty() && !leftovers.is_empty() {
            self.mark_compaction(store, leftovers.iter().cloned().collect(), &[])?;
            self.archive(store, &[], leftovers);
        }
        if !leftovers.is_empty() {
            expired.clear();
        }
        if !expired.is_empty() {
            self.mark_compaction(store, names(&expired), &[])?;
            self.track(store, &expired, &[])?;
            store.exchange_files(&expired, Vec::new());
            store.forget_blocks(&expired);
            self.archive(store, &expired, leftovers);
        }
        Ok(expired.len())
    }

    fn compact_files(
        &self,
        store: &Store,
        job: &CompactionJob,
        leftovers: &mut Leftovers,
        control: &dyn JobControl,
    ) -> Result<CompactionOutcome, RegionError> {
        let mut memory = self.compaction_turn(store, job, control)?;
        let _under_way = store.progress.begin(job.is_major, job.cells(), self.environment.host.now_ms());
        let (outcome, outputs) = self.write_compacted(store, job, leftovers, control, &mut memory)?;
        drop(memory);
        // A region that closes meanwhile must not get files that its next opener does not expect.
        self.check_open()?;
        let outputs = self.publish(store, outputs, &job.inputs).map_err(|(error, uncertain)| {
            // Were a file to stay unnoticed, it would bring back what later compactions dropped.
            leftovers.extend(uncertain);
            error
        })?;
        let marked = self.mark_compaction(store, names(&job.inputs), &outputs);
        if let (Err(error), true) = (&marked, outputs.is_empty()) {
            // Nothing but the log would say that the inputs are done with.
            return Err(error.clone());
        }
        if outputs.is_empty() {
            self.track(store, &job.inputs, &[])?;
        }
        let wanted = store.caching.of_compaction(store.data_priority, job.bytes());
        outputs.iter().for_each(|file| self.cache_written(store, file, wanted));
        // At best those who read never miss a block.
        let cached_bytes = job.cached_bytes.filter(|_| !self.cache_beside(store, &outputs, control));
        if outcome.markers_dropped > 0 {
            // See `renew_scanner`.
            self.file_switch.switch(|| store.exchange_files(&job.inputs, outputs.clone()));
        } else {
            store.exchange_files(&job.inputs, outputs.clone());
        }
        store.forget_blocks(&job.inputs);
        if let Some(bytes) = cached_bytes {
            self.cache_instead(store, &outputs, bytes, control);
        }
        match marked {
            Ok(()) => self.archive(store, &job.inputs, leftovers),
            Err(error) => {
                // Whose log is gone may have a successor that reads the inputs. The output names them: the next
                // compaction, or the next opening, puts them away.
                tracing::warn!(region = %self.encoded_name, %error, "the log did not take the marker of a compaction");
                leftovers.extend(names(&job.inputs));
            }
        }
        let outcome = CompactionOutcome { outputs: outputs.len(), ..outcome };
        store.progress.finished(&outcome);
        Ok(outcome)
    }

    /// Waits until there is memory for a compaction.
    fn compaction_turn(
        &self,
        store: &Store,
        job: &CompactionJob,
        control: &dyn JobControl,
    ) -> Result<CompactionTurn<'_>, RegionError> {
        let bytes = job.memory_bytes(store);
        let is_to_end = || self.check_open().is_err() || control.is_cancelled();
        let turns = &self.environment.config.compaction_memory;
        turns.wait(&store.cache, bytes, is_to_end).ok_or_else(|| {
            self.check_open().err().unwrap_or_else(|| RegionError::Cancelled(self.encoded_name.to_string()))
        })
    }

    /// Puts away what compactions have left in the directories of the region's stores.
    ///
    /// # Errors
    /// The storage's: something is left.
    pub fn put_leftovers_away(&self) -> Result<(), RegionError> {
        self.stores.iter().try_for_each(|store| self.archive_leftovers(store))
    }

    /// Puts what is left over into the archive, before the directory is all that says what the region has: daughters, and clones
    /// of snapshots, call files by other names than those by which they are known for leftovers.
    fn archive_leftovers(&self, store: &Store) -> Result<(), RegionError> {
        let mut leftovers = store.compaction_lock.lock();
        leftovers.extend(store.flush_leftovers.lock().drain(..));
        self.archive(store, &[], &mut leftovers);
        match leftovers.iter().next() {
            None => Ok(()),
            Some(name) => {
                Err(RegionError::Invalid(format!("{name} is of no use any more, and cannot be archived")))
            }
        }
    }

    /// Puts files that are no longer served, and those that were left over before, into the archive. What cannot be put
    /// there stays a leftover.
    fn archive(&self, store: &Store, inputs: &[Arc<StoreFile>], leftovers: &mut Leftovers) {
        leftovers.extend(names(inputs));
        if self.closed.load(Ordering::Acquire) {
            // Given up: the files are the next opener's.
            return;
        }
        let (root, family) = (&self.environment.root, &store.family.name);
        let dir = root.family_dir(&self.info.table, &self.encoded_name, family);
        leftovers.retain(|name| {
            match root.archive_store_file(&self.info.table, &self.encoded_name, family, name) {
                Ok(()) => false,
                Err(_) if root.fs().exists(&dir.join(name)).is_ok_and(|exists| !exists) => false,
                Err(error) => {
                    tracing::warn!(region = %self.encoded_name, file = name, %error, "not archived");
                    true
                }
            }
        });
    }

    /// Names inputs and outputs in the log, durably: replay then knows that the inputs are done with.
    fn mark_compaction(
        &self,
        store: &Store,
        inputs: Vec<String>,
        outputs: &[Arc<StoreFile>],
    ) -> Result<(), RegionError> {
        let descriptor = pb::CompactionDescriptor {
            table_name: self.wal_table.to_vec().into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            family_name: store.family.name.clone(),
            compaction_input: inputs,
            compaction_output: names(outputs),
            store_home_dir: String::from_utf8_lossy(&store.family.name).into_owned(),
            region_name: Some(self.name.clone()),
        };
        let position = self.mark(b"HBASE::COMPACTION", &descriptor.encode_to_vec())?;
        wait_for(self.environment.wal.sync(position))?;
        Ok(())
    }
}

fn names(files: &[Arc<StoreFile>]) -> Vec<String> {
    files.iter().map(|file| file.name()).collect()
}

/// The one compaction of the server that makes use of off-peak hours.
struct OffPeakTurn<'a>(&'a AtomicBool);

impl Drop for OffPeakTurn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
