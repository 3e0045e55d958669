//! Logs written with every kind of compression; some of them are HBase's own logs, byte for byte.

mod entries;
mod golden;

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use entries::{SERVER, block, file_bytes, key, put, read, write_file};
use finback_compression::{Compression, ZstdForm};
use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::{
    FlushedSequenceIds, KeyFields, Wal, WalCompression, WalError, WalFileWriter, WalKind, WalOptions,
    WalReader, server_log_dir, split,
};
use golden::{as_json, expected, fixture};
use serde_json::Value;

const LOG: &str = "/log";
/// What Finback adds to the key of each entry.
const MARK_BYTES: usize = 25;

fn every_compression() -> impl Iterator<Item = WalCompression> {
    let codecs =
        [Compression::None, Compression::Gz, Compression::Snappy, Compression::Lz4, Compression::Zstd];
    let values = [None].into_iter().chain(codecs.map(Some));
    values.flat_map(|values| [false, true].map(|tags| WalCompression { tags, values }))
}

/// Writes the entries of one of HBase's logs to `path`.
fn copy_of(wal: &str, path: &Path, compression: Option<WalCompression>) -> MemFileSystem {
    let fs = MemFileSystem::new();
    fs.create_dir_all(path.parent().unwrap()).unwrap();
    let mut reader = WalReader::open(&LocalFileSystem::new(), &fixture("wals").join(wal)).unwrap();
    let mut writer = WalFileWriter::create(&fs, path, compression).unwrap();
    while let Some(entry) = reader.next_entry().unwrap() {
        writer.gather_copy(&entry, entry.key.cell_count(), entry.cell_block).unwrap();
    }
    writer.close().unwrap();
    fs
}

fn read_back(fs: &MemFileSystem, path: &Path) -> Vec<Value> {
    let mut reader = WalReader::open(fs, path).unwrap();
    let mut found = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        found.push(as_json(&entry));
    }
    assert!(reader.has_trailer());
    found
}

#[test]
fn entries_of_hbase_come_back_from_every_kind_of_log() {
    let lines = expected("wal-main.jsonl");
    let plain = file_bytes(&copy_of("plain.wal", Path::new(LOG), None), Path::new(LOG)).len();
    for compression in every_compression() {
        for path in [LOG, "/data/default/t/r/recovered.edits/0000000000000001399"] {
            let fs = copy_of("plain.wal", Path::new(path), Some(compression));
            assert_eq!(read_back(&fs, Path::new(path)), lines, "{compression:?} {path}");
            let compressed = file_bytes(&fs, Path::new(path)).len();
            assert!(compressed < plain, "{compression:?}: {compressed} bytes, {plain} uncompressed");
        }
    }
}

/// Of each frame of Zstandard in a file, whether it is the only chunk of a value of so many bytes.
fn are_chunks(file: &[u8], value_bytes: u32) -> Vec<bool> {
    let frames = (8..file.len()).filter(|at| file[*at..].starts_with(&[0x28, 0xb5, 0x2f, 0xfd]));
    frames.map(|at| file[at - 8..at - 4] == value_bytes.to_be_bytes()).collect()
}

/// HBase reads one of them only.
#[tokio::test]
async fn values_have_the_form_of_zstd_that_is_set_and_recovered_edits_have_that_of_the_log() {
    for zstd_form in [ZstdForm::Frame, ZstdForm::Chunks] {
        let (fs, root) = (MemFileSystem::new(), Path::new("/root"));
        fs.create_dir_all(&root.join("data/ns/table/r")).unwrap();
        let compression = Some(WalCompression { tags: true, values: Some(Compression::Zstd) });
        let options = WalOptions { compression, zstd_form, ..WalOptions::default() };
        let wal = Wal::open(Arc::new(fs.clone()), root, SERVER, WalKind::Regions, options).unwrap();
        // An empty value has no form, and is the first here.
        for (sequence_id, value) in (1..).zip([&b""[..], &[7; 300], &[8; 300]]) {
            put(&wal, "r", sequence_id, value).await.unwrap();
        }
        wal.close().await.unwrap();
        let dir = server_log_dir(root, SERVER);
        let logs = fs.list(&dir).unwrap();
        let log = dir.join(&logs[0].name);
        let report = split(&fs, root, &log, &|_| FlushedSequenceIds::default()).unwrap();
        assert_eq!((logs.len(), report.outputs.len()), (1, 1));
        for path in [&log, &report.outputs[0]] {
            let found = are_chunks(&file_bytes(&fs, path), 300);
            assert_eq!(found, [zstd_form == ZstdForm::Chunks; 2], "{}", path.display());
            assert_eq!(read(&fs, path).unwrap().edits.len(), 3);
        }
    }
}

/// Where the entries of a file begin, and where the last one ends.
fn boundaries(fs: &dyn FileSystem, path: &Path) -> Vec<usize> {
    let mut reader = WalReader::open(fs, path).unwrap();
    let mut found = vec![reader.position() as usize];
    while reader.next_entry().unwrap().is_some() {
        found.push(reader.position() as usize);
    }
    found
}

