//! Asks the Bloom filters of a file.
//!
//! Like a scanner a probe does no I/O: it asks for the chunk that it needs and does not find in the cache.

use crate::block::{Block, BlockRef};
use crate::block_cache::{BlockCache, BlockPriority};
use crate::block_type::BlockType;
use crate::bloom::{BloomFilter, BloomType, KeyHashes, has_bits};
use crate::hash::HashType;
use crate::reader::{BlockRequest, HFileReader};
use crate::scanner::ScanInterrupt;
use finback_cell::{CellOrder, key::Key};
use std::cell::Cell;
use std::sync::Arc;

/// What a Bloom filter is asked.
#[derive(Clone, Copy)]
struct Question {
    answer: Option<bool>,
    /// Keys of which one must be there.
    open: [Option<OpenKey>; 2],
}

#[derive(Clone, Copy)]
struct OpenKey {
    chunk: BlockRef,
    hashes: KeyHashes,
    hash_count: u32,
}

/// A row that several files are asked for, one after the other: most of them have its hashes alike.
pub struct AskedRow<'a> {
    row: &'a [u8],
    hashes: Cell<Option<(HashType, KeyHashes)>>,
}

impl<'a> AskedRow<'a> {
    /// A row.
    pub fn new(row: &'a [u8]) -> Self {
        Self { row, hashes: Cell::new(None) }
    }

    fn hashes(&self, hash_type: HashType) -> KeyHashes {
        match self.hashes.get() {
            Some((of, hashes)) if of == hash_type => hashes,
            _ => {
                let hashes = KeyHashes::of(hash_type, self.row);
                self.hashes.set(Some((hash_type, hashes)));
                hashes
            }
        }
    }
}

impl Question {
    fn answered(answer: bool) -> Self {
        Self { answer: Some(answer), open: [None; 2] }
    }

    fn row(file: &HFileReader, asked: &AskedRow<'_>) -> Self {
        match file.bloom_type() {
            Some(BloomType::RowColumn) | None => Self::of(file, &[], KeyHashes::of),
            Some(BloomType::RowPrefix(length)) => {
                Self::of(file, &[&asked.row[..asked.row.len().min(length as usize)]], KeyHashes::of)
            }
            Some(BloomType::Row) => Self::of(file, &[asked.row], |hash_type, _| asked.hashes(hash_type)),
        }
    }

    fn column(file: &HFileReader, asked: &AskedRow<'_>, qualifier: &[u8]) -> Self {
        if file.bloom_type() != Some(BloomType::RowColumn) {
            return Self::row(file, asked);
        }
        let (mut column, mut family) = (Vec::new(), Vec::new());
        BloomType::RowColumn.write_key(asked.row, qualifier, &mut column);
        // A marker that deletes the family has no qualifier.
        BloomType::RowColumn.write_key(asked.row, &[], &mut family);
        Self::of(file, &[&column, &family], KeyHashes::of)
    }

    fn row_prefix(file: &HFileReader, prefix: &[u8]) -> Self {
        match file.bloom_type() {
            Some(BloomType::RowPrefix(length)) if prefix.len() >= length as usize => {
                Self::row(file, &AskedRow::new(prefix))
            }
            _ => Self::of(file, &[], KeyHashes::of),
        }
    }

    fn family_delete(file: &HFileReader, row: &[u8]) -> Self {
        if file.first_key().is_none() || file.family_deletes() == Some(0) {
            return Self::answered(false);
        }
        match file.family_delete_bloom() {
            Some(filter) if file.order() == CellOrder::User => {
                Self { answer: None, open: [open_key(filter, row, KeyHashes::of), None] }
            }
            _ => Self::answered(true),
        }
    }

    /// To the general filter: for keys of which one must be there. No keys: it cannot be asked.
    fn of(file: &HFileReader, keys: &[&[u8]], hashes: impl Fn(HashType, &[u8]) -> KeyHashes) -> Self {
        if file.first_key().is_none() {
            return Self::answered(false);
        }
        // The chunks of hbase:meta are in the order of its rows, and HBase searches them in that of bytes.
        let can_be_asked = file.order() == CellOrder::User && !keys.is_empty();
        let Some(filter) = file.bloom().filter(|_| can_be_asked) else {
            return Self::answered(true);
        };
        let mut question = Self { answer: None, open: [None; 2] };
        if keys.iter().any(|key| !file.is_after_last_bloom_key(key)) {
            for (open, key) in question.open.iter_mut().zip(keys) {
                *open = open_key(filter, key, &hashes);
            }
        }
        question
    }

