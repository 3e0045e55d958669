//! Compaction: several store files become one.
//!
//! The output is written beside the store (`.tmp`), synced, and renamed into it; a marker in the log names inputs and
//! output; readers are switched; the inputs go to the archive. The output's file info names the inputs too: a server that
//! died between the rename and the end of the archiving finds at opening which files are leftovers.
//!
//! Scanners that are open keep the inputs open, and read on.

use crate::blocking::wait_for;
use crate::compaction_policy::{Candidate, Occasion, Selection};
use crate::error::RegionError;
use crate::file_source::FileSource;
use crate::flush_matcher::FlushMatcher;
use crate::heap::Heap;
use crate::job_control::{JobControl, Pace, Unhindered};
use crate::matcher::oldest_unexpired;
use crate::region::Region;
use crate::source::Source;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_cell::Bytes;
use finback_cell::key::Key;
use finback_hfile::{HFileScanner, HFileWriter, ScanInterrupt, WriterOptions, file_info_keys};
use finback_layout::new_store_file_name;
use finback_proto::{Message, pb};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Names of files in a store's directory that the store does not serve, because they could not be put into the archive
/// yet. Each output names them, so that an opening does not serve them either.
pub(crate) type Leftovers = BTreeSet<String>;

/// What a compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionOutcome {
    /// Files that went away.
    pub inputs: usize,
    /// Whether these were all files of the store, so that delete markers went.
    pub all_files: bool,
    /// Cells read.
    pub cells_read: u64,
    /// Cells written.
    pub cells_written: u64,
    /// Bytes of the output file.
    pub bytes_written: u64,
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
            let Some(selection) = region.select(store, &files, major) else {
                let outcome = CompactionOutcome { inputs: expired, ..CompactionOutcome::default() };
                return Ok((expired > 0).then_some(outcome));
            };
            let _off_peak = region.off_peak_turn(&selection);
            let inputs = selection.inputs(&files);
            let outcome = region.compact_files(store, &inputs, selection.all_files, leftovers, control)?;
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
                    let all_files = inputs.len() == files.len();
                    region.compact_files(store, inputs, all_files, leftovers, &Unhindered)
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
        // A region that closes waits for this lock: it may have had its turn.
        self.check_open()?;
        compaction(self, store, &mut leftovers)
    }

    /// Families whose stores have files worth compacting.
    pub fn families_to_compact(&self) -> Vec<Bytes> {
        let worth = |store: &&Store| {
            let files = store.files_oldest_first();
            store.progress.under_way() == (false, false)
                && (self.select(store, &files, false).is_some() || !self.expired(store).is_empty())
        };
        if self.is_closing() {
            return Vec::new();
        }
        self.stores.iter().filter(worth).map(|store| store.family.name.clone()).collect()
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
        let flag = self.table.attribute("COMPACTION_ENABLED").unwrap_or("true");
        if !major && !flag.eq_ignore_ascii_case("true") {
            return None;
        }
        let now_ms = self.environment.host.now_ms();
        let outlives_ttl = store.family.min_versions() > 0;
        let ttl_ms = store.family.ttl_seconds().filter(|_| !outlives_ttl).map(|ttl| i64::from(ttl) * 1000);
        let off_peak = store.compaction.is_off_peak(now_ms)
            && !self.environment.config.off_peak_taken.load(Ordering::Relaxed);
        let candidates: Vec<Candidate> = files.iter().map(|file| file.candidate()).collect();
        store.compaction.select(&candidates, Occasion { major, off_peak, now_ms, ttl_ms })
    }

    /// Keeps other compactions from making use of off-peak hours, if this one does, until the guard is dropped.
    fn off_peak_turn(&self, selection: &Selection) -> Option<OffPeakTurn<'_>> {
        let taken = &*self.environment.config.off_peak_taken;
        (selection.off_peak && !taken.swap(true, Ordering::Relaxed)).then_some(OffPeakTurn(taken))
    }

    /// Files of which all cells have expired, oldest first. The newest stays, for the sequence id that it has.
    fn expired(&self, store: &Store) -> Vec<Arc<StoreFile>> {
        if store.family.min_versions() > 0 || !store.compaction.deletes_expired_files {
            return Vec::new();
        }
        let oldest = oldest_unexpired(&store.family, self.environment.host.now_ms());
        let mut files = store.files_oldest_first();
        files.pop();
        files.retain(|file| file.time_range().is_some_and(|(_, newest)| newest < oldest));
        files
    }

    /// Stops serving the expired files; gives back how many.
    fn drop_expired(&self, store: &Store, leftovers: &mut Leftovers) -> Result<usize, RegionError> {
        let expired = self.expired(store);
        if !expired.is_empty() {
            self.mark_compaction(store, &expired, None)?;
            store.replace_files(&expired, None);
            self.archive(store, &expired, leftovers);
        }
        Ok(expired.len())
    }

    fn compact_files(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        all_files: bool,
        leftovers: &mut Leftovers,
        control: &dyn JobControl,
    ) -> Result<CompactionOutcome, RegionError> {
        let cells = inputs.iter().map(|input| input.reader().entry_count()).fold(0, u64::saturating_add);
        let _under_way = store.progress.begin(all_files, cells);
        let (outcome, output) = self.write_output(store, inputs, all_files, leftovers, control)?;
        let marked = self.mark_compaction(store, inputs, Some(&output.name()));
        store.replace_files(inputs, Some(output));
        match marked {
            Ok(()) => self.archive(store, inputs, leftovers),
            Err(error) => {
                // Whose log is gone may have a successor that reads the inputs. The output names them: the next
                // compaction, or the next opening, puts them away.
                tracing::warn!(region = %self.encoded_name, %error, "the log did not take the marker of a compaction");
                leftovers.extend(inputs.iter().map(|input| input.name()));
            }
        }
        store.progress.finished(outcome.cells_read, outcome.bytes_written);
        Ok(outcome)
    }

    /// Writes the output and gives it its place in the store, where nobody reads it yet.
    fn write_output(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        all_files: bool,
        leftovers: &mut Leftovers,
        control: &dyn JobControl,
    ) -> Result<(CompactionOutcome, Arc<StoreFile>), RegionError> {
        let (root, fs) = (&self.environment.root, self.environment.root.fs());
        let (table, region, family) = (&self.info.table, &self.encoded_name, &store.family.name);
        let name = new_store_file_name()?;
        let temporary_dir = root.family_temp_dir(table, region, family);
        let temporary = temporary_dir.join(&name);
        let served = root.family_dir(table, region, family).join(&name);
        let io =
            |path: &Path, result: std::io::Result<()>| result.map_err(|error| RegionError::io(path, &error));
        io(&temporary_dir, fs.create_dir_all(&temporary_dir))?;
        let written = self
            .write_compacted(store, inputs, all_files, leftovers, &temporary, control)
            .and_then(|outcome| {
                // Read back before it counts: a file that cannot be opened must not take the place of its inputs.
                let output = StoreFile::open_as(&**fs, &temporary, &served, None)?;
                // A region that closes meanwhile must not get a file that its next opener does not expect.
                self.check_open()?;
                io(&served, fs.rename(&temporary, &served))?;
                Ok((outcome, output))
            });
        if written.is_err() {
            let _ = fs.remove_file(&temporary);
            // A rename can fail after the name was changed. Were the file to stay unnoticed, it would bring back what
            // later compactions dropped.
            let removed = fs.remove_file(&served);
            if removed.is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
                leftovers.insert(name);
            }
        }
        written
    }

    /// Puts files that are no longer served, and those that were left over before, into the archive. What cannot be put
    /// there stays a leftover.
    fn archive(&self, store: &Store, inputs: &[Arc<StoreFile>], leftovers: &mut Leftovers) {
        leftovers.extend(inputs.iter().map(|input| input.name()));
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

    fn write_compacted(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        all_files: bool,
        leftovers: &Leftovers,
        path: &Path,
        control: &dyn JobControl,
    ) -> Result<CompactionOutcome, RegionError> {
        let now = self.environment.host.now_ms();
        let smallest_read_point = self.mvcc.smallest_read_point();
        let file =
            self.environment.root.fs().create_new(path).map_err(|error| RegionError::io(path, &error))?;
        let compression = if all_files { "COMPRESSION_COMPACT_MAJOR" } else { "COMPRESSION_COMPACT_MINOR" };
        let options = WriterOptions {
            include_tags: inputs.iter().any(|input| input.reader().includes_tags()),
            include_mvcc: inputs
                .iter()
                .any(|input| input.max_cell_sequence_id() > 0 || input.bulk_sequence_id().is_some()),
            major_compaction: all_files,
            ..store.writer_options(compression, now)
        };
        let mut writer = HFileWriter::new(file, path, options)?;
        writer.append_file_info(file_info_keys::COMPACTION_EVENT, &compaction_event(inputs, leftovers));
        // Newest first: at equal cells the newer file wins.
        let newest_first = inputs.iter().rev();
        let source = |input: &Arc<StoreFile>| {
            let scanner = HFileScanner::new(Arc::clone(input.reader()), None, false);
            Source::File(Box::new(FileSource::new(scanner, input.bulk_sequence_id(), None)))
        };
        let mut heap = Heap::new(self.order, newest_first.map(source).collect());
        let mut matcher = FlushMatcher::new(&store.family, smallest_read_point, now);
        if all_files {
            let earliest_put = inputs.iter().map(|input| input.earliest_put()).min().unwrap_or(i64::MIN);
            matcher = matcher.dropping_markers(earliest_put);
        }
        // HBase writes 0 in place of sequence ids that no reader can tell apart any more.
        let forgotten = if all_files {
            self.forgotten_sequence_id(store, inputs, now).min(smallest_read_point)
        } else {
            0
        };
        let mut outcome =
            CompactionOutcome { inputs: inputs.len(), all_files, ..CompactionOutcome::default() };
        let mut pace = Pace::new(self, control);
        reading(&mut heap, |heap| heap.seek(&Key::first_on_row(&[])))?;
        while let Some((cell, sequence_id)) = heap.peek() {
            outcome.cells_read += 1;
            if pace.is_at_block(&writer) {
                store.progress.read(outcome.cells_read);
                pace.check_compaction()?;
            }
            if matcher.keeps(&cell, sequence_id) {
                writer.append(&cell, if sequence_id <= forgotten { 0 } else { sequence_id })?;
                outcome.cells_written += 1;
            }
            reading(&mut heap, Heap::next)?;
        }
        let max_sequence_id = inputs.iter().filter_map(|input| input.max_sequence_id()).max().unwrap_or(0);
        outcome.bytes_written = writer.finish(max_sequence_id)?.size_bytes;
        Ok(outcome)
    }

    /// The highest sequence id in files that are older than sequence ids are kept; 0 without such files.
    fn forgotten_sequence_id(&self, store: &Store, inputs: &[Arc<StoreFile>], now: i64) -> u64 {
        if store.family.new_version_behavior() {
            return 0;
        }
        let keep_after = now.saturating_sub(store.compaction.keep_sequence_ids_ms);
        let old = inputs.iter().filter(|input| input.written_ms() < keep_after);
        old.map(|input| input.max_cell_sequence_id()).max().unwrap_or(0)
    }

    /// Names inputs and output in the log, durably: replay then knows that the inputs are done with.
    fn mark_compaction(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        output: Option<&str>,
    ) -> Result<(), RegionError> {
        let descriptor = pb::CompactionDescriptor {
            table_name: self.wal_table.to_vec().into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            family_name: store.family.name.clone(),
            compaction_input: inputs.iter().map(|input| input.name()).collect(),
            compaction_output: output.map(str::to_owned).into_iter().collect(),
            store_home_dir: String::from_utf8_lossy(&store.family.name).into_owned(),
            region_name: Some(self.name.clone()),
        };
        let position = self.mark(b"HBASE::COMPACTION", &descriptor.encode_to_vec())?;
        wait_for(self.environment.wal.sync(position))?;
        Ok(())
    }
}

/// Repeats an operation until it has the blocks that it needs, read on this thread and kept by nobody.
fn reading(
    heap: &mut Heap,
    mut operation: impl FnMut(&mut Heap) -> Result<(), ScanInterrupt>,
) -> Result<(), RegionError> {
    loop {
        match operation(heap) {
            Ok(()) => return Ok(()),
            Err(ScanInterrupt::NeedBlock(request)) => heap.provide(request.read()?),
            Err(ScanInterrupt::Failed(error)) => return Err(error.into()),
        }
    }
}

/// `PBUF` and a CompactionEventTracker: the inputs, and what earlier compactions left in the directory.
fn compaction_event(inputs: &[Arc<StoreFile>], leftovers: &Leftovers) -> Vec<u8> {
    let names = inputs.iter().map(|input| input.name()).chain(leftovers.iter().cloned());
    let compacted_store_file = names.map(|name| name.into_bytes().into()).collect();
    finback_proto::pbuf::encode(&pb::CompactionEventTracker { compacted_store_file })
}

/// The one compaction of the server that makes use of off-peak hours.
struct OffPeakTurn<'a>(&'a AtomicBool);

impl Drop for OffPeakTurn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}
