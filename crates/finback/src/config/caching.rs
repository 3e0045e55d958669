//! What the settings say about blocks that are cached besides those that were read.

use super::table::ServerConfig;
use finback_region::CacheConfig;

impl ServerConfig {
    /// What is cached of stores without settings of their own.
    pub fn caching(&self) -> CacheConfig {
        CacheConfig {
            data_on_write: self.tables.cache_data_on_write,
            indexes_on_write: self.tables.cache_indexes_on_write,
            blooms_on_write: self.tables.cache_blooms_on_write,
            compacted_on_write: self.tables.cache_compacted_on_write,
            compacted_most_bytes: self.tables.cache_compacted_most_bytes,
            evict_on_close: self.tables.cache_evict_on_close,
            prefetch_on_open: self.tables.cache_prefetch_on_open,
        }
    }
}
