//! A change of one row, before a region has given it timestamps and a sequence id.

use crate::block::CellBlock;
use bytes::Bytes;

/// What a mutation does with its cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutationKind {
    /// Stores cells.
    Put,
    /// Stores delete markers; without cells, one DeleteFamily marker per family of the table.
    Delete,
    /// Adds 8-byte big-endian numbers.
    Increment,
    /// Appends to values.
    Append,
}

/// When a mutation counts as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Durability {
    /// What the table says; SYNC_WAL when it says nothing.
    #[default]
    UseDefault,
    /// Not logged at all.
    SkipWal,
    /// Logged, synced later.
    AsyncWal,
    /// Logged and durable before the answer.
    SyncWal,
    /// As SYNC_WAL, and forced to the device.
    FsyncWal,
}

impl Durability {
    /// HBase's name, as in table attribute DURABILITY.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "USE_DEFAULT" => Self::UseDefault,
            "SKIP_WAL" => Self::SkipWal,
            "ASYNC_WAL" => Self::AsyncWal,
            "SYNC_WAL" => Self::SyncWal,
            "FSYNC_WAL" => Self::FsyncWal,
            _ => return None,
        })
    }
}

/// A change of one row.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// Row key, 1 to 32767 bytes.
    pub row: Bytes,
    /// What to do.
    pub kind: MutationKind,
    /// Cells; [`crate::LATEST_TIMESTAMP`] means "now". For increments the 8-byte deltas, for appends the suffixes.
    pub cells: CellBlock,
    /// Timestamp of a Delete of the whole row; [`crate::LATEST_TIMESTAMP`] means "now".
    pub timestamp: i64,
    /// When to answer.
    pub durability: Durability,
    /// Time to live of each cell, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// Which existing version an increment or append builds upon.
    pub time_range: crate::TimeRange,
    /// Whether an increment or append gives back the new cells.
    pub return_results: bool,
    /// Nonce group and nonce of an increment or append; nonce 0 is none.
    pub nonce: (u64, u64),
}

impl Mutation {
    /// A mutation with nothing special about it.
    pub fn new(kind: MutationKind, row: Bytes, cells: CellBlock) -> Self {
        Self {
            row,
            kind,
            cells,
            timestamp: crate::LATEST_TIMESTAMP,
            durability: Durability::UseDefault,
            ttl_ms: None,
            time_range: crate::TimeRange::ALL,
            return_results: true,
            nonce: (0, 0),
        }
    }
}
