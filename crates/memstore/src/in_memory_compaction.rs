//! In-memory compaction: the pipeline's segments become fewer, smaller ones (HBase's CompactingMemStore).
//!
//! Off the write path; readers and writers go on. The work is put in the place of what it was made from by an exchange
//! of pointers, unless a snapshot took that meanwhile.

use crate::memstore::{MemStore, Pipeline};
use crate::segment::Segment;
use finback_cell::Cell;
use std::ops::Range;
use std::sync::Arc;

/// What is done to segments in memory, HBase's MemoryCompactionPolicy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InMemoryCompaction {
    /// There is only an active segment.
    #[default]
    None,
    /// Segments become flat, and their indexes one.
    Basic,
    /// As well, what no reader can see is left out.
    Eager,
    /// As [`InMemoryCompaction::Eager`] where a sample says that it pays, otherwise as [`InMemoryCompaction::Basic`].
    Adaptive,
}

impl InMemoryCompaction {
    /// By HBase's name, whatever its case.
    pub fn from_name(name: &str) -> Option<Self> {
        let named = [
            ("NONE", Self::None),
            ("BASIC", Self::Basic),
            ("EAGER", Self::Eager),
            ("ADAPTIVE", Self::Adaptive),
        ];
        let found = named.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim()));
        found.map(|(_, policy)| policy)
    }
}

/// How a memstore's pipeline is kept short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PipelineOptions {
    /// What is done.
    pub policy: InMemoryCompaction,
    /// Segments that may stay side by side (`hbase.hregion.compacting.pipeline.segments.limit`).
    pub segments_limit: usize,
    /// The part of a segment's cells that no reader can see, from which on ADAPTIVE leaves them out.
    pub adaptive_threshold: f64,
}

/// What an in-memory compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InMemoryOutcome {
    /// By how many bytes the memstore grew; mostly negative.
    pub grown_bytes: isize,
    /// Segments made flat.
    pub flattened: usize,
    /// Segments whose indexes were merged.
    pub merged: usize,
    /// Cells of segments of which some could be left out.
    pub cells_read: usize,
    /// Cells that were left out. In vain if the race was lost.
    pub cells_dropped: usize,
    /// Whether a snapshot took the segments meanwhile, and the work is lost.
    pub lost_race: bool,
}

/// Cells between two looks whether a snapshot took the segments.
const CELLS_PER_LOOK: usize = 4096;

