//! How much memory an open file takes, and how much it takes to read it.

use super::{BlockRequest, HFileReader};
use crate::block_cache::{BlockCache, CacheCharge};
use crate::bloom::BloomFilter;
use crate::file_info::keys;
use std::sync::Arc;

/// Size at which index blocks end, if nobody changed it (`hfile.index.block.max.size`).
const INDEX_BLOCK_BYTES: u64 = 128 << 10;
/// No block is larger: its length is an i32. Trailers without a checksum, which are HBase's, may say anything.
const MOST_BLOCK_BYTES: u64 = i32::MAX as u64;

impl HFileReader {
    /// Bytes of memory that the reader takes beside the blocks that are read with it: what was read at opening.
    pub fn memory_bytes(&self) -> usize {
        let filters = [&self.blooms.general, &self.blooms.family_delete];
        let filters: usize = filters.into_iter().flatten().map(BloomFilter::memory_bytes).sum();
        size_of::<Self>()
            + self.root.memory_bytes()
            + self.meta.memory_bytes()
            + filters
            + self.info.memory_bytes()
    }

    /// Bytes of memory of the root of the index of data blocks.
    pub fn root_index_bytes(&self) -> u64 {
        self.root.memory_bytes() as u64
    }

    /// Bytes of the index of data blocks, all levels, before compression.
    pub fn index_bytes(&self) -> u64 {
        self.trailer.fields.uncompressed_data_index_size()
    }

    /// Bytes of the Bloom filters, as they say.
    pub fn bloom_bytes(&self) -> u64 {
        let filters = [&self.blooms.general, &self.blooms.family_delete];
        filters.into_iter().flatten().fold(0, |sum, filter| sum.saturating_add(filter.byte_size()))
    }

    /// Counts in `cache`, from now until the reader is dropped, the memory that the reader takes.
    pub fn charge_to(&self, cache: &Arc<dyn BlockCache>) {
        self.charge.get_or_init(|| CacheCharge::new(Arc::clone(cache), self.memory_bytes()));
    }

    /// About how many bytes of memory the largest data block takes: what the index says of the sizes in the file, times
    /// what compression saved on the whole. Where the root index does not know data blocks there are very many of
    /// them, and the largest is taken for one like most: of `block_size_bytes`, or of one cell.
    pub fn largest_block_bytes(&self, block_size_bytes: u64) -> u64 {
        let average = |name| self.info.int(name).and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0);
        let stored = match self.index_levels() {
            1 => self.root.largest_place(),
            _ => 0,
        };
        let one_cell = average(keys::AVG_KEY_LEN).saturating_add(average(keys::AVG_VALUE_LEN));
        self.decompressed_bytes(stored).max(one_cell).max(block_size_bytes).min(MOST_BLOCK_BYTES)
    }

    /// About how many bytes of memory a block takes that has so many in the file: times what compression saved on the whole.
    fn decompressed_bytes(&self, stored: u32) -> u64 {
        let uncompressed = self.trailer.fields.total_uncompressed_bytes().max(self.size_bytes);
        let scaled = u128::from(stored) * u128::from(uncompressed) / u128::from(self.size_bytes.max(1));
        u64::try_from(scaled).unwrap_or(u64::MAX).min(MOST_BLOCK_BYTES)
    }

    /// How many data blocks there are; about, where the root index does not know them: each has an entry in the index, as long as
    /// those of the root.
    pub fn data_blocks(&self) -> u64 {
        let of_root = self.root.len() as u64;
        match self.index_levels() {
            1 => of_root,
            _ => self.index_bytes().saturating_mul(of_root) / self.root.entry_bytes().max(1),
        }
    }

    /// About how many bytes of memory a scan keeps that goes through the file: a data block, of up to `most_of_block` bytes,
    /// and the index blocks that lead to it.
    pub fn scan_bytes(&self, block_size_bytes: u64, most_of_block: u64) -> u64 {
        let index_blocks = self.index_levels().saturating_sub(1) as u64;
        let block = self.largest_block_bytes(block_size_bytes).min(most_of_block);
        block.saturating_add(index_blocks * INDEX_BLOCK_BYTES)
    }
}

impl BlockRequest {
    /// About how many bytes of memory the block takes once it is read.
    pub fn memory_bytes(&self) -> u64 {
        self.file.decompressed_bytes(self.block.size)
    }
}
