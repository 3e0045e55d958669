//! The block cache: blocks in memory, bounded in bytes, resistant to scans.
//!
//! Guarantees: what it holds weighs no more than its capacity (block bytes, and what the cache needs per block); no
//! operation does I/O or waits for more than a short lock; closing a file costs time in proportion to the blocks of that
//! file. It does not know what is in a block, nor when to cache one.

mod block_key;
mod bucket;
mod file_blocks;
mod lru_like;
mod reserve;
mod statistics;

pub use lru_like::{LruLikeCache, Shares};
pub use statistics::CacheStatistics;
