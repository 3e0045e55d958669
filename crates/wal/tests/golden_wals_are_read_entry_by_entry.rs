//! Every log that HBase wrote is read as HBase reads it.

mod golden;

use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::{WalError, WalReader};
use golden::{as_json, expected, fixture};

fn check(wal: &str, expectations: &str, closed: bool) {
    let mut reader = WalReader::open(&LocalFileSystem::new(), &fixture("wals").join(wal)).unwrap();
    let mut lines = expected(expectations).into_iter();
    let mut n = 0;
    while let Some(entry) = reader.next_entry().unwrap() {
        let line = lines.next().unwrap_or_else(|| panic!("{wal}: more entries than {n}"));
        assert_eq!(as_json(&entry), line, "{wal}: entry {n} at {}", entry.offset);
        n += 1;
    }
    assert_eq!(lines.count(), 0, "{wal}: entries missing after {n}");
    assert_eq!(reader.torn_tail(), None);
    assert_eq!(reader.has_trailer(), closed);
    assert!(n > 10);
}

#[test]
fn written_by_the_writer_alone() {
    check("plain.wal", "wal-main.jsonl", true);
}

#[test]
fn of_a_running_cluster() {
    check("cluster-live/localhost%2C42809%2C1795253463477.1795253467537", "cluster-live.wal.jsonl", false);
    let meta = "cluster-live/localhost%2C42809%2C1795253463477.meta.1795253467813.meta";
    check(meta, "cluster-live.meta.wal.jsonl", false);
}

#[test]
fn of_a_closed_cluster() {
    check("cluster-closed/localhost%2C42809%2C1795253463477.1795253467537", "cluster-closed.wal.jsonl", true);
    let meta = "cluster-closed/localhost%2C42809%2C1795253463477.meta.1795253467813.meta";
    check(meta, "cluster-closed.meta.wal.jsonl", true);
}

#[test]
fn compressed_by_dictionaries() {
    check("dict.wal", "wal-main.jsonl", true);
    check("dict-notags.wal", "wal-main.jsonl", true);
    check("recovered.edits/0000000000000001299", "recovered-edits-dict.jsonl", true);
}

#[test]
fn with_compressed_values() {
    check("dict-value-gz.wal", "wal-main.jsonl", true);
    check("dict-value-snappy.wal", "wal-main.jsonl", true);
}

/// Reads every prefix, in steps, of a log of HBase and compares the number of entries with those that are whole.
fn cut_anywhere(wal: &str, step: usize) {
    let bytes = std::fs::read(fixture("wals").join(wal)).unwrap();
    let bytes = &bytes[..bytes.len().min(20_000)];
    let fs = MemFileSystem::new();
    let ends = |cut: usize| {
        let path = std::path::PathBuf::from(format!("/{cut}"));
        fs.create_new(&path).unwrap().append(&bytes[..cut]).unwrap();
        let mut reader = WalReader::open(&fs, &path).unwrap();
        let mut found = Vec::new();
        while reader.next_entry().unwrap().is_some() {
            found.push(reader.position() as usize);
        }
        fs.remove_file(&path).unwrap();
        found
    };
    let all = ends(bytes.len());
    assert!(all.len() > 10);
    for cut in (0..bytes.len()).step_by(step) {
        let whole = all.iter().filter(|end| **end <= cut).count();
        assert_eq!(ends(cut).len(), whole, "{wal} cut at {cut}");
    }
}

/// A log of these bytes, of which so many entries were read.
fn read_up_to(bytes: &[u8], entries: usize) -> WalReader {
    let (fs, path) = (MemFileSystem::new(), std::path::Path::new("/log"));
    fs.create_new(path).unwrap().append(bytes).unwrap();
    let mut reader = WalReader::open(&fs, path).unwrap();
    for _ in 0..entries {
        reader.next_entry().unwrap().unwrap();
    }
    reader
}

/// HBase's reader throws an InvalidProtocolBufferException at such a key; at such cells it ends (`ProtobufLogReader.readNext`).
#[test]
fn without_a_trailer_a_key_that_is_none_is_damage_and_cells_that_are_none_are_the_end() {
    for (name, in_key) in [("plain.wal", true), ("dict.wal", true), ("plain.wal", false)] {
        let mut bytes = std::fs::read(fixture("wals").join(name)).unwrap();
        bytes.truncate(bytes.len() - 8);
        let damaged = read_up_to(&bytes, 3).position();
        let key_bytes = bytes[damaged as usize];
        assert!(key_bytes < 0x80, "a length of one byte");
        // The tag of the region's name becomes a tag of no field; a cell longer than the file.
        match in_key {
            true => bytes[damaged as usize + 1] ^= 0x0f,
            false => bytes[damaged as usize + 1 + usize::from(key_bytes)] ^= 0x01,
        }
        let mut reader = read_up_to(&bytes, 3);
        let found = reader.next_entry().map(|entry| entry.is_some());
        match found {
            Err(WalError::Corrupt { offset, .. }) if in_key => assert_eq!(offset, damaged, "{name}"),
            Ok(false) if !in_key => assert_eq!(reader.torn_tail().unwrap().offset, damaged),
            other => panic!("{name}, in the key: {in_key}: {other:?}"),
        }
    }
}

#[test]
fn a_trailer_of_hbase_that_is_cut_off_is_the_end() {
    let bytes = std::fs::read(fixture("wals/plain.wal")).unwrap();
    for cut in 1..=8 {
        let mut reader = read_up_to(&bytes[..bytes.len() - cut], 10);
        while reader.next_entry().unwrap().is_some() {}
        assert_eq!(reader.position(), bytes.len() as u64 - 8, "{cut} bytes less");
    }
}

#[test]
fn a_log_of_hbase_cut_anywhere_gives_the_entries_before_the_cut() {
    cut_anywhere("cluster-live/localhost%2C42809%2C1795253463477.meta.1795253467813.meta", 13);
    for compressed in ["dict.wal", "dict-notags.wal", "dict-value-gz.wal", "dict-value-snappy.wal"] {
        cut_anywhere(compressed, 399);
    }
}
