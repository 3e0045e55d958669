use std::collections::{HashMap, HashSet};

use finback_hfile::FileId;
use parking_lot::Mutex;

use crate::block_key::NumberHash;

/// Number of locks. Files fall on them by id, so that blocks of different files rarely wait for each other.
const SHARDS: usize = 16;

type Offsets = HashSet<u64, NumberHash>;

/// Which blocks of each file may be in the cache. A block can be missing here for a short time when it is inserted and
/// evicted at once by two threads: it is then not found when its file is closed, and ages out, which is harmless because a
/// file id is never used again.
#[derive(Debug, Default)]
pub(crate) struct FileBlocks {
    shards: [Mutex<HashMap<FileId, Offsets, NumberHash>>; SHARDS],
}

impl FileBlocks {
    fn shard(&self, file: FileId) -> &Mutex<HashMap<FileId, Offsets, NumberHash>> {
        &self.shards[(file.0 % SHARDS as u64) as usize]
    }

    pub(crate) fn add(&self, file: FileId, offset: u64) {
        self.shard(file).lock().entry(file).or_default().insert(offset);
    }

    pub(crate) fn remove(&self, file: FileId, offset: u64) {
        let mut files = self.shard(file).lock();
        if let Some(offsets) = files.get_mut(&file) {
            offsets.remove(&offset);
            if offsets.is_empty() {
                files.remove(&file);
            }
        }
    }

    pub(crate) fn contains(&self, file: FileId, offset: u64) -> bool {
        self.shard(file).lock().get(&file).is_some_and(|offsets| offsets.contains(&offset))
    }

    /// Forgets a file and says where its blocks are.
    pub(crate) fn take(&self, file: FileId) -> Offsets {
        self.shard(file).lock().remove(&file).unwrap_or_default()
    }
}
