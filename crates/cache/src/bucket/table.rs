use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use finback_hfile::Block;
use finback_sync::RwLock;
use hashbrown::HashTable;

use crate::block_key::{BlockKey, hash_of};

/// A lock per this many bytes of blocks, so that hardly any look-up comes to the one under which a block is put in or taken out.
const BYTES_OF_LOCK: u64 = 1 << 20;
const MIN_LOCKS: u64 = 16;
const MAX_LOCKS: u64 = 4096;

/// Uses are counted up to this.
const MOST_USES: u8 = 3;

/// A block, and what decides how long it stays.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) key: BlockKey,
    pub(crate) block: Arc<Block>,
    /// What it counts, in bytes: found without looking at the block, which is in no processor's cache when it has to go.
    pub(super) weight: u64,
    /// Which of the insertions of this key it came with.
    pub(super) ticket: u64,
    uses: AtomicU8,
    /// It is in the queue of those that are kept. Written by who has that queue.
    pub(super) stays: AtomicBool,
}

impl Kept {
    pub(super) fn new(key: BlockKey, block: Arc<Block>, weight: u64, ticket: u64, stays: bool) -> Self {
        Self { key, block, weight, ticket, uses: AtomicU8::new(0), stays: AtomicBool::new(stays) }
    }

    /// Nothing is written for a block that was used often enough, so that those who look for it share its line of memory.
    #[inline]
    fn used(&self) {
        let uses = self.uses.load(Relaxed);
        if uses < MOST_USES {
            self.uses.store(uses + 1, Relaxed);
        }
    }

    pub(super) fn uses(&self) -> u8 {
        self.uses.load(Relaxed)
    }

    pub(super) fn set_uses(&self, uses: u8) {
        self.uses.store(uses, Relaxed);
    }
}

/// The blocks by key, under many locks, none of which is held for more than a look.
#[derive(Debug)]
pub(super) struct Table {
    locks: Box<[Locked]>,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Locked(RwLock<HashTable<Kept>>);

impl Table {
    pub(super) fn for_bytes(capacity_bytes: u64) -> Self {
        let locks = (capacity_bytes / BYTES_OF_LOCK).clamp(MIN_LOCKS, MAX_LOCKS).next_power_of_two();
        Self { locks: (0..locks).map(|_| Locked::default()).collect() }
    }

    /// Bits of the hash that the tables themselves do not use.
    #[inline]
    fn at(&self, hash: u64) -> &RwLock<HashTable<Kept>> {
        &self.locks[(hash >> 32) as usize & (self.locks.len() - 1)].0
    }

    /// The block of a key, which is used.
    #[inline]
    pub(super) fn get(&self, key: &BlockKey) -> Option<Arc<Block>> {
        let hash = hash_of(key);
        let table = self.at(hash).read();
        let kept = table.find(hash, |kept| kept.key == *key)?;
        kept.used();
        Some(Arc::clone(&kept.block))
    }

    /// What `look` says of what is kept for a key.
    pub(super) fn look<T>(&self, key: &BlockKey, look: impl FnOnce(&Kept) -> T) -> Option<T> {
        let hash = hash_of(key);
        self.at(hash).read().find(hash, |kept| kept.key == *key).map(look)
    }

    /// Puts a block in that is not there.
    pub(super) fn insert(&self, kept: Kept) {
        let hash = hash_of(&kept.key);
        self.at(hash).write().insert_unique(hash, kept, |kept| hash_of(&kept.key));
    }

    pub(super) fn remove(&self, key: &BlockKey) -> Option<Kept> {
        let hash = hash_of(key);
        let mut table = self.at(hash).write();
        let entry = table.find_entry(hash, |kept| kept.key == *key).ok()?;
        Some(entry.remove().0)
    }
}
