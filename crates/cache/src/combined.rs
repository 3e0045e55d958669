use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use finback_hfile::{Block, BlockCache, BlockPriority, BlockRef, FileId, FileIdentity};

use crate::file_tier::FileTier;
use crate::memory_block_cache::MemoryBlockCache;

/// Memory, and behind it a file: blocks in memory are as they are read, ready to be searched; those in the file are as they
/// stand in their store files, encoded and compressed.
#[derive(Debug)]
pub struct CombinedBlockCache {
    memory: MemoryBlockCache,
    file: FileTier,
    /// Memory of the tier in a file that was taken from the cache in memory.
    charged: AtomicUsize,
}

/// A change of the tier's memory that is worth telling.
const TOLD_BYTES: usize = 1 << 20;

impl CombinedBlockCache {
    /// Both together.
    pub fn new(memory: MemoryBlockCache, file: FileTier) -> Self {
        file.suit(memory.capacity_bytes());
        let cache = Self { memory, file, charged: AtomicUsize::new(0) };
        cache.charge();
        cache
    }

    /// The tier's memory is taken from the cache's: all is within one limit.
    fn charge(&self) {
        let now = self.file.memory_bytes();
        if now.abs_diff(self.charged.load(Relaxed)) >= TOLD_BYTES {
            let before = self.charged.swap(now, Relaxed);
            self.memory.outside_changed(now as isize - before as isize);
        }
    }

    /// The part in memory.
    pub fn memory(&self) -> &MemoryBlockCache {
        &self.memory
    }

    /// The part in a file.
    pub fn file(&self) -> &FileTier {
        &self.file
    }
}

impl BlockCache for CombinedBlockCache {
    fn get(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>> {
        self.memory.get(file, offset, priority)
    }

    fn look_at(
        &self,
        file: FileId,
        offset: u64,
        priority: BlockPriority,
        look: &mut dyn FnMut(&Block) -> bool,
    ) -> Option<bool> {
        self.memory.look_at(file, offset, priority, look)
    }

    fn get_if_there(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>> {
        self.memory.get_if_there(file, offset, priority)
    }

    fn only_looked(&self, found: bool) {
        self.memory.only_looked(found);
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority) {
        // What the tier learnt since, after a restart, is to have its memory before more blocks have it.
        self.charge();
        self.memory.insert(file, block, priority);
    }

    fn evict_file(&self, file: FileId) -> usize {
        self.file.forget(file);
        self.memory.evict_file(file)
    }

    fn capacity_bytes(&self) -> u64 {
        self.memory.capacity_bytes()
    }

    fn contains(&self, file: FileId, offset: u64) -> bool {
        self.memory.contains(file, offset)
    }

    fn blocks_of(&self, file: FileId) -> usize {
        self.memory.blocks_of(file)
    }

    /// What memory has no room for has some in the file, until that was filled once.
    fn has_room(&self, bytes: usize) -> bool {
        self.memory.has_room(bytes) || !self.file.is_full()
    }

    fn room_outside(&self) -> u64 {
        self.memory.room_outside()
    }

    fn outside_changed(&self, bytes: isize) {
        self.memory.outside_changed(bytes);
    }

    fn has_stored(&self) -> bool {
        true
    }

    fn takes_stored(&self, bytes: usize) -> bool {
        self.file.takes(bytes)
    }

    fn read_stored(&self, file: FileIdentity, place: BlockRef, bytes: &mut [u8]) -> bool {
        self.charge();
        self.file.read(file, place, bytes)
    }

    fn keep_stored(&self, file: FileIdentity, place: BlockRef, bytes: Vec<u8>) {
        self.file.offer(file, place, bytes);
        self.charge();
    }
}
