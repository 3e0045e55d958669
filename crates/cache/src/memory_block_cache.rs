use std::fmt;
use std::sync::Arc;

use finback_hfile::{Block, BlockCache, BlockPriority, FileId};

use crate::block_key::BlockKey;
use crate::bucket::{Bookkeeping, Bucket, Evicted};
use crate::reserve::Division;
use crate::statistics::CacheStatistics;

/// A larger block is not kept: it would push out hundreds (`hbase.lru.max.block.size`, 16 MiB in HBase).
const MAX_BLOCK_BYTES: usize = 16 << 20;

/// One part in so many is left free by those who want nothing to go: a block takes more in memory than in its file, and
/// reserves take their bytes in steps.
const SLACK: u64 = 16;

/// Numbers of the reserves.
const IN_MEMORY: usize = 0;
const INDEX: usize = 1;

/// The parts of the cache that certain blocks do not have to share, as fractions of it. What they leave unused is lent to
/// the others; what does not fit them competes with the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shares {
    /// Of data blocks of families with IN_MEMORY (`hbase.lru.blockcache.memory.percentage`).
    pub in_memory: f64,
    /// Of index blocks and chunks of Bloom filters.
    pub index: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Self { in_memory: 0.25, index: 0.25 }
    }
}

impl Shares {
    /// The two in bytes, together no more than `capacity_bytes`.
    fn bytes(self, capacity_bytes: u64) -> [u64; 2] {
        let of = |fraction: f64, most: u64| ((capacity_bytes as f64 * fraction) as u64).min(most);
        let in_memory = of(self.in_memory, capacity_bytes);
        [in_memory, of(self.index, capacity_bytes - in_memory)]
    }
}

/// A block cache in memory that keeps what is used again (S3-FIFO), in bounded bytes.
///
/// HBase's priorities: blocks used once and blocks used again (its "single" and "multi") are in two queues, of which the first is
/// short unless it pays to have it long; those of IN_MEMORY families, and those of indexes and Bloom filters, have a share each.
pub struct MemoryBlockCache {
    division: Division<2>,
    books: Arc<Bookkeeping>,
    capacity_bytes: u64,
}

impl MemoryBlockCache {
    /// A cache of at most `capacity_bytes`, with the usual shares. With 0 it keeps nothing.
    pub fn new(capacity_bytes: u64) -> Self {
        Self::with_shares(capacity_bytes, Shares::default())
    }

    /// The same with other shares.
    pub fn with_shares(capacity_bytes: u64, shares: Shares) -> Self {
        let books = Arc::new(Bookkeeping::of_cache(capacity_bytes));
        let division = Division::new(capacity_bytes, shares.bytes(capacity_bytes), &books);
        Self { division, books, capacity_bytes }
    }

    fn find(&self, key: BlockKey, priority: BlockPriority) -> Option<Arc<Block>> {
        let general = &self.division.general;
        match priority {
            BlockPriority::Normal => general.get(&key),
            BlockPriority::InMemory => self.reserve(IN_MEMORY).get(&key).or_else(|| general.get(&key)),
            BlockPriority::Index => self.reserve(INDEX).get(&key).or_else(|| general.get(&key)),
        }
    }

    fn reserve(&self, number: usize) -> &Bucket {
        self.division.reserves[number].bucket()
    }

    /// Counters and sizes. Each is exact, but they are not taken at one instant.
    pub fn statistics(&self) -> CacheStatistics {
        let (blocks, bytes) = self.division.len_and_bytes();
        CacheStatistics {
            blocks,
            bytes,
            in_memory_bytes: self.reserve(IN_MEMORY).bytes(),
            index_bytes: self.reserve(INDEX).bytes(),
            outside_bytes: self.division.outside_bytes(),
            capacity_bytes: self.capacity_bytes,
            ..self.books.counters.read()
        }
    }
}

impl BlockCache for MemoryBlockCache {
    fn get(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>> {
        let key = BlockKey { file, offset };
        let found = match priority {
            BlockPriority::Normal | BlockPriority::InMemory => self.find(key, priority),
            BlockPriority::Index => self.books.changes.look(key, || self.find(key, priority), Arc::clone),
        };
        self.books.counters.looked_up(priority, found.is_some());
        found
    }

    fn look_at(
        &self,
        file: FileId,
        offset: u64,
        priority: BlockPriority,
        look: &mut dyn FnMut(&Block) -> bool,
    ) -> Option<bool> {
        if priority != BlockPriority::Index {
            return self.get(file, offset, priority).map(|block| look(&block));
        }
        let key = BlockKey { file, offset };
        let seen = self.books.changes.look(key, || self.find(key, priority), |block| look(block));
        self.books.counters.looked_up(priority, seen.is_some());
        seen
    }

    fn get_if_there(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>> {
        let found = self.find(BlockKey { file, offset }, priority)?;
        self.books.counters.looked_up(priority, true);
        Some(found)
    }

    fn only_looked(&self, found: bool) {
        self.books.counters.only_looked(found);
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority) {
        if block.memory_bytes() > MAX_BLOCK_BYTES {
            return;
        }
        let key = BlockKey { file, offset: block.place().offset };
        let block = Arc::clone(block);
        let evicted: Evicted = match priority {
            BlockPriority::Normal => self.division.general.insert(key, block),
            BlockPriority::InMemory => self.division.insert_reserved(IN_MEMORY, key, block),
            BlockPriority::Index => self.division.insert_reserved(INDEX, key, block),
        };
        self.books.counters.evicted(evicted.len() as u64);
    }

    fn contains(&self, file: FileId, offset: u64) -> bool {
        self.books.file_blocks.contains(file, offset)
    }

    fn blocks_of(&self, file: FileId) -> usize {
        self.books.file_blocks.count(file)
    }

    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    fn has_room(&self, bytes: usize) -> bool {
        let (_, held) = self.division.len_and_bytes();
        let left = self.division.bytes_left();
        held.saturating_add(bytes as u64) <= left - left / SLACK
    }

    fn room_outside(&self) -> u64 {
        self.capacity_bytes.saturating_sub(self.division.outside_bytes())
    }

    fn outside_changed(&self, bytes: isize) {
        self.division.outside_changed(bytes as i64);
    }

    fn evict_file(&self, file: FileId) -> usize {
        let offsets = self.books.file_blocks.take(file);
        let buckets = [&self.division.general, self.reserve(INDEX), self.reserve(IN_MEMORY)];
        // Two that read a block at the same time may have put it into two of them.
        let removed =
            |offset| buckets.iter().filter(|bucket| bucket.remove(&BlockKey { file, offset })).count();
        let dropped = offsets.map(removed).sum();
        self.books.changes.note();
        self.books.counters.invalidated(dropped as u64);
        self.division.take_back();
        dropped
    }
}

impl fmt::Debug for MemoryBlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBlockCache").field("statistics", &self.statistics()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
