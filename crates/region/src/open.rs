//! Opening and closing a region.

use crate::blocking::wait_for;
use crate::config::RegionConfig;
use crate::delayed_write::DelayedWrites;
use crate::error::RegionError;
use crate::file_switch::FileSwitch;
use crate::files_of_region::{files_of, take_recovered_files, without_leftovers};
use crate::large_row::LargeRow;
use crate::memory_gauge::MemoryGauge;
use crate::memstore_keeper::MemStoreKeeper;
use crate::mvcc::Mvcc;
use crate::refused_writes::RefusedWrites;
use crate::region::{Region, RegionCounters, RegionEnvironment};
use crate::row_lock::RowLocks;
use crate::store::Store;
use crate::store_file::StoreFile;
use crate::table_rules::TableRules;
use crate::write_times::WriteTimes;
use finback_cell::{CellOrder, RegionInfo, TableDescriptor};
use finback_layout::{LayoutError, RootDir, StoreFileTracker};
use finback_memstore::MemStore;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// More than this in memory is flushed before a close, as HBase does by default (`hbase.hregion.preclose.flush.size`).
const FLUSHED_BEFORE_CLOSING: u64 = 5 << 20;

/// Takes the nonces of replayed edits: group, nonce, and when the edit was written, in milliseconds since the epoch.
pub type NonceSink<'a> = &'a mut dyn FnMut(u64, u64, u64);

