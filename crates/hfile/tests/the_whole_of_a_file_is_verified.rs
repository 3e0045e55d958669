//! Verification of whole files: HBase's and ours are sound; of a damaged one the damage is named with its block.

mod files;
mod golden;

use files::{Stored, write};
use finback_cell::cell::CellParts;
use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_hfile::testing::without_checksum_of_trailer;
use finback_hfile::{
    BloomOptions, BloomType, Compression, DataBlockEncoding, HFileError, RowBounds, Verification,
    WriterOptions, verify,
};
use std::path::Path;

fn small_blocks() -> WriterOptions {
    WriterOptions {
        block_size_bytes: 150,
        index_block_size_bytes: 150,
        min_index_entries: 2,
        bytes_per_checksum: 100,
        bloom: BloomOptions {
            filter: Some(BloomType::RowColumn),
            family_delete: true,
            chunk_size_bytes: 8,
            max_fold: 2,
            ..BloomOptions::default()
        },
        ..WriterOptions::default()
    }
}

/// Two cells a row; every third row has a marker that deletes the family.
fn cells() -> Vec<Stored> {
    let cell = |number: u8| {
        let deletes = number.is_multiple_of(6);
        let parts = CellParts {
            row: &[b'r', number / 2],
            family: b"cf",
            qualifier: if deletes { b"" } else { b"q" },
            timestamp: 5 - i64::from(number % 2),
            type_code: if deletes { 14 } else { 4 },
            value: &vec![b'v'; usize::from(number) % 30],
            tags: &[],
        };
        Stored::new(&parts, number.into())
    };
    (0..40).map(cell).collect()
}

fn verified_within(bytes: &[u8], bounds: RowBounds<'_>) -> Verification {
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(bytes).unwrap();
    verify(fs.open(path).unwrap(), path, bounds, &mut |_| true)
}

fn verified(bytes: &[u8]) -> Verification {
    verified_within(bytes, RowBounds::default())
}

#[test]
fn what_hbase_wrote_is_sound() {
    for name in golden::READABLE {
        let path = golden::path(name);
        let file = LocalFileSystem.open(&path).unwrap();
        let length = file.len().unwrap();
        let mut done = 0;
        let found = verify(file, &path, RowBounds::default(), &mut |bytes| {
            assert!(bytes > done && bytes <= length);
            done = bytes;
            true
        });
        assert!(found.is_sound(), "{name}: {:#?}", found.problems);
        assert_eq!(found.bytes, length);
        assert_eq!(found.cells == 0, name == "empty");
    }
}

#[test]
fn what_is_written_here_is_sound() {
    for encoding in files::ENCODINGS {
        for (compression, bloom) in [
            (Compression::None, Some(BloomType::Row)),
            (Compression::Gz, Some(BloomType::RowPrefix(1))),
            (Compression::Snappy, Some(BloomType::RowColumn)),
            (Compression::Zstd, None),
        ] {
            let mut options = WriterOptions { encoding, compression, ..small_blocks() };
            options.bloom.filter = bloom;
            let found = verified(&write(&cells(), options));
            assert!(found.is_sound(), "{encoding:?} {compression:?}: {:#?}", found.problems);
            assert_eq!(found.cells, 40);
        }
    }
    assert!(verified(&write(&[], small_blocks())).is_sound());
}

/// The places of the problems.
fn offsets(found: &Verification) -> Vec<u64> {
    let offset = |problem: &HFileError| match problem {
        HFileError::Corrupt { offset, .. } => *offset,
        other => panic!("{other}"),
    };
    found.problems.iter().map(offset).collect()
}

#[test]
fn every_byte_that_is_flipped_is_found_and_named_with_its_block() {
    let bytes = write(&cells(), WriterOptions { encoding: DataBlockEncoding::Prefix, ..small_blocks() });
    let body = bytes.len() - 4096;
    for at in 0..body {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let found = verified(&damaged);
        assert!(!found.is_sound(), "byte {at}");
        let offsets = offsets(&found);
        let is_near = |offset: &u64| *offset <= at as u64 && at as u64 - offset < 1000;
        assert!(offsets.iter().any(is_near), "byte {at}: {offsets:?}");
        assert!(found.problems.iter().all(|problem| problem.to_string().starts_with("/file: corrupt ")));
    }
}

