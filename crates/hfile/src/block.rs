//! One block: its header, its checksums, and the checks that it passes when it is read.
//!
//! ```text
//! ┌───────┬────────────────┬───────────────────┬─────────────┬──────────────┬──────────────────┬─────────────────┐
//! │ magic │ on-disk size   │ uncompressed size │ previous    │ checksum     │ bytes per        │ on-disk data    │
//! │ 8     │ after this     │ of the payload    │ block of    │ type         │ checksum         │ size with this  │
//! │       │ header  i32    │ i32               │ its kind i64│ u8           │ i32              │ header  i32     │
//! ├───────┴────────────────┴───────────────────┴─────────────┴──────────────┴──────────────────┴─────────────────┤
//! │ payload, compressed                                                                                          │
//! ├──────────────────────────────────────────────────────────────────────────────────────────────────────────────┤
//! │ one u32 checksum for each chunk of header and payload                                                        │
//! └──────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use crate::block_type::BlockType;
use crate::checksum::{ChecksumType, WORD};
use crate::data_block::CellOffsets;
use crate::error::HFileError;
use crate::payload_memory::PayloadMemory;
use crate::row_hints::RowHints;
use finback_compression::{BadStream, Compression};
use std::ops::Range;
use std::path::Path;

/// Bytes of the header.
pub(crate) const HEADER_SIZE: usize = 33;
/// The largest block that is read, in bytes: cells are at most 2 GiB, HBase's own limit for a block too.
pub(crate) const MAX_BLOCK_SIZE: u64 = i32::MAX as u64;

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockRef {
    /// Offset of its header in the file, in bytes.
    pub offset: u64,
    /// Its size with header and checksums, in bytes.
    pub size: u32,
}

/// A block in memory, checked.
#[derive(Debug)]
pub struct Block {
    block_type: BlockType,
    place: BlockRef,
    /// Header and payload, decompressed.
    bytes: PayloadMemory,
    /// Where the payload begins; it goes on to the end.
    payload_at: usize,
    /// Where the cells are, in a data block.
    pub(crate) cells: Option<CellOffsets>,
    /// Of the entries, in a block of the index.
    pub(crate) entry_rows: RowHints,
}

impl Block {
    /// Takes a block as it was read from `place`, checks sizes and checksums, and decompresses it.
    pub(crate) fn verify(
        path: &Path,
        place: BlockRef,
        mut bytes: Vec<u8>,
        compression: Compression,
    ) -> Result<Self, HFileError> {
        let header = Self::check_sums(path, place, &bytes)?;
        let (part, data_size) = (header.block_type.name(), header.data_size);
        let corrupt = |expected: String, found: String| corrupt_at(path, part, place.offset, expected, found);
        let bytes = if compression == Compression::None {
            if header.uncompressed_size + HEADER_SIZE != data_size {
                let expected = format!("{} bytes of payload", header.uncompressed_size);
                return Err(corrupt(expected, format!("{} bytes", data_size - HEADER_SIZE)));
            }
            bytes.truncate(data_size);
            bytes.into()
        } else {
            decompressed(&bytes[..data_size], header.uncompressed_size, compression).map_err(|reason| {
                let expected =
                    format!("{} bytes compressed with {}", header.uncompressed_size, compression.name());
                corrupt(expected, reason.to_owned())
            })?
        };
        let (block_type, payload_at) = (header.block_type, HEADER_SIZE);
        Ok(Self { block_type, place, bytes, payload_at, cells: None, entry_rows: RowHints::default() })
    }

    /// Checks the sizes and checksums of a block as it was read from `place`.
    pub(crate) fn check_sums(path: &Path, place: BlockRef, bytes: &[u8]) -> Result<Header, HFileError> {
        let corrupt =
            |part, expected: String, found: String| corrupt_at(path, part, place.offset, expected, found);
        let header = Header::parse(bytes).ok_or_else(|| {
            let found = bytes.get(..8).unwrap_or(bytes).escape_ascii().to_string();
            corrupt("block header", "the magic of a block and a checksum type".into(), found)
        })?;
        let part = header.block_type.name();
        let (size, data_size, chunk) = (bytes.len(), header.data_size, header.chunk_size);
        if header.on_disk_size + HEADER_SIZE != size {
            return Err(corrupt(
                part,
                format!("{size} bytes"),
                format!("{} bytes", header.on_disk_size + HEADER_SIZE),
            ));
        }
        if data_size < HEADER_SIZE || data_size > size || chunk < HEADER_SIZE {
            let found = format!("{data_size} bytes of data, {chunk} bytes per checksum");
            return Err(corrupt(part, "sizes that fit".into(), found));
        }
        if data_size.div_ceil(chunk) * WORD != size - data_size {
            let expected = format!("{} bytes of checksums", data_size.div_ceil(chunk) * WORD);
            return Err(corrupt(part, expected, format!("{} bytes", size - data_size)));
        }
        let (data, words) = bytes.split_at(data_size);
        header.checksum_type.verify(data, words, chunk).map_err(|(number, stored, computed)| {
            corrupt(part, format!("checksum {stored:08x} of chunk {number}"), format!("{computed:08x}"))
        })?;
        Ok(header)
    }

    /// A chunk of a Bloom filter, in the place of one that cannot be read, that may have any key.
    pub(crate) fn chunk_of_all_keys(place: BlockRef) -> Self {
        let (block_type, payload_at) = (BlockType::BloomChunk, HEADER_SIZE);
        let mut bytes = vec![0; HEADER_SIZE];
        bytes.push(0xff);
        let bytes = bytes.into();
        Self { block_type, place, bytes, payload_at, cells: None, entry_rows: RowHints::default() }
    }

