//! An open file: what is read once. Its blocks are read in [`blocks`].

use crate::block::{Block, BlockRef};
use crate::block_cache::CacheCharge;
use crate::block_type::BlockType;
use crate::bloom::{BloomFigures, BloomFilter, BloomType};
use crate::cell_format::CellFormat;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::index::{NodeIndex, RootIndex};
use crate::opening::Opening;
use crate::trailer::{TRAILER_SIZE, Trailer};
use finback_cell::CellOrder;
use finback_cell::cell::check_key;
use finback_cell::key::Key;
use finback_compression::ZstdForm;
use finback_fs::RandomAccessFile;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A first data block of more bytes is not read for the key of its first cell.
const LARGE_FIRST_BLOCK_BYTES: u32 = 1 << 20;

mod blocks;
mod copying;
mod identity;
mod joining;
mod memory;
mod prefetch;

pub use blocks::BlockRequest;
pub use identity::{FileId, FileIdentity};
pub use joining::{BlockToJoin, BlocksToJoin};
pub use prefetch::Prefetch;

/// An open HFile. Share it in an `Arc`; closing is dropping.
#[derive(Debug)]
pub struct HFileReader {
    id: FileId,
    identity: FileIdentity,
    path: PathBuf,
    pub(crate) file: Arc<dyn RandomAccessFile>,
    size_bytes: u64,
    trailer: Trailer,
    info: FileInfo,
    cells: CellFormat,
    /// Whether its blocks have checksums; one kind for all, as their writer has one.
    has_checksums: bool,
    /// The form of its blocks, where ZSTD compresses them; one for all, too.
    zstd_form: ZstdForm,
    root: RootIndex,
    meta: RootIndex,
    blooms: Blooms,
    first_key: Option<Vec<u8>>,
    last_key: Option<Vec<u8>>,
    time_range: Option<(i64, i64)>,
    retired: AtomicBool,
    /// What the reader itself takes, counted in a cache.
    charge: OnceLock<CacheCharge>,
}

/// The Bloom filters of a file.
#[derive(Debug, Default)]
pub(crate) struct Blooms {
    /// What the general filter's keys are, if there is one that this version knows.
    pub(crate) bloom_type: Option<BloomType>,
    pub(crate) general: Option<BloomFilter>,
    pub(crate) family_delete: Option<BloomFilter>,
    /// The general filter's last key.
    pub(crate) last_key: Option<Vec<u8>>,
}

impl HFileReader {
    /// Opens a file: reads the trailer and everything that is to be read at opening.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`]; [`HFileError::Unsupported`] for encodings, encryption and codecs that are not there; the storage's.
    pub fn open(file: Arc<dyn RandomAccessFile>, path: &Path, id: FileId) -> Result<Arc<Self>, HFileError> {
        Self::open_as(file, path, Some(id))
    }

    /// The same with an id that is made from the file itself: a cache that outlives this reader knows the file again
    /// when it is opened next.
    ///
    /// # Errors
    /// As [`HFileReader::open`].
    pub fn open_identified(file: Arc<dyn RandomAccessFile>, path: &Path) -> Result<Arc<Self>, HFileError> {
        Self::open_as(file, path, None)
    }

    /// The same for printers and verification: also where the first data block is damaged, which then has no first key.
    ///
    /// # Errors
    /// As [`HFileReader::open`].
    pub fn open_to_inspect(file: Arc<dyn RandomAccessFile>, path: &Path) -> Result<Arc<Self>, HFileError> {
        let mut reader = Self::load(Opening::new(file, path)?, Some(FileId::next()))?;
        reader.note_ends().or_else(|error| match error {
            HFileError::Corrupt { .. } => Ok(()),
            error => Err(error),
        })?;
        Ok(Arc::new(reader))
    }

    fn open_as(
        file: Arc<dyn RandomAccessFile>,
        path: &Path,
        id: Option<FileId>,
    ) -> Result<Arc<Self>, HFileError> {
        let load = |opening| -> Result<Self, HFileError> {
            let mut reader = Self::load(opening, id)?;
            reader.note_ends()?;
            Ok(reader)
        };
        let opened = match load(Opening::new(Arc::clone(&file), path)?) {
            Err(error @ (HFileError::Corrupt { .. } | HFileError::Unsupported { .. })) => {
                load(Opening::of_other_copy(file, path)?).map_err(|_| error)
            }
            opened => opened,
        };
        opened.map(Arc::new)
    }

