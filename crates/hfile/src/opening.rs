//! Opens a file: the trailer, and the blocks that are read when it is opened.

use crate::block::{Block, BlockRef, HEADER_SIZE, Header, MAX_BLOCK_SIZE};
use crate::block_type::BlockType;
use crate::bloom::{BloomFilter, BloomType};
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::index::RootIndex;
use crate::reader::Blooms;
use crate::trailer::{BadTrailer, TRAILER_SIZE, Trailer};
use finback_cell::cell::check_key;
use finback_compression::{Compression, ZstdForm};
use finback_fs::RandomAccessFile;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file whose trailer and load-on-open blocks are being read.
pub(crate) struct Opening {
    pub(crate) file: Arc<dyn RandomAccessFile>,
    pub(crate) path: PathBuf,
    pub(crate) size_bytes: u64,
    /// Whether another copy of the file is read than the usual one, which is damaged.
    of_other_copy: bool,
    /// Once the trailer is known.
    pub(crate) compression: Compression,
}

impl Opening {
    pub(crate) fn new(file: Arc<dyn RandomAccessFile>, path: &Path) -> Result<Self, HFileError> {
        let size_bytes = file.len().map_err(|source| HFileError::Io {
            path: path.to_owned(),
            what: "find the length",
            offset: 0,
            source,
        })?;
        let path = path.to_owned();
        Ok(Self { file, path, size_bytes, of_other_copy: false, compression: Compression::None })
    }

    /// The same from another copy; every read fails where there is none.
    pub(crate) fn of_other_copy(file: Arc<dyn RandomAccessFile>, path: &Path) -> Result<Self, HFileError> {
        Ok(Self { of_other_copy: true, ..Self::new(file, path)? })
    }

    pub(crate) fn corrupt(&self, part: &'static str, offset: u64, expected: &str, found: &str) -> HFileError {
        let (expected, found) = (expected.to_owned(), found.to_owned());
        HFileError::Corrupt { path: self.path.clone(), part, offset, expected, found }
    }

    fn read(&self, offset: u64, length: usize) -> Result<Vec<u8>, HFileError> {
        let mut bytes = vec![0; length];
        let read = if self.of_other_copy {
            let read = self.file.read_other_copy_at(offset, &mut bytes);
            read.and_then(|read| read.ok_or_else(|| io::ErrorKind::NotFound.into()))
        } else {
            self.file.read_exact_at(offset, &mut bytes)
        };
        read.map_err(|source| HFileError::Io {
            path: self.path.clone(),
            what: "read what is needed at opening",
            offset,
            source,
        })?;
        Ok(bytes)
    }

    pub(crate) fn read_trailer(&self) -> Result<Trailer, HFileError> {
        self.decode_trailer()?.map_err(|bad| self.bad_trailer(bad))
    }

    /// The trailer, or why it is none.
    pub(crate) fn decode_trailer(&self) -> Result<Result<Trailer, BadTrailer>, HFileError> {
        let offset = self.trailer_offset();
        let bytes = self.read(offset, (self.size_bytes - offset) as usize)?;
        Ok(Trailer::decode(&bytes))
    }

    fn trailer_offset(&self) -> u64 {
        self.size_bytes.saturating_sub(TRAILER_SIZE as u64)
    }

    pub(crate) fn bad_trailer(&self, bad: BadTrailer) -> HFileError {
        let offset = self.trailer_offset();
        let unsupported = |feature| HFileError::Unsupported { path: self.path.clone(), feature };
        match bad {
            BadTrailer::Corrupt(expected, found) => self.corrupt("trailer", offset, &expected, &found),
            BadTrailer::Unsupported(feature) => {
                unsupported(format!("{feature}, of the trailer at {offset},"))
            }
            BadTrailer::OfOldVersion => {
                let what =
                    "HFile version 2 (of HBase before 1.0; a major compaction by HBase makes it version 3)";
                unsupported(what.to_owned())
            }
        }
    }

    /// Reads the block at `at`, which must be of the expected type, and moves `at` behind it.
    pub(crate) fn next_block(&self, at: &mut u64, expected: BlockType) -> Result<Block, HFileError> {
        let (place, bytes) = self.next_stored(at, expected)?;
        Block::verify(&self.path, place, bytes, self.compression)
    }

    /// As [`next_block`](Self::next_block), with the form in which it is stored, where ZSTD compresses it.
    pub(crate) fn next_block_and_form(
        &self,
        at: &mut u64,
        expected: BlockType,
    ) -> Result<(Block, ZstdForm), HFileError> {
        let (place, bytes) = self.next_stored(at, expected)?;
        let payload = Header::parse(&bytes).and_then(|header| bytes.get(HEADER_SIZE..header.data_size));
        let zstd_form = ZstdForm::of_stream(payload.unwrap_or_default());
        Ok((Block::verify(&self.path, place, bytes, self.compression)?, zstd_form))
    }

    /// As [`next_block`](Self::next_block), as it is stored, unchecked.
    fn next_stored(&self, at: &mut u64, expected: BlockType) -> Result<(BlockRef, Vec<u8>), HFileError> {
        let (header, place) = self.header(*at)?;
        if header.block_type != expected {
            return Err(self.corrupt("load-on-open section", *at, expected.name(), header.block_type.name()));
        }
        let bytes = self.read(place.offset, place.size as usize)?;
        *at += u64::from(place.size);
        Ok((place, bytes))
    }

