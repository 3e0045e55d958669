use std::collections::HashMap;

use finback_hfile::{BlockRef, FileId, FileIdentity};
use parking_lot::Mutex;

use super::record::Entry;
use crate::block_key::{BlockKey, NumberHash};

/// Number of locks.
const SHARDS: usize = 16;

type Shard = HashMap<BlockKey, Location, NumberHash>;

/// Where a block is in the file of the tier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Location {
    pub(super) segment: u32,
    pub(super) generation: u64,
    pub(super) entry: Entry,
    /// Read since it was written.
    hit: bool,
}

/// Which blocks the tier has.
#[derive(Debug, Default)]
pub(super) struct Index {
    shards: [Mutex<Shard>; SHARDS],
}

fn key(entry: &Entry) -> BlockKey {
    BlockKey { file: entry.file.id, offset: entry.offset }
}

/// Gives back memory after much was removed. A map that is less full does not grow again for a while.
fn shrink(shard: &mut Shard) {
    if shard.capacity() > 3 * shard.len() {
        shard.shrink_to(shard.len() + shard.len() / 2);
    }
}

impl Index {
    fn shard(&self, key: BlockKey) -> &Mutex<Shard> {
        use std::hash::BuildHasher;
        &self.shards[(NumberHash.hash_one(key) >> 32) as usize % SHARDS]
    }

    /// Where the block is, which counts as a use of it.
    pub(super) fn find(&self, file: FileIdentity, place: BlockRef) -> Option<Location> {
        let key = BlockKey { file: file.id, offset: place.offset };
        let mut shard = self.shard(key).lock();
        let location = shard.get_mut(&key)?;
        if location.entry.file != file || location.entry.length != place.size {
            return None;
        }
        location.hit = true;
        Some(*location)
    }

    pub(super) fn contains(&self, file: FileIdentity, offset: u64) -> bool {
        let key = BlockKey { file: file.id, offset };
        self.shard(key).lock().contains_key(&key)
    }

    pub(super) fn insert(&self, segment: u32, generation: u64, entry: Entry) {
        let key = key(&entry);
        self.shard(key).lock().insert(key, Location { segment, generation, entry, hit: false });
    }

    /// The same of a block that an earlier server left, unless a newer segment has it.
    pub(super) fn learn(&self, segment: u32, generation: u64, entry: Entry) {
        let key = key(&entry);
        let location = Location { segment, generation, entry, hit: false };
        self.shard(key).lock().entry(key).or_insert(location);
    }

    /// Forgets an entry of a segment of that generation; says whether it was used. One that is elsewhere now stays.
    pub(super) fn remove(&self, generation: u64, entry: &Entry) -> Option<bool> {
        let key = key(entry);
        let mut shard = self.shard(key).lock();
        if shard.get(&key)?.generation != generation {
            return None;
        }
        shard.remove(&key).map(|location| location.hit)
    }

    /// Forgets all entries of a file; gives back how many there were.
    pub(super) fn remove_file(&self, file: FileId) -> usize {
        let mut removed = 0;
        for shard in &self.shards {
            let mut shard = shard.lock();
            let before = shard.len();
            shard.retain(|key, _| key.file != file);
            removed += before - shard.len();
            shrink(&mut shard);
        }
        removed
    }

    /// Gives back memory of entries that were forgotten.
    pub(super) fn shrink(&self) {
        self.shards.iter().for_each(|shard| shrink(&mut shard.lock()));
    }

    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }
}

#[cfg(test)]
mod tests;
