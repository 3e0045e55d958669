//! Joining compaction: files whose rows come one file after the other, and of whose cells none has to go, become one file of
//! their blocks. Blocks are checked as they are read, and written as they are stored: no cell is looked at.
//!
//! So it is where a table is filled in the order of its keys: the policy chooses such files like any, for there are many.

use crate::compaction::CompactionOutcome;
use crate::compaction_memory::CompactionTurn;
use crate::compaction_output::CompactionJob;
use crate::compaction_policy::Cut;
use crate::error::RegionError;
use crate::job_control::Pace;
use crate::output_files::OutputFiles;
use crate::store::Store;
use crate::store_file::StoreFile;
use crate::timed_file::read_to_join;
use finback_cell::CellOrder;
use finback_hfile::{HFileReader, WriterOptions};
use std::sync::Arc;

/// What a compaction would do to cells.
pub(crate) struct Rewriting<'a> {
    /// How it writes them.
    pub(crate) options: &'a WriterOptions,
    /// Sequence ids up to this one are written as 0.
    pub(crate) forgotten: u64,
    /// Cells that have expired by now go; ms since the epoch.
    pub(crate) now: i64,
}

/// The inputs of a compaction in the order of their rows, if they can be joined: if it would write, cell by cell, what is in their
/// blocks anyhow.
pub(crate) fn files_to_join(
    store: &Store,
    job: &CompactionJob,
    rewriting: &Rewriting<'_>,
) -> Option<Vec<Arc<StoreFile>>> {
    // Whoever has one file written anew wants it otherwise than it is.
    if job.inputs.len() < 2 {
        return None;
    }
    // Which of several files a cell goes into is asked of each.
    if job.cut != Cut::Whole {
        return None;
    }
    // Of a family without versions no cell stays.
    if store.rules.max_versions == 0 {
        return None;
    }
    if !job.inputs.iter().all(|input| stays_as_it_is(input, store, rewriting)) {
        return None;
    }
    in_order_of_rows(&job.inputs, store.order)
}

/// Whether a compaction would leave every cell of a file as it is stored, were no cell of its rows in another file.
///
/// Of columns with one cell, and without markers, neither VERSIONS, MIN_VERSIONS, KEEP_DELETED_CELLS nor NEW_VERSION_BEHAVIOR leave
/// out any, whatever open scanners see: what is left is time.
fn stays_as_it_is(file: &StoreFile, store: &Store, rewriting: &Rewriting<'_>) -> bool {
    // The half of a file begins or ends within a block.
    if file.reference().is_some() {
        return false;
    }
    // The sequence ids that its cells have are not those that count; or they are of another table.
    if file.bulk_sequence_id().is_some() || file.keeps_ids_of_load() {
        return false;
    }
    // Which of its sequence ids are to be 0 is asked of each.
    if rewriting.forgotten > 0 && file.highest_sequence_id_of_cells() > 0 {
        return false;
    }
    // Also where MIN_VERSIONS would have them stay: that is counted.
    let oldest_unexpired = store.rules.oldest_unexpired(rewriting.now);
    if file.time_range().is_none_or(|(oldest, _)| oldest < oldest_unexpired) {
        return false;
    }
    // It says itself that it is plain; its blocks, and its Bloom filter, are as the output's would be.
    file.reader().can_be_joined_to(rewriting.options)
}

/// Files in the order of their rows; `None` if some row may be in two, or a file has none.
fn in_order_of_rows(files: &[Arc<StoreFile>], order: CellOrder) -> Option<Vec<Arc<StoreFile>>> {
    if files.iter().any(|file| file.row_range().is_none()) {
        return None;
    }
    let mut sorted = files.to_vec();
    sorted.sort_by(|a, b| order.compare_rows(first_row(a), first_row(b)));
    let mut pairs = sorted.windows(2);
    let is_disjoint = pairs.all(|pair| order.compare_rows(last_row(&pair[0]), first_row(&pair[1])).is_lt());
    is_disjoint.then_some(sorted)
}

fn first_row(file: &StoreFile) -> &[u8] {
    file.row_range().unwrap_or_default().0
}

fn last_row(file: &StoreFile) -> &[u8] {
    file.row_range().unwrap_or_default().1
}

/// Where a compaction stands that joins its inputs.
pub(crate) struct JoiningPass<'a> {
    pub(crate) store: &'a Store,
    pub(crate) pace: Pace<'a>,
    pub(crate) output: OutputFiles<'a>,
    pub(crate) outcome: CompactionOutcome,
}

impl<'a> JoiningPass<'a> {
    /// Joins files, which are in the order of their rows; gives what was written, and what was done. `streamed`: they are read past
    /// the system's memory, so many bytes at a time.
    pub(crate) fn run(
        mut self,
        files: &[Arc<StoreFile>],
        streamed: Option<usize>,
        memory: &mut CompactionTurn<'_>,
    ) -> Result<(OutputFiles<'a>, CompactionOutcome), RegionError> {
        for file in files {
            self.file(file.reader(), streamed, memory)?;
        }
        self.outcome.is_joined = true;
        Ok((self.output, self.outcome))
    }

    fn file(
        &mut self,
        file: &HFileReader,
        streamed: Option<usize>,
        memory: &mut CompactionTurn<'_>,
    ) -> Result<(), RegionError> {
        self.output.begin_joined(file)?;
        let mut blocks = file.blocks_to_join(streamed);
        while let Some(block) = read_to_join(&mut blocks)? {
            self.output.append_joined(&block)?;
            self.outcome.blocks_copied += u64::from(block.is_data());
            let end = block.end();
            memory.holds(blocks.memory_bytes().saturating_add(self.output.memory_bytes()));
            self.may_go_on(file, end)?;
        }
        self.outcome.cells_read += file.entry_count();
        self.outcome.cells_written += file.entry_count();
        self.outcome.cell_bytes_read += file.plain_cell_bytes();
        Ok(())
    }

    /// At the end of a block, which ends there in its file: cells were read in proportion.
    fn may_go_on(&mut self, file: &HFileReader, end: u64) -> Result<(), RegionError> {
        if self.pace.is_at_block(self.output.written_bytes()) {
            let of_file =
                u128::from(file.entry_count()) * u128::from(end) / u128::from(file.data_bytes().max(1));
            let of_file = u64::try_from(of_file).unwrap_or(u64::MAX).min(file.entry_count());
            self.store.progress.read(self.outcome.cells_read + of_file);
            self.pace.check_compaction()?;
        }
        Ok(())
    }
}
