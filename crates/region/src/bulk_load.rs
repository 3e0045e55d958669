//! Bulk load: HFiles that somebody else wrote become store files, all of one load or none.
//!
//! 1. Each file gets a second name in the region's `.bulk_load` (or is copied there), is made durable, and is checked. The
//!    client's own name stays until the end.
//! 2. The region is flushed, so that all its edits up to the flush's sequence id are in files: the load takes that id, and
//!    its files carry it in their names (`<hex>_SeqId_<n>_`). Their cells are newer than all that was written before.
//! 3. A marker in the log (`HBASE::BULK_LOAD`) names the files. When it is durable the load is decided.
//! 4. The files are renamed into their stores, and readers see those of all families together; a write that makes several reads
//!    makes all of them before that, or behind it.
//!
//! After a crash an opening finishes what was decided ([`replay`]); the rest is removed, and the client, which was not
//! answered, still has its files. HBase places the files first and writes the marker then: a crash in between leaves it
//! with some of the families. The marker has a second cell, which says so ([`finback_wal::BULK_LOAD_INTENT`]).

use crate::blocking::wait_for;
use crate::error::RegionError;
use crate::region::Region;
use crate::store_file::StoreFile;
use finback_cell::Durability;
use finback_proto::{Message, pb};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

mod check;
mod replay;
mod staged;

pub(crate) use replay::sweep_staged;
use staged::Staged;
pub(crate) use staged::StagedFile;

/// Files of one load, whose indexes are all in memory while it lasts. HBase's tools send 32 for each family and region, unless they
/// are told otherwise.
const MAX_FILES: usize = 16 << 10;

/// One file of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkLoadFile {
    /// The family that takes it.
    pub family: Vec<u8>,
    /// Where it is, on the file system of the root directory.
    pub path: PathBuf,
}

/// How files are loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkLoadOptions {
    /// Whether the cells are newer than all that was written before the load. Otherwise they are older than all.
    pub assign_sequence_id: bool,
    /// Whether the files stay where they are too, as copies.
    pub keep_source: bool,
    /// Noted in the log: whether other clusters are to get the load too.
    pub replicate: bool,
    /// Noted in the log: clusters that have the load already.
    pub cluster_ids: Vec<String>,
}

impl Default for BulkLoadOptions {
    fn default() -> Self {
        Self { assign_sequence_id: true, keep_source: false, replicate: true, cluster_ids: Vec::new() }
    }
}

/// What a load did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BulkLoadOutcome {
    /// The sequence id of the cells, if one was assigned.
    pub sequence_id: Option<u64>,
    /// Names of the new store files, in the order of the request.
    pub names: Vec<String>,
}

impl Region {
    /// Makes HFiles store files: all of them, or none. Blocks the calling thread.
    ///
    /// # Errors
    /// [`RegionError::OutsideRegion`] for a file with rows of other regions: the caller splits it, or finds the right
    /// region. A family that the table does not have; a file that is no HFile. After any error none of the files is
    /// served, and all are where they were.
    pub fn bulk_load(
        &self,
        files: &[BulkLoadFile],
        options: &BulkLoadOptions,
    ) -> Result<BulkLoadOutcome, RegionError> {
        self.check_open()?;
        self.check_bulk_load(files)?;
        let staged = Staged::stage(self, files, options.keep_source)?;
        for file in staged.files() {
            self.check_hfile(&file.family, (&file.source, &file.staged), options.assign_sequence_id)?;
        }
        let outcome = self.load_staged(staged, options)?;
        if !options.keep_source {
            self.remove_sources(files);
        }
        Ok(outcome)
    }

    /// Decides the load, and carries it out. No flush comes in between: it would let go of the marker.
    fn load_staged(
        &self,
        mut staged: Staged<'_>,
        options: &BulkLoadOptions,
    ) -> Result<BulkLoadOutcome, RegionError> {
        let _no_flush = self.flush_lock.lock();
        self.check_open()?;
        self.withdraw_failed_loads()?;
        let sequence_id = if options.assign_sequence_id { Some(self.flush_for_load()?) } else { None };
        staged.name(sequence_id);
        staged.create_family_dirs()?;
        let mut served = staged.open(sequence_id)?;
        if sequence_id.is_none() && served.iter().any(|file| file.has_sequence_ids() || file.names_others()) {
            // They are of another region: its cells would be newer than some of this one, and a recovery would take edits up to
            // them for flushed. A name says what counts instead, and that the file was loaded.
            staged.name(Some(0));
            served = staged.open(Some(0))?;
        }
        let marked = self.mark_bulk_load(&staged, &served, sequence_id, options);
        let placed = marked.and_then(|()| staged.place());
        if let Err(error) = placed.and_then(|()| self.track_load(&staged, &served)) {
            self.withdraw(staged, &error);
            return Err(error);
        }
        let names = served.iter().map(|file| file.name()).collect();
        let is_of_several = staged.files().windows(2).any(|files| files[0].family != files[1].family);
        // As in HBase, which holds up all writes from the beginning of the load on.
        let _between_writes = is_of_several.then(|| wait_for(self.several_reads.write()));
        self.file_switch.switch(|| {
            for (place, file) in staged.files().iter().zip(served) {
                if let Ok(store) = self.store(&place.family) {
                    store.add_file(file);
                }
            }
        });
        staged.keep();
        tracing::info!(region = %self.encoded_name, ?sequence_id, files = staged.files().len(), "bulk loaded");
        Ok(BulkLoadOutcome { sequence_id, names })
    }

