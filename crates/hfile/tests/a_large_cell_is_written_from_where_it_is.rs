//! A large cell that is alone with its key is written without a copy, and the file is byte for byte what it is with one.

use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellType};
use finback_compression::Compression;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::testing::reader_of;
use finback_hfile::{
    ChecksumType, DataBlockEncoding, FileId, HFileScanner, HFileWriter, OWN_BLOCK_BYTES, WriterOptions,
    read_through,
};
use std::path::Path;

const PATH: &str = "/f";

/// Cells around the size that matters, some with tags, each with another key.
fn cells(tags: bool) -> Vec<Vec<u8>> {
    let sizes =
        [3, OWN_BLOCK_BYTES, 5, OWN_BLOCK_BYTES + 16_351, OWN_BLOCK_BYTES - 100, 2 * OWN_BLOCK_BYTES, 1];
    let cell = |(number, size): (usize, usize)| {
        let value: Vec<u8> = (0..size).map(|at| (at * 7 + at / 251 + number) as u8).collect();
        let parts = CellParts {
            row: b"row",
            family: b"f",
            qualifier: &[number as u8],
            timestamp: 1,
            type_code: CellType::Put.code(),
            value: &value,
            tags: if tags && number % 2 == 1 { &[0, 3, 99, 1, 2] } else { b"" },
        };
        parts.to_vec()
    };
    sizes.into_iter().enumerate().map(cell).collect()
}

type Append = fn(&mut HFileWriter, &Cell<'_>, u64) -> Result<(), finback_hfile::HFileError>;

fn file_of(options: &WriterOptions, cells: &[Vec<u8>], append: Append) -> (MemFileSystem, Vec<u8>) {
    let fs = MemFileSystem::default();
    let path = Path::new(PATH);
    let mut writer = HFileWriter::new(fs.create_new(path).unwrap(), path, options.clone()).unwrap();
    for (number, cell) in cells.iter().enumerate() {
        let sequence_id = if options.include_mvcc { 1 << (8 * number) } else { 0 };
        append(&mut writer, &Cell::parse(cell).unwrap(), sequence_id).unwrap();
    }
    writer.finish(9).unwrap();
    let file = fs.open(path).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    (fs, bytes)
}

#[test]
fn and_the_file_is_the_same() {
    for (include_tags, include_mvcc) in [(false, false), (true, false), (false, true), (true, true)] {
        for (checksum_type, bytes_per_checksum) in
            [(ChecksumType::Crc32c, 16 << 10), (ChecksumType::Crc32, 33), (ChecksumType::Null, 3 << 20)]
        {
            // Each cell ends its block.
            let options = WriterOptions {
                block_size_bytes: 1,
                include_tags,
                include_mvcc,
                checksum_type,
                bytes_per_checksum,
                ..WriterOptions::default()
            };
            let cells = cells(include_tags);
            let (_, copied) = file_of(&options, &cells, HFileWriter::append);
            let (_, alone) = file_of(&options, &cells, HFileWriter::append_alone);
            assert!(copied == alone, "{options:?}");
        }
    }
}

#[test]
fn and_is_read_back_beside_small_ones_whatever_the_file_does_with_its_blocks() {
    let plain = (DataBlockEncoding::None, Compression::None);
    for ((encoding, compression), from) in [
        (plain, 0),
        (plain, 1), // the first one is large
        ((DataBlockEncoding::FastDiff, Compression::None), 1),
        ((DataBlockEncoding::None, Compression::Snappy), 0),
    ] {
        let options = WriterOptions { encoding, compression, ..WriterOptions::default() };
        let cells = cells(false).split_off(from);
        let (fs, _) = file_of(&options, &cells, HFileWriter::append_alone);
        let reader = reader_of(fs.open(Path::new(PATH)).unwrap(), FileId(1));
        let first_key = reader.first_key().map(<[u8]>::to_vec);
        let mut scanner = HFileScanner::new(reader, None, false);
        read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
        assert_eq!(first_key.as_deref(), Some(scanner.peek().unwrap().0.key()));
        for cell in &cells {
            assert!(scanner.peek().unwrap().0.bytes() == cell);
            assert!(scanner.next_has_another_key());
            read_through(&mut scanner, HFileScanner::advance).unwrap();
        }
        assert!(scanner.peek().is_none());
    }
}

#[test]
fn cells_of_one_key_stay_in_one_block() {
    let large = &cells(false)[1];
    let fs = MemFileSystem::default();
    let path = Path::new(PATH);
    let options = WriterOptions { include_mvcc: true, ..WriterOptions::default() };
    let mut writer = HFileWriter::new(fs.create_new(path).unwrap(), path, options).unwrap();
    let cell = Cell::parse(large).unwrap();
    writer.append(&cell, 3).unwrap();
    // The last of several is alone with those that come, not with those before.
    writer.append_alone(&cell, 2).unwrap();
    writer.finish(3).unwrap();
    let mut scanner = HFileScanner::new(reader_of(fs.open(path).unwrap(), FileId(1)), None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::of(&cell))).unwrap();
    assert_eq!(scanner.peek().unwrap().1, 3, "a search finds the first");
    assert!(!scanner.next_has_another_key());
    read_through(&mut scanner, HFileScanner::advance).unwrap();
    assert!(scanner.next_has_another_key(), "there is none");
    assert!(scanner.data_block_bytes() > 2 * large.len());
}
