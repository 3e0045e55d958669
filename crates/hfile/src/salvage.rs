//! What is left of a damaged file: the cells of every data block that verifies, read without the index, and written into a
//! new file of the same settings.

mod block_walk;
mod format_search;

use crate::block::Block;
use crate::block_type::BlockType;
use crate::bloom_writer::BloomOptions;
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::opening::Opening;
use crate::reader::HFileReader;
use crate::writer::HFileWriter;
use crate::writer_options::WriterOptions;
use block_walk::{BlockWalk, Gap, SoundBlock};
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};
use finback_fs::{RandomAccessFile, WritableFile};
use format_search::{FileFormat, cells_of};
use std::path::Path;
use std::sync::Arc;

/// So many losses of a file are told; others are counted.
const MOST_LOSSES: usize = 20;

/// A stretch of a file whose cells are lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Where the damage begins, in bytes.
    pub offset: u64,
    /// Bytes that verify no more.
    pub bytes: u64,
    /// Row of the last cell before it; none at the beginning of the file.
    pub after: Option<Vec<u8>>,
    /// Row of the first cell behind it; none at the end of the file.
    pub before: Option<Vec<u8>>,
}

/// What is left of a file, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Data blocks that verify.
    pub blocks: u64,
    /// Cells in them.
    pub cells: u64,
    /// Where cells are lost, in order.
    pub losses: Vec<Loss>,
    /// How many more such stretches there are.
    pub untold_losses: u64,
    /// Bytes of all of them.
    pub lost_bytes: u64,
    /// How many cells are lost, if the trailer is left, which counts them.
    pub lost_cells: Option<u64>,
    /// Whether the file info is lost: the highest sequence id, what a bulk load noted, and the like.
    pub lacks_file_info: bool,
    /// Meta blocks that are lost.
    pub lost_meta_blocks: u64,
    /// Whether it was ended before the end.
    pub was_interrupted: bool,
}

impl Salvaged {
    /// Whether nothing is lost.
    pub fn is_whole(&self) -> bool {
        self.losses.is_empty() && !self.lacks_file_info && self.lost_meta_blocks == 0 && !self.was_interrupted
    }

    fn note(&mut self, loss: Loss) {
        self.lost_bytes += loss.bytes;
        if self.losses.len() < MOST_LOSSES {
            self.losses.push(loss);
        } else {
            self.untold_losses += 1;
        }
    }
}

/// What the settings of a file's family say that the file itself does not.
#[derive(Clone, Copy, Debug)]
pub struct FamilySettings {
    /// Size at which a data block ends, in bytes (BLOCKSIZE).
    pub block_size_bytes: u32,
    /// The Bloom filter of a file that has lost its file info.
    pub bloom: Option<crate::bloom::BloomType>,
}

/// A damaged file, of which is known how it is written.
pub struct DamagedFile {
    opening: Opening,
    format: FileFormat,
    /// Name and content of the meta blocks, where the index of them is left.
    meta_blocks: Option<Vec<(Vec<u8>, Vec<u8>)>>,
}

impl DamagedFile {
    /// Finds out how a file is written. `order`: that of its cells, where it does not say so itself.
    ///
    /// # Errors
    /// [`HFileError::Corrupt`] if no data block is left, or nothing tells how cells are stored; [`HFileError::Unsupported`]
    /// for a file that is not damaged, but of a kind that is not read: where only the trailer says so, and the blocks can
    /// be read all the same, it is the trailer that is damaged; the storage's.
    pub fn open(file: Arc<dyn RandomAccessFile>, path: &Path, order: CellOrder) -> Result<Self, HFileError> {
        let meta_blocks = HFileReader::open_to_inspect(Arc::clone(&file), path).ok().and_then(meta_blocks);
        let opening = Opening::new(file, path)?;
        let format = FileFormat::find(&opening, order)?;
        Ok(Self { opening, format, meta_blocks })
    }

