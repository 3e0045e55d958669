//! Compaction: several store files become one.
//!
//! The output is written beside the store (`.tmp`), synced, and renamed into it; a marker in the log names inputs and
//! output; readers are switched; the inputs go to the archive. The output's file info names the inputs too: a server that
//! died between the rename and the end of the archiving finds at opening which files are leftovers.
//!
//! Scanners that are open keep the inputs open, and read on.

use crate::blocking::wait_for;
use crate::compaction_policy::{Candidate, Selection};
use crate::error::RegionError;
use crate::file_source::FileSource;
use crate::flush_matcher::FlushMatcher;
use crate::heap::Heap;
use crate::region::Region;
use crate::source::Source;
use crate::store::Store;
use crate::store_file::StoreFile;
use finback_cell::Bytes;
use finback_cell::key::Key;
use finback_hfile::{HFileScanner, HFileWriter, ScanInterrupt, WriterOptions, file_info_keys};
use finback_layout::new_store_file_name;
use finback_proto::{Message, pb};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cells between two looks at whether the region is closing.
const CELLS_PER_LOOK: usize = 4096;

/// What a compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactionOutcome {
    /// Files that went away.
    pub inputs: usize,
    /// Cells read.
    pub cells_read: u64,
    /// Cells written.
    pub cells_written: u64,
    /// Bytes of the output file.
    pub bytes_written: u64,
}

impl Region {
    /// Compacts the store of one family, if there is something worth it; `major`: all its files. Blocks the calling
    /// thread.
    ///
    /// # Errors
    /// The region's; the store is then as it was.
    pub fn compact(&self, family: &[u8], major: bool) -> Result<Option<CompactionOutcome>, RegionError> {
        self.check_open()?;
        let store = self.store(family)?;
        let _one_at_a_time = store.compaction_lock.lock();
        // A region that closes waits for this lock: it may have had its turn.
        self.check_open()?;
        let mut files = store.files().to_vec();
        files.reverse();
        let Some(selection) = self.select(&files, major) else { return Ok(None) };
        let inputs = &files[selection.files.clone()];
        store.compacting.store(1 + u8::from(selection.all_files), Ordering::Relaxed);
        let outcome = self.compact_files(store, inputs, selection.all_files);
        store.compacting.store(0, Ordering::Relaxed);
        outcome.map(Some)
    }

    /// Families whose stores have files worth compacting.
    pub fn families_to_compact(&self) -> Vec<Bytes> {
        let worth = |store: &&Store| {
            let mut files = store.files().to_vec();
            files.reverse();
            store.compacting.load(Ordering::Relaxed) == 0 && self.select(&files, false).is_some()
        };
        if self.is_closing() {
            return Vec::new();
        }
        self.stores.iter().filter(worth).map(|store| store.family.name.clone()).collect()
    }

    /// Whether compactions of some files, and of all files of a store, are under way.
    pub fn compactions_under_way(&self) -> (bool, bool) {
        let is = |kind| self.stores.iter().any(|store| store.compacting.load(Ordering::Relaxed) == kind);
        (is(1), is(2))
    }

    fn select(&self, files: &[Arc<StoreFile>], major: bool) -> Option<Selection> {
        let candidates: Vec<Candidate> = files.iter().map(|file| file.candidate()).collect();
        let phase = files.first().map_or(0.5, |file| phase(file.path()));
        let flag = self.table.attribute("COMPACTION_ENABLED").unwrap_or("true");
        if !major && !flag.eq_ignore_ascii_case("true") {
            return None;
        }
        let now = self.environment.host.now_ms();
        self.environment.config.compaction.select(&candidates, major, now, phase)
    }

