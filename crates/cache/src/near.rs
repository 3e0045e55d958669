//! What a thread looked up last of the blocks that lead to others.
//!
//! Every read goes through the same few index blocks and chunks of Bloom filters. In the cache proper each look-up writes to
//! the block's lock and to its count of references: with several threads these lines of memory are
//! passed around all the time. Here a thread finds such a block without writing to anything that others look at.
//!
//! It never finds what the cache itself does not have any more: when blocks of this kind leave that, which is rare beside
//! looks at them, all threads forget theirs.

use crate::block_key::{BlockKey, NumberHash};
use finback_hfile::Block;
use finback_sync::atomic::AtomicU64;
use finback_sync::atomic::Ordering::{Acquire, Relaxed, Release};
use finback_sync::thread_local;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Places for blocks that a thread remembers: many more than blocks. Each block has two of them, side by side, so that hardly any
/// finds both taken.
const SLOTS: usize = 128;

/// Bytes of blocks that a thread remembers at most, which it may keep after they were evicted, until it looks again: where the
/// cache is small, one part in so many of it. Most are of 128 KiB.
const MAX_BYTES: usize = 4 << 20;
const PART_OF_CACHE: u64 = 64;

/// Larger ones are not remembered.
const MAX_BLOCK_BYTES: usize = 256 << 10;

/// After so many looks one goes to the cache itself, which keeps what is used. Under a scheduler of the tests soon: its programs are
/// short.
const LOOKS: u32 = if cfg!(feature = "shuttle") { 2 } else { 64 };

/// The number of a cache among those of the process, and how often blocks that lead to others have left it.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct Changes {
    cache: u64,
    count: AtomicU64,
    /// Bytes that a thread may remember of it.
    most: usize,
}

impl Default for Changes {
    fn default() -> Self {
        Self::of_cache(u64::MAX)
    }
}

struct Slot {
    key: BlockKey,
    block: Arc<Block>,
    looks_left: u32,
}

struct Near {
    /// The cache, and how many changes it had seen, when the slots were empty.
    of: (u64, u64),
    bytes: usize,
    slots: [Option<Slot>; SLOTS],
}

thread_local! {
    static NEAR: RefCell<Near> = const { RefCell::new(Near::of((0, 0))) };
}

/// Where a block may be remembered.
#[inline]
fn places(key: BlockKey) -> [usize; 2] {
    let first = NumberHash.hash_one(key) as usize % SLOTS;
    [first, first ^ 1]
}

impl Near {
    /// Nothing yet.
    const fn of(of: (u64, u64)) -> Self {
        Self { of, bytes: 0, slots: [const { None }; SLOTS] }
    }

    fn slot(&mut self, key: BlockKey) -> Option<&mut Slot> {
        let at = self.place(key)?;
        self.slots[at].as_mut()
    }

    /// Where the block is.
    #[inline]
    fn place(&self, key: BlockKey) -> Option<usize> {
        let is_there = |&at: &usize| self.slots[at].as_ref().is_some_and(|slot| slot.key == key);
        places(key).into_iter().find(is_there)
    }

    /// Remembers a block, in the place of another one if it has to be; if that is more than `most` bytes, in the place of all.
    fn remember(&mut self, key: BlockKey, block: Arc<Block>, most: usize) {
        let places = places(key);
        let free = || places.into_iter().find(|&at| self.slots[at].is_none());
        let at = self.place(key).or_else(free).unwrap_or(places[0]);
        if let Some(before) = self.slots[at].take() {
            self.bytes -= before.block.memory_bytes();
        }
        let bytes = block.memory_bytes();
        if self.bytes + bytes > most {
            *self = Self::of(self.of);
        }
        self.bytes += bytes;
        self.slots[at] = Some(Slot { key, block, looks_left: LOOKS });
    }
}

impl Changes {
    /// Of a cache of so many bytes.
    pub(crate) fn of_cache(bytes: u64) -> Self {
        // Counts on from schedule to schedule of the tests.
        static CACHES: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(1);
        let most = usize::try_from(bytes / PART_OF_CACHE).unwrap_or(MAX_BYTES).min(MAX_BYTES);
        Self { cache: CACHES.fetch_add(1, Relaxed), count: AtomicU64::new(0), most }
    }

    /// To be called after a block went.
    pub(crate) fn note(&self) {
        self.count.fetch_add(1, Release);
    }

    /// Shows a block to `look`: the one that this thread remembers, or else what `get` finds. `look` must not look up
    /// blocks itself.
    #[inline]
    pub(crate) fn look<T>(
        &self,
        key: BlockKey,
        get: impl FnOnce() -> Option<Arc<Block>>,
        look: impl FnOnce(&Arc<Block>) -> T,
    ) -> Option<T> {
        NEAR.with(|near| {
            let near = &mut *near.borrow_mut();
            // Before `get`: a change after it makes what was found be forgotten.
            let of = (self.cache, self.count.load(Acquire));
            if near.of != of {
                *near = Near::of(of);
            }
            if let Some(Slot { looks_left: looks_left @ 1.., block, .. }) = near.slot(key) {
                *looks_left -= 1;
                return Some(look(block));
            }
            let block = get()?;
            let seen = look(&block);
            if block.leads_to_others() && block.memory_bytes() <= MAX_BLOCK_BYTES.min(self.most) {
                near.remember(key, block, self.most);
            }
            Some(seen)
        })
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