    /// Goes through all cells that are left, in order. `watch` is told how many bytes of the file are done, and says
    /// whether to go on.
    ///
    /// # Errors
    /// The storage's; what `cell` answers.
    pub fn cells(
        &self,
        cell: &mut dyn FnMut(&Cell<'_>, u64) -> Result<(), HFileError>,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Salvaged, HFileError> {
        let mut pass = Pass::new(self);
        while let Some(found) = pass.walk.next()? {
            match found.header.block_type {
                _ if found.is_data() => pass.data_block(found, cell)?,
                BlockType::Meta if self.meta_blocks.is_none() => pass.found.lost_meta_blocks += 1,
                _ => {}
            }
            if !watch(pass.walk.position()) {
                pass.found.was_interrupted = true;
                return Ok(pass.found);
            }
        }
        Ok(pass.finish())
    }

    /// Writes all cells that are left into a new file, with the settings and the file info of this one.
    ///
    /// # Errors
    /// The storage's.
    pub fn write_sound(
        &self,
        file: Box<dyn WritableFile>,
        path: &Path,
        family: FamilySettings,
        watch: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Salvaged, HFileError> {
        let mut writer = HFileWriter::new(file, path, self.writer_options(family))?;
        let mut newest = 0;
        let salvaged = self.cells(
            &mut |cell, sequence_id| {
                newest = newest.max(sequence_id);
                writer.append(cell, sequence_id)
            },
            watch,
        )?;
        for (name, content) in self.meta_blocks.iter().flatten() {
            writer.append_meta_block(name, content)?;
        }
        match &self.format.info {
            Some(info) => writer.finish_as(info)?,
            None => writer.finish(newest)?,
        };
        Ok(salvaged)
    }

    fn writer_options(&self, family: FamilySettings) -> WriterOptions {
        let FileFormat { cells, compression, zstd_form, header, info, .. } = &self.format;
        let filter = if info.is_some() { self.format.bloom_type() } else { family.bloom };
        let created = info.as_ref().and_then(|info| info.long(keys::CREATE_TIME));
        WriterOptions {
            order: cells.order,
            block_size_bytes: family.block_size_bytes,
            include_tags: cells.layout.tags,
            include_mvcc: cells.layout.mvcc,
            encoding: cells.encoding,
            compress_tags: cells.tags_compressed,
            bloom: BloomOptions { filter, family_delete: true, ..BloomOptions::default() },
            compression: *compression,
            zstd_form: *zstd_form,
            checksum_type: header.checksum_type,
            bytes_per_checksum: header.bytes_per_checksum as usize,
            create_time_ms: created.unwrap_or_default(),
            says_if_plain: info.as_ref().is_some_and(|info| info.get(keys::PLAIN).is_some()),
            ..WriterOptions::default()
        }
    }

    /// Whether the cells end at the block at `offset`, whose last cell has this key.
    fn ends_at(&self, offset: u64, last: &LastCell) -> bool {
        let of_trailer =
            |trailer: &crate::trailer::Trailer| trailer.fields.last_data_block_offset == Some(offset);
        let of_info = |info: &FileInfo| info.get(keys::LAST_KEY) == Some(&last.key);
        self.format.trailer.as_ref().is_some_and(of_trailer) || self.format.info.as_ref().is_some_and(of_info)
    }
}

/// None if not all of them can be read.
fn meta_blocks(reader: Arc<HFileReader>) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
    let block = |name: &[u8]| Some((name.to_vec(), reader.meta_block(name).ok()??.payload().to_vec()));
    reader.meta_block_names().map(block).collect()
}

/// The last cell that was taken.
struct LastCell {
    key: Vec<u8>,
    sequence_id: u64,
}

/// One way through the cells.
struct Pass<'a> {
    damaged: &'a DamagedFile,
    walk: BlockWalk<'a>,
    found: Salvaged,
    last: Option<LastCell>,
    /// Where the last data block is whose cells were taken.
    last_offset: Option<u64>,
    /// What was found behind it that has no cells.
    gap: Gap,
}

