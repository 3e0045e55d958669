//! What a compaction writes.

use crate::compaction::{CompactionOutcome, Leftovers};
use crate::compaction_memory::CompactionTurn;
use crate::compaction_pass::CompactionPass;
use crate::compaction_policy::{Cut, Selection};
use crate::cutter::{Cutter, piece_of_time};
use crate::error::RegionError;
use crate::file_source::FileSource;
use crate::files_in_a_row::are_in_a_row;
use crate::flush_matcher::{FlushMatcher, RowRange};
use crate::heap::Heap;
use crate::job_control::{JobControl, Pace};
use crate::joining::{JoiningPass, Rewriting, files_to_join};
use crate::mob::{MobPass, MobPassKind, MobWritten};
use crate::output_files::{FinishedOutput, Inscription, OutputFiles, memory_of_outputs};
use crate::region::Region;
use crate::source::Source;
use crate::store::Store;
use crate::store_file::{StoreFile, file_info};
use finback_cell::{Bytes, CellOrder};
use finback_fs::NextRead;
use finback_hfile::{DataBlockEncoding, HFileError, HFileScanner, WriterOptions, file_info_keys};
use finback_proto::pb;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Memory for files that are read past the system's memory, for all together; and for one at most, and at least: more files have none.
const STREAMED_BYTES: usize = 4 << 20;
const STREAMED_BYTES_OF_FILE: RangeInclusive<usize> = 256 << 10..=1 << 20;

/// Files to compact, and how.
pub(crate) struct CompactionJob {
    /// Oldest first.
    pub(crate) inputs: Vec<Arc<StoreFile>>,
    /// Whether these are all files of the store.
    pub(crate) all_files: bool,
    /// Whether all were meant.
    pub(crate) is_major: bool,
    /// Where the output is cut.
    pub(crate) cut: Cut,
    /// Rows of which these are all files, so that delete markers go.
    pub(crate) whole: Option<RowRange>,
    /// Bytes of the inputs in the cache, of which the output takes the place there, if it does.
    pub(crate) cached_bytes: Option<u64>,
    /// Whether values that are in MOB files are written anew.
    pub(crate) rewrites_mob: bool,
    /// When the output is going to be read, by those who do not find it in the cache.
    next_read: NextRead,
}

impl CompactionJob {
    /// What was chosen of these files of a store, oldest first.
    pub(crate) fn new(store: &Store, selection: Selection, files: &[Arc<StoreFile>]) -> Self {
        let inputs = selection.inputs(files);
        let Selection { all_files, is_major, mut cut, whole, .. } = selection;
        if cut == Cut::Whole && store.keeps_history_apart() {
            cut = Cut::History { max_versions: store.rules.max_versions };
        }
        let cached_bytes = store.cached_bytes(&inputs);
        // What is in the cache need not be in the system's memory, too.
        let next_read = if cached_bytes.is_some() { NextRead::Later } else { store.next_read() };
        Self { inputs, all_files, is_major, cut, whole, cached_bytes, rewrites_mob: false, next_read }
    }

    /// The same, writing anew values that are in MOB files or not.
    pub(crate) fn rewriting_mob(self, rewrites_mob: bool) -> Self {
        Self { rewrites_mob, ..self }
    }

    /// Cells of the inputs, as far as they say the truth.
    pub(crate) fn cells(&self) -> u64 {
        self.inputs.iter().map(|input| input.reader().entry_count()).fold(0, u64::saturating_add)
    }

