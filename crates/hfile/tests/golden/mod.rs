//! Files that HBase 2.5.11 wrote, and what its own readers say of them.
#![allow(dead_code)] // each test uses a part

use std::path::{Path, PathBuf};
use std::sync::Arc;

use finback_cell::cell::CellParts;
use finback_cell::tag::write_tag;
use finback_fs::{FileSystem, LocalFileSystem};
use finback_hfile::{FileId, HFileError, HFileReader};
use serde_json::Value;

use crate::files::Stored;

/// All but those of cells too large to be kept.
pub(crate) const READABLE: [&str; 55] = [
    "plain-none",
    "mixed-none",
    "mixed-mvcc-none",
    "mixed-mvcc-tags-none",
    "mixed-mvcc-ctags-none",
    "checksum-null",
    "checksum-crc32",
    "checksum-crc32c",
    "index-2level",
    "index-3level",
    "empty",
    "major",
    "bulkload",
    "mob-data",
    "mob-refs",
    "meta-comparator",
    "bloom-row-murmur",
    "bloom-rowcol-murmur",
    "bloom-rowprefix-murmur",
    "bloom-row-jenkins",
    "bloom-row-murmur3",
    "bloom-rowcol-jenkins",
    "bloom-rowcol-murmur3",
    "bloom-rowprefix-jenkins",
    "bloom-rowprefix-murmur3",
    "comp-gz",
    "comp-snappy",
    "comp-lz4",
    "comp-zstd-hadoopstream",
    "comp-zstd-blockstream",
    "metablocks",
    "plain-prefix",
    "plain-diff",
    "plain-fast_diff",
    "plain-row_index_v1",
    "mixed-prefix",
    "mixed-diff",
    "mixed-fast_diff",
    "mixed-row_index_v1",
    "mixed-mvcc-prefix",
    "mixed-mvcc-diff",
    "mixed-mvcc-fast_diff",
    "mixed-mvcc-row_index_v1",
    "mixed-mvcc-tags-prefix",
    "mixed-mvcc-tags-diff",
    "mixed-mvcc-tags-fast_diff",
    "mixed-mvcc-tags-row_index_v1",
    "mixed-mvcc-ctags-prefix",
    "mixed-mvcc-ctags-diff",
    "mixed-mvcc-ctags-fast_diff",
    "mixed-mvcc-ctags-row_index_v1",
    "comp-gz-fast_diff",
    "comp-snappy-fast_diff",
    "comp-lz4-fast_diff",
    "index-4level-gz",
];

pub(crate) fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11")
}

pub(crate) fn path(name: &str) -> PathBuf {
    directory().join("hfiles").join(format!("{name}.hfile"))
}

pub(crate) fn open(name: &str) -> Result<Arc<HFileReader>, HFileError> {
    let path = path(name);
    HFileReader::open(LocalFileSystem.open(&path).unwrap(), &path, FileId::next())
}

pub(crate) fn meta(name: &str) -> Value {
    let path = directory().join("expected").join(format!("{name}.hfile.meta.json"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

pub(crate) fn unhex(value: &Value) -> Vec<u8> {
    let hex = value.as_str().unwrap().as_bytes();
    let digit = |byte: u8| (byte as char).to_digit(16).unwrap() as u8;
    hex.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// The cells that HBase finds in the file, in its order.
pub(crate) fn cells(meta: &Value) -> Vec<Stored> {
    let path = directory().join("expected").join(meta["cells"].as_str().unwrap());
    let dump = std::fs::read_to_string(path).unwrap();
    dump.lines().map(|line| cell(&serde_json::from_str(line).unwrap())).collect()
}

fn cell(line: &Value) -> Stored {
    let mut tags = Vec::new();
    for tag in line["tags"].as_array().into_iter().flatten() {
        write_tag(&mut tags, tag[0].as_u64().unwrap() as u8, &unhex(&tag[1]));
    }
    let parts = CellParts {
        row: &unhex(&line["row"]),
        family: &unhex(&line["fam"]),
        qualifier: &unhex(&line["qual"]),
        timestamp: line["ts"].as_i64().unwrap(),
        type_code: line["type"].as_u64().unwrap() as u8,
        value: &unhex(&line["val"]),
        tags: &tags,
    };
    Stored::new(&parts, line["seq"].as_u64().unwrap())
}
