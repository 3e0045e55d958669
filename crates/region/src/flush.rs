//! Flush: what is in the memstores becomes store files.
//!
//! Under the exclusive updates lock the flush takes the next sequence id F and makes the memstores' cells snapshots, so
//! that these hold exactly the edits up to F. The files are written beside the store (`.tmp`), synced, and renamed into
//! it; then they are served, the snapshots are dropped, and the log is told. A crash at any point leaves either the log
//! or the file with every edit.

use crate::blocking::wait_for;
use crate::error::RegionError;
use crate::flush_matcher::FlushMatcher;
use crate::heap::Heap;
use crate::job_control::{JobControl, Pace, Unhindered};
use crate::marker::FlushPhase;
use crate::mob::{MobPass, MobPassKind, MobWritten};
use crate::output_files::{Inscription, OutputFiles, memory_of_outputs};
use crate::region::Region;
use crate::source::Source;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_cell::Cell;
use finback_cell::key::Key;
use finback_hfile::{CacheCharge, ScanInterrupt, WriterOptions};
use finback_memstore::Snapshot;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a flush did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlushOutcome {
    /// Whether anything was written.
    pub flushed: bool,
    /// Edits up to this one are in store files (of the families that were flushed).
    pub sequence_id: u64,
    /// Bytes of the new store files.
    pub bytes_written: u64,
    /// Cells in the memstores that were written.
    pub cells: u64,
    /// Bytes of them.
    pub cell_bytes: u64,
}

/// A store's part of a flush.
struct StoreFlush<'a> {
    store: &'a Store,
    snapshot: Snapshot,
    oldest_edit_ms: i64,
}

impl Region {
    /// Flushes the given families, or all. Blocks the calling thread.
    ///
    /// # Errors
    /// The region's; the cells are then still in the memstore and in the log.
    pub fn flush(&self, families: Option<&[Vec<u8>]>) -> Result<FlushOutcome, RegionError> {
        self.flush_under(families, &Unhindered)
    }