    /// Bytes of the inputs.
    pub(crate) fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.size_bytes()).fold(0, u64::saturating_add)
    }

    /// About how many bytes of memory the compaction works with: a block of each input, unless they are large, and how it is
    /// stored; the one that is just read, as it stands in the file and as it is decoded; and the outputs.
    pub(crate) fn memory_bytes(&self, store: &Store) -> u64 {
        let block_size = u64::from(store.family.block_size_bytes());
        let sum = |bytes: u64, more| bytes.saturating_add(more);
        let most_kept = store.kept_blocks.of_each(self.inputs.len()) as u64;
        let scan = |input: &Arc<StoreFile>| {
            let reader = input.reader();
            let stored = reader.stored_form_bytes(block_size).min(most_kept);
            reader.scan_bytes(block_size, most_kept).saturating_add(stored)
        };
        let streamed = self.streamed_bytes_of_each().map_or(0, |most| {
            let streamed = self.inputs.iter().filter(|input| input.reader().can_be_streamed());
            streamed.map(|input| input.size_bytes().min(most as u64)).sum()
        });
        let scans = self.inputs.iter().map(scan).fold(streamed, sum);
        let largest = self.inputs.iter().map(|input| input.reader().largest_block_bytes(block_size)).max();
        let block = largest.unwrap_or(block_size).saturating_mul(2);
        // One is a MOB file; of those that are read two blocks are there while the scanner goes on to the next. How large values are
        // that are in them nobody knows: what they take more is told when they are read.
        let of_mob = u64::from(store.has_mob(&self.inputs));
        let outputs = self.most_outputs(store.order) as u64 + of_mob;
        let written = memory_of_outputs(outputs, block, self.next_read);
        let read = block.saturating_mul(1 + 2 * of_mob);
        scans.saturating_add(read).saturating_add(written)
    }

    /// So many files are written at most, as far as that is known: by timestamp, those of times that some input has.
    fn most_outputs(&self, order: CellOrder) -> usize {
        let Cut::Times(starts) = &self.cut else { return Cutter::new(self.cut.clone(), order).pieces() };
        let mut is_written = vec![false; starts.len()];
        for input in &self.inputs {
            let (oldest, newest) = input.time_range().unwrap_or((i64::MIN, i64::MAX));
            let pieces = piece_of_time(starts, oldest)..=piece_of_time(starts, newest);
            is_written.get_mut(pieces).into_iter().flatten().for_each(|piece| *piece = true);
        }
        is_written.iter().filter(|piece| **piece).count().max(1)
    }

    /// For how many bytes at a time each input is read past the system's memory, if it is: files that nobody reads are not there, and
    /// would take the place of others that somebody does.
    fn streamed_bytes_of_each(&self) -> Option<usize> {
        let of_each = STREAMED_BYTES / self.inputs.len().max(1);
        let (least, most) = (*STREAMED_BYTES_OF_FILE.start(), *STREAMED_BYTES_OF_FILE.end());
        (self.next_read == NextRead::Later && of_each >= least).then(|| of_each.min(most))
    }

    /// Whether most blocks can be copied to a file that is written with these options, which have sequence ids, and only if these stay.
    fn has_blocks_to_copy(&self, order: CellOrder, with_ids: &WriterOptions) -> bool {
        if matches!(self.cut, Cut::Cells { .. } | Cut::History { .. }) {
            return false;
        }
        let has_ids = |input: &&Arc<StoreFile>| {
            input.bulk_sequence_id().is_none() && input.reader().can_be_copied_to(with_ids)
        };
        let copied: u64 = self.inputs.iter().filter(has_ids).map(|input| input.size_bytes()).sum();
        copied > self.bytes() / 2 && are_in_a_row(&self.inputs, order, with_ids.block_size_bytes)
    }

    /// Neighbours, of a store with so many files, become one file.
    pub(crate) fn whole(store: &Store, inputs: &[Arc<StoreFile>], of: usize) -> Self {
        let files = (0..inputs.len()).collect();
        let all_files = inputs.len() == of;
        let whole = all_files.then(|| (Bytes::new(), Bytes::new()));
        let selection =
            Selection { files, all_files, is_major: false, off_peak: false, cut: Cut::Whole, whole };
        Self::new(store, selection, inputs)
    }
}

/// As long as HBase keeps sequence ids at least, they are kept where cells would have to be encoded anew to leave them out.
const KEEP_IN_A_ROW_MS: i64 = 5 * 24 * 60 * 60 * 1000;