#[test]
fn dictionaries_are_used_as_hbase_uses_them() {
    let recovered = "recovered.edits/0000000000000001299";
    for (wal, tags) in [("dict.wal", true), ("dict-notags.wal", false), (recovered, true)] {
        let path = Path::new("/").join(wal);
        let ours = copy_of(wal, &path, Some(WalCompression { tags, values: None }));
        let (our_ends, our_bytes) = (boundaries(&ours, &path), file_bytes(&ours, &path));
        let theirs = fixture("wals").join(wal);
        let their_ends = boundaries(&LocalFileSystem::new(), &theirs);
        let their_bytes = std::fs::read(&theirs).unwrap();
        assert_eq!(our_ends.len(), their_ends.len());
        for (our, their) in our_ends.windows(2).zip(their_ends.windows(2)) {
            let (our, their) = (&our_bytes[our[0]..our[1]], &their_bytes[their[0]..their[1]]);
            let mark = our.windows(9).position(|bytes| bytes == b"\x7a\x17finback").unwrap();
            let without_mark = [&our[..mark], &our[mark + MARK_BYTES..]].concat();
            // The length of the key may take a byte more with the mark in it.
            let (our_key, their_key) = (1 + usize::from(our[0] >= 0x80), 1 + usize::from(their[0] >= 0x80));
            assert_eq!(without_mark[our_key..], their[their_key..], "{wal}");
        }
    }
}

#[test]
fn more_names_than_the_dictionaries_have_room_for() {
    const ROWS: u32 = 70_000;
    let fs = MemFileSystem::new();
    let compression = Some(WalCompression::default());
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), compression).unwrap();
    // Backwards and forwards, so that entries are used again shortly before and long after they had to go.
    let rows = || (0..ROWS).chain((ROWS - 40_000..ROWS).rev());
    for group in rows().collect::<Vec<_>>().chunks(1000) {
        let cells: Vec<_> = group
            .iter()
            .map(|row| {
                let (family, qualifier) = (format!("family{}", row % 200), format!("q{}", row % 131));
                block(&row.to_be_bytes(), family.as_bytes(), qualifier.as_bytes(), b"")
            })
            .collect();
        let key = KeyFields { cell_count: cells.len() as u32, ..key(b"region", u64::from(group[0])) };
        writer.gather(&key, &Bytes::from(cells.concat())).unwrap();
    }
    writer.close().unwrap();
    let mut reader = WalReader::open(&fs, Path::new(LOG)).unwrap();
    let mut wanted = rows();
    while let Some(entry) = reader.next_entry().unwrap() {
        for cell in entry.cells() {
            let row = wanted.next().unwrap();
            assert_eq!(cell.row(), row.to_be_bytes());
            assert_eq!(cell.family(), format!("family{}", row % 200).as_bytes());
            assert_eq!(cell.qualifier(), format!("q{}", row % 131).as_bytes());
        }
    }
    assert_eq!(wanted.next(), None);
}

/// HBase's log without the trailer, so that the first unreadable entry is the end.
fn entries_in(bytes: &[u8]) -> Result<usize, WalError> {
    let fs = MemFileSystem::new();
    write_file(&fs, Path::new(LOG), bytes);
    let mut reader = WalReader::open(&fs, Path::new(LOG))?;
    let mut n = 0;
    while reader.next_entry()?.is_some() {
        n += 1;
    }
    Ok(n)
}

#[test]
fn an_index_that_was_never_given_out_ends_a_log_without_checksums() {
    let theirs = fixture("wals/dict.wal");
    let ends = boundaries(&LocalFileSystem::new(), &theirs);
    let bytes = std::fs::read(&theirs).unwrap();
    let mut damaged = bytes[..ends[3]].to_vec();
    assert_eq!(entries_in(&damaged).unwrap(), 3);
    // The row of the first cell, spelled out, becomes an index; the two bytes after it are what is left of its length.
    let row = bytes.windows(6).position(|b| b == b"\x05row34").unwrap();
    damaged[row - 1..=row].copy_from_slice(&[0x12, 0x34]);
    assert_eq!(entries_in(&damaged).unwrap(), 0);
}

#[test]
fn a_value_that_looks_like_a_trailer_is_not_one_in_a_compressed_log() {
    let theirs = fixture("wals/dict.wal");
    let ends = boundaries(&LocalFileSystem::new(), &theirs);
    let bytes = std::fs::read(&theirs).unwrap();
    // The last cell of HBase's second entry gets a value that ends like a trailer; the file ends there, not closed.
    let fs = MemFileSystem::new();
    let path = Path::new(LOG);
    let mut cells = vec![30 - 18, 8, 0, 0xff, 0, 0xff, 0, 0xff, 0];
    cells.extend([0; 8]);
    cells.extend(b"\x04\0\0\0\0LAWP");
    let mut entry = bytes[ends[0]..ends[0] + 0x4e].to_vec();
    let count = entry.windows(2).position(|b| b == [0x38, 4]).unwrap();
    entry[count + 1] = 1;
    entry.extend(cells);
    let file = [&bytes[..ends[2]], &entry].concat();
    write_file(&fs, path, &file);
    let mut reader = WalReader::open(&fs, path).unwrap();
    let mut last = Vec::new();
    for _ in 0..3 {
        last = reader.next_entry().unwrap().unwrap().cells().last().unwrap().value().to_vec();
    }
    assert_eq!(last, b"\0\0\0\0LAWP");
    assert!(reader.next_entry().unwrap().is_none());
    assert!(!reader.has_trailer() && reader.torn_tail().is_none());
}

#[test]
fn a_long_name_is_in_the_file_once() {
    let long = vec![b'q'; 1 << 20];
    let cells = block(b"r", b"f", &long, b"").repeat(30);
    let fs = MemFileSystem::new();
    let compression = Some(WalCompression::default());
    let mut writer = WalFileWriter::create(&fs, Path::new(LOG), compression).unwrap();
    writer.gather(&KeyFields { cell_count: 30, ..key(b"region", 1) }, &Bytes::from(cells)).unwrap();
    writer.close().unwrap();
    assert!(file_bytes(&fs, Path::new(LOG)).len() < (1 << 20) + 1000);
    let mut reader = WalReader::open(&fs, Path::new(LOG)).unwrap();
    let entry = reader.next_entry().unwrap().unwrap();
    assert_eq!(entry.cells().filter(|cell| cell.qualifier() == long).count(), 30);
}
