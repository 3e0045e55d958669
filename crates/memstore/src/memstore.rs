//! The memstore of one family of one region.

use crate::segment::Segment;
use crate::snapshot::{Snapshot, SnapshotId};
use crate::statistics::MemStoreSize;
use finback_cell::{Cell, CellOrder};
use parking_lot::RwLock;
use std::sync::Arc;

/// An active segment, a pipeline of immutable ones, and the snapshot being flushed.
///
/// One lock guards which segments there are. Writers share it while they insert, so that whoever changes the segments
/// knows that nobody is writing into the old active one; readers share it while they copy one pointer. It is held
/// exclusively only to exchange pointers, a few times per 2 MiB written.
#[derive(Debug)]
pub struct MemStore {
    order: CellOrder,
    segments: RwLock<Segments>,
}

#[derive(Debug)]
struct Segments {
    active: Arc<Segment>,
    /// Newest first.
    pipeline: Vec<Arc<Segment>>,
    snapshot: Option<Snapshot>,
    last_snapshot: SnapshotId,
    /// All of the above, newest first, as readers get it.
    all: Arc<[Arc<Segment>]>,
}

impl Segments {
    fn new(order: CellOrder) -> Self {
        let active = Segment::new(order);
        let all = Arc::new([active.clone()]);
        Self { active, pipeline: Vec::new(), snapshot: None, last_snapshot: SnapshotId(0), all }
    }

    /// To be called after every change.
    fn renew_list(&mut self) {
        let flushing = self.snapshot.iter().flat_map(Snapshot::segments);
        self.all = std::iter::once(&self.active).chain(&self.pipeline).chain(flushing).cloned().collect();
    }

    /// Puts the active segment at the head of the pipeline, unless it is empty.
    fn push_active(&mut self) -> Option<Arc<Segment>> {
        if self.active.is_empty() {
            return None;
        }
        let empty = Segment::new(self.active.order());
        let pushed = std::mem::replace(&mut self.active, empty);
        self.pipeline.insert(0, pushed.clone());
        Some(pushed)
    }

    fn unflushed(&self) -> impl Iterator<Item = &Arc<Segment>> {
        std::iter::once(&self.active).chain(&self.pipeline)
    }
}

impl MemStore {
    /// An empty memstore, less than a KiB.
    pub fn new(order: CellOrder) -> Self {
        Self { order, segments: RwLock::new(Segments::new(order)) }
    }

    /// The order of the cells.
    pub fn order(&self) -> CellOrder {
        self.order
    }

    /// Inserts a cell into the active segment, see [`Segment::insert`]. Gives back by how many bytes the memstore grew.
    pub fn insert(&self, cell: &Cell<'_>, sequence_id: u64) -> usize {
        self.segments.read().active.insert(cell, sequence_id)
    }

    /// Inserts cells of one sequence id into the active segment, see [`Segment::insert_all`]. The iterator must not use
    /// the memstore.
    pub fn insert_all<'a>(&self, cells: impl IntoIterator<Item = Cell<'a>>, sequence_id: u64) -> usize {
        self.segments.read().active.insert_all(cells, sequence_id)
    }

    /// All segments, newest first: what a read merges. Includes the snapshot until it is dropped.
    pub fn segments(&self) -> Arc<[Arc<Segment>]> {
        self.segments.read().all.clone()
    }

    /// Makes everything in memory the snapshot: the active segment, the pipeline, and an earlier snapshot whose flush
    /// failed. Later writes go into a new active segment.
    ///
    /// An insertion under way is waited for. Which sequence ids are in and which are out is the caller's business: the
    /// region keeps writers out meanwhile.
    pub fn snapshot(&self) -> Snapshot {
        let mut segments = self.segments.write();
        segments.push_active();
        let mut flushing = std::mem::take(&mut segments.pipeline);
        if let Some(failed) = segments.snapshot.take() {
            flushing.extend_from_slice(failed.segments());
        }
        segments.last_snapshot.0 += 1;
        let snapshot = Snapshot::new(segments.last_snapshot, flushing);
        segments.snapshot = Some(snapshot.clone());
        segments.renew_list();
        snapshot
    }

    /// Forgets the snapshot, whose cells can now be read from a file. False, and nothing done, when it is not the
    /// current one: dropped before, or taken over by a later one.
    ///
    /// A flush that failed drops nothing: its snapshot goes on being read, and becomes part of the next one.
    #[must_use]
    pub fn drop_snapshot(&self, id: SnapshotId) -> bool {
        let mut segments = self.segments.write();
        if segments.snapshot.as_ref().is_none_or(|snapshot| snapshot.id() != id) {
            return false;
        }
        segments.snapshot = None;
        segments.renew_list();
        true
    }

    /// Moves the active segment into the pipeline and gives it the flat form. False when there was nothing to do, or
    /// when a snapshot took the segment before it was flat, and has it as it is.
    ///
    /// Writers and readers go on meanwhile.
    pub fn flush_in_memory(&self) -> bool {
        let pushed = {
            let mut segments = self.segments.write();
            let pushed = segments.push_active();
            segments.renew_list();
            pushed
        };
        pushed.is_some_and(|segment| self.replace_in_pipeline(&segment, segment.flatten()))
    }

    /// False when `old` is no longer in the pipeline.
    fn replace_in_pipeline(&self, old: &Arc<Segment>, new: Arc<Segment>) -> bool {
        let mut segments = self.segments.write();
        let Some(place) = segments.pipeline.iter_mut().find(|segment| Arc::ptr_eq(segment, old)) else {
            return false;
        };
        *place = new;
        segments.renew_list();
        true
    }

    /// Sizes of all segments together.
    pub fn size(&self) -> MemStoreSize {
        self.segments().iter().map(|segment| segment.size()).sum()
    }

    /// Sizes of the active segment, which in-memory flushes go by.
    pub fn active_size(&self) -> MemStoreSize {
        self.segments.read().active.size()
    }

    /// Sizes of what the next snapshot would contain anew: the active segment and the pipeline.
    pub fn unflushed_size(&self) -> MemStoreSize {
        self.segments.read().unflushed().map(|segment| segment.size()).sum()
    }

    /// Sizes of the snapshot, zero without one.
    pub fn snapshot_size(&self) -> MemStoreSize {
        self.segments.read().snapshot.as_ref().map(Snapshot::size).unwrap_or_default()
    }

    /// Whether there are no cells at all.
    pub fn is_empty(&self) -> bool {
        self.size().cells == 0
    }

    /// Lowest sequence id in memory, the snapshot included: the log is needed from here on.
    pub fn lowest_sequence_id(&self) -> Option<u64> {
        self.segments().iter().filter_map(|segment| segment.lowest_sequence_id()).min()
    }

    /// Lowest sequence id in the active segment and the pipeline: once the snapshot is flushed, the log is needed from
    /// here on.
    pub fn lowest_unflushed_sequence_id(&self) -> Option<u64> {
        self.segments.read().unflushed().filter_map(|segment| segment.lowest_sequence_id()).min()
    }

    /// Lowest sequence id in the snapshot.
    pub fn lowest_snapshot_sequence_id(&self) -> Option<u64> {
        self.segments.read().snapshot.as_ref()?.lowest_sequence_id()
    }
}

#[cfg(test)]
mod tests;
