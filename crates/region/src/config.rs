//! Settings of regions.

use crate::compaction_policy::CompactionConfig;
use std::time::Duration;

/// Settings that all regions of a server share; the names are HBase's.
#[derive(Clone, Debug)]
pub struct RegionConfig {
    /// `hbase.hregion.memstore.flush.size`, in bytes: a larger memstore is flushed. Tables may have their own.
    pub flush_size_bytes: u64,
    /// `hbase.hregion.memstore.block.multiplier`: writes are refused above this many times the flush size.
    pub block_multiplier: u64,
    /// `hbase.server.keyvalue.maxsize`, in bytes: larger cells are refused; 0 means no limit.
    pub max_cell_size_bytes: usize,
    /// Which files are compacted.
    pub compaction: CompactionConfig,
    /// `hbase.hstore.bulkload.verify`: every cell of a file is looked at before it is bulk loaded.
    pub verify_bulk_loads: bool,
    /// `hbase.rowlock.wait.duration`: how long a write waits for a row.
    pub row_lock_wait: Duration,
}

impl Default for RegionConfig {
    fn default() -> Self {
        Self {
            flush_size_bytes: 128 << 20,
            block_multiplier: 4,
            max_cell_size_bytes: 10 << 20,
            compaction: CompactionConfig::default(),
            verify_bulk_loads: false,
            row_lock_wait: Duration::from_secs(30),
        }
    }
}
