//! Writes an HFile: sorted cells in, a finished and synced file out.
//!
//! ```text
//! ┌─────────────────────────────────────┬──────────────┬──────────────┬───────────┬────────────┬───────────┬─────────┐
//! │ data blocks, leaf index blocks      │ intermediate │ data root    │ meta root │ file info  │ (Blooms)  │ trailer │
//! │ between them                        │ index blocks │ index        │ index     │            │           │ 4096    │
//! └─────────────────────────────────────┴──────────────┴──────────────┴───────────┴────────────┴───────────┴─────────┘
//! ```
//! One buffer holds the block being built, the file's own if it has one; a full block goes to the file in one write, and to the
//! device some blocks at a time.

mod copied_block;
mod description;
mod joined_file;
mod own_block;

pub use own_block::OWN_BLOCK_BYTES;

use crate::block::{BlockRef, HEADER_SIZE, seal};
use crate::block_builder::BlockBuilder;
use crate::block_memory::BlockMemory;
use crate::block_type::{BLOCK_TYPES, BlockType};
use crate::bloom::BloomType;
use crate::bloom_writer::BloomWriter;
use crate::cell_counts::{CellCounts, deletes_family};
use crate::data_block::CellLayout;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::FileInfo;
use crate::index_key::write_index_key;
use crate::index_writer::{Entries, MidKey};
use crate::plain_cells::is_plain_behind;
use crate::tag_dictionary;
use crate::trailer::{TRAILER_SIZE, Trailer};
use crate::writer_options::WriterOptions;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_compression::{Compression, Compressor};
use finback_fs::WritableFile;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Most bytes gathered for a data block: half of what an i32 can say, so that checksums of the smallest chunks fit too.
const MAX_PAYLOAD_BYTES: usize = (i32::MAX / 2) as usize;

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinishedFile {
    /// Length in bytes.
    pub size_bytes: u64,
    /// Number of cells.
    pub entries: u64,
}

