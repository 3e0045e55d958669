//! Files whose blocks become parts of another file: data blocks and chunks of the Bloom filter are read, and checked, as they
//! are stored. No cell is looked at.

use super::HFileReader;
use crate::block::{Block, BlockRef, HEADER_SIZE, Header};
use crate::block_type::BlockType;
use crate::cell_counts::CellCounts;
use crate::checksum::ChecksumType;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::keys;
use crate::index_entries::{IndexEntries, IndexEntry};
use crate::plain_cells;
use crate::read_ahead::ReadAhead;
use crate::writer::OWN_BLOCK_BYTES;
use crate::writer_options::WriterOptions;
use finback_cell::CellOrder;
use finback_cell::cell::LENGTHS_SIZE;
use finback_compression::{Compression, ZstdForm};
use finback_fs::RandomAccessFile;
use std::iter::Peekable;
use std::sync::Arc;

/// More cells, and bytes of them, no file has: sums of several have room.
const MOST_OF_A_FILE: u64 = 1 << 48;

/// A block for another file: checked, and as it is stored.
#[derive(Debug)]
pub struct BlockToJoin<'a> {
    pub(crate) block_type: BlockType,
    /// Of the entry that leads to it: in the index, or in that of the Bloom filter.
    pub(crate) key: &'a [u8],
    /// Without header and checksums.
    pub(crate) payload: &'a [u8],
    /// Bytes of it before compression.
    pub(crate) uncompressed: usize,
    place: BlockRef,
}

impl BlockToJoin<'_> {
    /// Whether it has cells; else it is a chunk of the Bloom filter.
    pub fn is_data(&self) -> bool {
        self.block_type != BlockType::BloomChunk
    }

    /// Where it ends in its file, in bytes.
    pub fn end(&self) -> u64 {
        self.place.offset + u64::from(self.place.size)
    }
}

/// The data blocks and the chunks of the general Bloom filter of a file, in the order of the file; one is in memory.
#[derive(Debug)]
pub struct BlocksToJoin<'a> {
    reader: &'a HFileReader,
    /// Another way to the file's bytes than the reader's own.
    way: Option<Arc<dyn RandomAccessFile>>,
    entries: Peekable<IndexEntries<'a>>,
    next_chunk: usize,
    ahead: ReadAhead,
    last: Option<BlockRef>,
    last_data_offset: Option<u64>,
    key: Vec<u8>,
    bytes: Vec<u8>,
}

impl HFileReader {
    /// Whether all cells of the file can become a part of one that is written with these options, by its blocks as they are stored
    /// ([`HFileWriter::begin_joined`](crate::HFileWriter::begin_joined)).
    pub fn can_be_joined_to(&self, options: &WriterOptions) -> bool {
        // The chunks of Bloom filters of hbase:meta are in no order that its keys are in.
        options.order == CellOrder::User
            && self.plain_counts().is_some_and(|counts| self.has_usual_blocks(&counts, options))
            && self.can_be_copied_to(options)
            // Blocks that are joined are verified by their checksums alone.
            && self.has_checksums
            && self.has_bloom_of(options)
            // Whoever wrote these knows what they are about.
            && self.meta_block_names().next().is_none()
    }

    /// What it says of its cells, if each of its columns has one, a put without tags; unless another writer has copied that from
    /// a file with other cells.
    pub(crate) fn plain_counts(&self) -> Option<CellCounts> {
        let (key_bytes, value_bytes) = plain_cells::decode(self.info.get(keys::PLAIN)?)?;
        let (min_timestamp, max_timestamp) = self.time_range?;
        self.first_key.as_ref().zip(self.last_key.as_ref())?;
        let max_sequence_id = self.info.long(keys::MAX_MEMSTORE_TS).unwrap_or(0);
        let entries = self.entry_count();
        if [entries, key_bytes, value_bytes].iter().any(|number| *number > MOST_OF_A_FILE) {
            return None;
        }
        let counts = CellCounts {
            entries,
            key_bytes,
            value_bytes,
            max_tags: 0,
            max_sequence_id: u64::try_from(max_sequence_id).ok()?,
            min_timestamp,
            max_timestamp,
            earliest_put: self.info.long(keys::EARLIEST_PUT_TS)?,
            delete_families: 0,
        };
        let averages = (counts.average(key_bytes), counts.average(value_bytes));
        let stated = (self.info.int(keys::AVG_KEY_LEN)?, self.info.int(keys::AVG_VALUE_LEN)?);
        (averages == stated).then_some(counts)
    }