impl Region {
    /// Writes the files of a compaction, which have no place in the store yet.
    pub(crate) fn write_compacted(
        &self,
        store: &Store,
        job: &CompactionJob,
        leftovers: &Leftovers,
        control: &dyn JobControl,
        memory: &mut CompactionTurn<'_>,
    ) -> Result<(CompactionOutcome, Vec<FinishedOutput>), RegionError> {
        let encoding = store.encoding();
        let written = self.write_compacted_in(encoding, store, job, leftovers, control, memory);
        match written {
            // A file that was loaded may have what no such encoding can hold: cells of other families, or tags that are none.
            Err(RegionError::StoreFile(error)) if matches!(*error, HFileError::Unencodable { .. }) => {
                tracing::warn!(region = %self.encoded_name, %error, "compacted once more, without data block encoding");
                self.write_compacted_in(DataBlockEncoding::None, store, job, leftovers, control, memory)
            }
            written => written,
        }
    }

    fn write_compacted_in(
        &self,
        encoding: DataBlockEncoding,
        store: &Store,
        job: &CompactionJob,
        leftovers: &Leftovers,
        control: &dyn JobControl,
        memory: &mut CompactionTurn<'_>,
    ) -> Result<(CompactionOutcome, Vec<FinishedOutput>), RegionError> {
        let (inputs, all_files) = (&job.inputs[..], job.all_files);
        let has_mob = store.has_mob(inputs);
        let now = self.environment.host.now_ms();
        let smallest_read_point = self.mvcc.smallest_read_point();
        let compression =
            if job.is_major { "COMPRESSION_COMPACT_MAJOR" } else { "COMPRESSION_COMPACT_MINOR" };
        let with_ids = WriterOptions {
            include_tags: has_mob || inputs.iter().any(|input| input.reader().includes_tags()),
            include_mvcc: true,
            major_compaction: all_files,
            encoding,
            ..store.writer_options(compression, now)
        };
        // Those that no reader can tell apart any more are 0. If that is all of them they are not written. In MOB files there may be
        // older cells of the same key: by its sequence id a reference finds its own.
        let forgotten = if all_files && !has_mob {
            self.forgotten_sequence_id(store, job, &with_ids, now).min(smallest_read_point)
        } else {
            0
        };
        let include_mvcc =
            has_mob || inputs.iter().any(|input| input.highest_sequence_id_of_cells() > forgotten);
        let options = WriterOptions { include_mvcc, ..with_ids };
        let outcome = CompactionOutcome {
            inputs: inputs.len(),
            bytes_read: inputs.iter().map(|input| input.size_bytes()).fold(0, u64::saturating_add),
            all_files,
            is_major: job.is_major,
            whole_rows: job.whole.clone(),
            ..CompactionOutcome::default()
        };
        let begin = || {
            let output = self.begin_output(store, options.clone(), job.cut.clone(), job.next_read)?;
            Ok::<_, RegionError>(output.seen_up_to(smallest_read_point))
        };
        let streamed = job.streamed_bytes_of_each();
        let rewriting = Rewriting { options: &options, forgotten, now };
        // What references there are, and which values are large, is asked of each cell.
        let to_join = if has_mob { None } else { files_to_join(store, job, &rewriting) };
        if let Some(files) = to_join {
            let pace = Pace::new(self, control);
            let pass = JoiningPass { store, pace, output: begin()?, outcome: outcome.clone() };
            match pass.run(&files, streamed, memory) {
                Ok((output, outcome)) => return finish(job, leftovers, output, None, outcome),
                // It may be in a Bloom filter, which is made anew where cells are merged; where it is in a block of cells the merge says so.
                Err(RegionError::StoreFile(error)) if matches!(*error, HFileError::Corrupt { .. }) => {
                    tracing::warn!(region = %self.encoded_name, %error, "files are not joined by their blocks, but merged cell by cell");
                }
                Err(error) => return Err(error),
            }
        }
        let source = |input: &Arc<StoreFile>| {
            let mut scanner = HFileScanner::new(Arc::clone(input.reader()), None, false)
                .with_blocks_left(store.kept_blocks.left_bytes);
            if !has_mob {
                scanner = scanner.copying_to(&options);
            }
            if let Some(bytes) = streamed {
                scanner = scanner.streaming(bytes);
            }
            Source::File(Box::new(FileSource::new(scanner, input, None)))
        };
        // Newest first: at equal cells the newer file wins.
        let sources = inputs.iter().rev().map(source).collect();
        let mut heap = Heap::new(self.order, sources, store.kept_blocks).for_one_seek();
        let mut matcher = FlushMatcher::new(&store.rules, smallest_read_point, now);
        if let Some(rows) = &job.whole {
            let earliest_put = inputs.iter().map(|input| input.earliest_put()).min().unwrap_or(i64::MIN);
            matcher = matcher
                .dropping_markers(rows.clone(), earliest_put)
                .purging_markers_after(store.compaction().purge_deletes_ms);
        }
        let (pace, output) = (Pace::new(self, control), begin()?);
        let mob = has_mob.then(|| {
            // One that does not say may have any.
            let newest = |input: &Arc<StoreFile>| input.time_range().map_or(i64::MAX, |(_, newest)| newest);
            let written = MobWritten {
                compression,
                encoding,
                now,
                newest_ms: inputs.iter().map(newest).max().unwrap_or(now),
                max_sequence_id: inputs.iter().filter_map(|input| input.max_sequence_id()).max().unwrap_or(0),
            };
            MobPass::new(self, store, MobPassKind::Compaction(job.rewrites_mob), &written)
        });
        let pass = CompactionPass { store, matcher, forgotten, pace, mob, output, outcome };
        let (output, mob, outcome) = pass.run(&mut heap, memory)?;
        finish(job, leftovers, output, mob, outcome)
    }

