use std::sync::Arc;

use finback_hfile::Block;
use quick_cache::sync::Cache;
use quick_cache::{Lifecycle, OptionsBuilder, Weighter};

use crate::block_key::{BlockKey, NumberHash};
use crate::file_blocks::FileBlocks;
use crate::near::Changes;
use crate::statistics::Counters;

/// Bytes that a block costs beside itself: the counts of its `Arc`, key and entry in the cache's slab, slots in the two
/// maps at their usual load, and a share of the keys that are remembered of blocks evicted before.
const OVERHEAD_BYTES: u64 = 160;

/// A lock per this many bytes, at most [`MAX_SHARDS`]: a block larger than its shard is not let in.
const SHARD_BYTES: u64 = 32 << 20;
/// Enough locks for the cores of a big machine.
const MAX_SHARDS: u64 = 64;
/// The usual block, to size the tables: 64 KiB. Smaller blocks make them grow.
const TYPICAL_BLOCK_BYTES: u64 = 64 << 10;

/// What a block counts in the cache, in bytes.
pub(crate) fn weight(block: &Block) -> u64 {
    block.memory_bytes() as u64 + OVERHEAD_BYTES
}

/// A block, and what it counts: found without looking at the block, which is in no processor's cache when it has to go.
#[derive(Clone)]
struct Kept {
    block: Arc<Block>,
    weight: u64,
}

#[derive(Clone)]
struct KeptWeight;

impl Weighter<BlockKey, Kept> for KeptWeight {
    fn weight(&self, _key: &BlockKey, kept: &Kept) -> u64 {
        kept.weight
    }
}

/// What is told of evictions.
#[derive(Debug, Default)]
pub(crate) struct Bookkeeping {
    pub(crate) file_blocks: FileBlocks,
    pub(crate) counters: Counters,
    /// Of blocks that lead to others.
    pub(crate) changes: Changes,
}

/// Blocks that made room for another. They are freed by whoever asked for the room, when no lock is held any more.
pub(crate) type Evicted = Vec<(BlockKey, Arc<Block>)>;

/// Blocks that leave the cache under one of its locks, and what is still to be noted of that: it is when no lock is held.
#[derive(Default)]
struct Leaving {
    blocks: Evicted,
    books: Option<Arc<Bookkeeping>>,
}

impl Leaving {
    /// Of an insertion, for which one block leaves in most cases.
    fn to_be_noted_in(books: &Arc<Bookkeeping>) -> Self {
        Self { blocks: Vec::with_capacity(1), books: Some(Arc::clone(books)) }
    }

    /// Notes that they are gone, and gives them.
    fn noted(mut self) -> Evicted {
        self.note();
        std::mem::take(&mut self.blocks)
    }

    fn note(&self) {
        let Some(books) = &self.books else { return };
        for (key, _) in &self.blocks {
            books.file_blocks.remove(key.file, key.offset);
        }
        if self.blocks.iter().any(|(_, block)| block.leads_to_others()) {
            books.changes.note();
        }
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        self.note();
    }
}

#[derive(Clone)]
struct OnEviction(Arc<Bookkeeping>);

impl Lifecycle<BlockKey, Kept> for OnEviction {
    type RequestState = Leaving;

    fn on_evict(&self, leaving: &mut Leaving, key: BlockKey, kept: Kept) {
        leaving.books.get_or_insert_with(|| Arc::clone(&self.0));
        leaving.blocks.push((key, kept.block));
    }
}

/// Blocks that compete with each other for bytes. Those that are used again stay (Clock-PRO): a scan that sees each
/// block once pushes out only its like.
pub(crate) struct Bucket {
    blocks: Cache<BlockKey, Kept, KeptWeight, NumberHash, OnEviction>,
    books: Arc<Bookkeeping>,
}

impl Bucket {
    /// A bucket of at most `capacity_bytes`.
    pub(crate) fn new(capacity_bytes: u64, books: &Arc<Bookkeeping>) -> Self {
        let shards = (capacity_bytes / SHARD_BYTES).clamp(1, MAX_SHARDS);
        let typical_blocks = (capacity_bytes / TYPICAL_BLOCK_BYTES).max(1);
        let options = OptionsBuilder::new()
            .shards(shards as usize)
            .estimated_items_capacity(usize::try_from(typical_blocks).unwrap_or(usize::MAX))
            .weight_capacity(capacity_bytes / shards * shards)
            .build()
            .expect("both capacities are given");
        let on_eviction = OnEviction(Arc::clone(books));
        let blocks = Cache::with_options(options, KeptWeight, NumberHash, on_eviction);
        Self { blocks, books: Arc::clone(books) }
    }

    pub(crate) fn get(&self, key: &BlockKey) -> Option<Arc<Block>> {
        self.blocks.get(key).map(|kept| kept.block)
    }

    /// Puts a block in, and gives back what had to go.
    pub(crate) fn insert(&self, key: BlockKey, block: Arc<Block>) -> Evicted {
        // Before the insertion, which may evict it again at once.
        self.books.file_blocks.add(key.file, key.offset);
        let mut leaving = Leaving::to_be_noted_in(&self.books);
        let kept = Kept { weight: weight(&block), block };
        self.blocks.insert_with_lifecycle(key, kept, &mut leaving);
        leaving.noted()
    }

    /// Takes a block out, because its file is gone.
    pub(crate) fn remove(&self, key: &BlockKey) -> bool {
        let removed = self.blocks.remove(key).is_some();
        if removed {
            // Of a file that was taken from the books there is something only if the block came behind that.
            self.books.file_blocks.remove(key.file, key.offset);
        }
        removed
    }

    /// Sets the capacity; what does not fit is gone when this returns.
    pub(crate) fn set_capacity(&self, capacity_bytes: u64) {
        let shards = self.blocks.num_shards() as u64;
        let before = self.blocks.len();
        self.blocks.set_capacity(capacity_bytes / shards * shards);
        let gone = before.saturating_sub(self.blocks.len());
        self.books.counters.evicted(gone as u64);
    }

    /// Blocks in it.
    pub(crate) fn len(&self) -> u64 {
        self.blocks.len() as u64
    }

    /// Bytes in it, overhead included.
    pub(crate) fn bytes(&self) -> u64 {
        self.blocks.weight()
    }
}