    /// Does what [`flush`](Self::flush) does at the pace that `control` says. A flush ends early only when the region
    /// is abandoned.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn flush_under(
        &self,
        families: Option<&[Vec<u8>]>,
        control: &dyn JobControl,
    ) -> Result<FlushOutcome, RegionError> {
        self.check_open()?;
        self.flush_paced(families, None, control)
    }

    /// Flushes the [families to flush](Self::families_to_flush) if the region is [too large](Self::is_too_large), as it was when
    /// the host was told so: a flush may have been under way then, and have made room since.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn flush_for_size(&self, control: &dyn JobControl) -> Result<FlushOutcome, RegionError> {
        self.check_open()?;
        let _one_at_a_time = self.flush_lock.lock();
        if !self.is_too_large() {
            // A write that comes after this look asks again.
            self.flush_asked.swap(false, Ordering::AcqRel);
            if !self.is_too_large() {
                return Ok(FlushOutcome { sequence_id: self.read_point(), ..FlushOutcome::default() });
            }
        }
        self.flush_locked(Some(&self.families_to_flush()), None, false, control)
    }

    /// Flushes the [families to flush](Self::families_to_flush). Blocks the calling thread.
    ///
    /// # Errors
    /// As [`flush`](Self::flush).
    pub fn flush_for_memory(&self) -> Result<FlushOutcome, RegionError> {
        self.flush(Some(&self.families_to_flush()))
    }

    /// Flushes also while closing, or during replay, where `replayed` is the last sequence id replayed.
    pub(crate) fn flush_anyway(
        &self,
        families: Option<&[Vec<u8>]>,
        replayed: Option<u64>,
    ) -> Result<FlushOutcome, RegionError> {
        self.flush_paced(families, replayed, &Unhindered)
    }

    fn flush_paced(
        &self,
        families: Option<&[Vec<u8>]>,
        replayed: Option<u64>,
        control: &dyn JobControl,
    ) -> Result<FlushOutcome, RegionError> {
        let _one_at_a_time = self.flush_lock.lock();
        self.flush_locked(families, replayed, false, control)
    }

    /// Flushes everything. Gives back a sequence id of its own, up to which all edits are in store files. Called under the
    /// flush lock.
    pub(crate) fn flush_for_load(&self) -> Result<u64, RegionError> {
        Ok(self.flush_locked(None, None, true, &Unhindered)?.sequence_id)
    }

    /// `own_id`: takes a sequence id also if there is nothing to flush.
    fn flush_locked(
        &self,
        families: Option<&[Vec<u8>]>,
        replayed: Option<u64>,
        own_id: bool,
        control: &dyn JobControl,
    ) -> Result<FlushOutcome, RegionError> {
        // Whatever becomes of this flush, the next write that finds too much asks for another.
        self.flush_asked.store(false, Ordering::Release);
        self.withdraw_failed_loads()?;
        let chosen: Vec<&Store> = self
            .stores
            .iter()
            .filter(|store| {
                families.is_none_or(|families| families.iter().any(|name| name == &store.family.name[..]))
            })
            .collect();
        // As in HBase: what is written from here on may be no part of it.
        let began_ms = self.environment.host.now_ms().unsigned_abs();
        let (sequence_id, parts) = {
            let _no_writers = wait_for(self.updates.write());
            // One that was waited for may have left half of its write.
            self.check_kept()?;
            if chosen.iter().all(|store| store.is_flushed()) {
                // What came to them was of no use to anybody, and went in memory.
                for store in &chosen {
                    store.keeper.take_oldest_edit();
                }
                (if own_id { self.flush_id() } else { self.read_point() }, Vec::new())
            } else {
                let sequence_id = replayed.unwrap_or_else(|| self.flush_id());
                (sequence_id, chosen.into_iter().map(StoreFlush::begin).collect::<Vec<_>>())
            }
        };
        if parts.is_empty() {
            // The log may be kept for nothing but the markers of earlier flushes.
            if replayed.is_none() {
                self.tell_log(sequence_id);
            }
            return Ok(FlushOutcome { sequence_id, ..FlushOutcome::default() });
        }
        let smallest_read_point = self.mvcc.smallest_kept_point();
        if replayed.is_none()
            && let Err(error) = self.begin_in_log(sequence_id, &parts)
        {
            undo(&parts);
            return Err(error);
        }
        let mut written: Vec<Vec<Arc<StoreFile>>> = Vec::with_capacity(parts.len());
        for part in &parts {
            match self.write_store_files(part, sequence_id, smallest_read_point, control) {
                Ok(files) => written.push(files),
                Err(error) => {
                    // Files that have their names already are part of the store.
                    let (done, failed) = parts.split_at(written.len());
                    self.serve(sequence_id, done, &written);
                    undo(failed);
                    self.note_end(FlushPhase::Abort, sequence_id, &parts_of(failed, &[]), replayed);
                    return Err(error);
                }
            }
        }
        for (part, files) in parts.iter().zip(&written) {
            let wanted = part.store.caching.of_flush(part.store.data_priority);
            files.iter().for_each(|file| self.cache_written(part.store, file, wanted));
        }
        self.serve(sequence_id, &parts, &written);
        self.note_end(FlushPhase::Commit, sequence_id, &parts_of(&parts, &written), replayed);
        if replayed.is_none() {
            self.tell_log(sequence_id);
        }
        for part in &parts {
            part.store.last_flush_ms.store(began_ms, Ordering::Relaxed);
        }
        let bytes_written = written.iter().flatten().map(|file| file.size_bytes()).sum();
        let sizes = || parts.iter().map(|part| part.snapshot.size());
        Ok(FlushOutcome {
            flushed: true,
            sequence_id,
            bytes_written,
            cells: sizes().map(|size| size.cells as u64).sum(),
            cell_bytes: sizes().map(|size| size.data_bytes as u64).sum(),
        })
    }

    /// Writes the marker of the beginning, and waits for it, and so for every edit that is flushed: were a crash to leave the
    /// file of one family, and no other's and not the end of the log, half of a row that was written with ASYNC_WAL would
    /// come back.
    fn begin_in_log(&self, sequence_id: u64, parts: &[StoreFlush<'_>]) -> Result<(), RegionError> {
        let position = self.mark_flush(FlushPhase::Start, sequence_id, &parts_of(parts, &[]))?;
        wait_for(self.environment.wal.sync(position))?;
        Ok(())
    }

    /// A sequence id that no edit has.
    fn flush_id(&self) -> u64 {
        let number = self.mvcc.begin();
        self.mvcc.abandon(number);
        number
    }

    /// Notes in the log how a flush ended. What counts is in the file system: recovery does without the marker, so a log
    /// that does not take it changes nothing.
    fn note_end(
        &self,
        phase: FlushPhase,
        sequence_id: u64,
        stores: &[(Vec<u8>, Vec<String>)],
        replayed: Option<u64>,
    ) {
        if replayed.is_none()
            && let Err(error) = self.mark_flush(phase, sequence_id, stores)
        {
            tracing::warn!(region = %self.encoded_name, %error, ?phase, "the log did not take the marker of a flush");
        }
    }

    /// Switches readers from the snapshots to the files of the flush of this sequence id.
    fn serve(&self, sequence_id: u64, parts: &[StoreFlush<'_>], written: &[Vec<Arc<StoreFile>>]) {
        for (part, files) in parts.iter().zip(written) {
            // The files first: a reader may see their cells twice, but never not at all.
            part.store.exchange_files(&[], files.clone());
            let dropped = part.store.memstore.drop_snapshot(part.snapshot.id());
            debug_assert!(dropped, "another flush took the snapshot over");
            self.memstore_bytes.shrink(part.snapshot.grown_bytes() as u64);
            part.store.flushed(sequence_id);
        }
    }

    /// Tells the log from which sequence id on each family still needs it, `flushed` being the flush's own; recovered edits that
    /// nobody needs any more go.
    fn tell_log(&self, flushed: u64) {
        if self.check_kept().is_err() {
            return;
        }
        let lowest: Vec<(&Store, u64)> =
            self.stores.iter().filter_map(|store| Some((store, store.needs_log_from()?))).collect();
        if lowest.iter().any(|(store, _)| store.keeper.leaves_out_versions()) && !self.has_written_log() {
            return;
        }
        let older: Vec<(&[u8], u64)> = lowest
            .into_iter()
            .filter(|(_, lowest)| *lowest <= flushed)
            .map(|(store, lowest)| (&store.family.name[..], lowest))
            .collect();
        // Other families may hold older edits: what is flushed of the whole region ends before them.
        let oldest = older.iter().map(|(_, lowest)| *lowest).min().unwrap_or(flushed + 1);
        self.last_flush_sequence_id.fetch_max(oldest.saturating_sub(1), Ordering::Relaxed);
        self.environment.wal.region_flushed(&self.wal_region, flushed + 1, &older);
        self.drop_recovered_edits();
    }

    /// Waits until everything that was appended is on disk; whether it is. A version that a newer one hides may have left memory before
    /// the newer one was written to the log: in a crash one of the two has to come back.
    fn has_written_log(&self) -> bool {
        let wal = &self.environment.wal;
        let written = wait_for(wal.sync(wal.end()));
        if let Err(error) = &written {
            tracing::warn!(region = %self.encoded_name, %error, "no log is let go of after a flush");
        }
        written.is_ok()
    }

    /// Writes one store's snapshot: no file if it is empty, several in a store with stripes. All of them get their places, or
    /// none.
    fn write_store_files(
        &self,
        part: &StoreFlush<'_>,
        sequence_id: u64,
        smallest_read_point: u64,
        control: &dyn JobControl,
    ) -> Result<Vec<Arc<StoreFile>>, RegionError> {
        if part.snapshot.is_empty() && !part.store.recovered_expired.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let root = &self.environment.root;
        let dir = root.family_dir(&self.info.table, &self.encoded_name, &part.store.family.name);
        root.fs().create_dir_all(&dir).map_err(|error| RegionError::io(&dir, &error))?;
        let inscription = Inscription {
            max_sequence_id: sequence_id,
            // Without the last file the log is still needed.
            max_sequence_id_of_others: part.store.max_sequence_id().unwrap_or(0),
            last: &[],
            others: &[],
        };
        // It waits for no memory, as it gives some back; but what it takes for that counts.
        let block_bytes = 2 * u64::from(part.store.family.block_size_bytes());
        let outputs = 1 + u64::from(part.store.mob_threshold.is_some());
        let bytes = memory_of_outputs(outputs, block_bytes, part.store.next_read());
        let _charge = CacheCharge::new(Arc::clone(&part.store.cache), bytes as usize);
        let (output, mob) = self.write_snapshot(part, (sequence_id, smallest_read_point), control)?;
        let mob = mob.map(MobPass::finish).transpose()?;
        let outputs = output.finish(&inscription)?;
        if let Some(mob) = mob {
            mob.keep();
        }
        self.publish(part.store, outputs, &[]).map_err(|(error, uncertain)| {
            // The next flush writes the same cells again.
            part.store.flush_leftovers.lock().extend(uncertain);
            error
        })
    }

    /// The cells of a snapshot, in order.
    fn merge(&self, part: &StoreFlush<'_>) -> Heap {
        let segments = part.snapshot.segments().iter();
        let sources = segments.map(|segment| Source::Segment(segment.scanner())).collect();
        Heap::new(self.order, sources, part.store.kept_blocks)
    }

    /// Whether no other cell of a snapshot has the key of this one.
    fn is_alone(&self, part: &StoreFlush<'_>, cell: &Cell<'_>) -> bool {
        let mut cells = self.merge(part);
        let is_behind = cells.seek(&Key::of(cell)).and_then(|()| cells.next());
        let next_is_other = cells.peek().is_none_or(|(next, _)| self.order.compare(&next, cell).is_ne());
        is_behind.is_ok() && next_is_other
    }

    fn write_snapshot<'a>(
        &'a self,
        part: &StoreFlush<'a>,
        (sequence_id, smallest_read_point): (u64, u64),
        control: &dyn JobControl,
    ) -> Result<(OutputFiles<'a>, Option<MobPass<'a>>), RegionError> {
        let (store, snapshot) = (part.store, &part.snapshot);
        let now = self.environment.host.now_ms();
        let mut mob = store.mob_threshold.map(|_| {
            let written = MobWritten {
                compression: "COMPRESSION",
                encoding: store.encoding(),
                now,
                newest_ms: snapshot.timestamps().map_or(now, |(_, newest)| newest),
                max_sequence_id: sequence_id,
            };
            MobPass::new(self, store, MobPassKind::Flush, &written)
        });
        let options = WriterOptions {
            include_tags: snapshot.has_tags() || mob.is_some(),
            include_mvcc: true,
            ..store.writer_options("COMPRESSION", now)
        };
        let cells: usize = snapshot.segments().iter().map(|segment| segment.len()).sum();
        let cut = store.cut_of_flush(cells as u64);
        let mut output = self.begin_output(store, options, cut, store.next_read())?;
        let mut heap = self.merge(part);
        let mut matcher = FlushMatcher::new(&store.rules, smallest_read_point, now);
        let mut pace = Pace::new(self, control);
        let mut read = 0;
        in_memory(heap.seek(&Key::first_on_row(&[])))?;
        while let Some((cell, cell_sequence_id)) = heap.peek() {
            let written = output.written_bytes() + mob.as_ref().map_or(0, MobPass::written_bytes);
            if pace.is_at_block(written) && self.closed.load(Ordering::Acquire) {
                return Err(RegionError::Closing(self.encoded_name.to_string()));
            }
            read += 1;
            if matcher.keeps(&cell, cell_sequence_id) {
                let is_alone = || self.is_alone(part, &cell);
                match &mut mob {
                    None => output.append(&cell, cell_sequence_id, read, is_alone)?,
                    Some(mob) => {
                        mob.written(&cell, cell_sequence_id, is_alone, |cell| {
                            output.append(cell, cell_sequence_id, read, is_alone)
                        })?;
                    }
                }
            }
            in_memory(heap.next())?;
        }
        Ok((output, mob))
    }
}

