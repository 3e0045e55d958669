//! Brings blocks of a file into a cache before somebody asks for them.

use super::{BlockRequest, HFileReader};
use crate::block::{BlockRef, HEADER_SIZE, Header};
use crate::block_cache::{BlockCache, BlockPriority};
use crate::block_type::BlockType;
use crate::error::HFileError;
use finback_fs::RandomAccessFile;
use std::sync::Arc;

/// Blocks that are wanted in a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Prefetch {
    /// Data blocks, and what they are worth there.
    pub data: Option<BlockPriority>,
    /// Blocks of the index.
    pub indexes: bool,
    /// Chunks of Bloom filters.
    pub blooms: bool,
    /// The file is not in the system's memory: it is read past it, so many bytes at a time, where that
    /// [can be done](HFileReader::can_be_streamed).
    pub streamed_bytes: Option<usize>,
}

impl Prefetch {
    /// All blocks.
    pub fn all(data: BlockPriority) -> Self {
        Self { data: Some(data), indexes: true, blooms: true, streamed_bytes: None }
    }

    /// Whether nothing is wanted.
    pub fn is_nothing(self) -> bool {
        self.data.is_none() && !self.indexes && !self.blooms
    }

    /// What a block is worth, if it is wanted.
    fn priority(self, block_type: BlockType) -> Option<BlockPriority> {
        let index = Some(BlockPriority::Index);
        match block_type {
            BlockType::Data | BlockType::EncodedData => self.data,
            BlockType::LeafIndex | BlockType::IntermediateIndex => index.filter(|_| self.indexes),
            BlockType::BloomChunk => index.filter(|_| self.blooms),
            _ => None,
        }
    }
}

impl HFileReader {
    /// Reads the wanted blocks in the order of the file and puts those into `cache` that it does not have, as long as
    /// `goes_on` says so of the bytes of the next. Gives back how many it put there. Waits for the device.
    ///
    /// # Errors
    /// As [`HFileReader::read_block`]; what was put into the cache before stays there.
    pub fn prefetch(
        self: &Arc<Self>,
        cache: &Arc<dyn BlockCache>,
        wanted: Prefetch,
        mut goes_on: impl FnMut(usize) -> bool,
    ) -> Result<u64, HFileError> {
        // Behind it is what was read at the opening.
        let end = self.trailer.fields.load_on_open_data_offset().min(self.size_bytes);
        let stream = wanted.streamed_bytes.and_then(|bytes| self.file.streamed(bytes));
        let (mut at, mut put) = (0, 0);
        while at < end {
            let (block_type, place) = self.block_at(stream.as_deref().unwrap_or(&*self.file), at, end)?;
            at += u64::from(place.size);
            let Some(priority) = wanted.priority(block_type) else { continue };
            if !self.is_worth_caching() || !goes_on(place.size as usize) {
                break;
            }
            if cache.contains(self.id, place.offset) {
                continue;
            }
            let (file, cache_to_ask) = (Arc::clone(self), Some(Arc::clone(cache)));
            let request = BlockRequest {
                file,
                block: place,
                cache: cache_to_ask,
                keep: true,
                ahead: 0..0,
                to_copy: false,
                stream: stream.clone(),
                is_bloom: false,
            };
            let block = request.read()?;
            if self.is_worth_caching() {
                cache.insert(self.id, &block, priority);
                put += 1;
            }
        }
        Ok(put)
    }

    /// Type and place of the block that begins at `at`, and ends before `end`.
    fn block_at(
        &self,
        way: &dyn RandomAccessFile,
        at: u64,
        end: u64,
    ) -> Result<(BlockType, BlockRef), HFileError> {
        let mut head = [0; HEADER_SIZE];
        let expected = "a block before what is read at opening";
        if at.saturating_add(HEADER_SIZE as u64) > end {
            return Err(self.corrupt("block header", at, expected, format!("{} bytes", end - at)));
        }
        way.read_exact_at(at, &mut head).map_err(|source| self.io(at, source))?;
        let header = Header::parse(&head).ok_or_else(|| {
            self.corrupt("block header", at, "the magic of a block", head[..8].escape_ascii().to_string())
        })?;
        let size = header.on_disk_size + HEADER_SIZE;
        match u32::try_from(size) {
            Ok(size) if u64::from(size) <= end - at => Ok((header.block_type, BlockRef { offset: at, size })),
            _ => Err(self.corrupt("block header", at, expected, format!("one of {size} bytes"))),
        }
    }
}
