//! Large cells that are alone with their key become blocks of their own, written from where they are: there is no copy of
//! them in a block that is built.

use super::{HFileWriter, Written};
use crate::block::{BlockRef, HEADER_SIZE, header};
use crate::block_type::BlockType;
use crate::checksum::{ChecksumType, WORD};
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::vlong;
use finback_cell::Cell;
use finback_compression::Compression;
use std::cmp::Ordering;
use std::io::IoSlice;

/// Cells of so many bytes are large, several times a block.
pub const OWN_BLOCK_BYTES: usize = 1 << 20;

impl HFileWriter {
    /// Appends a cell as [`HFileWriter::append`] does, where the next one is known to have another key. A large one is then
    /// written as it is, if the file is neither encoded nor compressed.
    ///
    /// # Errors
    /// As [`HFileWriter::append`].
    pub fn append_alone(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<(), HFileError> {
        let as_it_is = self.options.encoding == DataBlockEncoding::None
            && self.compressor.codec() == Compression::None
            && cell.bytes().len() >= OWN_BLOCK_BYTES;
        if !as_it_is {
            return self.append(cell, sequence_id);
        }
        self.check_fits(cell, sequence_id)?;
        if self.order_after_last(cell, sequence_id)? == Some(Ordering::Equal) {
            // The one before it has the same key: they stay together.
            return self.append(cell, sequence_id);
        }
        if !self.block.is_empty() {
            self.end_data_block()?;
        }
        self.begin_index_key(cell);
        let written = self.write_own_block(cell, sequence_id)?;
        self.note(cell, sequence_id);
        self.data_block_written(&written)
    }

    fn write_own_block(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<Written, HFileError> {
        let offset = self.file.len();
        let previous = self.previous[BlockType::Data as usize].replace(offset);
        let stored = if self.layout.tags { cell.bytes() } else { cell.bytes_without_tags() };
        let mut tail = Vec::new();
        if self.layout.tags && cell.tags().is_empty() {
            tail.extend_from_slice(&[0, 0]);
        }
        if self.layout.mvcc {
            vlong::write(&mut tail, sequence_id as i64);
        }
        let payload = stored.len() + tail.len();
        let (checksum_type, chunk_size) = (self.options.checksum_type, self.options.bytes_per_checksum);
        let head =
            header(HEADER_SIZE + payload, payload, BlockType::Data, previous, checksum_type, chunk_size);
        let words = checksums(checksum_type, [&head, stored, &tail], chunk_size);
        let size = (HEADER_SIZE + payload + words.len()) as u32;
        let mut slices = [&head[..], stored, &tail, &words].map(IoSlice::new);
        let written = self.file.append_vectored(&mut slices);
        written.map_err(|source| self.io("write a block", offset, source))?;
        Ok(Written { place: BlockRef { offset, size }, payload })
    }
}

/// The words of the chunks of what these parts are together.
fn checksums(checksum_type: ChecksumType, parts: [&[u8]; 3], chunk_size: usize) -> Vec<u8> {
    let total: usize = parts.iter().map(|part| part.len()).sum();
    let mut words = Vec::with_capacity(total.div_ceil(chunk_size) * WORD);
    // The last chunk of a part goes on in the next one.
    let mut begun = Vec::with_capacity(chunk_size.min(total));
    for part in parts {
        let (rest_of_chunk, part) = part.split_at(part.len().min(chunk_size - begun.len()));
        begun.extend_from_slice(rest_of_chunk);
        if begun.len() < chunk_size {
            continue;
        }
        words.extend_from_slice(&checksum_type.of(&begun).to_be_bytes());
        begun.clear();
        let chunks = part.chunks_exact(chunk_size);
        begun.extend_from_slice(chunks.remainder());
        words.extend(chunks.flat_map(|chunk| checksum_type.of(chunk).to_be_bytes()));
    }
    if !begun.is_empty() {
        words.extend_from_slice(&checksum_type.of(&begun).to_be_bytes());
    }
    words
}
