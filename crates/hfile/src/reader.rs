//! An open file: what is read once, and the way to its blocks.

use crate::block::{Block, BlockRef, HEADER_SIZE};
use crate::block_cache::{BlockCache, CacheCharge};
use crate::block_type::BlockType;
use crate::bloom::{BloomFilter, BloomType};
use crate::data_block::{CellLayout, CellOffsets};
use crate::encoding::{DataBlockEncoding, Decoded};
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::index::{NodeIndex, RootIndex};
use crate::opening::Opening;
use crate::trailer::Trailer;
use finback_cell::CellOrder;
use finback_cell::cell::check_key;
use finback_fs::RandomAccessFile;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

mod prefetch;

pub use prefetch::Prefetch;

/// Identity of a file in caches: given by whoever opens it, or made from the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u64);

impl FileId {
    /// One that was never given out before.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What tells a file from all others, in this process and the next: its name, its size, and what it says of itself
/// (trailer, root index, file info with creation time and last key). Store files have random names and never change, so
/// that two files of one identity have the same blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// Serves as [`FileId`].
    pub id: FileId,
    /// Another hash of the same.
    pub check: u64,
}

impl FileIdentity {
    fn of(path: &Path, size_bytes: u64, parts: &[&[u8]]) -> Self {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let size = size_bytes.to_be_bytes();
        let digest_of = |algorithm| {
            let mut digest = crc_fast::Digest::new(algorithm);
            for part in [name, &size].iter().chain(parts) {
                digest.update(&(part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            digest.finalize()
        };
        let id = FileId(digest_of(crc_fast::CrcAlgorithm::Crc64Nvme));
        Self { id, check: digest_of(crc_fast::CrcAlgorithm::Crc64Ecma182) }
    }
}

/// An open HFile. Share it in an `Arc`; closing is dropping.
#[derive(Debug)]
pub struct HFileReader {
    id: FileId,
    identity: FileIdentity,
    path: PathBuf,
    file: Arc<dyn RandomAccessFile>,
    size_bytes: u64,
    trailer: Trailer,
    info: FileInfo,
    layout: CellLayout,
    encoding: DataBlockEncoding,
    tags_compressed: bool,
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

/// A block that a scanner needs.
#[derive(Clone)]
pub struct BlockRequest {
    /// The file.
    pub file: Arc<HFileReader>,
    /// Which block.
    pub block: BlockRef,
    /// A cache that may have the block on a device nearer than the file's.
    pub(crate) cache: Option<Arc<dyn BlockCache>>,
    /// Whether the block, once read from the file, is worth that cache's room.
    pub(crate) keep: bool,
    /// Bytes of the file that will be needed soon.
    pub(crate) ahead: Range<u64>,
}

impl BlockRequest {
    /// Reads the block, waiting for the device if need be.
    ///
    /// # Errors
    /// The storage's, or [`HFileError::Corrupt`].
    pub fn read(&self) -> Result<Arc<Block>, HFileError> {
        let block = match &self.cache {
            Some(cache) if cache.has_stored() => {
                match self.file.read_stored(&**cache, self.block) {
                    // The blocks behind it are likely there, too.
                    Some(block) => return Ok(block),
                    None => self.file.read_to_store(&**cache, self.block, self.keep),
                }
            }
            _ => self.file.read_block(self.block),
        };
        self.read_ahead();
        block
    }

    /// Reads the block if that needs no waiting.
    ///
    /// # Errors
    /// As [`BlockRequest::read`].
    pub fn read_nowait(&self) -> Result<Option<Arc<Block>>, HFileError> {
        let read = self.file.read_block_nowait(self.block)?;
        if read.is_some() {
            self.read_ahead();
        }
        Ok(read)
    }

    /// Has the device fetch what comes next, while this block is worked on.
    fn read_ahead(&self) {
        if !self.ahead.is_empty() {
            self.file.file.will_need(self.ahead.start, self.ahead.end - self.ahead.start);
        }
    }
}

impl std::fmt::Debug for BlockRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BlockRequest({:?} of {})", self.block, self.file.path.display())
    }
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

    fn open_as(
        file: Arc<dyn RandomAccessFile>,
        path: &Path,
        id: Option<FileId>,
    ) -> Result<Arc<Self>, HFileError> {
        let opened = Self::load(Opening::new(Arc::clone(&file), path)?, id);
        match opened {
            Err(error @ (HFileError::Corrupt { .. } | HFileError::Unsupported { .. })) => {
                Self::load(Opening::of_other_copy(file, path)?, id).map_err(|_| error)
            }
            opened => opened,
        }
    }

    fn load(mut opening: Opening, id: Option<FileId>) -> Result<Arc<Self>, HFileError> {
        let trailer = opening.read_trailer()?;
        opening.compression = trailer.compression;
        let fields = &trailer.fields;
        let mut at = fields.load_on_open_data_offset();
        let root_block = opening.next_block(&mut at, BlockType::RootIndex)?;
        let root = RootIndex::decode(
            root_block.payload(),
            fields.data_index_count(),
            true,
            fields.num_data_index_levels() > 1,
        )
        .map_err(|reason| {
            opening.corrupt("root index block", root_block.place().offset, "entries", reason)
        })?;
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
        let layout = CellLayout {
            tags: info.get(keys::MAX_TAGS_LEN).is_some(),
            mvcc: info.int(keys::KEY_VALUE_VERSION) == Some(1),
        };
        let encoding = opening.encoding(&info)?;
        let tags_compressed = info.get(keys::TAGS_COMPRESSED).is_some_and(|flag| flag != [0]);
        let size_bytes = opening.size_bytes;
        let parts = [&trailer.encode()[..], root_block.payload(), info_block.payload()];
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
            layout,
            encoding,
            tags_compressed,
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
        reader.first_key = reader.find_first_key()?;
        let last_key = reader.info.get(keys::LAST_KEY).filter(|_| reader.first_key.is_some());
        reader.last_key = last_key.map(<[u8]>::to_vec);
        reader.time_range = reader.info.time_range();
        Ok(Arc::new(reader))
    }

    /// Notes that nobody will open the file again: what scanners that have it open still read is not worth keeping.
    pub fn retire(&self) {
        self.retired.store(true, Ordering::Relaxed);
    }

    /// Whether blocks of the file are worth keeping.
    pub(crate) fn is_worth_caching(&self) -> bool {
        !self.retired.load(Ordering::Relaxed)
    }

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

    /// Counts in `cache`, from now until the reader is dropped, the memory that the reader takes.
    pub fn charge_to(&self, cache: &Arc<dyn BlockCache>) {
        self.charge.get_or_init(|| CacheCharge::new(Arc::clone(cache), self.memory_bytes()));
    }

    /// Identity in caches.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// What tells the file from all others, now and later.
    pub fn identity(&self) -> FileIdentity {
        self.identity
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
        self.layout.tags
    }

    /// Whether cells carry sequence ids.
    pub fn includes_mvcc(&self) -> bool {
        self.layout.mvcc
    }

    /// How the cells of data blocks are encoded.
    pub fn encoding(&self) -> DataBlockEncoding {
        self.encoding
    }

    /// What the keys of the general Bloom filter are; `None` without one, or with one of a kind that is not known.
    pub fn bloom_type(&self) -> Option<BloomType> {
        self.blooms.bloom_type
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

    /// Reads and checks a block; one that is damaged is read again from another copy, where the storage has one.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`]; the storage's.
    pub fn read_block(&self, place: BlockRef) -> Result<Arc<Block>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        self.file.read_exact_at(place.offset, &mut bytes).map_err(|source| self.io(place.offset, source))?;
        self.check_block(place, bytes).or_else(|error| self.read_other_copy(place, error))
    }

    /// Reads a block once more, after `error`, from another copy. Without one, or if that is no better, the error stands.
    fn read_other_copy(&self, place: BlockRef, error: HFileError) -> Result<Arc<Block>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        match self.file.read_other_copy_at(place.offset, &mut bytes) {
            Ok(Some(())) => self.check_block(place, bytes).map_err(|_| error),
            Ok(None) | Err(_) => Err(error),
        }
    }

    /// A block from a tier of `cache` that is nearer than the file. What that gives is checked like the file's own bytes,
    /// and not taken if it is not in order.
    fn read_stored(&self, cache: &dyn BlockCache, place: BlockRef) -> Option<Arc<Block>> {
        let mut bytes = self.buffer_for(place).ok()?;
        if !cache.read_stored(self.identity, place, &mut bytes) {
            return None;
        }
        self.check_block(place, bytes).ok()
    }

    /// Reads a block from the file, and offers it to a tier of `cache` if it is worth that.
    fn read_to_store(
        &self,
        cache: &dyn BlockCache,
        place: BlockRef,
        keep: bool,
    ) -> Result<Arc<Block>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        self.file.read_exact_at(place.offset, &mut bytes).map_err(|source| self.io(place.offset, source))?;
        let stored = (keep && self.is_worth_caching()).then(|| bytes.clone());
        let block = match self.check_block(place, bytes) {
            Ok(block) => block,
            Err(error) => return self.read_other_copy(place, error),
        };
        if let Some(stored) = stored {
            cache.keep_stored(self.identity, place, stored);
        }
        Ok(block)
    }