    /// Lists files that have their places, where their stores have lists; all of them, or none.
    fn track_load(&self, staged: &Staged<'_>, served: &[Arc<StoreFile>]) -> Result<(), RegionError> {
        let files = || staged.files().iter().zip(served);
        for (number, (place, file)) in files().enumerate() {
            let Err(error) = self.track(self.store(&place.family)?, &[], std::slice::from_ref(file)) else {
                continue;
            };
            // They are taken back when the lists on disk say so, too.
            for (place, file) in files().take(number + 1) {
                self.strike_off(self.store(&place.family)?, file);
            }
            return Err(error);
        }
        Ok(())
    }

    /// Names the files in the log, durably.
    fn mark_bulk_load(
        &self,
        staged: &Staged<'_>,
        served: &[Arc<StoreFile>],
        sequence_id: Option<u64>,
        options: &BulkLoadOptions,
    ) -> Result<(), RegionError> {
        let mut stores: Vec<pb::StoreDescriptor> = Vec::new();
        for (place, file) in staged.files().iter().zip(served) {
            let at = stores.iter().position(|store| store.family_name == place.family).unwrap_or_else(|| {
                stores.push(pb::StoreDescriptor {
                    family_name: place.family.clone().into(),
                    store_home_dir: String::from_utf8_lossy(&place.family).into_owned(),
                    store_file: Vec::new(),
                    store_file_size_bytes: Some(0),
                });
                stores.len() - 1
            });
            stores[at].store_file.push(file.name());
            let bytes = stores[at].store_file_size_bytes.get_or_insert_default();
            *bytes = bytes.saturating_add(file.size_bytes());
        }
        let descriptor = pb::BulkLoadDescriptor {
            table_name: (&self.info.table).into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            stores,
            bulkload_seq_num: sequence_id.and_then(|id| i64::try_from(id).ok()).unwrap_or(-1),
            cluster_ids: options.cluster_ids.clone(),
            replicate: Some(options.replicate),
        };
        let descriptor = descriptor.encode_to_vec();
        let markers = [(&b"HBASE::BULK_LOAD"[..], &descriptor[..]), (finback_wal::BULK_LOAD_INTENT, b"")];
        // Files are put in place one by one, each durably: an opening after a power cut has to know of all of them.
        let position = self.mark_with(&markers, Durability::FsyncWal)?;
        wait_for(self.environment.wal.sync(position))?;
        Ok(())
    }

    /// A load of which the marker may be in the log, and that failed, is taken back. Where that fails too, it is tried again
    /// before the next flush: until then the log keeps the marker, so that an opening after a crash finishes the load.
    fn withdraw(&self, mut staged: Staged<'_>, error: &RegionError) {
        tracing::warn!(region = %self.encoded_name, %error, "a bulk load failed");
        if self.closed.load(Ordering::Acquire) {
            // Given up: the files are the next opener's.
            staged.keep();
        } else if let Err(error) = staged.take_back() {
            tracing::warn!(region = %self.encoded_name, %error, "a bulk load could not be taken back yet");
            self.failed_loads.lock().push(staged.detach());
        }
    }

    /// Takes back what earlier failures left. Called under the flush lock.
    pub(crate) fn withdraw_failed_loads(&self) -> Result<(), RegionError> {
        let mut failed = self.failed_loads.lock();
        while let Some(files) = failed.pop() {
            let mut staged = Staged::attach(self, files);
            if let Err(error) = staged.take_back() {
                failed.push(staged.detach());
                return Err(error);
            }
        }
        Ok(())
    }

    /// The store has the files now. One that cannot be removed does no harm.
    fn remove_sources(&self, files: &[BulkLoadFile]) {
        for file in files {
            if let Err(error) = self.environment.root.fs().remove_file(&file.path) {
                tracing::warn!(path = %file.path.display(), %error, "a bulk loaded file was not removed from its old place");
            }
        }
    }
}