    /// Bytes of the cells of a file of which each column has one, a put without tags; 0 of any other.
    pub fn plain_cell_bytes(&self) -> u64 {
        self.plain_counts().map_or(0, |counts| bytes_of(&counts))
    }

    /// Whether an average data block has about the size that these options give it. A file of many small ones would have as many after
    /// it was joined, and again and again; those that are large by their cells are written without a copy of them.
    fn has_usual_blocks(&self, counts: &CellCounts, options: &WriterOptions) -> bool {
        let block_size = u64::from(options.block_size_bytes);
        let bytes = bytes_of(counts);
        let (of_block, of_cell) = (bytes / self.data_blocks().max(1), bytes / counts.entries.max(1));
        of_block >= block_size / 2
            // It ends with the first cell that fills it.
            && of_block <= block_size.saturating_add(of_cell.saturating_mul(2))
            && self.largest_block_bytes(block_size) < OWN_BLOCK_BYTES as u64
    }

    /// Whether the Bloom filter, if there is to be one, has the keys and bits that it would have. How large chunks are is
    /// said by each.
    fn has_bloom_of(&self, options: &WriterOptions) -> bool {
        if self.bloom_type() != options.bloom.filter || self.family_delete_bloom().is_some() {
            return false;
        }
        match (self.bloom(), options.bloom.filter) {
            (None, None) => true,
            (Some(bloom), Some(filter)) => {
                bloom.hash_type == options.bloom.hash_type
                    && Some(bloom.hash_count) == options.bloom.hash_count(filter)
                    && self.last_bloom_key().is_some()
            }
            _ => false,
        }
    }

    /// The blocks of a file that [can be joined](HFileReader::can_be_joined_to) to another one. `streamed_bytes`: it is read past the
    /// system's memory, so many bytes at a time, where that [can be done](HFileReader::can_be_streamed).
    pub fn blocks_to_join(&self, streamed_bytes: Option<usize>) -> BlocksToJoin<'_> {
        BlocksToJoin {
            reader: self,
            way: streamed_bytes.and_then(|bytes| self.file.streamed(bytes)),
            entries: self.index_entries().peekable(),
            next_chunk: 0,
            ahead: ReadAhead::default(),
            last: None,
            last_data_offset: None,
            key: Vec::new(),
            bytes: Vec::new(),
        }
    }

    /// Reads a block as it is stored, in the place of what `bytes` has, and checks its checksums; one that is damaged is read again
    /// from another copy, where the storage has one.
    fn read_stored_into(
        &self,
        way: &dyn RandomAccessFile,
        place: BlockRef,
        bytes: &mut Vec<u8>,
    ) -> Result<Header, HFileError> {
        self.check_place(place)?;
        if bytes.capacity() > OWN_BLOCK_BYTES && (place.size as usize) < OWN_BLOCK_BYTES {
            // Of a large cell.
            *bytes = Vec::new();
        }
        bytes.resize(place.size as usize, 0);
        way.read_exact_at(place.offset, bytes).map_err(|source| self.io(place.offset, source))?;
        let error = match Block::check_sums(&self.path, place, bytes) {
            Ok(header) => return Ok(header),
            Err(error) => error,
        };
        match self.file.read_other_copy_at(place.offset, bytes) {
            Ok(Some(())) => Block::check_sums(&self.path, place, bytes).map_err(|_| error),
            Ok(None) | Err(_) => Err(error),
        }
    }
}