    /// The highest sequence id in files that are as old as sequence ids are kept; 0 without such files. A file that was loaded in bulk
    /// may have been made long before: its own sequence id is as old as those of the others.
    fn forgotten_sequence_id(
        &self,
        store: &Store,
        job: &CompactionJob,
        with_ids: &WriterOptions,
        now: i64,
    ) -> u64 {
        if store.rules.new_version_behavior {
            return 0;
        }
        let mut keep_ms = store.compaction().keep_sequence_ids_ms;
        if job.has_blocks_to_copy(store.order, with_ids) {
            keep_ms = keep_ms.max(KEEP_IN_A_ROW_MS);
        }
        let keep_after = now.saturating_sub(keep_ms);
        let is_loaded = |input: &Arc<StoreFile>| input.bulk_sequence_id().is_some();
        let is_old = |input: &Arc<StoreFile>| input.written_ms() <= keep_after;
        let all_old = job.inputs.iter().all(|input| is_loaded(input) || is_old(input));
        let old = job.inputs.iter().filter(|input| is_old(input) && (all_old || !is_loaded(input)));
        old.map(|input| input.highest_sequence_id_of_cells()).max().unwrap_or(0)
    }
}

/// Ends the files of a compaction, which name its inputs.
fn finish(
    job: &CompactionJob,
    leftovers: &Leftovers,
    output: OutputFiles<'_>,
    mob: Option<MobPass<'_>>,
    outcome: CompactionOutcome,
) -> Result<(CompactionOutcome, Vec<FinishedOutput>), RegionError> {
    let inputs = &job.inputs[..];
    let max_sequence_id = inputs.iter().filter_map(|input| input.max_sequence_id()).max();
    // They have their places before a file refers to them.
    let mob = mob.map(MobPass::finish).transpose()?;
    let finished = output.finish(&Inscription {
        max_sequence_id: max_sequence_id.unwrap_or(0),
        max_sequence_id_of_others: max_sequence_id.unwrap_or(0),
        last: &[(file_info_keys::COMPACTION_EVENT, &compaction_event(inputs, leftovers.iter().cloned()))],
        others: &[(file_info::PART_OF_COMPACTION, &compaction_event(inputs, std::iter::empty()))],
    })?;
    if let Some(mob) = mob {
        mob.keep();
    }
    let bytes_written = finished.iter().map(|output| output.file.size_bytes()).sum();
    Ok((CompactionOutcome { bytes_written, ..outcome }, finished))
}

/// `PBUF` and a CompactionEventTracker: the inputs, and what earlier compactions left in the directory.
fn compaction_event(inputs: &[Arc<StoreFile>], leftovers: impl Iterator<Item = String>) -> Vec<u8> {
    let names = inputs.iter().map(|input| input.name()).chain(leftovers);
    let compacted_store_file = names.map(|name| name.into_bytes().into()).collect();
    finback_proto::pbuf::encode(&pb::CompactionEventTracker { compacted_store_file })
}