    fn header(&self, at: u64) -> Result<(Header, BlockRef), HFileError> {
        let end = self.size_bytes - TRAILER_SIZE as u64;
        let out_of_bounds = || {
            self.corrupt("load-on-open section", at, "a block before the trailer", "none, or a longer one")
        };
        if at.checked_add(HEADER_SIZE as u64).is_none_or(|header_end| header_end > end) {
            return Err(out_of_bounds());
        }
        let bytes = self.read(at, HEADER_SIZE)?;
        let header = Header::parse(&bytes).ok_or_else(|| {
            self.corrupt("block header", at, "the magic of a block", &bytes[..8].escape_ascii().to_string())
        })?;
        let size = (header.on_disk_size + HEADER_SIZE) as u64;
        if size > MAX_BLOCK_SIZE || at + size > end {
            return Err(out_of_bounds());
        }
        Ok((header, BlockRef { offset: at, size: size as u32 }))
    }

    /// What follows the file info must be Bloom filters' blocks, up to the trailer.
    pub(crate) fn read_blooms(&self, mut at: u64, info: &FileInfo) -> Result<Blooms, HFileError> {
        let name = info.get(keys::BLOOM_FILTER_TYPE);
        let bloom_type = name.and_then(|name| BloomType::from_name(name, info.int(keys::BLOOM_FILTER_PARAM)));
        let mut blooms = Blooms::default();
        while at < self.size_bytes - TRAILER_SIZE as u64 {
            let is_general = blooms.general.is_none();
            let (header, _) = self.header(at)?;
            if blooms.family_delete.is_some() {
                return Err(self.corrupt(
                    "load-on-open section",
                    at,
                    "the trailer",
                    header.block_type.name(),
                ));
            }
            let expected = match header.block_type {
                BlockType::GeneralBloomMeta if is_general => BlockType::GeneralBloomMeta,
                _ => BlockType::DeleteFamilyBloomMeta,
            };
            let block = self.next_block(&mut at, expected)?;
            let flat_keys =
                expected == BlockType::GeneralBloomMeta && bloom_type == Some(BloomType::RowColumn);
            let filter = BloomFilter::decode(block.payload(), flat_keys).map_err(|reason| {
                self.corrupt(expected.name(), block.place().offset, "a Bloom filter", reason)
            })?;
            if expected == BlockType::GeneralBloomMeta {
                blooms.bloom_type = bloom_type;
                blooms.general = Some(filter);
            } else {
                blooms.family_delete = Some(filter);
            }
        }
        let last_key = info.get(keys::LAST_BLOOM_KEY);
        if blooms.bloom_type == Some(BloomType::RowColumn)
            && last_key.is_some_and(|key| check_key(key).is_err())
        {
            return Err(self.corrupt("file info block", at, "a last Bloom key", "no flat key"));
        }
        blooms.last_key = last_key.map(<[u8]>::to_vec);
        Ok(blooms)
    }

    /// HBase's trailers have no checksum: what they say must agree with the blocks, which have.
    pub(crate) fn check_trailer(
        &self,
        trailer: &Trailer,
        root: &RootIndex,
        file_info_offset: u64,
    ) -> Result<(), HFileError> {
        let fields = &trailer.fields;
        let at = self.size_bytes - TRAILER_SIZE as u64;
        let same = |expected: &str, found: u64, here: u64| {
            if found == here {
                return Ok(());
            }
            Err(self.corrupt("trailer", at, &format!("{expected} {here}"), &found.to_string()))
        };
        same("file info at", fields.file_info_offset(), file_info_offset)?;
        same("a file without cells", (fields.entry_count() == 0).into(), (root.len() == 0).into())?;
        let edge = |number: Option<usize>| number.and_then(|number| root.place(number));
        let offset = |place: Option<BlockRef>| place.map_or(u64::MAX, |place| place.offset);
        if root.len() == 0 {
            same("index levels", fields.num_data_index_levels().into(), 1)?;
        }
        if fields.num_data_index_levels() == 1 {
            let last = offset(edge(root.len().checked_sub(1)));
            same("first data block at", fields.first_data_block_offset(), offset(edge(Some(0))))?;
            // HBase 1 says 0 where there is none.
            let found = fields.last_data_block_offset();
            let is_of_none = root.len() == 0 && found == 0;
            same("last data block at", if is_of_none { last } else { found }, last)?;
        }
        Ok(())
    }

    pub(crate) fn encoding(&self, info: &FileInfo) -> Result<DataBlockEncoding, HFileError> {
        let unsupported = |key: &[u8], encoding: &[u8]| {
            let feature = format!("{} {}", key.escape_ascii(), encoding.escape_ascii());
            HFileError::Unsupported { path: self.path.clone(), feature }
        };
        let key = keys::INDEX_BLOCK_ENCODING;
        if let Some(encoding) = info.get(key).filter(|encoding| *encoding != b"NONE") {
            return Err(unsupported(key, encoding));
        }
        let key = keys::DATA_BLOCK_ENCODING;
        let Some(name) = info.get(key) else { return Ok(DataBlockEncoding::None) };
        let encoding = std::str::from_utf8(name).ok().and_then(DataBlockEncoding::from_name);
        encoding.ok_or_else(|| unsupported(key, name))
    }
}