    /// The answer; what was found out stays if a chunk cannot be had. `has` tells whether the chunk there has the key.
    fn ask<E>(&mut self, mut has: impl FnMut(BlockRef, &OpenKey) -> Result<bool, E>) -> Result<bool, E> {
        if let Some(answer) = self.answer {
            return Ok(answer);
        }
        for open in &mut self.open {
            let Some(key) = *open else { continue };
            if has(key.chunk, &key)? {
                self.answer = Some(true);
                return Ok(true);
            }
            *open = None;
        }
        self.answer = Some(false);
        Ok(false)
    }
}

/// A question to a Bloom filter. The answer "no" is certain.
pub struct BloomProbe {
    file: Arc<HFileReader>,
    cache: Option<Arc<dyn BlockCache>>,
    question: Question,
    given: Option<Arc<Block>>,
}

impl BloomProbe {
    /// May the file have cells of this row?
    pub fn row(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, row: &[u8]) -> Self {
        let question = Question::row(&file, &AskedRow::new(row));
        Self { file, cache, question, given: None }
    }

    /// May the file have cells of this column, or markers that delete it? For a read of this one column of this row.
    pub fn column(
        file: Arc<HFileReader>,
        cache: Option<Arc<dyn BlockCache>>,
        row: &[u8],
        qualifier: &[u8],
    ) -> Self {
        let question = Question::column(&file, &AskedRow::new(row), qualifier);
        Self { file, cache, question, given: None }
    }

    /// May the file have rows that begin with `prefix`? For a scan whose first and last row begin with it.
    pub fn row_prefix(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, prefix: &[u8]) -> Self {
        let question = Question::row_prefix(&file, prefix);
        Self { file, cache, question, given: None }
    }

    /// May the file have markers that delete the family in this row?
    pub fn family_delete(file: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, row: &[u8]) -> Self {
        let question = Question::family_delete(&file, row);
        Self { file, cache, question, given: None }
    }

    /// The answer for a row, or for one column of it, if all that it takes is in `cache`: without a probe.
    pub fn answer_of_cache(
        file: &HFileReader,
        cache: &dyn BlockCache,
        row: &AskedRow<'_>,
        qualifier: Option<&[u8]>,
    ) -> Option<bool> {
        let mut question = match qualifier {
            Some(qualifier) => Question::column(file, row, qualifier),
            None => Question::row(file, row),
        };
        question.ask(|place, key| key.is_in_cached(file, cache, place).ok_or(())).ok()
    }

    /// The answer.
    ///
    /// # Errors
    /// [`ScanInterrupt`]: after [`BloomProbe::provide`] the same call goes on.
    pub fn may_contain(&mut self) -> Result<bool, ScanInterrupt> {
        let (file, cache, given) = (&self.file, &self.cache, &self.given);
        self.question.ask(|place, key| {
            if let Some(given) = given.as_ref().filter(|block| block.place() == place) {
                if given.block_type() != BlockType::BloomChunk {
                    return Err(file.unexpected(given, BlockType::BloomChunk).into());
                }
                return Ok(key.is_in(given));
            }
            let cached = cache.as_deref().and_then(|cache| key.is_in_cached(file, cache, place));
            cached.ok_or_else(|| {
                ScanInterrupt::NeedBlock(BlockRequest {
                    file: Arc::clone(file),
                    block: place,
                    cache: cache.clone(),
                    keep: true,
                    ahead: 0..0,
                    to_copy: false,
                    stream: None,
                    is_bloom: true,
                })
            })
        })
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
}

impl OpenKey {
    fn is_in(&self, chunk: &Block) -> bool {
        has_bits(chunk.payload(), self.hashes, self.hash_count)
    }

    /// What the chunk in the cache says; whatever else that has at this place is read again, and found to be wrong.
    fn is_in_cached(&self, file: &HFileReader, cache: &dyn BlockCache, place: BlockRef) -> Option<bool> {
        let mut is_chunk = true;
        let found = cache.look_at(file.id(), place.offset, BlockPriority::Index, &mut |block| {
            is_chunk = block.place() == place && block.block_type() == BlockType::BloomChunk;
            is_chunk && self.is_in(block)
        });
        found.filter(|_| is_chunk)
    }
}

fn open_key(
    filter: &BloomFilter,
    key: &[u8],
    hashes: impl Fn(HashType, &[u8]) -> KeyHashes,
) -> Option<OpenKey> {
    let chunk = filter.chunk(key)?;
    Some(OpenKey { chunk, hashes: hashes(filter.hash_type, key), hash_count: filter.hash_count })
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
        write!(f, "BloomProbe({}: {:?})", self.file.path().display(), self.question.answer)
    }
}
