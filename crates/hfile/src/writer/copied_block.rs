//! Blocks of another file that is written alike become this one's as they are stored: their cells are looked at like any,
//! but neither encoded nor compressed again.

use super::{HFileWriter, Written, is_thorough};
use crate::block_builder::are_small_records;
use crate::block_memory::BlockMemory;
use crate::block_type::BlockType;
use crate::copyable_block::CopyableBlock;
use crate::error::HFileError;
use crate::writer_options::WriterOptions;
use std::cmp::Ordering;

impl CopyableBlock {
    /// Whether the block is neither smaller nor larger than those of a file that is written with these options, and not
    /// worth more effort when it is compressed than it may have been.
    pub fn fits(&self, options: &WriterOptions) -> bool {
        let block_size = options.block_size_bytes as usize;
        let has_small_records =
            options.encoding.is_delta() && are_small_records(self.uncompressed(), self.cell_count());
        self.cells_bytes() >= block_size / 2
            && self.bytes_before_last() < block_size
            && !is_thorough(options, has_small_records)
    }
}

impl HFileWriter {
    /// Whether a block may come next as it is stored: the one before it is not cut short for it, and no key is in both.
    pub fn takes(&self, block: &CopyableBlock) -> bool {
        let half = self.options.block_size_bytes as usize / 2;
        (self.block.is_empty() || self.block.size() >= half) && self.is_behind_last_key(block)
    }

    /// Sees to it that the next block is taken, though this one is not: a block that was begun is too small to end. With this
    /// one's cells it becomes two of half the size at least, and not one that is full and one that is as small as it was.
    pub fn make_way_behind(&mut self, block: &CopyableBlock) {
        let block_size = self.options.block_size_bytes as usize;
        let both = self.block.size() + block.cells_bytes();
        if !self.block.is_empty() && self.block.size() < block_size / 2 && both > block_size {
            self.block_ends_at = (both / 2).min(block_size);
        }
    }

    fn is_behind_last_key(&self, block: &CopyableBlock) -> bool {
        let (first, sequence_id) = block.first();
        matches!(self.order_after_last(&first, sequence_id), Ok(None | Some(Ordering::Less)))
    }

    /// Appends a block that was read to be [copied](crate::HFileScanner::copying_to) to this file, [fits](CopyableBlock::fits), and is
    /// [taken](HFileWriter::takes).
    ///
    /// # Errors
    /// As [`HFileWriter::append`].
    pub fn append_block(&mut self, block: &CopyableBlock) -> Result<(), HFileError> {
        if !self.block.is_empty() {
            self.end_data_block()?;
        }
        self.begin_index_key(&block.first().0);
        for (cell, sequence_id) in block.cells() {
            self.check_fits(&cell, sequence_id)?;
            self.order_after_last(&cell, sequence_id)?;
            self.note(&cell, sequence_id);
        }
        let written = self.write_stored(self.data_type(), block.stored_payload(), block.uncompressed())?;
        self.data_block_written(&written)
    }

    /// Writes a block of a payload as it is stored; `uncompressed`: bytes of it before compression.
    pub(super) fn write_stored(
        &mut self,
        block_type: BlockType,
        payload: &[u8],
        uncompressed: usize,
    ) -> Result<Written, HFileError> {
        let mut memory = BlockMemory::of(&mut *self.file, &mut self.stored, payload.len());
        memory.bytes.extend_from_slice(payload);
        self.seal_and_write(block_type, memory, uncompressed)
    }
}
