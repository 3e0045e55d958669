use std::collections::HashMap;
use std::collections::hash_map::Entry;

use finback_hfile::FileId;
use finback_sync::Mutex;

use crate::block_key::NumberHash;

/// Number of locks. Files fall on them by id, so that blocks of different files rarely wait for each other.
const SHARDS: usize = 16;

/// Each with how often it was put in and has not left: once, but for moments.
type Offsets = HashMap<u64, u32, NumberHash>;

/// Which blocks of each file may be in the cache. One is noted before it is put in, and forgotten after it has left, so that it is
/// here whenever it is there. Only of a file that was just closed one may be missing that came at that moment: it ages out, which is
/// harmless because a file id is never used again.
#[derive(Debug, Default)]
pub(crate) struct FileBlocks {
    shards: [Mutex<HashMap<FileId, Offsets, NumberHash>>; SHARDS],
}

impl FileBlocks {
    fn shard(&self, file: FileId) -> &Mutex<HashMap<FileId, Offsets, NumberHash>> {
        &self.shards[(file.0 % SHARDS as u64) as usize]
    }

    pub(crate) fn add(&self, file: FileId, offset: u64) {
        *self.shard(file).lock().entry(file).or_default().entry(offset).or_default() += 1;
    }

    pub(crate) fn remove(&self, file: FileId, offset: u64) {
        let mut files = self.shard(file).lock();
        let Entry::Occupied(mut offsets) = files.entry(file) else { return };
        let Entry::Occupied(mut times) = offsets.get_mut().entry(offset) else { return };
        *times.get_mut() -= 1;
        if *times.get() == 0 {
            times.remove();
            if offsets.get().is_empty() {
                offsets.remove();
            }
        }
    }

    pub(crate) fn contains(&self, file: FileId, offset: u64) -> bool {
        self.shard(file).lock().get(&file).is_some_and(|offsets| offsets.contains_key(&offset))
    }

    /// How many of a file may be there.
    pub(crate) fn count(&self, file: FileId) -> usize {
        self.shard(file).lock().get(&file).map_or(0, HashMap::len)
    }

    /// Forgets a file and says where its blocks are.
    pub(crate) fn take(&self, file: FileId) -> impl Iterator<Item = u64> {
        self.shard(file).lock().remove(&file).unwrap_or_default().into_keys()
    }
}
