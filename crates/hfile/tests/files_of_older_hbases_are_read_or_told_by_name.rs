//! Versions of HFile: 3, whose minor version 0 is HBase 1's, is read; 2 and others are refused by their name, which has
//! nothing to do with damage.

mod files;
mod golden;

use files::{Stored, put, scan, write};
use finback_cell::CellOrder;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{DamagedFile, HFileError, WriterOptions};
use std::path::Path;

const TRAILER_BYTES: usize = 4096;
const TRAILER_BYTES_OF_VERSION_2: usize = 212;

fn with_version(mut bytes: Vec<u8>, major: u8, minor: u8) -> Vec<u8> {
    let length = bytes.len();
    bytes[length - 4..].copy_from_slice(&[minor, 0, 0, major]);
    bytes
}

/// HBase 2 does not look at the minor version of a file of major version 3: nothing depends on it.
#[test]
fn every_minor_version_up_to_hbase_2s_is_read() {
    for name in ["mixed-mvcc-tags-fast_diff", "index-2level", "bloom-row-murmur", "comp-gz", "empty"] {
        let bytes = std::fs::read(golden::path(name)).unwrap();
        let expected = golden::cells(&golden::meta(name));
        for minor in 0..=3 {
            let reader = files::open(&with_version(bytes.clone(), 3, minor)).unwrap();
            assert_eq!(scan(&reader).unwrap(), expected, "{name}, minor version {minor}");
        }
    }
}

/// Where HBase 2 says that there is no last data block, HBase 1 says 0.
#[test]
fn an_empty_file_of_hbase_1_is_read() {
    let mut bytes = with_version(std::fs::read(golden::path("empty")).unwrap(), 3, 0);
    let trailer = bytes.len() - TRAILER_BYTES;
    // Field 10, of all bits.
    let field = [&[10 << 3], &[0xff; 9][..], &[1]].concat();
    let last =
        bytes[trailer..].windows(field.len()).position(|window| window == field).unwrap() + trailer + 1;
    // As many bytes, for the same number.
    bytes[last..last + 10].copy_from_slice(&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0]);
    let reader = files::open(&bytes).unwrap();
    assert_eq!((reader.entry_count(), scan(&reader).unwrap().len()), (0, 0));
}

fn feature(error: &HFileError) -> &str {
    match error {
        HFileError::Unsupported { feature, .. } => feature,
        other => panic!("{other}"),
    }
}

fn some_file() -> Vec<u8> {
    let cells: Vec<Stored> = (0..50u8).map(|row| put(&[row], b"q", 1, 20)).collect();
    write(&cells, WriterOptions { block_size_bytes: 200, ..WriterOptions::default() })
}

#[test]
fn other_versions_are_refused() {
    let bytes = std::fs::read(golden::path("plain-none")).unwrap();
    for (major, minor) in [(3, 4), (4, 0), (0, 3), (1, 0)] {
        let error = files::open(&with_version(bytes.clone(), major, minor)).unwrap_err();
        assert!(feature(&error).contains("HFile version"), "{error}");
        let offset = (bytes.len() - TRAILER_BYTES).to_string();
        assert!(feature(&error).contains(&offset), "{error}");
        // One of ours has a checksum, which says that it was not written so.
        let error = files::open(&with_version(some_file(), major, minor)).unwrap_err();
        assert!(error.to_string().contains("corrupt trailer"), "{error}");
    }
}

fn of_version_2(blocks: &[u8], minor: u8) -> Vec<u8> {
    let mut bytes = blocks.to_vec();
    bytes.extend_from_slice(b"TRABLK\"$");
    bytes.resize(blocks.len() + TRAILER_BYTES_OF_VERSION_2 - 4, 0);
    bytes.extend_from_slice(&[minor, 0, 0, 2]);
    bytes
}

/// HBase 0.92 to 0.98 wrote them. Their data blocks look like those of version 3, but nobody is to make a file of these.
#[test]
fn a_file_of_version_2_is_no_damaged_one() {
    let bytes = some_file();
    let blocks = &bytes[..bytes.len() - TRAILER_BYTES];
    for blocks in [blocks, &[], &[7; 5000]] {
        for minor in 0..=3 {
            let old = of_version_2(blocks, minor);
            let error = files::open(&old).unwrap_err();
            assert!(feature(&error).contains("HFile version 2"), "{error}");
            let (fs, path) = (MemFileSystem::default(), Path::new("/old"));
            fs.create_new(path).unwrap().append(&old).unwrap();
            let salvaged = DamagedFile::open(fs.open(path).unwrap(), path, CellOrder::User);
            assert!(feature(&salvaged.err().unwrap()).contains("HFile version 2"));
        }
    }
}