impl<'a> Pass<'a> {
    fn new(damaged: &'a DamagedFile) -> Self {
        let (opening, format) = (&damaged.opening, &damaged.format);
        let found = Salvaged { lacks_file_info: format.info.is_none(), ..Salvaged::default() };
        let very_last_data = format.trailer.as_ref().map(|trailer| trailer.fields.last_data_block_offset());
        let walk = BlockWalk::new(&*opening.file, &opening.path, format.end, very_last_data);
        Self { damaged, walk, found, last: None, last_offset: None, gap: Gap::default() }
    }

    fn data_block(
        &mut self,
        found: SoundBlock,
        sink: &mut dyn FnMut(&Cell<'_>, u64) -> Result<(), HFileError>,
    ) -> Result<(), HFileError> {
        let (place, previous, gap, refused) =
            (found.place, found.header.previous, found.gap, found.as_a_gap());
        let DamagedFile { opening, format, .. } = self.damaged;
        let block = cells_of(opening, format, found);
        let block = block.filter(|block| is_in_order(block, format.cells.order, self.last.as_ref()));
        let Some((block, cells)) = block.as_ref().and_then(|block| Some((block, block.cells.as_ref()?)))
        else {
            // Its checksums hold, and it is no block of this file's cells.
            self.gap = self.gap.and(refused);
            return Ok(());
        };
        self.gap = self.gap.and(gap);
        if self.last_offset.map_or(-1, |offset| offset as i64) != previous {
            let before = cells.get(block.payload(), 0).map(|(cell, _)| cell.row().to_vec());
            self.lose(before);
        }
        for number in 0..cells.len() {
            let Some((cell, sequence_id)) = cells.get(block.payload(), number) else { break };
            sink(&cell, sequence_id)?;
            if number + 1 == cells.len() {
                self.last = Some(LastCell { key: cell.key().to_vec(), sequence_id });
            }
        }
        self.found.blocks += 1;
        self.found.cells += cells.len() as u64;
        (self.last_offset, self.gap) = (Some(place.offset), Gap::default());
        Ok(())
    }

    fn lose(&mut self, before: Option<Vec<u8>>) {
        let after = self.last.as_ref().map(|last| Key::from_checked(&last.key).row.to_vec());
        let Gap { at, bytes } = self.gap;
        self.found.note(Loss { offset: at.unwrap_or(self.walk.position()), bytes, after, before });
    }

    fn finish(mut self) -> Salvaged {
        self.gap = self.gap.and(self.walk.last_gap());
        let is_end = |(offset, last): (u64, &LastCell)| self.damaged.ends_at(offset, last);
        if !self.last_offset.zip(self.last.as_ref()).is_some_and(is_end) {
            self.lose(None);
        }
        let stated = self.damaged.format.trailer.as_ref().map(|trailer| trailer.fields.entry_count());
        self.found.lost_cells = stated.and_then(|stated| stated.checked_sub(self.found.cells));
        self.found
    }
}

/// Whether the cells of a block are in order, and behind `last`.
fn is_in_order(block: &Block, order: CellOrder, last: Option<&LastCell>) -> bool {
    let Some(cells) = block.cells.as_ref() else { return false };
    let mut previous: Option<(&[u8], u64)> = last.map(|last| (&last.key[..], last.sequence_id));
    for number in 0..cells.len() {
        let Some((cell, sequence_id)) = cells.get(block.payload(), number) else { return false };
        let follows = |(key, before): (&[u8], u64)| match order.compare_flat_to_key(key, &Key::of(&cell)) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => before >= sequence_id,
            std::cmp::Ordering::Greater => false,
        };
        if !previous.is_none_or(follows) {
            return false;
        }
        previous = Some((cell.key(), sequence_id));
    }
    true
}
