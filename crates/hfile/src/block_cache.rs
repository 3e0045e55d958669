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
    /// An index block, a chunk of a Bloom filter, or a block of a family with IN_MEMORY.
    High,
}

/// A cache of blocks, by file and offset.
pub trait BlockCache: Send + Sync {
    /// The block, if it is there.
    fn get(&self, file: FileId, offset: u64) -> Option<Arc<Block>>;

    /// Keeps a block for as long as it pays.
    fn insert(&self, file: FileId, block: &Arc<Block>, priority: BlockPriority);
}
