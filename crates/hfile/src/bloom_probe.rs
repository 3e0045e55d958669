//! Asks the Bloom filters of a file.
//!
//! Like a scanner a probe does no I/O: it asks for the chunk that it needs and does not find in the cache.

use crate::block::{Block, BlockRef};
use crate::block_cache::{BlockCache, BlockPriority};
use crate::block_type::BlockType;
use crate::bloom::{BloomFilter, BloomType, KeyHashes, has_bits};
use crate::reader::{BlockRequest, HFileReader};
use crate::scanner::ScanInterrupt;
use finback_cell::{CellOrder, key::Key};
use std::sync::Arc;

/// A question to a Bloom filter. The answer "no" is certain.
pub struct BloomProbe {
    file: Arc<HFileReader>,
    cache: Option<Arc<dyn BlockCache>>,
    answer: Option<bool>,
    /// Keys of which one must be there.
    open: [Option<OpenKey>; 2],
    given: Option<Arc<Block>>,
}

#[derive(Clone, Copy)]
struct OpenKey {
    chunk: BlockRef,
    hashes: KeyHashes,
    hash_count: u32,
}

impl BloomProbe {
    /// May the file have cells of this row?
    pub fn row(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, row: &[u8]) -> Self {
        match file.bloom_type() {
            Some(BloomType::RowColumn) | None => Self::new(file, cache, &[]),
            Some(bloom_type) => {
                let length = match bloom_type {
                    BloomType::RowPrefix(length) => row.len().min(length as usize),
                    _ => row.len(),
                };
                Self::new(file, cache, &[&row[..length]])
            }
        }
    }

    /// May the file have cells of this column, or markers that delete it? For a read of this one column of this row.
    pub fn column(
        file: Arc<HFileReader>,
        cache: Option<Arc<dyn BlockCache>>,
        row: &[u8],
        qualifier: &[u8],
    ) -> Self {
        if file.bloom_type() != Some(BloomType::RowColumn) {
            return Self::row(file, cache, row);
        }
        let (mut column, mut family) = (Vec::new(), Vec::new());
        BloomType::RowColumn.write_key(row, qualifier, &mut column);
        // A marker that deletes the family has no qualifier.
        BloomType::RowColumn.write_key(row, &[], &mut family);
        Self::new(file, cache, &[&column, &family])
    }

    /// May the file have rows that begin with `prefix`? For a scan whose first and last row begin with it.
    pub fn row_prefix(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, prefix: &[u8]) -> Self {
        match file.bloom_type() {
            Some(BloomType::RowPrefix(length)) if prefix.len() >= length as usize => {
                Self::row(file, cache, prefix)
            }
            _ => Self::new(file, cache, &[]),
        }
    }

    /// May the file have markers that delete the family in this row?
    pub fn family_delete(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, row: &[u8]) -> Self {
        let none = file.first_key().is_none() || file.family_deletes() == Some(0);
        let mut probe = Self { file, cache, answer: none.then_some(false), open: [None; 2], given: None };
        match probe.file.family_delete_bloom() {
            Some(filter) if !none && probe.file.order() == CellOrder::User => {
                probe.open[0] = open_key(filter, row);
            }
            _ => probe.answer = Some(!none),
        }
        probe
    }

    /// Asks the general filter for keys of which one must be there. No keys: it cannot be asked.
    fn new(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, keys: &[&[u8]]) -> Self {
        let is_empty = file.first_key().is_none();
        let mut probe = Self { file, cache, answer: is_empty.then_some(false), open: [None; 2], given: None };
        // The chunks of hbase:meta are in the order of its rows, and HBase searches them in that of bytes.
        let can_be_asked = probe.file.order() == CellOrder::User && !keys.is_empty();
        let filter = probe.file.bloom().filter(|_| can_be_asked);
        let Some(filter) = filter.filter(|_| !is_empty) else {
            probe.answer = Some(!is_empty);
            return probe;
        };
        if keys.iter().any(|key| !probe.file.is_after_last_bloom_key(key)) {
            for (open, key) in probe.open.iter_mut().zip(keys) {
                *open = open_key(filter, key);
            }
        }
        probe
    }

    /// The answer.
    ///
    /// # Errors
    /// [`ScanInterrupt`]: after [`BloomProbe::provide`] the same call goes on.
    pub fn may_contain(&mut self) -> Result<bool, ScanInterrupt> {
        if let Some(answer) = self.answer {
            return Ok(answer);
        }
        for number in 0..self.open.len() {
            let Some(key) = self.open[number] else { continue };
            let chunk = self.chunk(key.chunk)?;
            if has_bits(chunk.payload(), key.hashes, key.hash_count) {
                self.answer = Some(true);
                return Ok(true);
            }
            self.open[number] = None;
        }
        self.answer = Some(false);
        Ok(false)
    }

    /// Hands over the block that was asked for.
    pub fn provide(&mut self, block: Arc<Block>) {
        if let Some(cache) = &self.cache
            && self.file.is_worth_caching()
        {
            cache.insert(self.file.id(), &block, BlockPriority::Index);
        }
        self.given = Some(block);
    }

    fn chunk(&self, place: BlockRef) -> Result<Arc<Block>, ScanInterrupt> {
        let given = self.given.as_ref().filter(|block| block.place() == place);
        let cached = || self.cache.as_ref()?.get(self.file.id(), place.offset, BlockPriority::Index);
        let Some(block) = given.cloned().or_else(cached).filter(|block| block.place() == place) else {
            return Err(ScanInterrupt::NeedBlock(BlockRequest {
                file: Arc::clone(&self.file),
                block: place,
                cache: self.cache.clone(),
                keep: true,
            }));
        };
        if block.block_type() != BlockType::BloomChunk {
            return Err(self.file.unexpected(&block, BlockType::BloomChunk).into());
        }
        Ok(block)
    }
}

fn open_key(filter: &BloomFilter, key: &[u8]) -> Option<OpenKey> {
    let chunk = filter.chunk(key)?;
    Some(OpenKey { chunk, hashes: KeyHashes::of(filter.hash_type, key), hash_count: filter.hash_count })
}

impl HFileReader {
    /// Whether the filter's last key is before `key`.
    fn is_after_last_bloom_key(&self, key: &[u8]) -> bool {
        let Some(last) = self.last_bloom_key() else { return false };
        match self.bloom_type() {
            Some(BloomType::RowColumn) => {
                CellOrder::User.compare_keys(&Key::from_checked(key), &Key::from_checked(last)).is_gt()
            }
            _ => key > last,
        }
    }
}

impl std::fmt::Debug for BloomProbe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BloomProbe({}: {:?})", self.file.path().display(), self.answer)
    }
}
