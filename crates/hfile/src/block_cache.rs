//! What a cache of blocks is to readers.

use crate::block::Block;
use crate::reader::FileId;
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

    /// Keeps a block for as long as it pays.
    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority);

    /// Drops all blocks of a file that nobody will open again. Returns how many there were.
    fn evict_file(&self, file: FileId) -> usize;
}