/// A file being written.
#[derive(Debug)]
pub struct HFileWriter {
    file: Box<dyn WritableFile>,
    path: PathBuf,
    options: WriterOptions,
    layout: CellLayout,
    compressor: Compressor,
    /// Memory of a block that is stored, where the file has none of its own.
    stored: Vec<u8>,
    /// Memory of a data block that is compressed when it is full.
    uncompressed: Vec<u8>,
    /// The data block being built.
    block: BlockBuilder,
    /// Size at which it ends, in bytes.
    block_ends_at: usize,
    /// Index key of the data block being built.
    first_key: Vec<u8>,
    last_key: Vec<u8>,
    last_sequence_id: u64,
    /// Whether the file is to say, if that was all, that each of its columns has one cell, a put without tags.
    is_plain: bool,
    previous: [Option<u64>; BLOCK_TYPES],
    leaf: Entries,
    root: Entries,
    mid_key: MidKey,
    bloom: Option<BloomWriter>,
    family_delete_bloom: Option<BloomWriter>,
    first_data_block: Option<u64>,
    last_data_block: Option<u64>,
    uncompressed_bytes: u64,
    index_bytes: u64,
    counts: CellCounts,
    info: FileInfo,
    /// Meta blocks by name, written at the end.
    meta_blocks: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl HFileWriter {
    /// Begins a file; `path` is for messages.
    ///
    /// # Errors
    /// [`HFileError::Unwritable`] for options that cannot be met.
    pub fn new(file: Box<dyn WritableFile>, path: &Path, options: WriterOptions) -> Result<Self, HFileError> {
        if options.bytes_per_checksum < HEADER_SIZE || options.min_index_entries < 2 {
            let reason = format!(
                "{} bytes per checksum (at least {HEADER_SIZE} are needed), {} entries per index block (at least 2)",
                options.bytes_per_checksum, options.min_index_entries
            );
            return Err(HFileError::Unwritable { path: path.to_owned(), reason });
        }
        let bloom_writer = |bloom_type: BloomType| {
            BloomWriter::new(bloom_type, &options.bloom).ok_or_else(|| HFileError::Unwritable {
                path: path.to_owned(),
                reason: format!("no Bloom filter can be made with {:?}", options.bloom),
            })
        };
        let filter = options.bloom.filter.filter(|_| options.order == CellOrder::User);
        let bloom = filter.map(bloom_writer).transpose()?;
        let has_family_delete = options.bloom.family_delete
            && options.order == CellOrder::User
            && filter != Some(BloomType::RowColumn);
        let family_delete_bloom = has_family_delete.then(|| bloom_writer(BloomType::Row)).transpose()?;
        let layout = CellLayout { tags: options.include_tags, mvcc: options.include_mvcc };
        let mut compressor = Compressor::new(options.compression).map_err(|source| HFileError::Io {
            path: path.to_owned(),
            what: "prepare to compress",
            offset: 0,
            source,
        })?;
        compressor.set_zstd_form(options.zstd_form);
        let chunk_size = options.bytes_per_checksum;
        let block = BlockBuilder::new(options.encoding, layout, options.compress_tags, chunk_size);
        Ok(Self {
            file,
            path: path.to_owned(),
            layout,
            compressor,
            stored: Vec::new(),
            uncompressed: Vec::new(),
            block,
            block_ends_at: options.block_size_bytes as usize,
            first_key: Vec::new(),
            last_key: Vec::new(),
            last_sequence_id: 0,
            is_plain: options.says_if_plain,
            previous: [None; BLOCK_TYPES],
            leaf: Entries::default(),
            root: Entries::default(),
            mid_key: MidKey::default(),
            bloom,
            family_delete_bloom,
            first_data_block: None,
            last_data_block: None,
            uncompressed_bytes: 0,
            index_bytes: 0,
            counts: CellCounts::new(),
            info: FileInfo::default(),
            meta_blocks: BTreeMap::new(),
            options,
        })
    }

    /// Appends a cell, which must not sort before the last one.
    ///
    /// # Errors
    /// [`HFileError::OutOfOrder`]; [`HFileError::Unencodable`]; [`HFileError::Unwritable`] if the file would lose the cell's tags or sequence id, or
    /// the block would be too large, or the block with the same key has ended; the storage's.
    pub fn append(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<(), HFileError> {
        self.check_fits(cell, sequence_id)?;
        let order = self.order_after_last(cell, sequence_id)?;
        // Equal keys stay in one block, so that a search by key finds the first of them.
        let full = self.block.size() >= self.block_ends_at;
        if full && order != Some(Ordering::Equal) {
            self.end_data_block()?;
        }
        if self.block.is_empty() {
            if order == Some(Ordering::Equal) {
                // Whoever ended the block was told by an index that the next one begins with another key.
                let reason = format!("cell {cell:?} with the key that the block before it ends with");
                return Err(HFileError::Unwritable { path: self.path.clone(), reason });
            }
            self.begin_index_key(cell);
            self.begin_data_block(cell);
        }
        self.block.add(cell, sequence_id);
        self.note(cell, sequence_id);
        Ok(())
    }

    /// How the last cell stands to the next one: before it, or at the same key; `None` for the first.
    fn order_after_last(&self, cell: &Cell<'_>, sequence_id: u64) -> Result<Option<Ordering>, HFileError> {
        if self.counts.entries == 0 {
            return Ok(None);
        }
        let last = Key::from_checked(&self.last_key);
        let order = self.options.order.compare_keys(&last, &Key::of(cell));
        if order == Ordering::Greater || (order == Ordering::Equal && sequence_id > self.last_sequence_id) {
            let show = |key: &[u8]| key.escape_ascii().to_string();
            let (previous, next) = (show(&self.last_key), show(cell.key()));
            return Err(HFileError::OutOfOrder { path: self.path.clone(), previous, next });
        }
        Ok(Some(order))
    }

    /// Notes what the index says of a block that begins with `cell`.
    fn begin_index_key(&mut self, cell: &Cell<'_>) {
        let last = (self.counts.entries > 0).then(|| Key::from_checked(&self.last_key));
        self.first_key.clear();
        write_index_key(&mut self.first_key, self.options.order, last, Key::of(cell));
    }

    /// Counts a cell that was appended.
    fn note(&mut self, cell: &Cell<'_>, sequence_id: u64) {
        self.is_plain = self.is_plain && is_plain_behind(&self.last_key, cell);
        self.last_key.clear();
        self.last_key.extend_from_slice(cell.key());
        self.last_sequence_id = sequence_id;
        self.counts.add(cell, sequence_id);
        if let Some(bloom) = &mut self.bloom {
            bloom.add(cell.row(), cell.qualifier());
        }
        if let Some(bloom) = self.family_delete_bloom.as_mut().filter(|_| deletes_family(cell)) {
            bloom.add(cell.row(), &[]);
        }
    }

    /// Refuses what would be lost or would not fit.
    fn check_fits(&self, cell: &Cell<'_>, sequence_id: u64) -> Result<(), HFileError> {
        let refuse = |what: String| {
            let reason = format!("cell {cell:?} with {what}");
            Err(HFileError::Unwritable { path: self.path.clone(), reason })
        };
        if !self.layout.tags && !cell.tags().is_empty() {
            return refuse("tags, to a file without".into());
        }
        if !self.layout.mvcc && sequence_id != 0 {
            return refuse(format!("sequence id {sequence_id}, to a file without"));
        }
        if i64::try_from(sequence_id).is_err() {
            return refuse(format!("sequence id {sequence_id}, above {}", i64::MAX));
        }
        // Equal keys gather in one block, whatever its size.
        if self.block.size() + cell.bytes().len() > MAX_PAYLOAD_BYTES {
            return refuse(format!("{} bytes, after {}", cell.bytes().len(), self.block.size()));
        }
        if self.options.encoding.is_delta() {
            let refuse = |reason| Err(HFileError::Unencodable { path: self.path.clone(), reason });
            let last = (self.counts.entries > 0).then(|| Key::from_checked(&self.last_key));
            if last.is_some_and(|last| last.family != cell.family()) {
                let encoding = self.options.encoding.name();
                return refuse(format!(
                    "cell {cell:?} with another family than before it, in encoding {encoding}"
                ));
            }
            if self.options.compress_tags && !tag_dictionary::are_well_formed(cell.tags()) {
                return refuse(format!("cell {cell:?} with malformed tags, which cannot be compressed"));
            }
        }
        Ok(())
    }

    /// Bytes in the file so far: what was appended since the last whole block is not among them.
    pub fn written_bytes(&self) -> u64 {
        self.file.len()
    }

    /// About how many bytes of memory the writer takes.
    pub fn memory_bytes(&self) -> usize {
        let blooms = [&self.bloom, &self.family_delete_bloom];
        let blooms: usize = blooms.into_iter().flatten().map(BloomWriter::memory_bytes).sum();
        size_of::<Self>()
            + self.block.memory_bytes()
            + self.stored.capacity()
            + self.uncompressed.capacity()
            + self.leaf.memory_bytes()
            + self.root.memory_bytes()
            + self.file.held_bytes()
            + blooms
    }

    /// Adds an entry to the file info.
    pub fn append_file_info(&mut self, key: &[u8], value: &[u8]) {
        self.info.set(key, value);
    }

    /// Adds a meta block, which is kept in memory until [`HFileWriter::finish`].
    ///
    /// # Errors
    /// [`HFileError::Unwritable`] if it is too large.
    pub fn append_meta_block(&mut self, name: &[u8], content: &[u8]) -> Result<(), HFileError> {
        if content.len() > MAX_PAYLOAD_BYTES {
            let reason = format!("meta block {} of {} bytes", name.escape_ascii(), content.len());
            return Err(HFileError::Unwritable { path: self.path.clone(), reason });
        }
        self.meta_blocks.insert(name.to_vec(), content.to_vec());
        Ok(())
    }

    /// Ends the file and makes it durable. `max_sequence_id`: all edits of the store up to it are in this or older
    /// files.
    ///
    /// # Errors
    /// The storage's.
    pub fn finish(mut self, max_sequence_id: u64) -> Result<FinishedFile, HFileError> {
        self.describe_store_file(max_sequence_id);
        self.end()
    }

    fn end(mut self) -> Result<FinishedFile, HFileError> {
        if !self.block.is_empty() {
            self.end_data_block()?;
        }
        self.end_leaves()?;
        self.write_bloom_chunks(true)?;
        let meta = self.write_meta_blocks()?;
        let levels = self.end_index()?;
        let mut trailer = Trailer::new(self.options.order, self.options.compression);
        let mut payload = Vec::new();
        self.root.write_root(&mut payload);
        if levels > 1 {
            self.mid_key.write(&mut payload);
        }
        self.index_bytes += payload.len() as u64;
        let load_on_open = self.write_block(BlockType::RootIndex, &payload)?;
        payload.clear();
        meta.write_root(&mut payload);
        let meta_root = self.write_block(BlockType::RootIndex, &payload)?;
        self.uncompressed_bytes += meta_root.uncompressed();
        self.describe_cells();
        let info = self.info.encode();
        let file_info = self.write_block(BlockType::FileInfo, &info)?;
        self.uncompressed_bytes += file_info.uncompressed();
        self.write_bloom_metas()?;
        let fields = &mut trailer.fields;
        fields.file_info_offset = Some(file_info.place.offset);
        fields.load_on_open_data_offset = Some(load_on_open.place.offset);
        fields.uncompressed_data_index_size = Some(self.index_bytes);
        fields.total_uncompressed_bytes = Some(self.uncompressed_bytes + TRAILER_SIZE as u64);
        fields.data_index_count = Some(self.root.len() as u32);
        fields.meta_index_count = Some(meta.len() as u32);
        fields.entry_count = Some(self.counts.entries);
        fields.num_data_index_levels = Some(levels);
        fields.first_data_block_offset = Some(self.first_data_block.unwrap_or(u64::MAX));
        fields.last_data_block_offset = Some(self.last_data_block.unwrap_or(u64::MAX));
        let end = self.file.len();
        self.file.append(&trailer.encode()).map_err(|source| self.io("write the trailer", end, source))?;
        let end = self.file.len();
        self.file.sync_data().map_err(|source| self.io("sync", end, source))?;
        Ok(FinishedFile { size_bytes: self.file.len(), entries: self.counts.entries })
    }

    fn begin_data_block(&mut self, first: &Cell<'_>) {
        let payload = (self.options.block_size_bytes as usize * 5 / 4).max(first.bytes().len());
        let memory = if self.compresses() {
            BlockMemory::apart(&mut self.uncompressed, payload)
        } else {
            BlockMemory::of(&mut *self.file, &mut self.stored, payload)
        };
        self.block.begin(memory, first);
    }

    fn end_data_block(&mut self) -> Result<(), HFileError> {
        let block_type = self.data_type();
        let thorough = is_thorough(&self.options, self.block.has_small_records());
        let block = self.block.end();
        self.block_ends_at = self.options.block_size_bytes as usize;
        let written = if self.compresses() {
            self.compressor.set_thorough(thorough);
            let written = self.write_block(block_type, block.payload());
            self.compressor.set_thorough(false);
            self.uncompressed = block.bytes;
            written
        } else {
            let payload = block.payload().len();
            self.seal_and_write(block_type, block, payload)
        };
        self.data_block_written(&written?)
    }

    fn data_type(&self) -> BlockType {
        match self.options.encoding {
            DataBlockEncoding::None => BlockType::Data,
            _ => BlockType::EncodedData,
        }
    }

    fn compresses(&self) -> bool {
        self.compressor.codec() != Compression::None
    }

    fn data_block_written(&mut self, written: &Written) -> Result<(), HFileError> {
        self.uncompressed_bytes += written.uncompressed();
        self.first_data_block.get_or_insert(written.place.offset);
        self.last_data_block = Some(written.place.offset);
        self.leaf.push(written.place, std::mem::take(&mut self.first_key));
        if self.leaf.node_size() >= self.options.index_block_size_bytes {
            self.end_leaf()?;
        }
        self.write_bloom_chunks(false)
    }

    fn write_bloom_chunks(&mut self, at_end: bool) -> Result<(), HFileError> {
        let blooms = [self.bloom.take(), self.family_delete_bloom.take()];
        let [bloom, family_delete] = blooms.map(|bloom| -> Result<_, HFileError> {
            let Some(mut bloom) = bloom else { return Ok(None) };
            for chunk in bloom.take_ready(at_end) {
                let written = self.write_block(BlockType::BloomChunk, &chunk.bits)?;
                self.uncompressed_bytes += written.uncompressed();
                bloom.index.push(written.place, chunk.first_key);
            }
            Ok(Some(bloom))
        });
        self.bloom = bloom?;
        self.family_delete_bloom = family_delete?;
        Ok(())
    }

    /// Writes the meta blocks of the filters that have a key.
    fn write_bloom_metas(&mut self) -> Result<(), HFileError> {
        let metas = [
            (BlockType::GeneralBloomMeta, &self.bloom),
            (BlockType::DeleteFamilyBloomMeta, &self.family_delete_bloom),
        ];
        let payload = |bloom: &BloomWriter| {
            let mut payload = Vec::new();
            bloom.write_meta(&mut payload);
            payload
        };
        let metas = metas.map(|(block_type, bloom)| {
            (block_type, bloom.as_ref().filter(|bloom| !bloom.is_empty()).map(payload))
        });
        for (block_type, payload) in metas {
            if let Some(payload) = payload {
                self.uncompressed_bytes += self.write_block(block_type, &payload)?.uncompressed();
            }
        }
        Ok(())
    }

    fn end_leaf(&mut self) -> Result<(), HFileError> {
        let leaf = std::mem::take(&mut self.leaf);
        let mut payload = Vec::new();
        leaf.write_node(&mut payload);
        let written = self.write_block(BlockType::LeafIndex, &payload)?;
        self.index_bytes += payload.len() as u64;
        self.uncompressed_bytes += written.uncompressed();
        self.mid_key.add(written.place, leaf.len());
        self.root.push(written.place, leaf.first_key());
        Ok(())
    }

    /// If there are leaves, what is left becomes one more; else it will be the root.
    fn end_leaves(&mut self) -> Result<(), HFileError> {
        if self.root.is_empty() || self.leaf.is_empty() { Ok(()) } else { self.end_leaf() }
    }

    /// Writes the meta blocks in order of their names; gives their index.
    fn write_meta_blocks(&mut self) -> Result<Entries, HFileError> {
        let mut index = Entries::default();
        for (name, content) in std::mem::take(&mut self.meta_blocks) {
            let written = self.write_block(BlockType::Meta, &content)?;
            self.uncompressed_bytes += written.uncompressed();
            index.push(written.place, name);
        }
        Ok(index)
    }

    /// Writes what is left of the index above the leaves; gives the number of levels.
    fn end_index(&mut self) -> Result<u32, HFileError> {
        if self.root.is_empty() {
            self.root = std::mem::take(&mut self.leaf);
            return Ok(1);
        }
        let mut levels = 2;
        let (max_size, min_entries) = (self.options.index_block_size_bytes, self.options.min_index_entries);
        while self.root.root_size() > max_size && self.root.len() > min_entries && levels < 16 {
            let mut upper = Entries::default();
            for part in self.root.divide(max_size, min_entries) {
                let mut payload = Vec::new();
                part.write_node(&mut payload);
                let written = self.write_block(BlockType::IntermediateIndex, &payload)?;
                self.index_bytes += payload.len() as u64;
                upper.push(written.place, part.first_key());
            }
            self.root = upper;
            levels += 1;
        }
        Ok(levels)
    }

    fn write_block(&mut self, block_type: BlockType, payload: &[u8]) -> Result<Written, HFileError> {
        let mut block = BlockMemory::of(&mut *self.file, &mut self.stored, payload.len());
        let compressed = self.compressor.compress(payload, &mut block.bytes);
        compressed.map_err(|source| self.io("compress a block", self.file.len(), source))?;
        self.seal_and_write(block_type, block, payload.len())
    }

    /// Writes a block that has no header yet; `payload`: bytes of it before compression.
    fn seal_and_write(
        &mut self,
        block_type: BlockType,
        mut block: BlockMemory,
        payload: usize,
    ) -> Result<Written, HFileError> {
        let offset = self.file.len();
        let previous = self.previous[block_type as usize].replace(offset);
        let (checksum_type, chunk_size) = (self.options.checksum_type, self.options.bytes_per_checksum);
        let start = block.start();
        seal(&mut block.bytes, start, payload, block_type, previous, checksum_type, chunk_size);
        let size = block.block().len() as u32;
        let written = block.append_to(&mut *self.file, &mut self.stored);
        written.map_err(|source| self.io("write a block", offset, source))?;
        Ok(Written { place: BlockRef { offset, size }, payload })
    }

    fn io(&self, what: &'static str, offset: u64, source: std::io::Error) -> HFileError {
        HFileError::Io { path: self.path.clone(), what, offset, source }
    }
}

/// Whether a data block is compressed with more effort, where the codec has a choice. Of small cells most is what repeats
/// from row to row. This file will be read for long, and what was compressed once is kept so.
pub(crate) fn is_thorough(options: &WriterOptions, has_small_records: bool) -> bool {
    options.major_compaction && has_small_records && options.compression == Compression::Snappy
}

/// A block that was written.
struct Written {
    place: BlockRef,
    payload: usize,
}

impl Written {
    /// What it adds to the trailer's sum of uncompressed bytes.
    fn uncompressed(&self) -> u64 {
        (HEADER_SIZE + self.payload) as u64
    }
}