    fn load(mut opening: Opening, id: Option<FileId>) -> Result<Self, HFileError> {
        let trailer = opening.read_trailer()?;
        opening.compression = trailer.compression;
        let fields = &trailer.fields;
        let mut at = fields.load_on_open_data_offset();
        let (root_block, zstd_form) = opening.next_block_and_form(&mut at, BlockType::RootIndex)?;
        let mut root = RootIndex::decode(
            root_block.payload(),
            fields.data_index_count(),
            true,
            fields.num_data_index_levels() > 1,
        )
        .map_err(|reason| {
            opening.corrupt("root index block", root_block.place().offset, "entries", reason)
        })?;
        // The rows of hbase:meta do not compare as bytes.
        if trailer.order == CellOrder::User {
            root.hint_rows();
        }
        let meta_block = opening.next_block(&mut at, BlockType::RootIndex)?;
        let meta = RootIndex::decode(meta_block.payload(), fields.meta_index_count(), false, false).map_err(
            |reason| opening.corrupt("meta index block", meta_block.place().offset, "entries", reason),
        )?;
        let info_block = opening.next_block(&mut at, BlockType::FileInfo)?;
        let info = FileInfo::decode(info_block.payload()).map_err(|reason| {
            opening.corrupt("file info block", info_block.place().offset, "a FileInfoProto", &reason)
        })?;
        let blooms = opening.read_blooms(at, &info)?;
        opening.check_trailer(&trailer, &root, info_block.place().offset)?;
        let cells = CellFormat::of(&info, opening.encoding(&info)?, trailer.order);
        let size_bytes = opening.size_bytes;
        let parts = [&trailer.encode_unmarked()[..], root_block.payload(), info_block.payload()];
        let identity = FileIdentity::of(&opening.path, size_bytes, &parts);
        let Opening { file, path, .. } = opening;
        let mut reader = Self {
            id: id.unwrap_or(identity.id),
            identity,
            path,
            file,
            size_bytes,
            trailer,
            info,
            cells,
            has_checksums: root_block.has_checksums(),
            zstd_form,
            root,
            meta,
            blooms,
            first_key: None,
            last_key: None,
            time_range: None,
            retired: AtomicBool::new(false),
            charge: OnceLock::new(),
        };
        reader.check_last_key()?;
        let last_key = reader.info.get(keys::LAST_KEY).filter(|_| reader.root.len() > 0);
        reader.last_key = last_key.map(<[u8]>::to_vec);
        reader.time_range = reader.info.time_range();
        Ok(reader)
    }

    /// Notes the first key, and takes back the last of a file that has no first.
    fn note_ends(&mut self) -> Result<(), HFileError> {
        self.first_key = self.find_first_key()?;
        self.last_key.take_if(|_| self.first_key.is_none());
        Ok(())
    }

    /// Notes that nobody will open the file again: what scanners that have it open still read is not worth keeping.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Whether blocks of the file are worth keeping.
    pub(crate) fn is_worth_caching(&self) -> bool {
        !self.retired.load(Ordering::Relaxed)
    }

    /// Identity in caches.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// What tells the file from all others, now and later.
    pub fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// What its bytes are read from.
    pub(crate) fn file(&self) -> &dyn RandomAccessFile {
        &*self.file
    }

    /// Where the trailer begins.
    pub(crate) fn trailer_offset(&self) -> u64 {
        self.size_bytes - TRAILER_SIZE as u64
    }

    /// A 64-bit number of the file info.
    pub(crate) fn file_info_long(&self, key: &[u8]) -> Option<i64> {
        self.info.long(key)
    }

    /// Name of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Length in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The trailer.
    pub fn trailer(&self) -> &Trailer {
        &self.trailer
    }

    /// Order of the cells.
    pub fn order(&self) -> CellOrder {
        self.trailer.order
    }

