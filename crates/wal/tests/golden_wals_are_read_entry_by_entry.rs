//! Every log that HBase wrote is read as HBase reads it.

mod golden;

use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::WalReader;
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

#[test]
fn a_log_of_hbase_cut_anywhere_gives_the_entries_before_the_cut() {
    cut_anywhere("cluster-live/localhost%2C42809%2C1795253463477.meta.1795253467813.meta", 13);
    for compressed in ["dict.wal", "dict-notags.wal", "dict-value-gz.wal", "dict-value-snappy.wal"] {
        cut_anywhere(compressed, 399);
    }
}
