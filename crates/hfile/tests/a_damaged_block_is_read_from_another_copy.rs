//! A storage with two copies: one that is damaged is not the end, as long as the other is sound.

mod files;

use std::path::Path;
use std::sync::Arc;

use files::{Stored, put};
use finback_fs::{Faults, FaultyFileSystem, FileSystem, MemFileSystem};
use finback_hfile::{
    BlockRef, BloomOptions, BloomProbe, BloomType, FileId, HFileError, HFileReader, WriterOptions,
};

const NAME: &str = "file";

fn cells() -> Vec<Stored> {
    (0..40).map(|number| put(format!("row{number:02}").as_bytes(), b"q", 5, 60)).collect()
}

/// A file of several blocks, index levels and chunks of a Bloom filter, its faults, and its bytes.
fn stored() -> (FaultyFileSystem, Vec<u8>) {
    let bloom = BloomOptions { filter: Some(BloomType::Row), chunk_size_bytes: 8, ..BloomOptions::default() };
    let options = WriterOptions {
        block_size_bytes: 500,
        index_block_size_bytes: 100,
        min_index_entries: 2,
        bloom,
        ..WriterOptions::default()
    };
    let bytes = files::write(&cells(), options);
    let fs = FaultyFileSystem::new(Arc::new(MemFileSystem::default()));
    fs.create_new(Path::new(NAME)).unwrap().append(&bytes).unwrap();
    (fs, bytes)
}

/// All cells, after the Bloom filter was asked about each of them.
fn read_all(fs: &FaultyFileSystem) -> Result<Vec<Stored>, HFileError> {
    let path = Path::new(NAME);
    let reader = HFileReader::open(fs.open(path).unwrap(), path, FileId::next())?;
    for cell in cells() {
        let row = cell.cell().row().to_vec();
        assert!(files::try_ask(BloomProbe::row(Arc::clone(&reader), None, &row))?, "{row:?}");
    }
    files::scan(&reader)
}

fn damage_first_block(faults: &Faults, copy: usize) {
    faults.damage(NAME, copy, 100, 4);
}

#[test]
fn a_byte_that_is_damaged_anywhere_in_one_copy_changes_no_cell() {
    let (fs, bytes) = stored();
    fs.faults().set_second_copy(true);
    let (mut read_without, mut of_the_filter) = (0, 0);
    for offset in (0..bytes.len() as u64).step_by(3) {
        fs.faults().damage(NAME, 0, offset, 0x10);
        assert_eq!(read_all(&fs).unwrap(), cells(), "byte {offset}");
        fs.faults().set_second_copy(false);
        match read_all(&fs) {
            Ok(found) => {
                assert_eq!(found, cells(), "byte {offset}");
                read_without += 1;
            }
            Err(error) => of_the_filter += usize::from(error.to_string().contains("Bloom chunk")),
        }
        fs.faults().set_second_copy(true);
        fs.faults().repair();
    }
    // Nearly all of it is read, and a good part of that are chunks of the filter.
    assert!(read_without < bytes.len() / 3 / 4 && of_the_filter > 20, "{read_without}, {of_the_filter}");
}

#[test]
fn different_blocks_of_both_copies_may_be_damaged() {
    let (fs, bytes) = stored();
    fs.faults().set_second_copy(true);
    damage_first_block(&fs.faults(), 1);
    fs.faults().damage(NAME, 0, 2000, 1);
    fs.faults().damage(NAME, 0, bytes.len() as u64 - 1, 1);
    assert_eq!(read_all(&fs).unwrap(), cells());
}

#[test]
fn a_block_that_is_damaged_in_every_copy_is_the_error_of_the_first() {
    let (fs, _) = stored();
    damage_first_block(&fs.faults(), 0);
    let without = read_all(&fs).unwrap_err().to_string();
    fs.faults().set_second_copy(true);
    assert_eq!(read_all(&fs).unwrap(), cells());
    fs.faults().damage(NAME, 1, 99, 1);
    let with = read_all(&fs).unwrap_err().to_string();
    assert_eq!(with, without);
    assert!(with.starts_with("file: corrupt data block at 0: expected checksum"), "{with}");
}

#[test]
fn a_damaged_block_is_not_had_without_waiting() {
    let (fs, bytes) = stored();
    let path = Path::new(NAME);
    let reader = HFileReader::open(fs.open(path).unwrap(), path, FileId::next()).unwrap();
    let size = 33 + u32::from_be_bytes(bytes[8..12].try_into().unwrap());
    let place = BlockRef { offset: 0, size };
    assert!(reader.read_block_nowait(place).unwrap().is_some());
    damage_first_block(&fs.faults(), 0);
    assert!(reader.read_block_nowait(place).unwrap().is_none());
    assert!(reader.read_block(place).is_err());
    fs.faults().set_second_copy(true);
    assert_eq!(reader.read_block(place).unwrap().place(), place);
}
