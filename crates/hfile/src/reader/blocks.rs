//! The blocks of an open file: read, from wherever they are nearest, and checked.

use super::HFileReader;
use crate::block::{Block, BlockRef, HEADER_SIZE};
use crate::block_cache::BlockCache;
use crate::block_type::BlockType;
use crate::error::HFileError;
use crate::index::NodeIndex;
use finback_cell::CellOrder;
use finback_fs::RandomAccessFile;
use std::ops::Range;
use std::sync::Arc;

/// A block that a scanner needs.
#[derive(Clone)]
pub struct BlockRequest {
    /// The file.
    pub file: Arc<HFileReader>,
    /// Which block.
    pub block: BlockRef,
    /// A cache that may have the block on a device nearer than the file's.
    pub(crate) cache: Option<Arc<dyn BlockCache>>,
    /// Whether the block, once read from the file, is worth that cache's room.
    pub(crate) keep: bool,
    /// Bytes of the file that will be needed soon.
    pub(crate) ahead: Range<u64>,
    /// Whether the stored form of the block is wanted, too.
    pub(crate) to_copy: bool,
    /// Another way to the file's bytes than the reader's own.
    pub(crate) stream: Option<Arc<dyn RandomAccessFile>>,
    /// Whether it is a chunk of a Bloom filter that is asked: a read can go on without its answer.
    pub(crate) is_bloom: bool,
}

impl BlockRequest {
    /// Reads the block, waiting for the device if need be.
    ///
    /// # Errors
    /// The storage's, or [`HFileError::Corrupt`].
    pub fn read(&self) -> Result<Arc<Block>, HFileError> {
        let block = match &self.cache {
            Some(cache) if cache.takes_stored(self.block.size as usize) => {
                match self.file.read_stored(&**cache, self.block) {
                    // The blocks behind it are likely there, too.
                    Some(block) => return Ok(block),
                    None => self.file.read_to_store(&**cache, self.block, self.keep),
                }
            }
            _ => self.file.read_block_by(self.way(), self.block),
        };
        self.read_ahead();
        block
    }

    /// Reads the block if that needs no waiting.
    ///
    /// # Errors
    /// As [`BlockRequest::read`].
    pub fn read_nowait(&self) -> Result<Option<Arc<Block>>, HFileError> {
        let read = self.file.read_block_nowait(self.block)?;
        if read.is_some() {
            self.read_ahead();
        }
        Ok(read)
    }

    /// What a read goes on with when the block cannot be had, if it can go on: a chunk of a Bloom filter that rules nothing out.
    pub fn without(&self) -> Option<Arc<Block>> {
        self.is_bloom.then(|| Arc::new(Block::chunk_of_all_keys(self.block)))
    }

    /// By which the block is read.
    pub(super) fn way(&self) -> &dyn RandomAccessFile {
        self.stream.as_deref().unwrap_or(&*self.file.file)
    }

    /// Has the device fetch what comes next, while this block is worked on.
    pub(super) fn read_ahead(&self) {
        if !self.ahead.is_empty() {
            self.way().will_need(self.ahead.start, self.ahead.end - self.ahead.start);
        }
    }
}

impl std::fmt::Debug for BlockRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BlockRequest({:?} of {})", self.block, self.file.path.display())
    }
}

impl HFileReader {
    /// Reads and checks a block; one that is damaged is read again from another copy, where the storage has one.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`]; the storage's.
    pub fn read_block(&self, place: BlockRef) -> Result<Arc<Block>, HFileError> {
        self.read_block_by(&*self.file, place)
    }

    fn read_block_by(&self, way: &dyn RandomAccessFile, place: BlockRef) -> Result<Arc<Block>, HFileError> {
        let bytes = self.read_bytes(way, place)?;
        self.check_block(place, bytes).or_else(|error| self.read_other_copy(place, error))
    }