#[test]
fn a_file_with_several_damages_is_looked_at_to_its_end() {
    let options = WriterOptions { bloom: BloomOptions::default(), ..small_blocks() };
    let cells: Vec<Stored> = (0..200u8).map(|row| files::put(&[b'r', row], b"q", 1, 20)).collect();
    let bytes = write(&cells, options);
    let data: Vec<usize> = (0..bytes.len() - 8).filter(|&at| bytes[at..].starts_with(b"DATABLK*")).collect();
    assert!(data.len() > 20, "{data:?}");
    let mut damaged = bytes.clone();
    // Two cells; a length, behind which nobody knows where the next block is; the magic of a block.
    for at in [data[0] + 50, data[2] + 60, data[5] + 9, data[9]] {
        damaged[at] ^= 0x55;
    }
    let found = verified(&damaged);
    let offsets = offsets(&found);
    for block in [data[0], data[2], data[5], data[9]] {
        assert_eq!(offsets.iter().filter(|&&offset| offset == block as u64).count(), 1, "{offsets:?}");
    }
    assert_eq!(offsets.len(), 4, "{:#?}", found.problems);
    // Four rows a block are missing, and whatever else is in the gaps behind the damaged headers.
    assert!(found.cells >= 200 - 4 * 5 && found.cells < 200, "{} cells", found.cells);
}

#[test]
fn cut_files_and_no_files_end_in_problems() {
    let bytes = write(&cells(), small_blocks());
    for length in (0..bytes.len()).step_by(97) {
        let found = verified(&bytes[..length]);
        assert!(!found.is_sound(), "{length} bytes");
    }
    assert!(!verified(b"no file of HBase's").is_sound());
}

#[test]
fn rows_outside_of_the_region_are_told() {
    let bytes = write(&cells(), small_blocks());
    assert!(verified_within(&bytes, RowBounds { start: b"r\x00", end: b"r\x14" }).is_sound());
    for (start, end) in [(&b"r\x01"[..], &b""[..]), (b"", b"r\x13")] {
        let found = verified_within(&bytes, RowBounds { start, end });
        let message = found.problems[0].to_string();
        assert!(message.contains("expected rows from"), "{message}");
    }
}

/// Those of `bits` that can be flipped and nothing is found.
fn unseen_flips(bytes: &[u8], bits: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut bytes = bytes.to_vec();
    let mut unseen = Vec::new();
    for bit in bits {
        bytes[bit / 8] ^= 1 << (bit % 8);
        if verified(&bytes).is_sound() {
            unseen.push(bit);
        }
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    unseen
}

#[test]
fn every_bit_that_is_flipped_in_the_trailer_is_found() {
    let bytes = write(&cells(), small_blocks());
    let body = bytes.len() - 4096;
    assert_eq!(unseen_flips(&bytes, 8 * body..8 * bytes.len()), Vec::<usize>::new());
}

/// As HBase's have none.
#[test]
fn a_trailer_without_checksum_that_lies_is_told() {
    // Tags, sequence ids and the like are consistent, and one cell more is in the file than the trailer says.
    let bytes = without_checksum_of_trailer(&write(&cells(), small_blocks()));
    assert!(verified(&bytes).is_sound());
    let body = bytes.len() - 4096;
    let unseen = unseen_flips(&bytes, (body..body + 80).map(|at| 8 * at));
    // What nobody goes by: how many bytes all would be without compression, and the index.
    assert!(unseen.len() <= 6, "{unseen:?}");
}

#[test]
fn a_watcher_ends_it() {
    let bytes = write(&cells(), small_blocks());
    let (fs, path) = (MemFileSystem::default(), Path::new("/file"));
    fs.create_new(path).unwrap().append(&bytes).unwrap();
    let mut calls = 0;
    let found = verify(fs.open(path).unwrap(), path, RowBounds::default(), &mut |_| {
        calls += 1;
        calls < 3
    });
    assert!(found.was_interrupted && !found.is_sound() && found.problems.is_empty());
    assert_eq!((calls, found.blocks), (3, 3));
}