impl MemStore {
    /// Makes the pipeline's segments flat, and as few as the options want. One at a time may do so.
    ///
    /// `retention` begins a pass over sorted cells: what it gives back says of each cell and sequence id whether it must
    /// stay. It is asked by EAGER and ADAPTIVE only.
    pub fn compact_in_memory<K>(
        &self,
        options: &PipelineOptions,
        mut retention: impl FnMut() -> K,
    ) -> InMemoryOutcome
    where
        K: FnMut(&Cell<'_>, u64) -> bool,
    {
        let mut outcome = InMemoryOutcome::default();
        self.flatten_pipeline(options, &mut retention, &mut outcome);
        let pipeline = self.pipeline();
        let flat = pipeline.segments.iter().skip_while(|segment| !segment.is_flat());
        let sizes: Vec<usize> = flat.map(|segment| segment.len()).collect();
        let newest = pipeline.segments.len() - sizes.len();
        if let Some(range) = worth_merging(&sizes, options.segments_limit) {
            let range = newest + range.start..newest + range.end;
            self.merge_segments(&pipeline, range, options, &mut retention, &mut outcome);
        }
        outcome
    }

    /// Makes all segments of the pipeline flat, the oldest first.
    fn flatten_pipeline<K>(
        &self,
        options: &PipelineOptions,
        retention: &mut impl FnMut() -> K,
        outcome: &mut InMemoryOutcome,
    ) where
        K: FnMut(&Cell<'_>, u64) -> bool,
    {
        loop {
            let pipeline = self.pipeline();
            let Some(at) = pipeline.segments.iter().rposition(|segment| !segment.is_flat()) else { return };
            let segment = &pipeline.segments[at];
            // A copy is made anyway: what can be left out costs only the question.
            let flat = match options.policy {
                InMemoryCompaction::None | InMemoryCompaction::Basic => Some(segment.flatten(|_, _| true)),
                InMemoryCompaction::Eager => self.compact_segment(&pipeline, segment, retention(), outcome),
                InMemoryCompaction::Adaptive => {
                    let keeps = where_it_pays(retention(), options.adaptive_threshold);
                    self.compact_segment(&pipeline, segment, keeps, outcome)
                }
            };
            outcome.flattened += 1;
            if !self.put_in_place(&pipeline, at..at + 1, flat, outcome) {
                return;
            }
        }
    }

    fn merge_segments<K>(
        &self,
        pipeline: &Pipeline,
        range: Range<usize>,
        options: &PipelineOptions,
        retention: &mut impl FnMut() -> K,
        outcome: &mut InMemoryOutcome,
    ) where
        K: FnMut(&Cell<'_>, u64) -> bool,
    {
        let Some(merged) = Segment::merge(&pipeline.segments[range.clone()]) else { return };
        outcome.merged += range.len();
        let pays = match options.policy {
            InMemoryCompaction::None | InMemoryCompaction::Basic => false,
            InMemoryCompaction::Eager => true,
            InMemoryCompaction::Adaptive => merged.sample(retention()) >= options.adaptive_threshold,
        };
        let compacted =
            if pays { self.compact_segment(pipeline, &merged, retention(), outcome) } else { Some(merged) };
        self.put_in_place(pipeline, range, compacted, outcome);
    }

    /// A copy of what must stay of a segment; `None` when that is nothing, or when the pipeline has changed and the copy
    /// would be in vain.
    fn compact_segment(
        &self,
        pipeline: &Pipeline,
        segment: &Segment,
        mut keeps: impl FnMut(&Cell<'_>, u64) -> bool,
        outcome: &mut InMemoryOutcome,
    ) -> Option<Arc<Segment>> {
        let mut cells = 0_usize;
        let mut is_lost = false;
        let compacted = segment.flatten(|cell, sequence_id| {
            cells += 1;
            if cells.is_multiple_of(CELLS_PER_LOOK) {
                is_lost |= !self.is_current(pipeline);
            }
            !is_lost && keeps(cell, sequence_id)
        });
        outcome.cells_read += cells;
        if !is_lost {
            outcome.cells_dropped += segment.len() - compacted.len();
        }
        (!compacted.is_empty()).then_some(compacted)
    }

    /// Whether that was done.
    fn put_in_place(
        &self,
        pipeline: &Pipeline,
        range: Range<usize>,
        new: Option<Arc<Segment>>,
        outcome: &mut InMemoryOutcome,
    ) -> bool {
        let grown = self.replace(pipeline, range, new);
        outcome.grown_bytes += grown.unwrap_or(0);
        outcome.lost_race |= grown.is_none();
        grown.is_some()
    }
}

/// Asks of the first cells in each so many whether they must stay, and of the others where enough of these need not.
///
/// Whoever is not asked stays. Asking begins anew only with a row: a version that a marker before it deletes would count for those behind
/// it, if `keeps` had not seen the marker.
fn where_it_pays(
    mut keeps: impl FnMut(&Cell<'_>, u64) -> bool,
    threshold: f64,
) -> impl FnMut(&Cell<'_>, u64) -> bool {
    const CELLS: usize = 1024;
    const ASKED_FIRST: usize = 128;
    let enough = threshold * ASKED_FIRST as f64;
    let (mut seen, mut dropped) = (0, 0);
    // Of which nobody was asked any more, when it was time to begin anew.
    let mut unasked_row: Option<Vec<u8>> = None;
    move |cell, sequence_id| {
        if let Some(row) = &unasked_row {
            if cell.row() == row {
                return true;
            }
            unasked_row = None;
            (seen, dropped) = (0, 0);
        }
        seen += 1;
        let asks = seen <= ASKED_FIRST || f64::from(dropped) >= enough;
        let stays = !asks || keeps(cell, sequence_id);
        dropped += u32::from(!stays);
        if seen == CELLS && asks {
            (seen, dropped) = (0, 0);
        } else if seen == CELLS {
            unasked_row = Some(cell.row().to_vec());
        }
        stays
    }
}

/// Which of the segments of these sizes, newest first, become one, so that no more than `limit` are left.
///
/// HBase merges all of them. To merge little with much over and over costs more than it gives: here the newest are
/// merged, and older ones only with at least half as much.
fn worth_merging(sizes: &[usize], limit: usize) -> Option<Range<usize>> {
    if sizes.len() <= limit.max(1) {
        return None;
    }
    let mut end = sizes.len() - limit.max(1) + 1;
    let mut sum: usize = sizes[..end].iter().sum();
    while end < sizes.len() && sum >= sizes[end] / 2 {
        sum += sizes[end];
        end += 1;
    }
    Some(0..end)
}

#[cfg(test)]
mod tests;