impl From<LayoutError> for RegionError {
    fn from(error: LayoutError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl Region {
    /// Opens a region: its store files, and what logs recovered since. Blocks the calling thread.
    ///
    /// What a process that was killed had acknowledged is in its logs, which this does not look for: [`finback_wal::split_server`]
    /// makes recovered edits of them, before any region of that process is opened.
    ///
    /// # Errors
    /// A store file or recovered log that cannot be read, or a directory that cannot be written.
    pub fn open(
        mut environment: RegionEnvironment,
        info: RegionInfo,
        table: Arc<TableDescriptor>,
        nonces: NonceSink<'_>,
    ) -> Result<Arc<Self>, RegionError> {
        environment.config = RegionConfig::of_table(&environment.config, &table);
        let root = environment.root.clone();
        root.create_region_dir(&info)?;
        root.create_family_dirs(&info, table.families.iter().map(|family| &family.name[..]))?;
        sweep_temporary(&root, &info)?;
        if table.families.iter().any(|family| family.mob_threshold_bytes().is_some()) {
            root.remove_temporary_mob_files(&info.encoded_name())?;
        }
        let encoded_name: Arc<str> = info.encoded_name().into();
        let order = if info.is_meta() { CellOrder::Meta } else { CellOrder::User };
        let mvcc = Arc::new(Mvcc::new(0));
        let gauge = Arc::new(MemoryGauge::new(Arc::clone(&environment.host)));
        let mut stores = Vec::with_capacity(table.families.len());
        for family in &table.families {
            let tracker = StoreFileTracker::of(&table, family).map_err(RegionError::Invalid)?;
            take_recovered_files(&root, &info, &family.name, tracker)?;
            let files = open_store_files(&root, &info, &family.name, tracker)?;
            let keeper = |memstore: &Arc<MemStore>| {
                let (config, host) = (&environment.config, Arc::clone(&environment.host));
                let memstore = Arc::clone(memstore);
                MemStoreKeeper::new(
                    memstore,
                    &table,
                    family,
                    config,
                    Arc::clone(&mvcc),
                    Arc::clone(&gauge),
                    host,
                )
            };
            let compaction = environment.config.compaction_of(&table, family);
            let caching = environment.config.caching.of_store(&table, family);
            let cache = Arc::clone(&environment.cache);
            let checksums = environment.config.checksums.of_store(&table, family);
            let (zstd_form, kept_blocks) = (environment.config.zstd_form, environment.config.kept_blocks);
            let configs = (compaction, caching, checksums, zstd_form, kept_blocks);
            let mob = (root.clone(), Arc::clone(&environment.config.mob_files));
            let store = Store::new(family.clone(), keeper, order, configs, (tracker, files), cache, mob);
            stores.push(store);
        }
        // At one time, as in HBase.
        let opened_ms = environment.host.now_ms().unsigned_abs();
        stores.iter_mut().for_each(|store| *store.last_flush_ms.get_mut() = opened_ms);
        stores.sort_by(|a, b| a.family.name.cmp(&b.family.name));
        let stored = stores.iter().map(Store::highest_sequence_id).max().unwrap_or(0);
        mvcc.advance_to(stored);
        let mut region = Self {
            name: info.name(),
            wal_region: encoded_name.as_bytes().into(),
            wal_table: info.table.to_bytes()[..].into(),
            encoded_name,
            rules: TableRules::of(&table, &environment.config),
            table,
            order,
            stores,
            mvcc,
            row_locks: RowLocks::new(),
            write_times: WriteTimes::default(),
            append_lock: Mutex::new(()),
            updates: tokio::sync::RwLock::new(()),
            flush_lock: Mutex::new(()),
            failed_loads: Mutex::default(),
            file_switch: FileSwitch::default(),
            several_reads: tokio::sync::RwLock::new(()),
            closing: AtomicBool::new(false),
            readable: AtomicBool::new(true),
            to_be_closed: AtomicBool::new(false),
            close_lock: Mutex::new(()),
            closed: AtomicBool::new(false),
            // No flush is wanted while the region is not served yet.
            flush_asked: AtomicBool::new(true),
            delayed_writes: DelayedWrites::default(),
            refused_writes: RefusedWrites::new(environment.host.uptime()),
            large_row: LargeRow::default(),
            memstore_bytes: gauge,
            open_sequence_id: 0,
            last_flush_sequence_id: AtomicU64::new(stored),
            recovered: Mutex::default(),
            counters: RegionCounters::default(),
            info,
            environment,
        };
        region.recover(nonces)?;
        region.settle_lists()?;
        *region.last_flush_sequence_id.get_mut() = region.flushed_before_opening();
        region.begin()?;
        Ok(Arc::new(region))
    }

    /// Takes the open sequence id and notes it where the next opening finds it.
    fn begin(&mut self) -> Result<(), RegionError> {
        let root = &self.environment.root;
        let noted = root.max_noted_sequence_id(&self.info.table, &self.encoded_name)?.unwrap_or(0);
        let open_sequence_id = self.mvcc.read_point().max(noted) + 1;
        root.write_sequence_id_file(&self.info.table, &self.encoded_name, open_sequence_id - 1)?;
        self.mvcc.advance_to(open_sequence_id);
        self.open_sequence_id = open_sequence_id;
        self.flush_asked.store(false, Ordering::Release);
        self.mark_event(true).map(drop)
    }

    /// Stops taking writes, waits for those under way, flushes, notes the last sequence id, and stops being read from. Blocks the
    /// calling thread. Does nothing in a region that is closed already.
    ///
    /// # Errors
    /// The flush's: the region then goes on as if nothing had been asked. A region that [was given up](Self::is_given_up).
    pub fn close(&self) -> Result<(), RegionError> {
        self.close_to_writes()?;
        self.end_reads();
        self.leave_blocks();
        Ok(())
    }

    /// [`Region::close`] for a region whose rows are opened here again, by the same name or others: until then all that there is to
    /// read is here, and the host lets it be read, until it [ends that](Self::end_reads).
    ///
    /// # Errors
    /// As [`Region::close`].
    pub fn close_to_writes(&self) -> Result<(), RegionError> {
        self.to_be_closed.store(true, Ordering::Release);
        let closed = self.flush_before_closing().and_then(|()| self.close_now());
        self.to_be_closed.store(closed.is_ok(), Ordering::Release);
        closed
    }

    /// Much that is in memory goes to files while writes go on: those wait for the rest alone.
    fn flush_before_closing(&self) -> Result<(), RegionError> {
        if self.is_closing() || self.memstore_bytes() <= FLUSHED_BEFORE_CLOSING {
            return Ok(());
        }
        // Somebody else may be about to close it by now: then that is what there is to wait for.
        self.flush(None).map(drop).or_else(|error| if self.is_closing() { Ok(()) } else { Err(error) })
    }

    fn close_now(&self) -> Result<(), RegionError> {
        let _one_at_a_time = self.close_lock.lock();
        self.closing.store(true, Ordering::Release);
        if self.is_given_up() {
            return Err(self.not_served());
        }
        if self.closed.load(Ordering::Acquire) {
            return Ok(());
        }
        if let Err(error) = self.write_out() {
            // Nothing is lost: the region goes on, and may be closed again, unless it was given up meanwhile.
            self.closing.store(self.closed.load(Ordering::Acquire), Ordering::Release);
            return Err(error);
        }
        self.environment.wal.region_closed(&self.wal_region);
        self.closed.store(true, Ordering::Release);
        self.release_memory();
        Ok(())
    }

    /// Whether somebody waits for the region to be closed: what is written out of memory is not held back.
    pub fn is_to_be_closed(&self) -> bool {
        self.to_be_closed.load(Ordering::Acquire) || self.is_closing()
    }

    /// Answers no more reads, those under way included. For a region that is [closed to writes](Self::close_to_writes).
    pub fn end_reads(&self) {
        self.readable.store(false, Ordering::Release);
    }

    /// Leaves the blocks of a closed region in the cache to its next opening, or frees them where a family wants that at a close
    /// (EVICT_BLOCKS_ON_CLOSE): looks at all that the cache has.
    pub fn leave_blocks(&self) {
        self.stores.iter().for_each(Store::close_files);
    }

    /// Puts into files what memory holds, and notes the end in the log.
    fn write_out(&self) -> Result<(), RegionError> {
        // Writers that came before the closing may still be at it; later ones are refused.
        drop(wait_for(self.updates.write()));
        // A compaction under way notices the closing, and gives up.
        for store in &self.stores {
            drop(store.compaction_lock.lock());
        }
        self.flush_anyway(None, None)?;
        self.stores.iter().try_for_each(|store| self.settle_list(store))?;
        self.put_leftovers_away()?;
        let is_noted = self.note_close();
        let (root, table, last) = (&self.environment.root, &self.info.table, self.read_point());
        // Who cannot write to its log any more may have lost the region to another server.
        if is_noted {
            root.write_close_notes(table, &self.encoded_name, last)?;
        } else {
            root.write_sequence_id_file(table, &self.encoded_name, last)?;
        }
        Ok(())
    }

    /// Writes the marker of a close, and waits for it: written after the log was told that the region is gone, it would
    /// keep its log file for ever. All edits are in store files, so that a log that fails does not matter here. Whether it has the
    /// marker.
    fn note_close(&self) -> bool {
        let noted = self.mark_event(false).and_then(|position| {
            wait_for(self.environment.wal.sync(position))?;
            Ok(())
        });
        if let Err(error) = &noted {
            tracing::warn!(region = %self.encoded_name, %error, "the log did not take the marker of a close");
        }
        noted.is_ok()
    }

    /// Stops taking requests without a flush: for a table that is being deleted, or a server that gives up.
    pub fn abandon(&self) {
        self.closed.store(true, Ordering::Release);
        self.closing.store(true, Ordering::Release);
        self.readable.store(false, Ordering::Release);
        self.release_memory();
    }

    fn release_memory(&self) {
        self.memstore_bytes.clear();
    }
}

impl Drop for Region {
    /// An opening that failed leaves something to give back.
    fn drop(&mut self) {
        self.release_memory();
    }
}

/// Opens the files of a store. What compactions have left goes to the archive.
fn open_store_files(
    root: &RootDir,
    info: &RegionInfo,
    family: &[u8],
    tracker: StoreFileTracker,
) -> Result<Vec<Arc<StoreFile>>, RegionError> {
    let region = info.encoded_name();
    let files = files_of(root, info, family, tracker)?;
    if tracker.reads_list() {
        // Before the replay, which may bring the first files.
        root.begin_store_file_list(&info.table, &region, family)?;
        // A compaction has exchanged its inputs there already, or not yet.
        return Ok(files);
    }
    let (leftovers, served) = without_leftovers(files);
    for file in leftovers {
        root.archive_store_file(&info.table, &region, family, &file.name())?;
    }
    Ok(served)
}

/// Removes what flushes and compactions left unfinished.
fn sweep_temporary(root: &RootDir, info: &RegionInfo) -> Result<(), RegionError> {
    let dir = root.region_temp_dir(&info.table, &info.encoded_name());
    match root.fs().remove_dir_all(&dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(RegionError::io(dir, &error)),
        _ => Ok(()),
    }
}
