//! The way of a compaction through its inputs: what becomes of each cell, and which blocks stay as they are.
//!
//! A block whose cells no other input has anything between, and that stays whole, is copied in the place of being encoded and
//! compressed again. Its cells are read, asked about and counted like any.

use crate::compaction::CompactionOutcome;
use crate::compaction_memory::CompactionTurn;
use crate::error::RegionError;
use crate::flush_matcher::FlushMatcher;
use crate::heap::Heap;
use crate::job_control::Pace;
use crate::mob::MobPass;
use crate::output_files::OutputFiles;
use crate::store::Store;
use crate::timed_file::read_to_compact;
use crate::whole_block::WholeBlock;
use finback_cell::Cell;
use finback_cell::key::Key;
use finback_hfile::ScanInterrupt;

/// Where a compaction stands.
pub(crate) struct CompactionPass<'a> {
    pub(crate) store: &'a Store,
    pub(crate) matcher: FlushMatcher,
    /// Sequence ids up to this one are written as 0.
    pub(crate) forgotten: u64,
    pub(crate) pace: Pace<'a>,
    /// Where values may be in MOB files, or go there.
    pub(crate) mob: Option<MobPass<'a>>,
    pub(crate) output: OutputFiles<'a>,
    pub(crate) outcome: CompactionOutcome,
}

impl<'a> CompactionPass<'a> {
    /// Reads the inputs to their end; gives what was written, and what was done.
    pub(crate) fn run(
        mut self,
        heap: &mut Heap,
        memory: &mut CompactionTurn<'_>,
    ) -> Result<(OutputFiles<'a>, Option<MobPass<'a>>, CompactionOutcome), RegionError> {
        reading(heap, (self.written_memory(), memory), |heap| heap.seek(&Key::first_on_row(&[])))?;
        loop {
            if let Some(block) = heap.take_whole_block() {
                self.block(&block)?;
                heap.go_to_last_of_block();
            } else if let Some((cell, sequence_id)) = heap.peek() {
                if let Some(sequence_id) = self.read(&cell, sequence_id)? {
                    self.append(&cell, sequence_id, || heap.is_alone())?;
                    if let Some(bytes) = self.mob.as_mut().and_then(MobPass::take_most_bytes) {
                        memory.holds(bytes + heap.held_bytes() + self.output.memory_bytes());
                    }
                }
            } else {
                return Ok((self.output, self.mob, self.outcome));
            }
            reading(heap, (self.written_memory(), memory), Heap::next)?;
        }
    }

    /// Bytes of memory that what is written takes, told only when it matters.
    fn written_memory(&self) -> impl Fn() -> usize + '_ {
        || self.output.memory_bytes() + self.mob.as_ref().map_or(0, MobPass::memory_bytes)
    }

    /// Counts the next cell; gives the sequence id with which it is written, if it is.
    #[inline]
    fn read(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<Option<u64>, RegionError> {
        self.outcome.cells_read += 1;
        self.outcome.cell_bytes_read += cell.bytes().len() as u64;
        let of_mob = self.mob.as_ref().map_or(0, MobPass::written_bytes);
        if self.pace.is_at_block(self.output.written_bytes() + of_mob) {
            self.store.progress.read(self.outcome.cells_read);
            self.pace.check_compaction()?;
        }
        if self.matcher.keeps(cell, sequence_id) {
            return Ok(Some(if sequence_id <= self.forgotten { 0 } else { sequence_id }));
        }
        self.outcome.markers_dropped += u64::from(cell.is_delete());
        Ok(None)
    }

    #[inline]
    fn append(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        is_alone: impl Fn() -> bool,
    ) -> Result<(), RegionError> {
        let (output, read) = (&mut self.output, self.outcome.cells_read);
        let is_written = match &mut self.mob {
            None => output.append(cell, sequence_id, read, is_alone).map(|()| true)?,
            Some(mob) => mob.written(cell, sequence_id, &is_alone, |cell| {
                output.append(cell, sequence_id, read, &is_alone)
            })?,
        };
        self.outcome.cells_written += u64::from(is_written);
        Ok(())
    }

    /// Reads all cells of a block, and copies it if they stay as they are.
    fn block(&mut self, block: &WholeBlock) -> Result<(), RegionError> {
        let mut piece = self.output.piece_for(block);
        for (number, (cell, sequence_id)) in block.cells().enumerate() {
            let written = self.read(&cell, block.sequence_id(sequence_id))?;
            let stays = written == Some(sequence_id);
            if !stays && piece.take().is_some() {
                for (cell, sequence_id) in block.cells().take(number) {
                    self.append(&cell, sequence_id, || false)?;
                }
            }
            if let Some(sequence_id) = written.filter(|_| piece.is_none()) {
                // A cell so large that this matters is in a block that is not copied.
                self.append(&cell, sequence_id, || false)?;
            }
        }
        if let Some(piece) = piece {
            self.output.append_block(block, piece)?;
            self.outcome.cells_written += block.cell_count() as u64;
            self.outcome.blocks_copied += 1;
        }
        Ok(())
    }
}

/// Repeats an operation until it has the blocks that it needs, read on this thread and kept by nobody.
fn reading(
    heap: &mut Heap,
    (written_memory, memory): (impl Fn() -> usize, &mut CompactionTurn<'_>),
    mut operation: impl FnMut(&mut Heap) -> Result<(), ScanInterrupt>,
) -> Result<(), RegionError> {
    loop {
        match operation(heap) {
            Ok(()) => return Ok(()),
            Err(ScanInterrupt::NeedBlock(request)) => {
                let (block, stored) = read_to_compact(&request)?;
                heap.provide(block);
                if let Some(stored) = stored {
                    heap.provide_stored(stored);
                }
                memory.holds(heap.held_bytes().saturating_add(written_memory()));
            }
            Err(ScanInterrupt::Failed(error)) => return Err(error.into()),
        }
    }
}
