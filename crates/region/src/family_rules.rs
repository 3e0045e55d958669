//! What reads and rewrites go by of a family's attributes: parsed once, when the store opens.

use finback_cell::{ColumnFamilyDescriptor, KeepDeletedCells};

/// Attributes of a family that count for each cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FamilyRules {
    /// VERSIONS.
    pub(crate) max_versions: u32,
    /// MIN_VERSIONS.
    pub(crate) min_versions: u32,
    /// TTL in milliseconds; `None` is forever.
    pub(crate) ttl_ms: Option<i64>,
    /// KEEP_DELETED_CELLS.
    pub(crate) keep_deleted: KeepDeletedCells,
    /// NEW_VERSION_BEHAVIOR.
    pub(crate) new_version_behavior: bool,
    /// BLOCKCACHE.
    pub(crate) caches_blocks: bool,
}

impl FamilyRules {
    /// Those of `family`.
    pub(crate) fn of(family: &ColumnFamilyDescriptor) -> Self {
        Self {
            max_versions: family.max_versions(),
            min_versions: family.min_versions(),
            ttl_ms: family.ttl_seconds().map(|seconds| i64::from(seconds) * 1000),
            keep_deleted: family.keep_deleted_cells(),
            new_version_behavior: family.new_version_behavior(),
            caches_blocks: family.block_cache_enabled(),
        }
    }

    /// At time `now` cells older than this have expired; both in milliseconds.
    pub(crate) fn oldest_unexpired(&self, now: i64) -> i64 {
        self.ttl_ms.map_or(i64::MIN, |ttl| now.saturating_sub(ttl))
    }
}
