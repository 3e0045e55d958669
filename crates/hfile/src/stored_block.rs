//! Blocks as they stand in a file, one after the other: for printers, and to verify the whole of a file.

use crate::block::{Block, BlockRef, HEADER_SIZE, Header, MAX_BLOCK_SIZE};
use crate::block_type::BlockType;
use crate::checksum::ChecksumType;
use crate::error::HFileError;
use crate::reader::HFileReader;
use crate::trailer::TRAILER_SIZE;
use std::sync::Arc;

/// What the header of a block says, as it says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// What the block holds.
    pub block_type: BlockType,
    /// Bytes in the file behind the header.
    pub on_disk_size: u32,
    /// Bytes of the payload, decompressed.
    pub uncompressed_size: u32,
    /// Offset of the block before it of the same type; -1 for the first.
    pub previous: i64,
    /// How it is checked.
    pub checksum_type: ChecksumType,
    /// Bytes under one checksum.
    pub bytes_per_checksum: u32,
    /// Bytes of header and payload in the file, without the checksums.
    pub data_size: u32,
}

/// A block as it stands in the file: nothing of it was checked but that it is there.
#[derive(Debug)]
pub struct StoredBlock {
    /// Its header.
    pub header: BlockHeader,
    /// Where it is.
    pub place: BlockRef,
    bytes: Vec<u8>,
}

impl StoredBlock {
    /// The payload as it stands in the file; nothing of a block that is not as long as its header says.
    pub fn payload(&self) -> &[u8] {
        self.bytes.get(HEADER_SIZE..self.header.data_size as usize).unwrap_or_default()
    }
}

impl HFileReader {
    /// Reads the block whose header is at `offset`; only the header is looked at.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`] if there is no header, or the block would not end before the trailer; the storage's.
    pub fn stored_block(&self, offset: u64) -> Result<StoredBlock, HFileError> {
        let end = self.size_bytes() - TRAILER_SIZE as u64;
        let mut head = [0; HEADER_SIZE];
        if offset.checked_add(HEADER_SIZE as u64).is_none_or(|head_end| head_end > end) {
            return Err(self.corrupt(
                "block",
                offset,
                "a block before the trailer",
                "the trailer".to_owned(),
            ));
        }
        self.file().read_exact_at(offset, &mut head).map_err(|source| self.io(offset, source))?;
        let Some(parsed) = Header::parse(&head) else {
            let found = head[..8].escape_ascii().to_string();
            return Err(self.corrupt(
                "block header",
                offset,
                "the magic of a block and a checksum type",
                found,
            ));
        };
        let size = (parsed.on_disk_size + HEADER_SIZE) as u64;
        if size > MAX_BLOCK_SIZE || size > end - offset {
            let found = format!("one of {size} bytes");
            return Err(self.corrupt("block header", offset, "a block that ends before the trailer", found));
        }
        let place = BlockRef { offset, size: size as u32 };
        let mut bytes = vec![0; size as usize];
        self.file().read_exact_at(offset, &mut bytes).map_err(|source| self.io(offset, source))?;
        Ok(StoredBlock { header: BlockHeader::of(&parsed, &head), place, bytes })
    }

    /// Checks a block as a read does, and decodes it.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`].
    pub fn check_stored(&self, block: StoredBlock) -> Result<Arc<Block>, HFileError> {
        self.check_block(block.place, block.bytes)
    }

    /// The payload, checked and decompressed, but encoded as it is.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`].
    pub fn payload_of(&self, block: StoredBlock) -> Result<Vec<u8>, HFileError> {
        let compression = self.trailer().compression;
        Ok(Block::verify(self.path(), block.place, block.bytes, compression)?.payload().to_vec())
    }
}

impl BlockHeader {
    pub(crate) fn of(parsed: &Header, bytes: &[u8; HEADER_SIZE]) -> Self {
        let mut previous = [0; 8];
        previous.copy_from_slice(&bytes[16..24]);
        // Sizes are 32-bit numbers that are not negative.
        Self {
            block_type: parsed.block_type,
            on_disk_size: parsed.on_disk_size as u32,
            uncompressed_size: parsed.uncompressed_size as u32,
            previous: i64::from_be_bytes(previous),
            checksum_type: parsed.checksum_type,
            bytes_per_checksum: parsed.chunk_size as u32,
            data_size: parsed.data_size as u32,
        }
    }
}