    /// Its bytes, unchecked.
    pub(super) fn read_bytes(
        &self,
        way: &dyn RandomAccessFile,
        place: BlockRef,
    ) -> Result<Vec<u8>, HFileError> {
        self.check_place(place)?;
        let mut bytes = Vec::new();
        match way.append_exact_at(place.offset, place.size as usize, &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(source) => Err(self.io(place.offset, source)),
        }
    }

    /// Reads a block once more, after `error`, from another copy. Without one, or if that is no better, the error stands.
    pub(super) fn read_other_copy(
        &self,
        place: BlockRef,
        error: HFileError,
    ) -> Result<Arc<Block>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        match self.file.read_other_copy_at(place.offset, &mut bytes) {
            Ok(Some(())) => self.check_block(place, bytes).map_err(|_| error),
            Ok(None) | Err(_) => Err(error),
        }
    }

    /// A block from a tier of `cache` that is nearer than the file. What that gives is checked like the file's own bytes,
    /// and not taken if it is not in order.
    fn read_stored(&self, cache: &dyn BlockCache, place: BlockRef) -> Option<Arc<Block>> {
        let mut bytes = self.buffer_for(place).ok()?;
        if !cache.read_stored(self.identity, place, &mut bytes) {
            return None;
        }
        self.check_block(place, bytes).ok()
    }

    /// Reads a block from the file, and offers it to a tier of `cache` if it is worth that.
    fn read_to_store(
        &self,
        cache: &dyn BlockCache,
        place: BlockRef,
        keep: bool,
    ) -> Result<Arc<Block>, HFileError> {
        let bytes = self.read_bytes(&*self.file, place)?;
        let stored = (keep && self.is_worth_caching()).then(|| bytes.clone());
        let block = match self.check_block(place, bytes) {
            Ok(block) => block,
            Err(error) => return self.read_other_copy(place, error),
        };
        if let Some(stored) = stored {
            cache.keep_stored(self.identity, place, stored);
        }
        Ok(block)
    }

    /// Reads and checks a block if that needs no waiting for a device. A damaged one does: for a look at another copy.
    ///
    /// # Errors
    /// The storage's.
    pub fn read_block_nowait(&self, place: BlockRef) -> Result<Option<Arc<Block>>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        match self.file.read_at_nowait(place.offset, &mut bytes) {
            Ok(Some(())) => Ok(self.check_block(place, bytes).ok()),
            Ok(None) => Ok(None),
            Err(source) => Err(self.io(place.offset, source)),
        }
    }

    /// A buffer for a block.
    fn buffer_for(&self, place: BlockRef) -> Result<Vec<u8>, HFileError> {
        self.check_place(place)?;
        Ok(vec![0; place.size as usize])
    }

    /// The place must be inside the file: nothing is allocated on a lying size.
    pub(super) fn check_place(&self, place: BlockRef) -> Result<(), HFileError> {
        let end = place.offset.checked_add(u64::from(place.size));
        if (place.size as usize) < HEADER_SIZE || end.is_none_or(|end| end > self.size_bytes) {
            let found = format!("{} bytes at {}", place.size, place.offset);
            return Err(self.corrupt("block index", place.offset, "a block inside the file", found));
        }
        Ok(())
    }

    pub(crate) fn check_block(&self, place: BlockRef, bytes: Vec<u8>) -> Result<Arc<Block>, HFileError> {
        let mut block = Block::verify(&self.path, place, bytes, self.trailer.compression)?;
        match block.block_type() {
            BlockType::Data | BlockType::EncodedData => block = self.cells.find_cells(&self.path, block)?,
            BlockType::LeafIndex | BlockType::IntermediateIndex => {
                let node = NodeIndex::check(block.payload()).map_err(|reason| {
                    self.corrupt(block.block_type().name(), place.offset, "index entries", reason.to_owned())
                })?;
                // The rows of hbase:meta do not compare as bytes.
                if self.order() == CellOrder::User {
                    block.entry_rows = node.rows();
                }
            }
            BlockType::BloomChunk if block.payload().is_empty() => {
                return Err(self.corrupt("Bloom chunk", place.offset, "bits", "none".to_owned()));
            }
            _ => {}
        }
        Ok(Arc::new(block))
    }
}