    /// Reads and checks a block if that needs no waiting for a device. A damaged one does: for a look at another copy.
    ///
    /// # Errors
    /// The storage's.
    pub fn read_block_nowait(&self, place: BlockRef) -> Result<Option<Arc<Block>>, HFileError> {
        let mut bytes = self.buffer_for(place)?;
        match self.file.read_at_nowait(place.offset, &mut bytes) {
            Ok(Some(())) => Ok(self.check_block(place, bytes).ok()),
            Ok(None) => Ok(None),
            Err(source) => Err(self.io(place.offset, source)),
        }
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

    /// A buffer for a block, whose place must be inside the file: nothing is allocated on a lying size.
    fn buffer_for(&self, place: BlockRef) -> Result<Vec<u8>, HFileError> {
        let end = place.offset.checked_add(u64::from(place.size));
        if (place.size as usize) < HEADER_SIZE || end.is_none_or(|end| end > self.size_bytes) {
            let found = format!("{} bytes at {}", place.size, place.offset);
            return Err(self.corrupt("block index", place.offset, "a block inside the file", found));
        }
        Ok(vec![0; place.size as usize])
    }

    fn check_block(&self, place: BlockRef, bytes: Vec<u8>) -> Result<Arc<Block>, HFileError> {
        let mut block = Block::verify(&self.path, place, bytes, self.trailer.compression)?;
        let data_type = match self.encoding {
            DataBlockEncoding::None => BlockType::Data,
            _ => BlockType::EncodedData,
        };
        match block.block_type() {
            BlockType::Data | BlockType::EncodedData if block.block_type() != data_type => {
                return Err(self.unexpected(&block, data_type));
            }
            BlockType::Data => block.cells = Some(self.find_cells(&block)?),
            BlockType::EncodedData => {
                block = self.decode(block)?;
                block.cells = Some(self.find_cells(&block)?);
            }
            BlockType::LeafIndex | BlockType::IntermediateIndex => {
                NodeIndex::check(block.payload()).map_err(|reason| {
                    self.corrupt(block.block_type().name(), place.offset, "index entries", reason.to_owned())
                })?;
            }
            BlockType::BloomChunk if block.payload().is_empty() => {
                return Err(self.corrupt("Bloom chunk", place.offset, "bits", "none".to_owned()));
            }
            _ => {}
        }
        Ok(Arc::new(block))
    }

    fn find_cells(&self, block: &Block) -> Result<CellOffsets, HFileError> {
        CellOffsets::find(block.payload(), self.layout, self.order()).map_err(|at| {
            let found = format!("a bad one at byte {at}");
            self.corrupt(block.block_type().name(), block.place().offset, "well-formed cells", found)
        })
    }

    fn decode(&self, mut block: Block) -> Result<Block, HFileError> {
        let decoded = self.encoding.decode(block.payload(), self.layout, self.tags_compressed);
        match decoded {
            Ok(Decoded::InPlace(cells)) => {
                block.narrow(cells);
                Ok(block)
            }
            Ok(Decoded::Anew(bytes)) => Ok(block.decoded(bytes)),
            Err(reason) => {
                let (part, offset) = (block.block_type().name(), block.place().offset);
                Err(self.corrupt(part, offset, self.encoding.name(), reason.to_owned()))
            }
        }
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

    /// The first cell is in the first data block, which the index may not begin with the key of.
    fn find_first_key(&self) -> Result<Option<Vec<u8>>, HFileError> {
        if self.root.len() == 0 {
            return Ok(None);
        }
        let mut place = self.root.place(0);
        for level in 1..=self.index_levels() {
            let Some(found) = place else { return Ok(None) };
            let block = self.read_block(found)?;
            if level == self.index_levels() {
                let cells = block.cells.as_ref().ok_or_else(|| self.unexpected(&block, BlockType::Data))?;
                return Ok(cells.get(block.payload(), 0).map(|(cell, _)| cell.key().to_vec()));
            }
            if !block.block_type().is_index() {
                return Err(self.unexpected(&block, BlockType::LeafIndex));
            }
            place = NodeIndex::over_checked(block.payload()).place(0);
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

    fn corrupt(&self, part: &'static str, offset: u64, expected: &str, found: String) -> HFileError {
        HFileError::Corrupt { path: self.path.clone(), part, offset, expected: expected.to_owned(), found }
    }

    fn io(&self, offset: u64, source: std::io::Error) -> HFileError {
        HFileError::Io { path: self.path.clone(), what: "read a block", offset, source }
    }
}