    /// An entry of the file info.
    pub fn file_info(&self, key: &[u8]) -> Option<&[u8]> {
        self.info.get(key)
    }

    /// All entries of the file info, by key.
    pub fn file_info_entries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.info.entries.iter().map(|(key, value)| (&key[..], &value[..]))
    }

    /// Number of cells.
    pub fn entry_count(&self) -> u64 {
        self.trailer.fields.entry_count()
    }

    /// Flat key of the first cell; `None` when there is none.
    pub fn first_key(&self) -> Option<&[u8]> {
        self.first_key.as_deref()
    }

    /// Flat key of the last cell; `None` when there is none.
    pub fn last_key(&self) -> Option<&[u8]> {
        self.last_key.as_deref()
    }

    /// Lowest and highest timestamp, if the file says.
    pub fn time_range(&self) -> Option<(i64, i64)> {
        self.time_range
    }

    /// All edits of the store up to this sequence id are in this or older files.
    pub fn max_sequence_id(&self) -> Option<u64> {
        self.info.long(keys::MAX_SEQ_ID).and_then(|id| u64::try_from(id).ok())
    }

    /// Whether cells carry tags.
    pub fn includes_tags(&self) -> bool {
        self.cells.layout.tags
    }

    /// Whether cells carry sequence ids.
    pub fn includes_mvcc(&self) -> bool {
        self.cells.layout.mvcc
    }

    /// How the cells of data blocks are encoded.
    pub fn encoding(&self) -> DataBlockEncoding {
        self.cells.encoding
    }

    /// What the keys of the general Bloom filter are; `None` without one, or with one of a kind that is not known.
    pub fn bloom_type(&self) -> Option<BloomType> {
        self.blooms.bloom_type
    }

    /// What the general Bloom filter says of itself.
    pub fn bloom_figures(&self) -> Option<BloomFigures<'_>> {
        self.bloom().map(BloomFilter::figures)
    }

    /// What the Bloom filter of markers that delete a family says of itself.
    pub fn family_delete_bloom_figures(&self) -> Option<BloomFigures<'_>> {
        self.family_delete_bloom().map(BloomFilter::figures)
    }

    pub(crate) fn bloom(&self) -> Option<&BloomFilter> {
        self.blooms.general.as_ref()
    }

    pub(crate) fn family_delete_bloom(&self) -> Option<&BloomFilter> {
        self.blooms.family_delete.as_ref()
    }

    /// Last key of the general Bloom filter: for [`BloomType::RowColumn`] a flat key.
    pub(crate) fn last_bloom_key(&self) -> Option<&[u8]> {
        self.blooms.last_key.as_deref()
    }

    /// Number of markers that delete a family, if the file says.
    pub(crate) fn family_deletes(&self) -> Option<i64> {
        self.info.long(keys::DELETE_FAMILY_COUNT)
    }

    pub(crate) fn root(&self) -> &RootIndex {
        &self.root
    }

    pub(crate) fn index_levels(&self) -> usize {
        self.trailer.fields.num_data_index_levels() as usize
    }

    /// Reads the meta block of a name; `None` if there is none.
    ///
    /// # Errors
    /// As [`HFileReader::read_block`].
    pub fn meta_block(&self, name: &[u8]) -> Result<Option<Arc<Block>>, HFileError> {
        let Some(place) = self.meta.named(name) else { return Ok(None) };
        let block = self.read_block(place)?;
        if block.block_type() != BlockType::Meta {
            return Err(self.unexpected(&block, BlockType::Meta));
        }
        Ok(Some(block))
    }

    /// Names of the meta blocks, in order.
    pub fn meta_block_names(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.meta.len()).filter_map(|number| self.meta.key(number))
    }

    /// The key that divides the file in half: a split point. `None` for a file without cells.
    ///
    /// # Errors
    /// As [`HFileReader::read_block`].
    pub fn mid_key(&self) -> Result<Option<Vec<u8>>, HFileError> {
        let Some((leaf, entry)) = self.root.mid else {
            return Ok(self.root.key(self.root.len() / 2).map(<[u8]>::to_vec));
        };
        let block = self.read_block(leaf)?;
        if block.block_type() != BlockType::LeafIndex {
            return Err(self.unexpected(&block, BlockType::LeafIndex));
        }
        Ok(NodeIndex::over_checked(block.payload()).key(entry).map(<[u8]>::to_vec))
    }

    /// Whether the storage has a better way for [who reads all of it once](crate::HFileScanner::streaming).
    pub fn can_be_streamed(&self) -> bool {
        self.file.can_be_streamed()
    }

    /// Bytes of the data blocks, as they are stored, with what stands between them.
    pub fn data_bytes(&self) -> u64 {
        self.trailer.fields.load_on_open_data_offset()
    }

    /// How many of the parts into which the first level of the index divides the file begin at a key or before it, and how many there
    /// are: at least one.
    pub fn parts_begun_at(&self, key: &Key<'_>) -> (usize, usize) {
        let begun = self.root.find(self.order(), key).map_or(0, |last| last + 1);
        (begun, self.root.len().max(1))
    }

    fn check_last_key(&self) -> Result<(), HFileError> {
        match self.info.get(keys::LAST_KEY) {
            Some(key) if check_key(key).is_err() => {
                let found = key.escape_ascii().to_string();
                Err(self.corrupt(
                    "file info block",
                    self.trailer.fields.file_info_offset(),
                    "a last key",
                    found,
                ))
            }
            None if self.root.len() > 0 => {
                let offset = self.trailer.fields.file_info_offset();
                Err(self.corrupt("file info block", offset, "a last key", "none".into()))
            }
            _ => Ok(()),
        }
    }

    /// The first cell is in the first data block. Of another writer's file the index may begin with a key before it; that is
    /// as good where the block is large, and would be read for nothing else.
    fn find_first_key(&self) -> Result<Option<Vec<u8>>, HFileError> {
        let (mut place, mut key) = (self.root.place(0), self.root.key(0).map(<[u8]>::to_vec));
        for level in 1..=self.index_levels() {
            let Some(found) = place else { return Ok(None) };
            if level == self.index_levels() && found.size > LARGE_FIRST_BLOCK_BYTES {
                return Ok(key);
            }
            // What cannot be read is told to who reads it; what the index says of it is as good.
            let Ok(block) = self.read_block(found) else { return Ok(self.root.key(0).map(<[u8]>::to_vec)) };
            if level == self.index_levels() {
                let cells = block.cells.as_ref().ok_or_else(|| self.unexpected(&block, BlockType::Data))?;
                return Ok(cells.get(block.payload(), 0).map(|(cell, _)| cell.key().to_vec()));
            }
            if !matches!(block.block_type(), BlockType::LeafIndex | BlockType::IntermediateIndex) {
                return Err(self.unexpected(&block, BlockType::LeafIndex));
            }
            let node = NodeIndex::over_checked(block.payload());
            (place, key) = (node.place(0), node.key(0).map(<[u8]>::to_vec));
        }
        Ok(None)
    }

    pub(crate) fn unexpected(&self, block: &Block, expected: BlockType) -> HFileError {
        let found = block.block_type().name().to_owned();
        self.corrupt("block index", block.place().offset, expected.name(), found)
    }

    /// The index says that `to` is next to `from`, and it cannot be.
    pub(crate) fn misplaced(&self, from: BlockRef, to: BlockRef) -> HFileError {
        let found = format!("one of {} bytes at {}", to.size, to.offset);
        self.corrupt(
            "block index",
            from.offset,
            "a neighbour beside this block, in the order of the file",
            found,
        )
    }

    /// The cells of a data block are in no order.
    pub(crate) fn out_of_order(&self, place: BlockRef) -> HFileError {
        self.corrupt(
            "data block",
            place.offset,
            "cells in order",
            "one before those in front of it".to_owned(),
        )
    }

    pub(crate) fn corrupt(
        &self,
        part: &'static str,
        offset: u64,
        expected: &str,
        found: String,
    ) -> HFileError {
        HFileError::Corrupt { path: self.path.clone(), part, offset, expected: expected.to_owned(), found }
    }

    pub(crate) fn io(&self, offset: u64, source: std::io::Error) -> HFileError {
        HFileError::Io { path: self.path.clone(), what: "read a block", offset, source }
    }
}
