//! What a flush writes to a file.

use crate::segment::Segment;
use crate::statistics::MemStoreSize;
use std::sync::Arc;

/// Names one snapshot of one memstore.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(pub(crate) u64);

/// The segments being flushed. They take no more writes.
#[derive(Clone, Debug)]
pub struct Snapshot {
    id: SnapshotId,
    segments: Arc<[Arc<Segment>]>,
}

impl Snapshot {
    pub(crate) fn new(id: SnapshotId, segments: Vec<Arc<Segment>>) -> Self {
        Self { id, segments: segments.into() }
    }

    /// To be given back to [`crate::MemStore::drop_snapshot`].
    pub fn id(&self) -> SnapshotId {
        self.id
    }

    /// The segments, newest first; none is empty.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// Whether there is nothing to flush.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Sizes of the segments together.
    pub fn size(&self) -> MemStoreSize {
        self.segments.iter().map(|segment| segment.size()).sum()
    }

    /// Bytes that insertions and in-memory compactions told of as growth: what the memstore shrinks by when the snapshot
    /// is dropped.
    pub fn grown_bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.grown_bytes()).sum()
    }

    /// Number of delete markers.
    pub fn delete_markers(&self) -> usize {
        self.segments.iter().map(|segment| segment.delete_markers()).sum()
    }

    /// Whether any cell has tags.
    pub fn has_tags(&self) -> bool {
        self.segments.iter().any(|segment| segment.has_tags())
    }

    /// Lowest and highest timestamp, from 0 on if there are markers that hide all that is older; `None` when empty.
    pub fn timestamps(&self) -> Option<(i64, i64)> {
        let ranges = self.segments.iter().filter_map(|segment| segment.timestamps());
        ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// Lowest sequence id; `None` when empty.
    pub fn lowest_sequence_id(&self) -> Option<u64> {
        self.segments.iter().filter_map(|segment| segment.lowest_sequence_id()).min()
    }

    /// Highest sequence id; `None` when empty.
    pub fn highest_sequence_id(&self) -> Option<u64> {
        self.segments.iter().filter_map(|segment| segment.highest_sequence_id()).max()
    }
}
