//! Other files, whose rows are behind each other's, become this one by their blocks: data blocks and Bloom chunks are written
//! as they are stored, with headers and checksums of this file; its index and that of its Bloom filter lead to them by the
//! keys that theirs had. Keys of chunks only ascend: the chunks of one file follow those of the other as its own would.

use super::HFileWriter;
use crate::block_type::BlockType;
use crate::bloom_writer::BloomWriter;
use crate::error::HFileError;
use crate::index_key::write_index_key;
use crate::reader::{BlockToJoin, HFileReader};
use finback_cell::key::Key;

impl HFileWriter {
    /// Begins to join a file to this one, to which no cell has been appended: all its [blocks](HFileReader::blocks_to_join) have to
    /// follow, in their order.
    ///
    /// # Errors
    /// [`HFileError::Unwritable`] if it [cannot be joined](HFileReader::can_be_joined_to), or cells were appended;
    /// [`HFileError::OutOfOrder`] if its first row is not behind the last one of this file.
    pub fn begin_joined(&mut self, file: &HFileReader) -> Result<(), HFileError> {
        let counts = file.plain_counts().filter(|_| file.can_be_joined_to(&self.options));
        let (Some(counts), Some(first), Some(last)) = (counts, file.first_key(), file.last_key()) else {
            return Err(self.joins_not(file, "is of another form"));
        };
        let has_open_chunk = self.bloom.as_ref().is_some_and(BloomWriter::has_open_chunk);
        if !self.block.is_empty() || has_open_chunk {
            return Err(self.joins_not(file, "comes behind cells that were appended"));
        }
        let first = Key::from_checked(first);
        let before = (self.counts.entries > 0).then(|| Key::from_checked(&self.last_key));
        if before.is_some_and(|before| self.options.order.compare_rows(before.row, first.row).is_ge()) {
            let (previous, next) = (self.last_key.escape_ascii().to_string(), first.to_vec());
            let next = next.escape_ascii().to_string();
            return Err(HFileError::OutOfOrder { path: self.path.clone(), previous, next });
        }
        // The file's own index does not know what comes before.
        self.first_key.clear();
        write_index_key(&mut self.first_key, self.options.order, before, first);
        self.last_key.clear();
        self.last_key.extend_from_slice(last);
        self.last_sequence_id = 0;
        self.counts.join(&counts);
        if let (Some(writer), Some(bloom), Some(last)) =
            (&mut self.bloom, file.bloom(), file.last_bloom_key())
        {
            writer.join(bloom, last);
        }
        Ok(())
    }

    /// Appends the next block of the file that was begun to be joined.
    ///
    /// # Errors
    /// The storage's.
    pub fn append_joined(&mut self, block: &BlockToJoin<'_>) -> Result<(), HFileError> {
        let written = self.write_stored(block.block_type, block.payload, block.uncompressed)?;
        if block.block_type == BlockType::BloomChunk {
            self.uncompressed_bytes += written.uncompressed();
            if let Some(bloom) = &mut self.bloom {
                bloom.index.push(written.place, block.key.to_vec());
            }
            return Ok(());
        }
        if self.first_key.is_empty() {
            self.first_key.extend_from_slice(block.key);
        }
        self.data_block_written(&written)
    }

    fn joins_not(&self, file: &HFileReader, why: &str) -> HFileError {
        let reason = format!("{}, to be joined by its blocks, {why}", file.path().display());
        HFileError::Unwritable { path: self.path.clone(), reason }
    }
}
