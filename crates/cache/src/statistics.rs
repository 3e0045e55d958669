use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use finback_hfile::BlockPriority;

/// What a cache did since it was made, and holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStatistics {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Those of `hits` that were for blocks of indexes and Bloom filters.
    pub index_hits: u64,
    /// Those of `misses` that were for blocks of indexes and Bloom filters.
    pub index_misses: u64,
    /// Those of `hits` that were of reads that put nothing into the cache.
    pub passing_hits: u64,
    /// Those of `misses` that were of reads that put nothing into the cache.
    pub passing_misses: u64,
    /// Blocks that made room for others, or were not let in.
    pub evictions: u64,
    /// Blocks dropped because their file was closed.
    pub invalidations: u64,
    /// Blocks held now.
    pub blocks: u64,
    /// Bytes held now, overhead included.
    pub bytes: u64,
    /// Those of `bytes` that are in the share of IN_MEMORY families.
    pub in_memory_bytes: u64,
    /// Those of `bytes` that are in the share of indexes and Bloom filters.
    pub index_bytes: u64,
    /// Bytes of memory that is not in the cache, and counts in it: it may hold so much less.
    pub outside_bytes: u64,
    /// The most bytes that can be held.
    pub capacity_bytes: u64,
}

/// Look-ups are counted in so many places, and a thread keeps to one, so that threads that find blocks at the same time do
/// not wait for one line of the processor's cache.
const STRIPES: usize = 16;

#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe {
    hits: AtomicU64,
    misses: AtomicU64,
    index_hits: AtomicU64,
    index_misses: AtomicU64,
}

/// Where this thread counts.
#[inline]
fn stripe_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static STRIPE: usize = THREADS.fetch_add(1, Relaxed) % STRIPES;
    }
    STRIPE.with(|stripe| *stripe)
}

/// The counters behind [`CacheStatistics`].
#[derive(Debug, Default)]
pub(crate) struct Counters {
    stripes: [Stripe; STRIPES],
    passing_hits: AtomicU64,
    passing_misses: AtomicU64,
    evictions: AtomicU64,
    invalidations: AtomicU64,
}

impl Counters {
    #[inline]
    pub(crate) fn looked_up(&self, priority: BlockPriority, found: bool) {
        let stripe = &self.stripes[stripe_of_thread()];
        let counter = match (priority, found) {
            (BlockPriority::Index, true) => &stripe.index_hits,
            (BlockPriority::Index, false) => &stripe.index_misses,
            (_, true) => &stripe.hits,
            (_, false) => &stripe.misses,
        };
        counter.fetch_add(1, Relaxed);
    }

    /// Of what was [`Counters::looked_up`].
    pub(crate) fn only_looked(&self, found: bool) {
        let counter = if found { &self.passing_hits } else { &self.passing_misses };
        counter.fetch_add(1, Relaxed);
    }

    pub(crate) fn evicted(&self, blocks: u64) {
        self.evictions.fetch_add(blocks, Relaxed);
    }

    pub(crate) fn invalidated(&self, blocks: u64) {
        self.invalidations.fetch_add(blocks, Relaxed);
    }

    /// The counts; sizes are left 0.
    pub(crate) fn read(&self) -> CacheStatistics {
        let sum =
            |of: fn(&Stripe) -> &AtomicU64| self.stripes.iter().map(|stripe| of(stripe).load(Relaxed)).sum();
        let (index_hits, index_misses): (u64, u64) = (sum(|s| &s.index_hits), sum(|s| &s.index_misses));
        CacheStatistics {
            hits: sum(|stripe| &stripe.hits) + index_hits,
            misses: sum(|stripe| &stripe.misses) + index_misses,
            index_hits,
            index_misses,
            passing_hits: self.passing_hits.load(Relaxed),
            passing_misses: self.passing_misses.load(Relaxed),
            evictions: self.evictions.load(Relaxed),
            invalidations: self.invalidations.load(Relaxed),
            ..CacheStatistics::default()
        }
    }
}
