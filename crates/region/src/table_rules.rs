//! What writes and compactions go by of a table's attributes: parsed once, when the region opens.

use crate::config::RegionConfig;
use finback_cell::{Durability, TableDescriptor};

/// Attributes of a table that count for each write, and for each look at its files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableRules {
    /// READONLY.
    pub(crate) is_read_only: bool,
    /// DURABILITY, never [`Durability::UseDefault`].
    pub(crate) durability: Durability,
    /// COMPACTION_ENABLED.
    pub(crate) may_be_compacted: bool,
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
            may_be_compacted: table
                .attribute("COMPACTION_ENABLED")
                .is_none_or(|flag| flag.eq_ignore_ascii_case("true")),
            flush_size_bytes: config.flush_size_bytes(table),
        }
    }
}
