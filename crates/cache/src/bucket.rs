use std::sync::Arc;

use finback_hfile::Block;
use finback_sync::Mutex;
use finback_sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::block_key::{BlockKey, hash_of};
use crate::file_blocks::FileBlocks;
use crate::near::Changes;
use crate::statistics::Counters;

mod queues;
mod table;

use queues::Queues;
pub(crate) use table::Kept;
use table::Table;

/// Bytes that a block costs beside itself: the counts of its `Arc`, its entry in the table and its place in a queue at their
/// usual load, where its file's blocks are noted, and a share of the keys that are remembered of blocks evicted before.
const OVERHEAD_BYTES: u64 = 192;

/// What is put in is decided about under a lock per this many bytes: a block larger than that part is not let in.
const PART_BYTES: u64 = 128 << 20;
/// Enough for the cores of a big machine.
const MAX_PARTS: u64 = 32;

/// What a block counts in the cache, in bytes.
pub(crate) fn weight(block: &Block) -> u64 {
    block.memory_bytes() as u64 + OVERHEAD_BYTES
}

/// What is told of evictions.
#[derive(Debug, Default)]
pub(crate) struct Bookkeeping {
    pub(crate) file_blocks: FileBlocks,
    pub(crate) counters: Counters,
    /// Of blocks that lead to others.
    pub(crate) changes: Changes,
}

impl Bookkeeping {
    /// Of a cache of so many bytes.
    pub(crate) fn of_cache(bytes: u64) -> Self {
        Self { changes: Changes::of_cache(bytes), ..Self::default() }
    }
}

/// Blocks that made room for another. They are freed by whoever asked for the room, when no lock is held any more.
pub(crate) type Evicted = Vec<Kept>;

/// Blocks that compete with each other for bytes. Those that are used again stay: a scan that sees each block once pushes
/// out only its like.
pub(crate) struct Bucket {
    table: Table,
    parts: Box<[Part]>,
    books: Arc<Bookkeeping>,
}

/// What decides about a part of the blocks, for those who put one in or take one out.
struct Part {
    queues: Mutex<Queues>,
    /// Of the queues, for those who only ask.
    blocks: AtomicU64,
    bytes: AtomicU64,
}

impl Part {
    /// Changes the queues.
    fn change<T>(&self, change: impl FnOnce(&mut Queues) -> T) -> T {
        let mut queues = self.queues.lock();
        let changed = change(&mut queues);
        self.blocks.store(queues.blocks() as u64, Relaxed);
        self.bytes.store(queues.weight(), Relaxed);
        changed
    }
}

impl Bucket {
    /// A bucket of at most `capacity_bytes`.
    pub(crate) fn new(capacity_bytes: u64, books: &Arc<Bookkeeping>) -> Self {
        let count = (capacity_bytes / PART_BYTES).clamp(1, MAX_PARTS);
        let part = |_| Part {
            queues: Mutex::new(Queues::of(capacity_bytes / count)),
            blocks: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        };
        Self {
            table: Table::for_bytes(capacity_bytes),
            parts: (0..count).map(part).collect(),
            books: Arc::clone(books),
        }
    }

    /// By other bits of the hash than those by which the table has its locks.
    fn part(&self, key: &BlockKey) -> &Part {
        &self.parts[(hash_of(key) >> 48) as usize % self.parts.len()]
    }

    #[inline]
    pub(crate) fn get(&self, key: &BlockKey) -> Option<Arc<Block>> {
        self.table.get(key)
    }

    /// Puts a block in, unless it is there, and gives back what had to go.
    pub(crate) fn insert(&self, key: BlockKey, block: Arc<Block>) -> Evicted {
        // Before the insertion, which may evict it again at once.
        self.books.file_blocks.add(key.file, key.offset);
        let weight = weight(&block);
        let mut leaving = Vec::with_capacity(1);
        let is_in =
            self.part(&key).change(|queues| queues.insert(&self.table, key, block, weight, &mut leaving));
        if !is_in {
            self.books.file_blocks.remove(key.file, key.offset);
        }
        self.note_gone(&leaving);
        leaving
    }

    /// Takes a block out, because its file is gone.
    pub(crate) fn remove(&self, key: &BlockKey) -> bool {
        let removed = self.part(key).change(|queues| queues.remove(&self.table, key)).is_some();
        if removed {
            // Of a file that was taken from the books there is something only if the block came behind that.
            self.books.file_blocks.remove(key.file, key.offset);
        }
        removed
    }

    /// Sets the capacity; what does not fit is gone when this returns.
    pub(crate) fn set_capacity(&self, capacity_bytes: u64) {
        let of_part = capacity_bytes / self.parts.len() as u64;
        for part in &self.parts {
            let mut leaving = Vec::new();
            part.change(|queues| queues.set_capacity(&self.table, of_part, &mut leaving));
            self.note_gone(&leaving);
            self.books.counters.evicted(leaving.len() as u64);
        }
    }

    /// Notes what left under a lock, when that is held no more.
    fn note_gone(&self, gone: &[Kept]) {
        for kept in gone {
            self.books.file_blocks.remove(kept.key.file, kept.key.offset);
        }
        if gone.iter().any(|kept| kept.block.leads_to_others()) {
            self.books.changes.note();
        }
    }

    /// Blocks in it.
    pub(crate) fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.blocks.load(Relaxed)).sum()
    }

    /// Bytes in it, overhead included.
    pub(crate) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes.load(Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests;
