//! Finds out how a damaged file is written: from its trailer and file info where they are left, else from the blocks.

use super::block_walk::{BlockWalk, SoundBlock};
use super::is_in_order;
use crate::block::{Block, BlockRef};
use crate::block_type::BlockType;
use crate::bloom::BloomType;
use crate::cell_format::CellFormat;
use crate::data_block::CellLayout;
use crate::encoding::DataBlockEncoding;
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use crate::opening::Opening;
use crate::trailer::{BadTrailer, TRAILER_SIZE, Trailer};
use finback_cell::CellOrder;
use finback_compression::{Compression, ZstdForm};

/// So many data blocks are looked at to find out what they have in common, and no more when they have so many bytes.
const SAMPLES: usize = 16;
const SAMPLE_BYTES: u64 = 64 << 20;

const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];

/// How a file is written, as far as it can be told.
pub(super) struct FileFormat {
    pub(super) trailer: Option<Trailer>,
    pub(super) info: Option<FileInfo>,
    pub(super) compression: Compression,
    /// Where that is ZSTD.
    pub(super) zstd_form: ZstdForm,
    pub(super) cells: CellFormat,
    /// Of a data block.
    pub(super) header: crate::stored_block::BlockHeader,
    /// Where the blocks end.
    pub(super) end: u64,
}

impl FileFormat {
    /// `order`: that of the cells, where no trailer says it.
    pub(super) fn find(opening: &Opening, order: CellOrder) -> Result<Self, HFileError> {
        let (trailer, doubt) = match opening.decode_trailer()? {
            Ok(trailer) => (Some(trailer), None),
            Err(BadTrailer::Corrupt(..)) => (None, None),
            Err(bad @ BadTrailer::OfOldVersion) => return Err(opening.bad_trailer(bad)),
            Err(bad @ BadTrailer::Unsupported(_)) => (None, Some(opening.bad_trailer(bad))),
        };
        let found = Self::of_blocks(opening, trailer, order);
        match (found, doubt) {
            // What is not known about the file is in the trailer alone: its blocks are read without.
            (Ok((format, samples)), Some(doubt)) if !format.fits(opening, &samples) => Err(doubt),
            (Err(HFileError::Corrupt { .. } | HFileError::Unsupported { .. }), Some(doubt)) => Err(doubt),
            (found, _) => found.map(|(format, _)| format),
        }
    }

    /// Also the data blocks that were looked at.
    fn of_blocks(
        opening: &Opening,
        trailer: Option<Trailer>,
        order: CellOrder,
    ) -> Result<(Self, Vec<Block>), HFileError> {
        let trailer_bytes = if trailer.is_some() { TRAILER_SIZE as u64 } else { 0 };
        let end = opening.size_bytes - trailer_bytes;
        let samples = samples(opening, end)?;
        let Some(first) = samples.first() else {
            return Err(opening.corrupt("file", 0, "a data block that verifies", "none"));
        };
        let (header, zstd_form) = (first.header, ZstdForm::of_stream(first.payload()));
        let stated = trailer.as_ref().map(|trailer| trailer.compression);
        let (compression, samples) = decompressed(opening, samples, stated)?;
        let info = find_file_info(opening, trailer.as_ref(), end, compression)?;
        let order = trailer.as_ref().map_or(order, |trailer| trailer.order);
        let cells = match &info {
            Some(info) => CellFormat::of(info, opening.encoding(info)?, order),
            None => probe(opening, &samples, order)?,
        };
        Ok((Self { trailer, info, compression, zstd_form, cells, header, end }, samples))
    }

    fn fits(&self, opening: &Opening, samples: &[Block]) -> bool {
        samples.iter().all(|sample| fits(opening, self.cells, sample))
    }

    /// What the keys of the Bloom filter are.
    pub(super) fn bloom_type(&self) -> Option<BloomType> {
        let info = self.info.as_ref()?;
        BloomType::from_name(info.get(keys::BLOOM_FILTER_TYPE)?, info.int(keys::BLOOM_FILTER_PARAM))
    }
}

/// The first data blocks that verify.
fn samples(opening: &Opening, end: u64) -> Result<Vec<SoundBlock>, HFileError> {
    let mut walk = BlockWalk::new(&*opening.file, &opening.path, end, None);
    let (mut samples, mut bytes) = (Vec::new(), 0);
    while samples.len() < SAMPLES
        && bytes < SAMPLE_BYTES
        && let Some(block) = walk.next()?
    {
        if block.is_data() {
            bytes += u64::from(block.place.size);
            samples.push(block);
        }
    }
    Ok(samples)
}

