use std::fmt;
use std::sync::Arc;

use finback_hfile::{Block, BlockCache, BlockPriority, FileId};
use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, Lifecycle, OptionsBuilder, Weighter};

use crate::file_blocks::FileBlocks;
use crate::statistics::{CacheStatistics, Counters};

/// Bytes that a block costs beside itself: key, entry, slots in the two maps. An estimate from the sizes of the types.
const OVERHEAD_BYTES: u64 = 128;

/// A lock per this many bytes, at most [`MAX_SHARDS`]: a block larger than its shard is not let in.
const SHARD_BYTES: u64 = 32 << 20;
/// Enough locks for the cores of a big machine.
const MAX_SHARDS: u64 = 64;
/// The usual block, to size the tables: 64 KiB. Smaller blocks make them grow.
const TYPICAL_BLOCK_BYTES: u64 = 64 << 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct BlockKey {
    file: FileId,
    offset: u64,
}

#[derive(Clone)]
struct CachedBlock {
    block: Arc<Block>,
    priority: BlockPriority,
}

#[derive(Clone)]
struct BlockWeight;

impl Weighter<BlockKey, CachedBlock> for BlockWeight {
    fn weight(&self, _key: &BlockKey, cached: &CachedBlock) -> u64 {
        cached.block.memory_bytes() as u64 + OVERHEAD_BYTES
    }
}

/// What is told of evictions.
#[derive(Debug, Default)]
struct Bookkeeping {
    file_blocks: FileBlocks,
    counters: Counters,
}

#[derive(Clone)]
struct OnEviction(Arc<Bookkeeping>);

impl Lifecycle<BlockKey, CachedBlock> for OnEviction {
    type RequestState = ();

    fn on_evict(&self, _state: &mut (), key: BlockKey, _cached: CachedBlock) {
        self.0.file_blocks.remove(key.file, key.offset);
        Counters::add(&self.0.counters.evictions, 1);
    }
}

/// A block cache that keeps what is used again (Clock-PRO, much like S3-FIFO), in bounded bytes.
///
/// The priority of a block is kept with it and can be asked for, but does not yet weigh in the choice of what to drop.
pub struct LruLikeCache {
    blocks: Cache<BlockKey, CachedBlock, BlockWeight, DefaultHashBuilder, OnEviction>,
    books: Arc<Bookkeeping>,
}

impl LruLikeCache {
    /// A cache of at most `capacity_bytes`. With 0 it keeps nothing.
    pub fn new(capacity_bytes: u64) -> Self {
        let shards = (capacity_bytes / SHARD_BYTES).clamp(1, MAX_SHARDS);
        let typical_blocks = (capacity_bytes / TYPICAL_BLOCK_BYTES).max(1);
        let options = OptionsBuilder::new()
            .shards(shards as usize)
            .estimated_items_capacity(usize::try_from(typical_blocks).unwrap_or(usize::MAX))
            .weight_capacity(capacity_bytes)
            .build()
            .expect("both capacities are given");
        let books = Arc::new(Bookkeeping::default());
        let on_eviction = OnEviction(Arc::clone(&books));
        let hash_builder = DefaultHashBuilder::default();
        Self { blocks: Cache::with_options(options, BlockWeight, hash_builder, on_eviction), books }
    }

    /// Drops all blocks of a file that was closed. Returns how many there were.
    pub fn evict_file(&self, file: FileId) -> usize {
        let offsets = self.books.file_blocks.take(file);
        let dropped = offsets
            .into_iter()
            .filter(|&offset| self.blocks.remove(&BlockKey { file, offset }).is_some())
            .count();
        Counters::add(&self.books.counters.invalidations, dropped as u64);
        dropped
    }

    /// The priority of a block in the cache; no look-up in the sense of the statistics.
    pub fn priority(&self, file: FileId, offset: u64) -> Option<BlockPriority> {
        self.blocks.peek(&BlockKey { file, offset }).map(|cached| cached.priority)
    }

    /// Counters and sizes. Each is exact, but they are not taken at one instant.
    pub fn statistics(&self) -> CacheStatistics {
        let counters = &self.books.counters;
        CacheStatistics {
            hits: Counters::get(&counters.hits),
            misses: Counters::get(&counters.misses),
            evictions: Counters::get(&counters.evictions),
            invalidations: Counters::get(&counters.invalidations),
            blocks: self.blocks.len() as u64,
            bytes: self.blocks.weight(),
            capacity_bytes: self.blocks.capacity(),
        }
    }
}

impl BlockCache for LruLikeCache {
    fn get(&self, file: FileId, offset: u64) -> Option<Arc<Block>> {
        let found = self.blocks.get(&BlockKey { file, offset });
        let counters = &self.books.counters;
        Counters::add(if found.is_some() { &counters.hits } else { &counters.misses }, 1);
        found.map(|cached| cached.block)
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority) {
        let key = BlockKey { file, offset: block.place().offset };
        // Before the insertion, which may evict it again at once.
        self.books.file_blocks.add(file, key.offset);
        self.blocks.insert(key, CachedBlock { block: Arc::clone(block), priority });
    }
}

impl fmt::Debug for LruLikeCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LruLikeCache").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
