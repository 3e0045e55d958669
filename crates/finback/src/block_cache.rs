//! The block cache that the settings ask for, and what it tells of itself.

use std::sync::Arc;

use finback_cache::{BlockCache, CombinedBlockCache, FileTier, FileTierOptions, MemoryBlockCache, Shares};
use finback_metrics::{CacheFigures, FileTierFigures};

use crate::config::ServerConfig;
use crate::metrics::CacheStatistics;

/// The cache in memory, and behind it a file if one is wanted. One that cannot be used costs speed, and is no reason not to
/// start.
pub(crate) fn block_cache(
    config: &ServerConfig,
    memory_bytes: u64,
) -> (Arc<dyn BlockCache>, CacheStatistics) {
    let memory = MemoryBlockCache::with_shares(memory_bytes, Shares::default());
    let Some(path) = config.cache_file.clone() else { return in_memory(memory) };
    let options = FileTierOptions { path, size_bytes: config.cache_file_bytes, persistent: true };
    match FileTier::open(&options) {
        Ok(file) => {
            let cache = Arc::new(CombinedBlockCache::new(memory, file));
            let of = Arc::clone(&cache);
            let figures = move || {
                let file = of.file().statistics();
                let file = FileTierFigures {
                    hits: file.hits,
                    misses: file.misses,
                    blocks: file.blocks,
                    bytes: options.size_bytes,
                };
                CacheFigures { file: Some(file), ..cache_figures(of.memory()) }
            };
            (cache, Arc::new(figures))
        }
        Err(error) => {
            tracing::error!(path = %options.path.display(), %error, "the block cache has no second tier");
            in_memory(memory)
        }
    }
}

fn in_memory(memory: MemoryBlockCache) -> (Arc<dyn BlockCache>, CacheStatistics) {
    let cache = Arc::new(memory);
    let of = Arc::clone(&cache);
    (cache, Arc::new(move || cache_figures(&of)))
}

fn cache_figures(cache: &MemoryBlockCache) -> CacheFigures {
    let statistics = cache.statistics();
    CacheFigures {
        hits: statistics.hits,
        misses: statistics.misses,
        evictions: statistics.evictions,
        blocks: statistics.blocks,
        bytes: statistics.bytes,
        capacity_bytes: statistics.capacity_bytes,
        index_hits: statistics.index_hits,
        index_misses: statistics.index_misses,
        passing_hits: statistics.passing_hits,
        passing_misses: statistics.passing_misses,
        file: None,
    }
}