/// The codec that all of them decompress with, which is likely the one that is `stated`; and what they are then.
fn decompressed(
    opening: &Opening,
    samples: Vec<SoundBlock>,
    stated: Option<Compression>,
) -> Result<(Compression, Vec<Block>), HFileError> {
    for codec in stated.into_iter().chain(CODECS) {
        let block = |sample: &SoundBlock| {
            Block::verify(&opening.path, sample.place, sample.bytes.clone(), codec).ok()
        };
        if let Some(blocks) = samples.iter().map(block).collect::<Option<Vec<_>>>() {
            return Ok((codec, blocks));
        }
    }
    Err(opening.corrupt("file", 0, "blocks of a codec that is known", "others"))
}

/// The file info, from where the trailer says; else what lies where one does: behind it are Bloom filters' blocks, and then the
/// end.
fn find_file_info(
    opening: &Opening,
    trailer: Option<&Trailer>,
    end: u64,
    compression: Compression,
) -> Result<Option<FileInfo>, HFileError> {
    let decoded = |block: SoundBlock| {
        let block = Block::verify(&opening.path, block.place, block.bytes, compression).ok()?;
        FileInfo::decode(block.payload()).ok()
    };
    let mut walk = BlockWalk::new(&*opening.file, &opening.path, end, None);
    if let Some(trailer) = trailer {
        let at = walk.block_at(trailer.fields.file_info_offset())?;
        let info = at.filter(|block| block.header.block_type == BlockType::FileInfo).and_then(decoded);
        if info.is_some() {
            return Ok(info);
        }
    }
    let mut last: Option<(SoundBlock, u64)> = None;
    while let Some(block) = walk.next()? {
        let next = block.end();
        match block.header.block_type {
            BlockType::FileInfo => last = Some((block, next)),
            BlockType::GeneralBloomMeta | BlockType::DeleteFamilyBloomMeta => {
                last = last.filter(|(_, behind)| *behind == block.place.offset).map(|(info, _)| (info, next));
            }
            _ => last = None,
        }
    }
    // Without its trailer the file ends there, or behind what was a trailer.
    let trailer_bytes = opening.size_bytes - end;
    let is_at_the_end = |behind: u64| {
        behind == end || (trailer_bytes == 0 && behind + TRAILER_SIZE as u64 == opening.size_bytes)
    };
    Ok(last.filter(|(_, behind)| is_at_the_end(*behind)).and_then(|(block, _)| decoded(block)))
}

/// The format in which all samples have cells, in order. There is one: what each cell carries decides where the next begins.
fn probe(opening: &Opening, samples: &[Block], order: CellOrder) -> Result<CellFormat, HFileError> {
    let unknown = |found: &str| opening.corrupt("file", 0, "cells of a format that can be told", found);
    let encoding = encoding_of(&samples[0]).ok_or_else(|| unknown("an unknown encoding"))?;
    let mut formats = Vec::new();
    for (tags, mvcc, tags_compressed) in
        [(false, false), (false, true), (true, false), (true, true)].into_iter().flat_map(|(tags, mvcc)| {
            // Tags that are compressed are tried first: where no sample has any, both will do, and HBase compresses them.
            [(tags, mvcc, true), (tags, mvcc, false)]
        })
    {
        let layout = CellLayout { tags, mvcc };
        let format = CellFormat { layout, encoding, tags_compressed, order };
        let is_known = formats.iter().any(|known: &CellFormat| known.layout == layout);
        if !is_known && samples.iter().all(|sample| fits(opening, format, sample)) {
            formats.push(format);
        }
    }
    match formats[..] {
        [format] => Ok(format),
        [] => Err(unknown("none")),
        _ => Err(unknown("several")),
    }
}

fn encoding_of(block: &Block) -> Option<DataBlockEncoding> {
    match block.block_type() {
        BlockType::Data => Some(DataBlockEncoding::None),
        _ => DataBlockEncoding::from_id(u16::from_be_bytes(*block.payload().first_chunk()?)),
    }
}

fn fits(opening: &Opening, format: CellFormat, sample: &Block) -> bool {
    let found = format.find_cells(&opening.path, sample.copy());
    found.is_ok_and(|block| is_in_order(&block, format.order, None))
}

/// The data block at `place`, decompressed and decoded; none if it is none after all.
pub(super) fn cells_of(opening: &Opening, format: &FileFormat, block: SoundBlock) -> Option<Block> {
    let SoundBlock { place, bytes, .. } = block;
    let place: BlockRef = place;
    let block = Block::verify(&opening.path, place, bytes, format.compression).ok()?;
    format.cells.find_cells(&opening.path, block).ok()
}
