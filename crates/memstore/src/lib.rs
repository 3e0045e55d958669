//! The memstore: cells that were written and not yet flushed, sorted, in memory.
//!
//! A [`MemStore`] belongs to one family of one region. It has an active [`Segment`] that takes writes (a skip list in
//! arenas), a pipeline of immutable ones (sorted arrays, made by in-memory flushes and compactions), and the snapshot
//! that is being flushed to a file. Reads merge the scanners of all segments.
//!
//! Guarantees: neither readers nor writers wait for writers of the same segment; a [`SegmentScanner`] sees every cell
//! that was inserted before it was opened, whole and in order; the memory of a segment is freed with its last holder;
//! sizes are those of what the arenas allocated.
//!
//! It does not know about read points, deletes, versions, logs or files: it keeps what it is given, until somebody who
//! knows says of a cell that it need not stay.

mod arena;
mod flat;
mod in_memory_compaction;
mod memstore;
mod record;
mod scanner;
mod segment;
mod skip_list;
mod snapshot;
mod statistics;

pub use arena::{give_back_unwanted_memory, keep_memory_within};
pub use in_memory_compaction::{InMemoryCompaction, InMemoryOutcome, PipelineOptions};
pub use memstore::{MemStore, SegmentList};
pub use scanner::SegmentScanner;
pub use segment::{Growth, Segment};
pub use snapshot::{Snapshot, SnapshotId};
pub use statistics::MemStoreSize;
