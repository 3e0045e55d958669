//! What a cache of blocks is to readers.

use crate::block::{Block, BlockRef};
use crate::reader::{FileId, FileIdentity};
use std::sync::Arc;

/// How much a block is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BlockPriority {
    /// A data block.
    #[default]
    Normal,
    /// A data block of a family with IN_MEMORY.
    InMemory,
    /// A block that leads to others: of the index, or a chunk of a Bloom filter.
    Index,
}

/// A cache of blocks, by file and offset.
pub trait BlockCache: Send + Sync {
    /// The block, if it is there. `priority`: the one that it would be inserted with; a cache may look only where such
    /// blocks are.
    fn get(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>>;

    /// What `look` says of the block, if it is there: as [`BlockCache::get`], for those who do not keep it. `look` must
    /// not use the cache.
    fn look_at(
        &self,
        file: FileId,
        offset: u64,
        priority: BlockPriority,
        look: &mut dyn FnMut(&Block) -> bool,
    ) -> Option<bool> {
        self.get(file, offset, priority).map(|block| look(&block))
    }

    /// As [`BlockCache::get`], for who asks once more if the block is not there: until then it counts as no look at all.
    fn get_if_there(&self, file: FileId, offset: u64, priority: BlockPriority) -> Option<Arc<Block>> {
        self.get(file, offset, priority)
    }

    /// Notes that the last [`BlockCache::get`] was for a read that puts nothing into the cache, and whether it found its block.
    fn only_looked(&self, found: bool) {
        let _ = found;
    }

    /// Keeps a block for as long as it pays.
    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority);

    /// Drops all blocks of a file that nobody will open again. Returns how many there were.
    fn evict_file(&self, file: FileId) -> usize;

    /// Bytes that it may hold in memory.
    fn capacity_bytes(&self) -> u64 {
        0
    }

    /// Whether the block is there. Does not count as a use of it.
    fn contains(&self, file: FileId, offset: u64) -> bool {
        let _ = (file, offset);
        false
    }

    /// How many blocks of a file are there.
    fn blocks_of(&self, file: FileId) -> usize {
        let _ = file;
        0
    }

    /// Whether a block of so many bytes could be kept without another one having to go.
    fn has_room(&self, bytes: usize) -> bool {
        let _ = bytes;
        true
    }

    /// Bytes by which the memory of [`CacheCharge`]s may grow before there is nothing left for the cache itself.
    fn room_outside(&self) -> u64 {
        u64::MAX
    }

    /// Told by how many bytes the memory grew or shrank that belongs to blocks and is not in the cache, see
    /// [`CacheCharge`]: a cache keeps so much less.
    fn outside_changed(&self, bytes: isize) {
        let _ = bytes;
    }

    /// Whether there is a slower tier, of blocks as they stand in their files.
    fn has_stored(&self) -> bool {
        false
    }

    /// Whether the slower tier takes a block that has so many bytes in its file.
    fn takes_stored(&self, bytes: usize) -> bool {
        let _ = bytes;
        self.has_stored()
    }

    /// Fills `bytes` with the block at `place` of `file` as it stands there, if the slower tier has it. May wait for a
    /// device.
    fn read_stored(&self, file: FileIdentity, place: BlockRef, bytes: &mut [u8]) -> bool {
        let _ = (file, place, bytes);
        false
    }

    /// Offers a block as it stands in its file to the slower tier. Never waits.
    fn keep_stored(&self, file: FileIdentity, place: BlockRef, bytes: Vec<u8>) {
        let _ = (file, place, bytes);
    }
}

/// Memory outside a cache that counts in it: indexes of open files, blocks that a compaction works with. As long as this
/// exists, the cache keeps so much less.
pub struct CacheCharge {
    cache: Arc<dyn BlockCache>,
    bytes: usize,
}

impl CacheCharge {
    /// Counts `bytes` in `cache`.
    pub fn new(cache: Arc<dyn BlockCache>, bytes: usize) -> Self {
        let mut charge = Self { cache, bytes: 0 };
        charge.set(bytes);
        charge
    }

    /// It is so many bytes now.
    pub fn set(&mut self, bytes: usize) {
        let grown = bytes.cast_signed().saturating_sub(self.bytes.cast_signed());
        if grown != 0 {
            self.cache.outside_changed(grown);
            self.bytes = bytes;
        }
    }
}

impl Drop for CacheCharge {
    fn drop(&mut self) {
        self.set(0);
    }
}

impl std::fmt::Debug for CacheCharge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CacheCharge({} bytes)", self.bytes)
    }
}
