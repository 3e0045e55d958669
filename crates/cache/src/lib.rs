//! The block cache: blocks in memory, bounded in bytes, resistant to scans; and, if wanted, more of them in a file.
//!
//! Guarantees of the part in memory: what it holds weighs no more than its capacity (block bytes, and what the cache needs per block); no
//! operation does I/O or waits for more than a short lock; closing a file costs time in proportion to the blocks of that
//! file. A thread remembers blocks of indexes and filters that it looked up last, and lets go of those that were evicted when it next
//! looks for one. It does not know what is in a block, nor when to cache one.

mod block_key;
mod bucket;
mod combined;
mod file_blocks;
mod file_tier;
mod memory_block_cache;
mod near;
mod reserve;
mod statistics;
#[cfg(test)]
mod test_blocks;

pub use finback_hfile::BlockCache;

pub use combined::CombinedBlockCache;
pub use file_tier::{FileTier, FileTierOptions, FileTierStatistics, SEGMENT_BYTES, TierDevice};
pub use memory_block_cache::{MemoryBlockCache, Shares};
pub use statistics::CacheStatistics;
