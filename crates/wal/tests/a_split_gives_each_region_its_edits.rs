//! Splitting the logs of a dead server: like HBase's splitter, and safe to kill and repeat.

mod entries;
mod golden;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use entries::{SERVER, TABLE, block, file_bytes, read, write_file};
use finback_compression::Compression;
use finback_fs::{CrashMode, FaultyFileSystem, FileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::{
    BULK_LOAD_INTENT, FlushedSequenceIds, KeyFields, META_FAMILY, WalCompression, WalError, WalFileWriter,
    WalReader, begin_split, clean_old_logs, fence, finish_split, recovered_edits, split, split_server,
};
use golden::{as_json, expected, fixture};

const ROOT: &str = "/root";

fn nothing_known(_: &[u8]) -> FlushedSequenceIds {
    FlushedSequenceIds::default()
}

fn region_dir(region: &str) -> PathBuf {
    Path::new(ROOT).join("data/ns/table").join(region)
}

fn wal_dir() -> PathBuf {
    finback_wal::server_log_dir(Path::new(ROOT), SERVER)
}

fn put(writer: &mut WalFileWriter, region: &str, sequence_id: u64, cells: Vec<Vec<u8>>) {
    let key = KeyFields {
        region: region.as_bytes(),
        table: TABLE,
        sequence_id,
        write_time_ms: 1,
        cell_count: cells.len() as u32,
        nonce_group: 3,
        nonce: sequence_id,
    };
    writer.gather(&key, &Bytes::from(cells.concat())).unwrap();
}

fn edit(value: &[u8]) -> Vec<Vec<u8>> {
    vec![block(b"row", b"f", b"q", value)]
}

/// Two logs of one server with edits of three regions, one of which is gone.
fn dead_server() -> MemFileSystem {
    dead_server_with(None)
}

fn dead_server_with(compression: Option<WalCompression>) -> MemFileSystem {
    let fs = MemFileSystem::new();
    fs.create_dir_all(&wal_dir()).unwrap();
    for region in ["a", "b"] {
        fs.create_dir_all(&region_dir(region)).unwrap();
    }
    for (file, ids) in [("s.1", 1..6), ("s.2", 6..9)] {
        let mut writer = WalFileWriter::create(&fs, &wal_dir().join(file), compression).unwrap();
        for id in ids {
            for region in ["a", "b", "gone"] {
                put(&mut writer, region, id, edit(b"value"));
            }
        }
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    fs.sync_dir(&wal_dir()).unwrap();
    fs
}

fn recovered(fs: &dyn FileSystem, region: &str) -> Vec<u64> {
    let files = recovered_edits(fs, &region_dir(region)).unwrap();
    let mut ids = Vec::new();
    for (path, highest) in files {
        let contents = read(fs, &path).unwrap();
        assert!(contents.closed);
        assert_eq!(contents.edits.last().unwrap().1, highest);
        ids.extend(contents.edits.into_iter().map(|(_, id)| id));
    }
    ids
}

#[test]
fn every_log_of_the_server_is_split_and_archived() {
    every_log_is_split_and_archived(dead_server());
}

#[test]
fn compressed_logs_become_compressed_recovered_edits() {
    for values in [None, Some(Compression::Gz)] {
        let compression = Some(WalCompression { tags: true, values });
        let fs = dead_server_with(compression);
        every_log_is_split_and_archived(fs.clone());
        for (path, _) in recovered_edits(&fs, &region_dir("a")).unwrap() {
            assert_eq!(WalReader::open(&fs, &path).unwrap().compression(), compression);
        }
    }
}

/// The names in a recovered edits file whose dictionaries are full are spelled out again in the next file.
#[test]
fn recovered_edits_with_many_long_rows_take_several_files() {
    let fs = dead_server();
    let wal = wal_dir().join("s.3");
    let mut writer = WalFileWriter::create(&fs, &wal, Some(WalCompression::default())).unwrap();
    for id in 1..=300 {
        let mut row = vec![b'r'; 30_000];
        row.extend(id.to_string().bytes());
        put(&mut writer, "a", id, vec![block(&row, b"f", b"q", b"v")]);
    }
    writer.close().unwrap();
    let report = split(&fs, Path::new(ROOT), &wal, &nothing_known).unwrap();
    assert!((3..10).contains(&report.outputs.len()), "{}", report.outputs.len());
    assert_eq!(recovered(&fs, "a"), (1..=300).collect::<Vec<_>>());
    split(&fs, Path::new(ROOT), &wal, &nothing_known).unwrap();
    assert_eq!(recovered(&fs, "a"), (1..=300).collect::<Vec<_>>(), "again, as after a kill");
}

fn every_log_is_split_and_archived(fs: MemFileSystem) {
    let reports = split_server(&fs, Path::new(ROOT), SERVER, &nothing_known).unwrap();
    assert_eq!(reports.iter().map(|r| (r.entries, r.skipped)).collect::<Vec<_>>(), [(15, 5), (9, 3)]);
    assert_eq!(recovered(&fs, "a"), (1..9).collect::<Vec<_>>());
    assert_eq!(recovered(&fs, "b"), (1..9).collect::<Vec<_>>());
    assert!(!fs.exists(&region_dir("gone")).unwrap());
    let names: Vec<_> =
        fs.list(&region_dir("a").join("recovered.edits")).unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names, ["0000000000000000005", "0000000000000000008"]);
    let old: Vec<_> =
        fs.list(&Path::new(ROOT).join("oldWALs")).unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(old, ["s.1", "s.2"]);
    assert!(fs.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
    assert!(split_server(&fs, Path::new(ROOT), SERVER, &nothing_known).unwrap().is_empty());
}

#[test]
fn a_log_under_another_name_is_split_too_and_what_is_none_is_left() {
    let fs = dead_server();
    let named = wal_dir().join("s.2.from-elsewhere");
    fs.rename(&wal_dir().join("s.2"), &named).unwrap();
    for (file, bytes) in [("notes", &b"no log"[..]), ("short", b"PW"), ("empty", b"")] {
        write_file(&fs, &wal_dir().join(file), bytes);
    }
    split_server(&fs, Path::new(ROOT), SERVER, &nothing_known).unwrap();
    assert_eq!(recovered(&fs, "a"), (1..9).collect::<Vec<_>>());
    let left = fs.list(&Path::new(ROOT).join(format!("WALs/{SERVER}-splitting"))).unwrap();
    let mut left: Vec<String> = left.into_iter().map(|entry| entry.name).collect();
    left.sort_unstable();
    assert_eq!(left, ["empty", "notes", "short"]);
    let later = SystemTime::now() + Duration::from_secs(600);
    let deleted = clean_old_logs(&fs, Path::new(ROOT), Duration::from_secs(60), later).unwrap();
    assert_eq!(deleted, 2, "under whatever name");
}

#[test]
fn a_split_killed_at_any_operation_is_finished_by_the_next() {
    let template = dead_server();
    let mut n = 0;
    loop {
        let disk = template.crash(CrashMode::Strict);
        let faulty = FaultyFileSystem::new(Arc::new(disk.clone()));
        faulty.faults().fail_from(n);
        let killed = split_server(&faulty, Path::new(ROOT), SERVER, &nothing_known).is_err();
        for mode in [CrashMode::Strict, CrashMode::Torn { seed: n }, CrashMode::Torn { seed: !n }] {
            let after = disk.crash(mode);
            split_server(&after, Path::new(ROOT), SERVER, &nothing_known).unwrap();
            let after = after.crash(CrashMode::Strict);
            for region in ["a", "b"] {
                assert_eq!(recovered(&after, region), (1..9).collect::<Vec<_>>(), "killed at {n}, {mode:?}");
                let files = after.list(&region_dir(region).join("recovered.edits")).unwrap();
                assert_eq!(files.len(), 2, "nothing is left over: {files:?}");
            }
            assert_eq!(after.list(&Path::new(ROOT).join("oldWALs")).unwrap().len(), 2);
            assert!(after.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
        }
        if !killed {
            break;
        }
        n += 1;
    }
    assert!(n > 20, "{n}");
}

#[test]
fn a_split_that_was_only_begun_is_made_again_after_a_power_loss() {
    let all = (1..9).collect::<Vec<_>>();
    for mode in (0..40).flat_map(|seed| [CrashMode::Torn { seed }, CrashMode::Reordered { seed }]) {
        let disk = dead_server();
        let reports = begin_split(&disk, Path::new(ROOT), SERVER, &nothing_known).unwrap();
        assert_eq!(reports.iter().map(|report| report.outputs.len()).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(recovered(&disk, "a"), all, "it can be replayed");
        let after = disk.crash(mode);
        let reports = begin_split(&after, Path::new(ROOT), SERVER, &nothing_known).unwrap();
        for region in ["a", "b"] {
            assert_eq!(recovered(&after, region), all, "{mode:?}");
        }
        finish_split(&after, Path::new(ROOT), &reports).unwrap();
        let after = after.crash(mode);
        for region in ["a", "b"] {
            assert_eq!(recovered(&after, region), all, "{mode:?}, once it is finished");
        }
        assert!(after.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
    }
}

#[test]
fn recovered_edits_that_a_region_has_flushed_before_the_split_is_finished_are_no_failure() {
    let disk = dead_server();
    let reports = begin_split(&disk, Path::new(ROOT), SERVER, &nothing_known).unwrap();
    finback_wal::delete_recovered_edits(&disk, &region_dir("a")).unwrap();
    finish_split(&disk, Path::new(ROOT), &reports).unwrap();
    assert_eq!((recovered(&disk, "a").len(), recovered(&disk, "b").len()), (0, 8));
    assert!(disk.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
}

#[test]
fn a_split_whose_logs_are_moved_without_a_sync_is_finished() {
    let disk = dead_server();
    let faulty = FaultyFileSystem::new(Arc::new(disk.clone()));
    let reports = begin_split(&faulty, Path::new(ROOT), SERVER, &nothing_known).unwrap();
    disk.create_dir_all(&Path::new(ROOT).join("oldWALs")).unwrap();
    faulty.faults().fail_rename_syncs(true);
    finish_split(&faulty, Path::new(ROOT), &reports).unwrap();
    assert_eq!(disk.list(&Path::new(ROOT).join("oldWALs")).unwrap().len(), 2);
    assert!(disk.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
}

#[test]
fn a_split_that_could_not_be_finished_is_finished_by_the_next_attempt() {
    for at in 0.. {
        let disk = dead_server();
        let faulty = FaultyFileSystem::new(Arc::new(disk.clone()));
        let reports = begin_split(&faulty, Path::new(ROOT), SERVER, &nothing_known).unwrap();
        faulty.faults().fail_operation(faulty.faults().operations() + at);
        let failed = finish_split(&faulty, Path::new(ROOT), &reports).is_err();
        faulty.faults().heal();
        finish_split(&faulty, Path::new(ROOT), &reports).unwrap_or_else(|e| panic!("operation {at}: {e}"));
        assert_eq!(disk.list(&Path::new(ROOT).join("oldWALs")).unwrap().len(), 2);
        assert!(disk.list(&Path::new(ROOT).join("WALs")).unwrap().is_empty());
        if !failed && at > 10 {
            return;
        }
    }
}

#[test]
fn flushed_edits_and_markers_are_left_out_but_for_compactions_and_loads_to_be_finished() {
    let fs = dead_server();
    let wal = wal_dir().join("s.3");
    let mut writer = WalFileWriter::create(&fs, &wal, None).unwrap();
    let marker = |qualifier: &[u8]| vec![block(b"\0", META_FAMILY, qualifier, b"descriptor")];
    put(&mut writer, "a", 1, edit(b"flushed"));
    put(&mut writer, "a", 2, marker(b"HBASE::FLUSH"));
    put(&mut writer, "a", 3, marker(b"HBASE::COMPACTION"));
    put(&mut writer, "a", 4, vec![block(b"r", b"f", b"q", b"flushed"), block(b"r", b"g", b"q", b"kept")]);
    put(&mut writer, "a", 5, edit(b"flushed in its family"));
    put(&mut writer, "a", 6, edit(b"kept"));
    put(&mut writer, "a", 7, marker(b"HBASE::BULK_LOAD"));
    let intent = block(b"\0", META_FAMILY, BULK_LOAD_INTENT, b"");
    put(&mut writer, "a", 8, [marker(b"HBASE::BULK_LOAD"), vec![intent]].concat());
    let with_an_edit = [marker(b"HBASE::FLUSH"), vec![block(b"r", b"g", b"q", b"kept")]].concat();
    put(&mut writer, "a", 9, with_an_edit);
    writer.close().unwrap();
    let flushed = |region: &[u8]| {
        assert_eq!(region, b"a");
        FlushedSequenceIds { region: Some(1), stores: vec![(b"f".to_vec(), 5), (b"h".to_vec(), 9)] }
    };
    let report = split(&fs, Path::new(ROOT), &wal, &flushed).unwrap();
    assert_eq!((report.entries, report.skipped), (9, 4));
    let mut reader = WalReader::open(&fs, &report.outputs[0]).unwrap();
    let mut found = Vec::new();
    while let Some(entry) = reader.next_entry().unwrap() {
        assert_eq!((entry.key.nonce_group(), entry.key.nonce()), (3, entry.key.sequence_id()));
        let values: Vec<_> = entry.cells().map(|cell| cell.value().to_vec()).collect();
        found.push((entry.key.sequence_id(), values));
    }
    let kept = vec![b"kept".to_vec()];
    let descriptor = b"descriptor".to_vec();
    let load = vec![descriptor.clone(), Vec::new()];
    let both = vec![descriptor.clone(), b"kept".to_vec()];
    assert_eq!(found, [(3, vec![descriptor]), (4, kept.clone()), (6, kept), (8, load), (9, both)]);
}

#[test]
fn a_log_with_more_regions_than_open_outputs_is_read_again() {
    let fs = MemFileSystem::new();
    fs.create_dir_all(&wal_dir()).unwrap();
    let wal = wal_dir().join("s.1");
    let mut writer = WalFileWriter::create(&fs, &wal, None).unwrap();
    let names: Vec<_> = (0..200).map(|n| format!("region{n}")).collect();
    for id in 1..4 {
        for name in &names {
            fs.create_dir_all(&region_dir(name)).unwrap();
            put(&mut writer, name, id, edit(b"v"));
        }
    }
    writer.close().unwrap();
    let report = split(&fs, Path::new(ROOT), &wal, &nothing_known).unwrap();
    assert_eq!((report.entries, report.outputs.len()), (600, 200));
    for name in &names {
        assert_eq!(recovered(&fs, name), [1, 2, 3]);
    }
}

#[test]
fn a_corrupt_log_ends_the_split_and_stays() {
    let fs = dead_server();
    let wal = wal_dir().join("s.1");
    let mut writer = WalFileWriter::create(&fs, &wal_dir().join("s.9"), None).unwrap();
    put(&mut writer, "a", 90, edit(b"v"));
    writer.close().unwrap();
    let closed = wal_dir().join("s.9");
    let mut bytes = file_bytes(&fs, &closed);
    bytes[110] ^= 1;
    write_file(&fs, &closed, &bytes);
    let error = split_server(&fs, Path::new(ROOT), SERVER, &nothing_known).unwrap_err();
    assert!(matches!(&error, WalError::Corrupt { path, offset: 94, .. } if path.ends_with("s.9")), "{error}");
    assert!(!fs.exists(&wal).unwrap(), "fenced");
    assert_eq!(recovered(&fs, "a"), (1..9).collect::<Vec<_>>(), "the logs before it are done");
    assert!(fs.exists(&Path::new(ROOT).join(format!("WALs/{SERVER}-splitting/s.9"))).unwrap());
}

#[test]
fn names_that_lead_out_of_the_data_directory_are_corruption() {
    for (table, region) in [("../../x", "a"), ("ns:..", "a"), ("t", ".."), ("t", "a/b"), ("", "a"), ("t", "")]
    {
        let fs = MemFileSystem::new();
        fs.create_dir_all(&wal_dir()).unwrap();
        let wal = wal_dir().join("s.1");
        let mut writer = WalFileWriter::create(&fs, &wal, None).unwrap();
        let key = KeyFields { table: table.as_bytes(), ..entries::key(region.as_bytes(), 1) };
        writer.gather(&key, &entries::cells(b"v")).unwrap();
        writer.close().unwrap();
        let result = split(&fs, Path::new(ROOT), &wal, &nothing_known);
        assert!(matches!(result, Err(WalError::Corrupt { .. })), "{table} {region}: {result:?}");
    }
}

#[test]
fn fencing_again_joins_what_a_zombie_made() {
    let fs = dead_server();
    let splitting = fence(&fs, Path::new(ROOT), SERVER).unwrap().unwrap();
    assert_eq!(fence(&fs, Path::new(ROOT), SERVER).unwrap(), Some(splitting.clone()));
    fs.create_dir_all(&wal_dir()).unwrap();
    write_file(&fs, &wal_dir().join("s.77"), b"");
    fence(&fs, Path::new(ROOT), SERVER).unwrap();
    assert_eq!(fs.list(&splitting).unwrap().len(), 3);
    assert!(!fs.exists(&wal_dir()).unwrap());
}

/// Regions of the golden root directory, and what HBase's splitter named their edits.
const GOLDEN: [(&str, &str, &str); 9] = [
    ("hbase/namespace", "fafae085778da15d5915e358913921ae", "0000000000000000006"),
    ("hbase/meta", "1588230740", "0000000000000000061"),
    ("ns1/t1", "4e18022e031234f82a30f63ee117cc9c", "0000000000000000322"),
    ("ns1/t1", "f7638a2682b13d19ae8314e04fbc5f33", "0000000000000000297"),
    ("ns1/t1", "aa3e036efc0ee5a505411110cecacfce", "0000000000000000320"),
    ("default/compacted", "a856d8c51b711d6d27fb295e0975f503", "0000000000000000057"),
    ("default/merged", "cf80660768517cc933d58d4f3ffea443", "0000000000000000015"),
    ("default/merged", "b7c00b964376cff158bc7760d715d840", "0000000000000000017"),
    ("default/ftrack", "3472ec7d2a12b26788a41b85f9a6a099", "0000000000000000039"),
];

#[test]
fn the_logs_of_a_killed_hbase_are_split_as_hbase_does_it() {
    golden_split(|_, bytes| bytes);
}

#[test]
fn so_they_are_when_they_are_compressed() {
    for values in [None, Some(Compression::Gz), Some(Compression::Snappy)] {
        golden_split(|path, _| compressed_copy(path, WalCompression { tags: true, values }));
    }
}

/// The same entries, written by Finback with compression, and not closed.
fn compressed_copy(wal: &Path, compression: WalCompression) -> Vec<u8> {
    let (fs, copy) = (MemFileSystem::new(), Path::new("/copy"));
    let mut reader = WalReader::open(&LocalFileSystem::new(), wal).unwrap();
    let mut writer = WalFileWriter::create(&fs, copy, Some(compression)).unwrap();
    while let Some(entry) = reader.next_entry().unwrap() {
        writer.gather_copy(&entry, entry.key.cell_count(), entry.cell_block).unwrap();
        writer.write().unwrap();
        writer.sync().unwrap();
    }
    drop(writer);
    file_bytes(&fs, copy)
}

fn golden_split(log: impl Fn(&Path, Vec<u8>) -> Vec<u8>) {
    let fs = MemFileSystem::new();
    let server = "localhost,42809,1795253463477";
    let dir = finback_wal::server_log_dir(Path::new(ROOT), server);
    fs.create_dir_all(&dir).unwrap();
    for file in std::fs::read_dir(fixture("wals/cluster-live")).unwrap() {
        let file = file.unwrap();
        let bytes = log(&file.path(), std::fs::read(file.path()).unwrap());
        write_file(&fs, &dir.join(file.file_name()), &bytes);
    }
    let data = Path::new(ROOT).join("data");
    for (table, region, _) in GOLDEN {
        fs.create_dir_all(&data.join(table).join(region)).unwrap();
    }
    let reports = split_server(&fs, Path::new(ROOT), server, &nothing_known).unwrap();
    assert!(reports[0].wal.to_string_lossy().ends_with(".meta"), "hbase:meta first");
    assert_eq!(reports.iter().map(|r| r.outputs.len()).sum::<usize>(), GOLDEN.len());
    for (table, region, name) in GOLDEN {
        let path = data.join(table).join(region).join("recovered.edits").join(name);
        let mut reader = WalReader::open(&fs, &path).unwrap();
        let mut lines = expected(&format!("split-{region}.jsonl")).into_iter();
        while let Some(entry) = reader.next_entry().unwrap() {
            assert_eq!(Some(as_json(&entry)), lines.next(), "{region}");
        }
        assert_eq!(lines.count(), 0, "{region}");
        assert!(reader.has_trailer());
    }
}
