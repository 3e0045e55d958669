//! What writes go by of a table's attributes: parsed once, when the region opens.

use crate::config::RegionConfig;
use finback_cell::{Durability, TableDescriptor};

/// Attributes of a table that count for each write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRules {
    /// READONLY.
    pub(crate) is_read_only: bool,
    /// DURABILITY, never [`Durability::UseDefault`].
    pub(crate) durability: Durability,
    /// MEMSTORE_FLUSHSIZE, or else the server's, in bytes.
    pub(crate) flush_size_bytes: u64,
}

impl TableRules {
    /// Those of `table`.
    pub(crate) fn of(table: &TableDescriptor, config: &RegionConfig) -> Self {
        Self {
            is_read_only: table.is_read_only(),
            durability: match table.durability().and_then(Durability::parse) {
                None | Some(Durability::UseDefault) => Durability::SyncWal,
                Some(durability) => durability,
            },
            flush_size_bytes: config.flush_size_bytes(table),
        }
    }
}
