use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a cache did since it was made, and holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStatistics {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Blocks that made room for others, or were not let in.
    pub evictions: u64,
    /// Blocks dropped because their file was closed.
    pub invalidations: u64,
    /// Blocks held now.
    pub blocks: u64,
    /// Bytes held now, overhead included.
    pub bytes: u64,
    /// The most bytes that can be held.
    pub capacity_bytes: u64,
}

/// The counters behind [`CacheStatistics`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) hits: AtomicU64,
    pub(crate) misses: AtomicU64,
    pub(crate) evictions: AtomicU64,
    pub(crate) invalidations: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, count: u64) {
        counter.fetch_add(count, Relaxed);
    }

    pub(crate) fn get(counter: &AtomicU64) -> u64 {
        counter.load(Relaxed)
    }
}