impl<'a> StoreFlush<'a> {
    fn begin(store: &'a Store) -> Self {
        let oldest_edit_ms = store.keeper.take_oldest_edit();
        store.recent_reads.begin_flush();
        Self { store, snapshot: store.begin_flush(), oldest_edit_ms }
    }
}

/// After a failure: the snapshots stay in the memstores, their edits are as old as before, and reads as recent.
fn undo(parts: &[StoreFlush<'_>]) {
    for part in parts {
        part.store.keeper.restore_oldest_edit(part.oldest_edit_ms);
        part.store.recent_reads.undo_flush();
    }
}

/// Families of a flush with the names of their new files.
fn parts_of(parts: &[StoreFlush<'_>], written: &[Vec<Arc<StoreFile>>]) -> Vec<(Vec<u8>, Vec<String>)> {
    let files = |at: usize| written.get(at).into_iter().flatten().map(|file| file.name()).collect();
    parts.iter().enumerate().map(|(at, part)| (part.store.family.name.to_vec(), files(at))).collect()
}

/// Memory needs no blocks.
fn in_memory(result: Result<(), ScanInterrupt>) -> Result<(), RegionError> {
    match result {
        Ok(()) => Ok(()),
        Err(ScanInterrupt::Failed(error)) => Err(error.into()),
        Err(ScanInterrupt::NeedBlock(_)) => unreachable!("a memstore segment asked for a block"),
    }
}