    /// A copy of a block whose cells were not looked for yet.
    pub(crate) fn copy(&self) -> Self {
        let (block_type, place, payload_at) = (self.block_type, self.place, self.payload_at);
        let (bytes, entry_rows) = (self.bytes.clone(), RowHints::default());
        Self { block_type, place, bytes, payload_at, cells: None, entry_rows }
    }

    /// Exchanges the payload for what it decodes to: `bytes` is room for the header, and then that.
    pub(crate) fn decoded(self, mut bytes: Vec<u8>) -> Self {
        bytes[..HEADER_SIZE].copy_from_slice(&self.bytes[..HEADER_SIZE]);
        Self { bytes: bytes.into(), ..self }
    }

    /// What it holds.
    pub fn block_type(&self) -> BlockType {
        self.block_type
    }

    /// Whether it says how it is checked, and that is not NULL.
    pub(crate) fn has_checksums(&self) -> bool {
        Header::parse(&self.bytes).is_some_and(|header| header.checksum_type != ChecksumType::Null)
    }

    /// Whether it is of the index, or a chunk of a Bloom filter.
    pub fn leads_to_others(&self) -> bool {
        self.block_type.is_index() || self.block_type == BlockType::BloomChunk
    }

    /// Where it is in its file.
    pub fn place(&self) -> BlockRef {
        self.place
    }

    /// What it holds, without header and checksums; decompressed, and decoded.
    #[inline]
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.payload_at..]
    }

    /// Leaves of the payload what is in `range`, without moving it.
    pub(crate) fn narrow(&mut self, range: Range<usize>) {
        self.bytes.truncate(self.payload_at + range.end);
        self.payload_at += range.start;
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.bytes.memory_bytes()
            + self.cells.as_ref().map_or(0, CellOffsets::memory_bytes)
            + self.entry_rows.memory_bytes()
    }
}

/// Header and payload of a block of which `stored` are header and stream.
fn decompressed(
    stored: &[u8],
    payload_size: usize,
    compression: Compression,
) -> Result<PayloadMemory, BadStream> {
    let (head, stream) = stored.split_at(HEADER_SIZE);
    compression.check_length(stream, payload_size)?;
    let mut memory = PayloadMemory::of_length(HEADER_SIZE + payload_size);
    let (head_of_block, payload) = memory.bytes_mut().split_at_mut(HEADER_SIZE);
    head_of_block.copy_from_slice(head);
    compression.decompress_into(stream, payload)?;
    Ok(memory)
}

fn corrupt_at(path: &Path, part: &'static str, offset: u64, expected: String, found: String) -> HFileError {
    HFileError::Corrupt { path: path.to_owned(), part, offset, expected, found }
}

/// The fields of a header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) block_type: BlockType,
    /// Without the header.
    pub(crate) on_disk_size: usize,
    /// Without the header.
    pub(crate) uncompressed_size: usize,
    pub(crate) checksum_type: ChecksumType,
    pub(crate) chunk_size: usize,
    /// With the header.
    pub(crate) data_size: usize,
}

impl Header {
    /// Reads a header; `None` for an unknown magic or checksum type, a negative size, or too few bytes.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..HEADER_SIZE)?;
        let size = |at: usize| {
            usize::try_from(i32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])).ok()
        };
        Some(Self {
            block_type: BlockType::from_magic(&bytes[..8])?,
            on_disk_size: size(8)?,
            uncompressed_size: size(12)?,
            checksum_type: ChecksumType::from_code(bytes[24])?,
            chunk_size: size(25)?,
            data_size: size(29)?,
        })
    }
}

impl Header {
    /// Whether the sizes say that there are as many checksums as the data needs.
    pub(crate) fn has_room_for_checksums(&self) -> bool {
        let sums = (self.on_disk_size + HEADER_SIZE).checked_sub(self.data_size);
        self.data_size >= HEADER_SIZE
            && self.chunk_size >= HEADER_SIZE
            && sums == Some(self.data_size.div_ceil(self.chunk_size) * WORD)
    }
}

/// Fills in the header of the block that begins at `start` of `memory` with room for it, followed by the payload as it is
/// stored, and appends the checksums. `payload`: bytes of the payload before compression.
pub(crate) fn seal(
    memory: &mut Vec<u8>,
    start: usize,
    payload: usize,
    block_type: BlockType,
    previous: Option<u64>,
    checksum_type: ChecksumType,
    chunk_size: usize,
) {
    let block = &mut memory[start..];
    let header = header(block.len(), payload, block_type, previous, checksum_type, chunk_size);
    block[..HEADER_SIZE].copy_from_slice(&header);
    checksum_type.append(memory, start, chunk_size);
}

/// The header of a block of which `data_size` bytes are stored, with the header and without checksums.
pub(crate) fn header(
    data_size: usize,
    payload: usize,
    block_type: BlockType,
    previous: Option<u64>,
    checksum_type: ChecksumType,
    chunk_size: usize,
) -> [u8; HEADER_SIZE] {
    let on_disk = data_size - HEADER_SIZE + data_size.div_ceil(chunk_size) * WORD;
    let mut header = [0; HEADER_SIZE];
    header[..8].copy_from_slice(block_type.magic());
    header[8..12].copy_from_slice(&(on_disk as i32).to_be_bytes());
    header[12..16].copy_from_slice(&(payload as i32).to_be_bytes());
    header[16..24].copy_from_slice(&previous.map_or(-1, |offset| offset as i64).to_be_bytes());
    header[24] = checksum_type.code();
    header[25..29].copy_from_slice(&(chunk_size as i32).to_be_bytes());
    header[29..33].copy_from_slice(&(data_size as i32).to_be_bytes());
    header
}