    fn compact_files(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        all_files: bool,
    ) -> Result<CompactionOutcome, RegionError> {
        let (root, fs) = (&self.environment.root, self.environment.root.fs());
        let (table, region, family) = (&self.info.table, &self.encoded_name, &store.family.name);
        let name = new_store_file_name()?;
        let temporary_dir = root.family_temp_dir(table, region, family);
        let temporary = temporary_dir.join(&name);
        let served = root.family_dir(table, region, family).join(&name);
        let io =
            |path: &Path, result: std::io::Result<()>| result.map_err(|error| RegionError::io(path, &error));
        io(&temporary_dir, fs.create_dir_all(&temporary_dir))?;
        let written = self.write_compacted(store, inputs, all_files, &temporary).and_then(|outcome| {
            // A region that closes meanwhile must not get a file that its next opener does not expect.
            self.check_open()?;
            io(&served, fs.rename(&temporary, &served))?;
            Ok(outcome)
        });
        let outcome = match written {
            Ok(outcome) => outcome,
            Err(error) => {
                let _ = fs.remove_file(&temporary);
                return Err(error);
            }
        };
        let output = StoreFile::open(&**fs, &served, None)?;
        self.mark_compaction(store, inputs, &name)?;
        store.replace_files(inputs, output);
        for input in inputs {
            root.archive_store_file(table, region, family, &input.name())?;
        }
        Ok(outcome)
    }

    fn write_compacted(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        all_files: bool,
        path: &Path,
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
                .any(|input| input.reader().includes_mvcc() || input.bulk_sequence_id().is_some()),
            major_compaction: all_files,
            ..store.writer_options(compression, now)
        };
        let mut writer = HFileWriter::new(file, path, options)?;
        writer.append_file_info(file_info_keys::COMPACTION_EVENT, &compaction_event(inputs));
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
        let mut outcome = CompactionOutcome { inputs: inputs.len(), ..CompactionOutcome::default() };
        reading(&mut heap, |heap| heap.seek(&Key::first_on_row(&[])))?;
        while let Some((cell, sequence_id)) = heap.peek() {
            outcome.cells_read += 1;
            if outcome.cells_read.is_multiple_of(CELLS_PER_LOOK as u64) {
                self.check_open()?;
            }
            if matcher.keeps(&cell, sequence_id) {
                writer.append(&cell, sequence_id)?;
                outcome.cells_written += 1;
            }
            reading(&mut heap, Heap::next)?;
        }
        let max_sequence_id = inputs.iter().filter_map(|input| input.max_sequence_id()).max().unwrap_or(0);
        outcome.bytes_written = writer.finish(max_sequence_id)?.size_bytes;
        Ok(outcome)
    }

    /// Names inputs and output in the log, durably: replay then knows that the inputs are done with.
    fn mark_compaction(
        &self,
        store: &Store,
        inputs: &[Arc<StoreFile>],
        output: &str,
    ) -> Result<(), RegionError> {
        let descriptor = pb::CompactionDescriptor {
            table_name: self.wal_table.to_vec().into(),
            encoded_region_name: self.wal_region.to_vec().into(),
            family_name: store.family.name.clone(),
            compaction_input: inputs.iter().map(|input| input.name()).collect(),
            compaction_output: vec![output.to_owned()],
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

/// `PBUF` and a CompactionEventTracker: the inputs, and inputs of these that may not be archived yet.
fn compaction_event(inputs: &[Arc<StoreFile>]) -> Vec<u8> {
    let mut compacted_store_file: Vec<Vec<u8>> =
        inputs.iter().map(|input| input.name().into_bytes()).collect();
    for input in inputs {
        compacted_store_file.extend(input.compacted_files());
    }
    let compacted_store_file = compacted_store_file.into_iter().map(Into::into).collect();
    finback_proto::pbuf::encode(&pb::CompactionEventTracker { compacted_store_file })
}

/// A store's own place within the jitter of the major compaction period: from the name of its first file, so that it is
/// the same at each look.
fn phase(path: &Path) -> f64 {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let hash = name.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(u32::from(byte)));
    f64::from(hash) / f64::from(u32::MAX)
}
