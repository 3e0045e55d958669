//! Store files for tests, those of the crates above this one included (feature `testing`). What cannot be is a panic.

use crate::reader::{FileId, HFileReader};
use crate::stored_block::StoredBlock;
use crate::trailer::{CHECKSUM_SIZE, MAGIC, MARK, TRAILER_SIZE, VERSION_SIZE};
use crate::writer::HFileWriter;
use crate::writer_options::WriterOptions;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};
use finback_fs::{FileSystem, MemFileSystem, RandomAccessFile};
use finback_proto::delimited;
use std::path::Path;
use std::sync::Arc;

/// Where files in memory lie.
const PATH: &str = "/f";

/// Writes a file in which each of `rows`, ascending numbers of four bytes, has one put of `value` in `f:`, with timestamp
/// 1 and the last byte of its row as sequence id.
pub fn write_rows(
    fs: &dyn FileSystem,
    path: &Path,
    options: WriterOptions,
    rows: impl IntoIterator<Item = u32>,
    value: &[u8],
) {
    let file = fs.create_new(path).expect("no such file yet");
    let mut writer = HFileWriter::new(file, path, options).expect("options that can be met");
    for row in rows {
        let row = row.to_be_bytes();
        let parts = CellParts {
            row: &row,
            family: b"f",
            qualifier: b"",
            timestamp: 1,
            type_code: CellType::Put.code(),
            value,
            tags: b"",
        };
        let cell = parts.to_vec();
        writer.append(&Cell::parse(&cell).expect("a cell"), u64::from(row[3])).expect("rows that ascend");
    }
    writer.finish(1).expect("a file");
}

/// The file of [`write_rows`] in memory.
pub fn file_of_rows(
    options: WriterOptions,
    rows: impl IntoIterator<Item = u32>,
    value: &[u8],
) -> Arc<dyn RandomAccessFile> {
    let fs = MemFileSystem::default();
    write_rows(&fs, Path::new(PATH), options, rows, value);
    fs.open(Path::new(PATH)).expect("the file")
}

/// The same, open.
pub fn reader_of(file: Arc<dyn RandomAccessFile>, id: FileId) -> Arc<HFileReader> {
    HFileReader::open(file, Path::new(PATH), id).expect("a store file")
}

/// All blocks of a file, one after the other: of the index, of Bloom filters, and what is read at opening, too.
pub fn stored_blocks(file: &HFileReader) -> impl Iterator<Item = StoredBlock> {
    let end = file.trailer_offset();
    let at = move |offset: u64| (offset < end).then(|| file.stored_block(offset).expect("a block"));
    std::iter::successors(at(0), move |block| at(block.place.offset + u64::from(block.place.size)))
}

/// A file of ours as HBase would have written it: without the checksum of the trailer, and with all other bytes.
pub fn without_checksum_of_trailer(file: &[u8]) -> Vec<u8> {
    let (blocks, trailer) = file.split_at(file.len() - TRAILER_SIZE);
    let (trailer, version) = trailer.split_at(TRAILER_SIZE - VERSION_SIZE);
    let (length, fields_at) = delimited::read_length(trailer, MAGIC.len()).expect("a length");
    let (fields, padding) = trailer[fields_at..].split_at(length);
    let fields = fields.strip_prefix(MARK).expect("a trailer of ours");
    let fields = &fields[CHECKSUM_SIZE..];
    let mut out = [blocks, &trailer[..MAGIC.len()]].concat();
    delimited::write_length(fields.len(), &mut out);
    out.extend_from_slice(fields);
    out.extend_from_slice(padding);
    out.resize(file.len() - VERSION_SIZE, 0);
    out.extend_from_slice(version);
    out
}
