//! Blocks that are read to be written to another file as they are stored.

use super::{BlockRequest, HFileReader};
use crate::block::{Block, BlockRef};
use crate::block_builder::are_small_records;
use crate::copyable_block::StoredForm;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::writer::{OWN_BLOCK_BYTES, is_thorough};
use crate::writer_options::WriterOptions;
use finback_compression::Compression;
use finback_fs::RandomAccessFile;
use std::sync::Arc;

impl BlockRequest {
    /// Reads the block as [`BlockRequest::read`] does; with its stored form, if the scanner may have use for that.
    ///
    /// # Errors
    /// As [`BlockRequest::read`].
    pub fn read_to_copy(&self) -> Result<(Arc<Block>, Option<StoredForm>), HFileError> {
        if !self.to_copy {
            return Ok((self.read()?, None));
        }
        let read = self.file.read_to_copy(self.way(), self.block);
        self.read_ahead();
        read
    }
}

impl HFileReader {
    /// Whether the data blocks are stored as a file has them that is written with these options. What is in a block
    /// besides its payload is written anew anyhow.
    pub(crate) fn stores_blocks_as(&self, options: &WriterOptions) -> bool {
        let (cells, layout) = (&self.cells, self.cells.layout);
        let is_encoded = options.encoding != DataBlockEncoding::None;
        let has_other_tags = is_encoded && layout.tags && cells.tags_compressed != options.compress_tags;
        let has_other_form = options.compression == Compression::Zstd && self.zstd_form != options.zstd_form;
        self.trailer.compression == options.compression
            && self.order() == options.order
            && cells.encoding == options.encoding
            && (layout.tags, layout.mvcc) == (options.include_tags, options.include_mvcc)
            && !has_other_tags
            && !has_other_form
    }

    /// Whether most data blocks, by the size of an average cell, can be [copied](crate::HFileScanner::copying_to) to a file that is written
    /// with these options.
    pub fn can_be_copied_to(&self, options: &WriterOptions) -> bool {
        let bytes = self.trailer.fields.total_uncompressed_bytes() as usize;
        let has_small_records =
            options.encoding.is_delta() && are_small_records(bytes, self.entry_count() as usize);
        self.stores_blocks_as(options) && !is_thorough(options, has_small_records)
    }

    /// Whether data blocks are stored as they are in memory: neither compressed nor encoded.
    fn stores_as_decoded(&self) -> bool {
        self.trailer.compression == Compression::None && self.cells.encoding == DataBlockEncoding::None
    }

    /// About how many bytes of memory the stored form of a data block takes at most, while it may be copied.
    pub fn stored_form_bytes(&self, block_size_bytes: u64) -> u64 {
        if self.stores_as_decoded() {
            return 0;
        }
        self.largest_block_bytes(block_size_bytes).min(OWN_BLOCK_BYTES as u64)
    }

    fn read_to_copy(
        &self,
        way: &dyn RandomAccessFile,
        place: BlockRef,
    ) -> Result<(Arc<Block>, Option<StoredForm>), HFileError> {
        let bytes = self.read_bytes(way, place)?;
        let stored = (!self.stores_as_decoded()).then(|| bytes.clone());
        let block = match self.check_block(place, bytes) {
            Ok(block) => block,
            Err(error) => return Ok((self.read_other_copy(place, error)?, None)),
        };
        let stored = match stored {
            Some(bytes) => StoredForm::apart(place, bytes, self.trailer.compression, self.zstd_form),
            None => Some(StoredForm::as_decoded(place)),
        };
        Ok((block, stored))
    }
}
