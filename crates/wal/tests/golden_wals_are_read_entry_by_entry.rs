//! Every uncompressed log that HBase wrote is read as HBase reads it; the others are refused by name.

mod golden;

use finback_fs::LocalFileSystem;
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
fn compressed_logs_are_refused_by_name() {
    let names = [
        "dict.wal",
        "dict-notags.wal",
        "dict-value-gz.wal",
        "dict-value-snappy.wal",
        "recovered.edits/0000000000000001299",
    ];
    for name in names {
        match WalReader::open(&LocalFileSystem::new(), &fixture("wals").join(name)) {
            Err(e @ WalError::Unsupported { .. }) => {
                let text = e.to_string();
                assert!(text.contains("compression") && text.contains(name), "{text}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn a_log_of_hbase_cut_anywhere_gives_the_entries_before_the_cut() {
    use finback_fs::{FileSystem, MemFileSystem};
    let bytes =
        std::fs::read(fixture("wals/cluster-live/localhost%2C42809%2C1795253463477.meta.1795253467813.meta"))
            .unwrap();
    let mut ends = Vec::new();
    let fs = MemFileSystem::new();
    let entries = |cut: usize, ends: Option<&mut Vec<usize>>| {
        let path = std::path::PathBuf::from(format!("/{cut}"));
        fs.create_new(&path).unwrap().append(&bytes[..cut]).unwrap();
        let mut reader = WalReader::open(&fs, &path).unwrap();
        let mut n = 0;
        let mut found = Vec::new();
        while reader.next_entry().unwrap().is_some() {
            n += 1;
            found.push(reader.position() as usize);
        }
        if let Some(ends) = ends {
            *ends = found;
        }
        fs.remove_file(&path).unwrap();
        n
    };
    entries(bytes.len(), Some(&mut ends));
    for cut in (0..bytes.len()).step_by(13) {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(entries(cut, None), whole, "cut at {cut}");
    }
}