/// Whether a payload, as it is stored, has the form in which it is written, as far as that is seen without decompressing it.
fn can_be_of_length(codec: Compression, zstd_form: ZstdForm, payload: &[u8], uncompressed: usize) -> bool {
    uncompressed > 0
        && match codec {
            Compression::None => payload.len() == uncompressed,
            _ => codec.check_length(payload, uncompressed).is_ok() && codec.is_written_so(payload, zstd_form),
        }
}

/// Bytes of all cells, without tags.
fn bytes_of(counts: &CellCounts) -> u64 {
    let lengths = counts.entries.saturating_mul(LENGTHS_SIZE as u64);
    counts.key_bytes.saturating_add(counts.value_bytes).saturating_add(lengths)
}

impl BlocksToJoin<'_> {
    /// Reads the next block, waiting for the device if need be; `None` behind the last.
    ///
    /// # Errors
    /// As [`HFileReader::read_block`].
    pub fn read_next(&mut self) -> Result<Option<BlockToJoin<'_>>, HFileError> {
        let Some((place, expected)) = self.find_next()? else { return Ok(None) };
        let reader = self.reader;
        let way = self.way.as_deref().unwrap_or(&*reader.file);
        if let Some(last) = self.last.replace(place) {
            self.ahead.moved(last, place);
        }
        let soon = self.ahead.after(place, reader.size_bytes);
        let header = reader.read_stored_into(way, place, &mut self.bytes)?;
        if !soon.is_empty() {
            way.will_need(soon.start, soon.end - soon.start);
        }
        if header.block_type != expected {
            let found = header.block_type.name().to_owned();
            return Err(reader.corrupt("block index", place.offset, expected.name(), found));
        }
        let payload = &self.bytes[HEADER_SIZE..header.data_size];
        let (codec, zstd_form) = (reader.trailer.compression, reader.zstd_form);
        if !can_be_of_length(codec, zstd_form, payload, header.uncompressed_size)
            || header.checksum_type == ChecksumType::Null
        {
            let found = format!("{} bytes of {}", payload.len(), header.uncompressed_size);
            return Err(reader.corrupt(expected.name(), place.offset, "a block as it is written", found));
        }
        let (key, uncompressed) = (&self.key[..], header.uncompressed_size);
        Ok(Some(BlockToJoin { block_type: expected, key, payload, uncompressed, place }))
    }

    /// Bytes of memory that it takes.
    pub fn memory_bytes(&self) -> usize {
        self.key.capacity() + self.bytes.capacity()
    }

    /// Where the next block is, and what it is to be.
    fn find_next(&mut self) -> Result<Option<(BlockRef, BlockType)>, HFileError> {
        let reader = self.reader;
        let next_data = match self.entries.peek() {
            Some(Ok(entry)) => Some(entry.place.offset),
            // Its turn is now.
            Some(Err(_)) => Some(0),
            None => None,
        };
        let next_chunk = reader.bloom().and_then(|bloom| bloom.chunk_entry(self.next_chunk));
        let is_next = |place: BlockRef| next_data.is_none_or(|data| place.offset < data);
        if let Some((place, key)) = next_chunk.filter(|(place, _)| is_next(*place)) {
            self.next_chunk += 1;
            self.key.clear();
            self.key.extend_from_slice(key);
            return Ok(Some((place, BlockType::BloomChunk)));
        }
        let Some(entry) = self.entries.next() else { return self.check_end().map(|()| None) };
        let IndexEntry { place, key } = entry?;
        (self.key, self.last_data_offset) = (key, Some(place.offset));
        let data_type = match reader.encoding() {
            DataBlockEncoding::None => BlockType::Data,
            _ => BlockType::EncodedData,
        };
        Ok(Some((place, data_type)))
    }

    /// The index must have led to the last data block.
    fn check_end(&self) -> Result<(), HFileError> {
        let reader = self.reader;
        let stated = reader.trailer.fields.last_data_block_offset();
        if self.last_data_offset == Some(stated) {
            return Ok(());
        }
        let found = format!("{:?}", self.last_data_offset);
        let expected = format!("the last data block at {stated}");
        Err(reader.corrupt("block index", reader.trailer_offset(), &expected, found))
    }
}
