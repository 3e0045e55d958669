//! The block cache.

use super::BYTES;
use crate::bean::Bean::RegionServer;
use crate::metric::Kind::{Counter, Gauge};
use crate::metric::Source::Server as S;
use crate::metric::{Metric, metric};
use crate::snapshot::{FileTierFigures, ServerFigures};
use crate::value::Value;

/// Of the second tier of the block cache, where there is one.
fn second(server: &ServerFigures, of: fn(&FileTierFigures) -> u64) -> Value<'static> {
    server.cache.file.as_ref().map_or(Value::Absent, |file| of(file).into())
}

pub(super) fn percent(part: u64, whole: u64) -> Value<'static> {
    Value::Number(if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 })
}

fn caching_hits(of: &ServerFigures) -> u64 {
    of.cache.hits.saturating_sub(of.cache.passing_hits)
}

fn caching_misses(of: &ServerFigures) -> u64 {
    of.cache.misses.saturating_sub(of.cache.passing_misses)
}

#[rustfmt::skip]
pub(super) const BLOCK_CACHE: &[Metric] = &[
    metric(RegionServer, &["blockCacheCount", "l1CacheCount"], "finback_block_cache_blocks", Gauge, "blocks", "Blocks in the block cache.", S(|s| s.cache.blocks.into())),
    metric(RegionServer, &["blockCacheSize", "l1CacheSize"], "finback_block_cache_bytes", Gauge, BYTES, "Memory of the block cache.", S(|s| s.cache.bytes.into())),
    metric(RegionServer, &["blockCacheFreeSize", "l1CacheFreeSize"], "", Gauge, BYTES, "Memory that the block cache may still take.", S(|s| s.cache.capacity_bytes.saturating_sub(s.cache.bytes).into())),
    metric(RegionServer, &[], "finback_block_cache_limit_bytes", Gauge, BYTES, "Memory that the block cache may have.", S(|s| s.cache.capacity_bytes.into())),
    metric(RegionServer, &["blockCacheHitCount", "l1CacheHitCount"], "finback_block_cache_lookups_total", Counter, "look-ups", "Look-ups in the block cache, by whether the block was there.", S(|s| s.cache.hits.into())).labelled("outcome", "hit"),
    metric(RegionServer, &["blockCacheMissCount", "l1CacheMissCount"], "finback_block_cache_lookups_total", Counter, "look-ups", "Look-ups in the block cache, by whether the block was there.", S(|s| s.cache.misses.into())).labelled("outcome", "miss"),
    metric(RegionServer, &["blockCacheCountHitPercent", "l1CacheHitRatio"], "", Gauge, "%", "Look-ups in the block cache that found the block.", S(|s| percent(s.cache.hits, s.cache.hits + s.cache.misses))),
    metric(RegionServer, &["blockCacheHitCachingCount"], "finback_block_cache_caching_lookups_total", Counter, "look-ups", "Look-ups of reads that put into the block cache what they do not find in it, by whether the block was there.", S(|s| caching_hits(s).into())).labelled("outcome", "hit"),
    metric(RegionServer, &["blockCacheMissCachingCount"], "finback_block_cache_caching_lookups_total", Counter, "look-ups", "Look-ups of reads that put into the block cache what they do not find in it, by whether the block was there.", S(|s| caching_misses(s).into())).labelled("outcome", "miss"),
    metric(RegionServer, &["blockCacheExpressHitPercent"], "", Gauge, "%", "Look-ups that found the block, of reads that put into the block cache what they do not find in it.", S(|s| percent(caching_hits(s), caching_hits(s) + caching_misses(s)))),
    metric(RegionServer, &["blockCacheEvictionCount", "l1CacheEvictionCount"], "finback_block_cache_evictions_total", Counter, "blocks", "Blocks that made room for others.", S(|s| s.cache.evictions.into())),
    metric(RegionServer, &["blockCacheDataHitCount"], "finback_block_cache_data_lookups_total", Counter, "look-ups", "Look-ups of data blocks, by whether the block was there.", S(|s| s.cache.hits.saturating_sub(s.cache.index_hits).into())).labelled("outcome", "hit"),
    metric(RegionServer, &["blockCacheDataMissCount"], "finback_block_cache_data_lookups_total", Counter, "look-ups", "Look-ups of data blocks, by whether the block was there.", S(|s| s.cache.misses.saturating_sub(s.cache.index_misses).into())).labelled("outcome", "miss"),
    metric(RegionServer, &[], "finback_block_cache_index_lookups_total", Counter, "look-ups", "Look-ups of blocks of indexes and Bloom filters, by whether the block was there.", S(|s| s.cache.index_hits.into())).labelled("outcome", "hit"),
    metric(RegionServer, &[], "finback_block_cache_index_lookups_total", Counter, "look-ups", "Look-ups of blocks of indexes and Bloom filters, by whether the block was there.", S(|s| s.cache.index_misses.into())).labelled("outcome", "miss"),
    metric(RegionServer, &["l1CacheMissRatio"], "", Gauge, "%", "Look-ups in the block cache that did not find the block.", S(|s| percent(s.cache.misses, s.cache.hits + s.cache.misses))),
    metric(RegionServer, &["l2CacheCount"], "finback_file_cache_blocks", Gauge, "blocks", "Blocks in the second tier of the block cache, where there is one.", S(|s| second(s, |file| file.blocks))),
    metric(RegionServer, &["l2CacheSize"], "finback_file_cache_bytes", Gauge, BYTES, "Size of the second tier.", S(|s| second(s, |file| file.bytes))),
    metric(RegionServer, &["l2CacheHitCount"], "finback_file_cache_lookups_total", Counter, "look-ups", "Look-ups in the second tier, by whether the block was there.", S(|s| second(s, |file| file.hits))).labelled("outcome", "hit"),
    metric(RegionServer, &["l2CacheMissCount"], "finback_file_cache_lookups_total", Counter, "look-ups", "Look-ups in the second tier, by whether the block was there.", S(|s| second(s, |file| file.misses))).labelled("outcome", "miss"),
    metric(RegionServer, &["l2CacheHitRatio"], "", Gauge, "%", "Look-ups in the second tier that found the block.", S(|s| s.cache.file.map_or(Value::Absent, |file| percent(file.hits, file.hits + file.misses)))),
    metric(RegionServer, &["l2CacheMissRatio"], "", Gauge, "%", "Look-ups in the second tier that did not.", S(|s| s.cache.file.map_or(Value::Absent, |file| percent(file.misses, file.hits + file.misses)))),
];
