//! The memstore of one family of one region.

use crate::segment::{Growth, Segment};
use crate::snapshot::{Snapshot, SnapshotId};
use crate::statistics::MemStoreSize;
use arc_swap::ArcSwap;
use finback_cell::{Cell, CellOrder};
use finback_sync::RwLock;
use std::ops::Deref;
use std::sync::Arc;

/// An active segment, a pipeline of immutable ones, and the snapshot being flushed.
///
/// Readers take the list of all segments without a lock: it is replaced as a whole. Writers share a lock while they
/// insert, so that whoever changes the segments knows that nobody is writing into the old active one; it is held
/// exclusively only to exchange pointers, a few times per 2 MiB written.
#[derive(Debug)]
pub struct MemStore {
    order: CellOrder,
    segments: RwLock<Segments>,
    all: ArcSwap<SegmentList>,
}

/// The segments of a memstore at one moment, newest first.
#[derive(Debug)]
pub struct SegmentList(Box<[Arc<Segment>]>);

impl Deref for SegmentList {
    type Target = [Arc<Segment>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

#[derive(Debug)]
struct Segments {
    active: Arc<Segment>,
    /// Newest first.
    pipeline: Vec<Arc<Segment>>,
    /// Changes whenever segments leave the pipeline: who has looked at some and made others from them may put these in
    /// their place only while it is the same. Segments that come, come in front.
    version: u64,
    snapshot: Option<Snapshot>,
    last_snapshot: SnapshotId,
}

impl Segments {
    fn list(&self) -> SegmentList {
        let flushing = self.snapshot.iter().flat_map(Snapshot::segments);
        SegmentList(self.unflushed().chain(flushing).cloned().collect())
    }

    /// Puts the active segment at the head of the pipeline, unless it is empty.
    fn push_active(&mut self, new: impl FnOnce(&Segment) -> Arc<Segment>) -> bool {
        if self.active.is_empty() {
            return false;
        }
        let empty = new(&self.active);
        self.pipeline.insert(0, std::mem::replace(&mut self.active, empty));
        true
    }

    fn unflushed(&self) -> impl Iterator<Item = &Arc<Segment>> {
        std::iter::once(&self.active).chain(&self.pipeline)
    }
}

/// The pipeline as somebody saw it.
#[derive(Debug)]
pub(crate) struct Pipeline {
    version: u64,
    /// Newest first.
    pub(crate) segments: Vec<Arc<Segment>>,
}

impl MemStore {
    /// An empty memstore, about a KiB.
    pub fn new(order: CellOrder) -> Self {
        let segments = Segments {
            active: Segment::new(order),
            pipeline: Vec::new(),
            version: 0,
            snapshot: None,
            last_snapshot: SnapshotId(0),
        };
        let all = ArcSwap::from_pointee(segments.list());
        Self { order, segments: RwLock::new(segments), all }
    }

    /// The order of the cells.
    pub fn order(&self) -> CellOrder {
        self.order
    }

    /// Inserts a cell into the active segment, see [`Segment::insert`].
    pub fn insert(&self, cell: &Cell<'_>, sequence_id: u64) -> Growth {
        self.segments.read().active.insert(cell, sequence_id)
    }

    /// Inserts cells of one sequence id into the active segment, see [`Segment::insert_all`]. The iterator must not use
    /// the memstore.
    pub fn insert_all<'a>(&self, cells: impl IntoIterator<Item = Cell<'a>>, sequence_id: u64) -> Growth {
        self.segments.read().active.insert_all(cells, sequence_id)
    }

    /// Inserts a new version of a counter into the active segment, see [`Segment::upsert`].
    pub fn upsert(&self, cell: &Cell<'_>, sequence_id: u64, smallest_read_point: u64) -> Growth {
        self.segments.read().active.upsert(cell, sequence_id, smallest_read_point)
    }

    /// All segments, newest first: what a read merges. Includes the snapshot until it is dropped. Never waits.
    pub fn segments(&self) -> Arc<SegmentList> {
        self.all.load_full()
    }

    /// The same, for a look that does not last: nothing that other readers look at is written to.
    pub fn look_at_segments(&self) -> impl Deref<Target = Arc<SegmentList>> + use<> {
        self.all.load()
    }

    /// Makes everything in memory the snapshot: the active segment, the pipeline, and an earlier snapshot whose flush
    /// failed. Later writes go into a new active segment. An in-memory compaction under way has worked in vain.
    ///
    /// An insertion under way is waited for. Which sequence ids are in and which are out is the caller's business: the
    /// region keeps writers out meanwhile.
    pub fn snapshot(&self) -> Snapshot {
        let mut segments = self.segments.write();
        segments.push_active(Segment::small_successor);
        let mut flushing = std::mem::take(&mut segments.pipeline);
        segments.version += 1;
        if let Some(failed) = segments.snapshot.take() {
            flushing.extend_from_slice(failed.segments());
        }
        segments.last_snapshot.0 += 1;
        let snapshot = Snapshot::new(segments.last_snapshot, flushing);
        segments.snapshot = Some(snapshot.clone());
        self.all.store(Arc::new(segments.list()));
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
        self.all.store(Arc::new(segments.list()));
        true
    }

    /// The first half of an in-memory flush: moves the active segment into the pipeline, as it is, if it has more than
    /// `above` bytes in use. False when it has not. Takes no longer than an insertion under way.
    pub fn push_active(&self, above: usize) -> bool {
        let mut segments = self.segments.write();
        let pushed = segments.active.taken_bytes() > above && segments.push_active(Segment::successor);
        if pushed {
            self.all.store(Arc::new(segments.list()));
        }
        pushed
    }

    /// The pipeline now.
    pub(crate) fn pipeline(&self) -> Pipeline {
        let segments = self.segments.read();
        Pipeline { version: segments.version, segments: segments.pipeline.clone() }
    }

    /// Whether the pipeline is still as it was seen, but for segments that came.
    pub(crate) fn is_current(&self, seen: &Pipeline) -> bool {
        self.segments.read().version == seen.version
    }

    /// Puts `new` in the place of some of the segments seen. Nothing is done if others have left since: then a snapshot
    /// has them as they are. Gives back by how many bytes the memstore grew.
    pub(crate) fn replace(
        &self,
        seen: &Pipeline,
        range: std::ops::Range<usize>,
        new: Option<Arc<Segment>>,
    ) -> Option<isize> {
        let mut segments = self.segments.write();
        if segments.version != seen.version {
            return None;
        }
        let came = segments.pipeline.len() - seen.segments.len();
        let before: usize = seen.segments[range.clone()].iter().map(|segment| segment.grown_bytes()).sum();
        let after = new.as_ref().map_or(0, |segment| segment.grown_bytes());
        segments.pipeline.splice(came + range.start..came + range.end, new);
        segments.version += 1;
        self.all.store(Arc::new(segments.list()));
        Some(after as isize - before as isize)
    }

    /// Number of segments in the pipeline.
    pub fn pipeline_length(&self) -> usize {
        self.segments.read().pipeline.len()
    }

    /// Whether an in-memory compaction has taken care of every segment of the pipeline.
    pub fn is_pipeline_flat(&self) -> bool {
        self.segments.read().pipeline.iter().all(|segment| segment.is_flat())
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
        self.segments().iter().all(|segment| segment.is_empty())
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

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
