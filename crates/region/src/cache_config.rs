//! Which blocks are cached besides those that were read: HBase's CacheConfig.

use crate::compaction_config::Overrides;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_hfile::{BlockPriority, Prefetch};

/// Settings of the block cache; the names are HBase's. Tables and families may have their own, and families have
/// attributes besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// `hbase.rs.cacheblocksonwrite`, CACHE_DATA_ON_WRITE: all blocks of files that flushes write.
    pub data_on_write: bool,
    /// `hfile.block.index.cacheonwrite`, CACHE_INDEX_ON_WRITE: index blocks of all files that are written.
    pub indexes_on_write: bool,
    /// `hfile.block.bloom.cacheonwrite`, CACHE_BLOOMS_ON_WRITE: Bloom filters of all files that are written.
    pub blooms_on_write: bool,
    /// `hbase.rs.cachecompactedblocksonwrite`: all blocks of files that compactions write.
    pub compacted_on_write: bool,
    /// `hbase.rs.cachecompactedblocksonwrite.threshold`: unless the compaction reads more bytes than this.
    pub compacted_most_bytes: u64,
    /// `hbase.rs.evictblocksonclose`, EVICT_BLOCKS_ON_CLOSE: a region that is closed leaves no blocks.
    pub evict_on_close: bool,
    /// `hbase.rs.prefetchblocksonopen`, PREFETCH_BLOCKS_ON_OPEN: all blocks of files that are opened, while there is
    /// room.
    pub prefetch_on_open: bool,
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self {
            data_on_write: false,
            indexes_on_write: false,
            blooms_on_write: false,
            compacted_on_write: false,
            compacted_most_bytes: u64::MAX,
            evict_on_close: false,
            prefetch_on_open: false,
        }
    }
}

impl CacheConfig {
    /// Whether data blocks of a file are read as soon as it is written.
    pub(crate) fn reads_what_is_written(&self) -> bool {
        self.data_on_write || self.compacted_on_write || self.prefetch_on_open
    }

    /// Whether data blocks of a file that a compaction of so many bytes writes are.
    pub(crate) fn reads_compacted(&self, read_bytes: u64) -> bool {
        self.prefetch_on_open || self.of_compaction(BlockPriority::Normal, read_bytes).data.is_some()
    }

    /// These settings with what the table and the family have in their place.
    #[must_use]
    pub(crate) fn of_store(mut self, table: &TableDescriptor, family: &ColumnFamilyDescriptor) -> Self {
        let own = Overrides { table, family };
        for (name, attribute, setting) in [
            ("hbase.rs.cacheblocksonwrite", "CACHE_DATA_ON_WRITE", &mut self.data_on_write),
            ("hfile.block.index.cacheonwrite", "CACHE_INDEX_ON_WRITE", &mut self.indexes_on_write),
            ("hfile.block.bloom.cacheonwrite", "CACHE_BLOOMS_ON_WRITE", &mut self.blooms_on_write),
            ("hbase.rs.evictblocksonclose", "EVICT_BLOCKS_ON_CLOSE", &mut self.evict_on_close),
            ("hbase.rs.prefetchblocksonopen", "PREFETCH_BLOCKS_ON_OPEN", &mut self.prefetch_on_open),
        ] {
            own.apply(name, setting);
            *setting |= family.flag(attribute, false);
        }
        own.apply("hbase.rs.cachecompactedblocksonwrite", &mut self.compacted_on_write);
        own.apply("hbase.rs.cachecompactedblocksonwrite.threshold", &mut self.compacted_most_bytes);
        self
    }

    /// Blocks of a file that a flush wrote.
    pub(crate) fn of_flush(&self, data: BlockPriority) -> Prefetch {
        if self.data_on_write { Prefetch::all(data) } else { self.of_any() }
    }

    /// Blocks of a file that a compaction of so many bytes wrote.
    pub(crate) fn of_compaction(&self, data: BlockPriority, read_bytes: u64) -> Prefetch {
        if self.compacted_on_write && read_bytes <= self.compacted_most_bytes {
            Prefetch::all(data)
        } else {
            self.of_any()
        }
    }

    fn of_any(&self) -> Prefetch {
        Prefetch { indexes: self.indexes_on_write, blooms: self.blooms_on_write, ..Prefetch::default() }
    }
}

#[cfg(test)]
mod tests;
