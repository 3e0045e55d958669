//! Group commit, failures, rolling.

mod entries;

use std::{
    path::{Path, PathBuf},
    pin::pin,
    sync::{Arc, Mutex},
    time::{Duration, Instant, SystemTime},
};

use entries::{SERVER, commit, entry, put, read, read_all, write_file};
use finback_cell::{CellBlockBuilder, Durability, cell::CellParts};
use finback_compression::Compression;
use finback_fs::{CrashMode, Faults, FaultyFileSystem, FileSystem, LocalFileSystem, MemFileSystem};
use finback_wal::{
    Position, SyncMode, Wal, WalAppend, WalCompression, WalError, WalKind, WalOptions, clean_old_logs,
    server_log_dir,
};

struct Disk {
    memory: MemFileSystem,
    fs: Arc<dyn FileSystem>,
    faults: Faults,
}

fn disk() -> Disk {
    let memory = MemFileSystem::new();
    let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
    let faults = faulty.faults();
    Disk { memory, fs: Arc::new(faulty), faults }
}

fn root() -> &'static Path {
    Path::new("/root")
}

fn dir() -> PathBuf {
    server_log_dir(root(), SERVER)
}

fn options() -> WalOptions {
    WalOptions { reopen_interval: Duration::ZERO, ..WalOptions::default() }
}

fn open(disk: &Disk, options: WalOptions) -> Arc<Wal> {
    Arc::new(Wal::open(disk.fs.clone(), root(), SERVER, WalKind::Regions, options).unwrap())
}

fn region(name: &str) -> Arc<[u8]> {
    Arc::from(name.as_bytes())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_confirmed_is_on_disk() {
    let disk = disk();
    let wal = open(&disk, options());
    for id in 1..=20 {
        put(&wal, "r", id, b"value").await.unwrap();
        let after_crash = disk.memory.crash(CrashMode::Strict);
        assert_eq!(read_all(&after_crash, &dir()).unwrap().len() as u64, id);
    }
    wal.close().await.unwrap();
    assert!(matches!(put(&wal, "r", 21, b"v").await, Err(WalError::Closed)));
    assert_eq!(read_all(&*disk.fs, &dir()).unwrap().len(), 20);
}

/// On one thread a task runs from its reservation to its wait undisturbed, so the numbers are exact.
#[tokio::test]
async fn concurrent_writers_share_syncs() {
    const WRITERS: u64 = 64;
    const ROUNDS: u64 = 10;
    let disk = disk();
    let wal = open(&disk, options());
    let before = disk.faults.syncs();
    for round in 1..=ROUNDS {
        // While the thread is held up in the write of one entry, all others queue up.
        disk.faults.pause();
        let spawn = |region: String| {
            let wal = wal.clone();
            tokio::spawn(async move { put(&wal, &region, round, b"value").await })
        };
        let mut writers = vec![spawn("first".to_owned())];
        while disk.faults.waiting() == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let one = wal.stats().queued_bytes as u64;
        writers.extend((0..WRITERS).map(|n| spawn(format!("r{n}"))));
        while (wal.stats().queued_bytes as u64) < (WRITERS + 1) * one {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        disk.faults.resume();
        for writer in writers {
            writer.await.unwrap().unwrap();
        }
    }
    assert_eq!(disk.faults.syncs() - before, 2 * ROUNDS, "one for the first, one for all others");
    let total = ROUNDS * (WRITERS + 1);
    assert_eq!(wal.stats().entries, total);
    assert_eq!(read_all(&*disk.fs, &dir()).unwrap().len() as u64, total);
}

#[tokio::test]
async fn an_async_write_is_durable_within_its_interval_without_being_asked() {
    let disk = disk();
    let interval = Duration::from_millis(50);
    let wal = open(&disk, WalOptions { async_sync_interval: interval, ..options() });
    let entry = entry("r", 1, b"v", false);
    let permit = wal.reserve(entry.cells.len()).await.unwrap();
    let started = Instant::now();
    wal.append(permit, entry).unwrap();
    let syncs = wal.stats().syncs;
    assert!(syncs == 0 || started.elapsed() >= interval, "not at once");
    while read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap().is_empty() {
        assert!(started.elapsed() < Duration::from_secs(20), "never synced");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_holds_writers_back() {
    let disk = disk();
    let wal = open(&disk, WalOptions { queue_bytes: 1000, ..options() });
    let permit = wal.reserve(900).await.unwrap();
    let waiting = tokio::time::timeout(Duration::from_millis(50), wal.reserve(200)).await;
    assert!(waiting.is_err(), "there is no room");
    drop(permit);
    let _all = wal.reserve(10_000).await.expect("an entry above the limit takes the whole queue");
}

#[tokio::test]
async fn entries_that_nobody_syncs_do_not_block_the_queue() {
    let disk = disk();
    let wal = open(&disk, WalOptions { queue_bytes: 300, ..options() });
    for id in 1..=50 {
        let entry = entry("r", id, &[7; 60], true); // the caller died between append and sync
        let reserve = tokio::time::timeout(Duration::from_secs(20), wal.reserve(entry.cells.len()));
        wal.append(reserve.await.unwrap().unwrap(), entry).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_sync_fails_its_writes_and_the_log_goes_on_in_another_file() {
    for compression in [None, Some(WalCompression::default())] {
        a_failed_sync(compression).await;
    }
}

/// With dictionaries, the next file begins with empty ones: it does not refer to what was cut off.
async fn a_failed_sync(compression: Option<WalCompression>) {
    let disk = disk();
    let wal = open(&disk, WalOptions { compression, ..options() });
    put(&wal, "r", 1, b"v").await.unwrap();
    disk.faults.fail_operation(disk.faults.operations() + 1); // append, then this sync
    let error = put(&wal, "r", 2, b"v").await.unwrap_err();
    assert!(matches!(error, WalError::Io { action: "sync", .. }), "{error}");
    put(&wal, "r", 3, b"v").await.unwrap();
    assert_eq!(disk.fs.list(&dir()).unwrap().len(), 2);
    let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    assert_eq!(edits, [("r".to_owned(), 1), ("r".to_owned(), 3)], "the failed edit does not come back");
    assert_eq!(read_all(&*disk.fs, &dir()).unwrap(), edits, "nor if only the process dies: it was cut off");
    assert_eq!(wal.stats().failures, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_cannot_reopen_rejects_and_recovers() {
    let disk = disk();
    let wal = open(&disk, options());
    put(&wal, "r", 1, b"v").await.unwrap();
    disk.faults.fail_syncs(true);
    put(&wal, "r", 2, b"v").await.unwrap_err();
    let mut id = 3;
    while !wal.stats().unavailable {
        put(&wal, "r", id, b"v").await.unwrap_err();
        id += 1;
    }
    let started = Instant::now();
    assert!(matches!(put(&wal, "r", id, b"v").await, Err(WalError::Unavailable(_))));
    disk.faults.fail_syncs(false);
    while put(&wal, "r", id, b"v").await.is_err() {
        assert!(started.elapsed() < Duration::from_secs(20), "does not recover");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    assert!(edits.contains(&("r".to_owned(), 1)) && edits.contains(&("r".to_owned(), id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_confirmed_and_recovers_when_there_is_room() {
    for budget in (0..2000).step_by(61) {
        let disk = disk();
        let wal = open(&disk, options());
        disk.faults.set_byte_budget(Some(budget));
        let mut confirmed = Vec::new();
        for id in 1..40 {
            match put(&wal, "r", id, &[1; 40]).await {
                Ok(()) => confirmed.push(("r".to_owned(), id)),
                Err(e) => assert!(e.is_storage_full(), "{e}"),
            }
        }
        assert!(confirmed.len() < 39, "the disk was full");
        disk.faults.set_byte_budget(None);
        let started = Instant::now();
        while put(&wal, "r", 99, b"v").await.is_err() {
            assert!(started.elapsed() < Duration::from_secs(20), "does not recover");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        confirmed.push(("r".to_owned(), 99));
        let mut recovered = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
        recovered.sort_by_key(|(_, id)| *id);
        assert_eq!(recovered, confirmed, "budget {budget}");
        assert!(disk.fs.list(&dir()).unwrap().len() <= 3, "failed files do not pile up");
    }
}

/// The process dies at operation `n`, and the machine with it.
async fn crash_at(n: u64, compression: Option<WalCompression>) -> u64 {
    let disk = disk();
    let small = WalOptions { roll_size_bytes: 2000, compression, ..options() };
    disk.faults.fail_from(n);
    let confirmed = Arc::new(Mutex::new(Vec::new()));
    if let Ok(wal) = Wal::open(disk.fs.clone(), root(), SERVER, WalKind::Regions, small) {
        let wal = Arc::new(wal);
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (wal, confirmed) = (wal.clone(), confirmed.clone());
                tokio::spawn(async move {
                    let region = format!("r{writer}");
                    for id in 1..=15 {
                        if put(&wal, &region, id, &[writer; 30]).await.is_err() {
                            return;
                        }
                        confirmed.lock().unwrap().push((region.clone(), id));
                        if id % 5 == 0 && writer == 0 {
                            let _ = wal.roll().await;
                        }
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
    }
    let confirmed = confirmed.lock().unwrap().clone();
    for mode in [CrashMode::Strict, CrashMode::Torn { seed: n }, CrashMode::Torn { seed: !n }] {
        let recovered = read_all(&disk.memory.crash(mode), &dir()).unwrap();
        for edit in &confirmed {
            assert!(recovered.contains(edit), "operation {n}, {mode:?}: {edit:?} is lost");
        }
    }
    disk.faults.operations()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_at_any_operation_loses_nothing_confirmed() {
    for compression in [None, Some(WalCompression { tags: true, values: Some(Compression::Gz) })] {
        let total = crash_at(u64::MAX, compression).await;
        assert!(total > 40, "{total}");
        for n in 0..total {
            crash_at(n, compression).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_archived_when_all_their_regions_are_flushed() {
    let disk = disk();
    let wal = open(&disk, WalOptions { max_logs: 2, ..options() });
    put(&wal, "a", 5, b"v").await.unwrap();
    put(&wal, "b", 9, b"v").await.unwrap();
    wal.roll().await.unwrap();
    wal.roll().await.unwrap(); // nothing in it: stays
    assert_eq!(wal.stats().rolls, 1);
    assert_eq!(disk.fs.list(&dir()).unwrap().len(), 2);
    put(&wal, "b", 10, b"v").await.unwrap();
    wal.roll().await.unwrap();
    let mut regions: Vec<_> = wal.too_many_logs().into_iter().map(|to_flush| to_flush.region).collect();
    regions.sort();
    assert_eq!(regions, [region("a"), region("b")]);
    wal.region_flushed(&region("a"), 6, &[]);
    assert_eq!(wal.stats().rolled_logs, 2);
    wal.region_flushed(&region("b"), 10, &[]);
    assert_eq!(wal.stats().rolled_logs, 1, "the second file still holds edit 10");
    assert!(wal.too_many_logs().is_empty());
    let old = finback_wal::old_logs_dir(root());
    let archived = disk.fs.list(&old).unwrap();
    assert_eq!(archived.len(), 1);
    let contents = read(&*disk.fs, &old.join(&archived[0].name)).unwrap();
    assert!(contents.closed && contents.edits.len() == 2);
    wal.region_closed(&region("b"));
    wal.close().await.unwrap();
    assert!(disk.fs.list(&dir()).unwrap().is_empty(), "everything is flushed");

    let now = SystemTime::now();
    assert_eq!(clean_old_logs(&*disk.fs, root(), Duration::from_secs(600), now).unwrap(), 0);
    let later = now + Duration::from_secs(601);
    assert_eq!(clean_old_logs(&*disk.fs, root(), Duration::from_secs(600), later).unwrap(), 3);
}

#[test]
fn an_old_log_that_cannot_be_deleted_keeps_no_other() {
    let (disk, dir) = (disk(), root().join("oldWALs"));
    disk.memory.create_dir_all(&dir).unwrap();
    for name in ["s.1", "s.2", "s.3"] {
        write_file(&disk.memory, &dir.join(name), b"");
    }
    let later = SystemTime::now() + Duration::from_secs(601);
    let clean = || clean_old_logs(&*disk.fs, root(), Duration::from_secs(600), later);
    disk.faults.fail_operation(0);
    let error = clean().unwrap_err();
    assert!(matches!(&error, WalError::Io { path, .. } if path.ends_with("s.1")), "{error}");
    let left: Vec<_> = disk.memory.list(&dir).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(left, ["s.1"]);
    assert_eq!(clean().unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_whose_move_to_the_archive_is_not_synced_is_synced_later() {
    let disk = disk();
    let wal = open(&disk, options());
    put(&wal, "a", 1, b"v").await.unwrap();
    wal.roll().await.unwrap();
    put(&wal, "a", 2, b"v").await.unwrap();
    wal.roll().await.unwrap();
    wal.region_flushed(&region("a"), 2, &[]); // makes the archive
    disk.faults.fail_rename_syncs(true);
    disk.faults.fail_operation(disk.faults.operations() + 1); // the move, then this sync
    wal.region_flushed(&region("a"), 3, &[]);
    assert_eq!(wal.stats().rolled_logs, 1);
    let archive = finback_wal::old_logs_dir(root());
    assert_eq!(disk.fs.list(&archive).unwrap().len(), 2, "the file is moved");
    wal.region_flushed(&region("a"), 3, &[]);
    assert_eq!(wal.stats().rolled_logs, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_rolls_by_size_and_by_age() {
    let disk = disk();
    let wal = open(&disk, WalOptions { roll_size_bytes: 1000, ..options() });
    for id in 1..=20 {
        put(&wal, "r", id, &[0; 100]).await.unwrap();
    }
    assert!(wal.stats().rolls >= 3, "{:?}", wal.stats());
    assert_eq!(read_all(&*disk.fs, &dir()).unwrap().len(), 20);

    let disk = self::disk();
    let wal = open(&disk, WalOptions { roll_period: Duration::from_millis(20), ..options() });
    put(&wal, "r", 1, b"v").await.unwrap();
    let started = Instant::now();
    while wal.stats().rolls == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "never rolled");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_roll_that_cannot_begin_the_next_file_keeps_the_current() {
    let disk = disk();
    let wal = open(&disk, options());
    put(&wal, "r", 1, b"v").await.unwrap();
    disk.faults.fail_operation(disk.faults.operations());
    wal.roll().await.unwrap_err();
    put(&wal, "r", 2, b"v").await.unwrap();
    wal.roll().await.unwrap();
    put(&wal, "r", 3, b"v").await.unwrap();
    assert_eq!(read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_of_the_operating_system_kind_does_not_sync_its_entries() {
    let disk = disk();
    let wal = open(&disk, WalOptions { sync_mode: SyncMode::Os, ..options() });
    let before = disk.faults.syncs();
    for id in 1..=5 {
        put(&wal, "r", id, b"v").await.unwrap();
    }
    // A group that is written in pieces.
    for id in 6..=200 {
        let permit = wal.reserve(10_000).await.unwrap();
        wal.append(permit, entry("r", id, &[7; 10_000], false)).unwrap();
    }
    put(&wal, "r", 201, b"v").await.unwrap();
    assert_eq!(disk.faults.syncs(), before);
    // Whatever the machine's death leaves of it is a torn tail, not corruption.
    for seed in 0..50 {
        for mode in [CrashMode::Torn { seed }, CrashMode::Reordered { seed }] {
            read_all(&disk.memory.crash(mode), &dir()).unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_of_the_operating_system_kind_syncs_what_asks_for_it() {
    let disk = disk();
    let wal = open(&disk, WalOptions { sync_mode: SyncMode::Os, ..options() });
    put(&wal, "r", 1, b"v").await.unwrap();
    let forced = WalAppend { durability: Durability::FsyncWal, ..entry("r", 2, b"v", true) };
    commit(&wal, forced).await.unwrap();
    put(&wal, "r", 3, b"v").await.unwrap();
    let survived = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    assert_eq!(survived, [("r".to_owned(), 1), ("r".to_owned(), 2)]);
}

/// On a real disk, where much of it goes past the page cache.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_of_the_operating_system_kind_has_what_was_answered_and_does_not_let_the_rest_pile_up() {
    let root = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let never = Duration::from_secs(3600);
    let os = WalOptions { sync_mode: SyncMode::Os, async_sync_interval: never, ..options() };
    let wal = Wal::open(fs.clone(), root.path(), SERVER, WalKind::Regions, os).unwrap();
    let dir = server_log_dir(root.path(), SERVER);
    let mut id = 0;
    let mut expected = Vec::new();
    // Small entries, and such as are not copied; groups of a few bytes, and of many.
    for (count, value) in [(1, 10), (3000, 300), (1, 5000), (100, 40_000), (7, 1), (5000, 900), (1, 3 << 20)]
    {
        for last in (0..count).rev() {
            id += 1;
            expected.push(("r".to_owned(), id));
            if last == 0 {
                put(&wal, "r", id, &vec![7; value]).await.unwrap();
                break;
            }
            let permit = wal.reserve(value).await.unwrap();
            wal.append(permit, entry("r", id, &vec![7; value], false)).unwrap();
        }
        assert!(read_all(&*fs, &dir).unwrap() == expected, "what was answered is there, and all before it");
    }
    // Nobody waits for these.
    for _ in 0..10_000 {
        id += 1;
        expected.push(("r".to_owned(), id));
        let permit = wal.reserve(500).await.unwrap();
        wal.append(permit, entry("r", id, &[9; 500], false)).unwrap();
    }
    let began = Instant::now();
    while read_all(&*fs, &dir).unwrap().len() < expected.len() - 5000 {
        assert!(began.elapsed() < Duration::from_secs(300), "they pile up");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    wal.close().await.unwrap();
    assert!(read_all(&*fs, &dir).unwrap() == expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_of_meta_and_the_others_live_side_by_side_on_a_real_disk() {
    let root = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let regions = Wal::open(fs.clone(), root.path(), SERVER, WalKind::Regions, options()).unwrap();
    let meta = Wal::open(fs.clone(), root.path(), SERVER, WalKind::Meta, options()).unwrap();
    put(&regions, "r", 1, &vec![3; 100_000]).await.unwrap();
    put(&meta, "1588230740", 1, b"v").await.unwrap();
    regions.close().await.unwrap();
    meta.close().await.unwrap();
    let dir = server_log_dir(root.path(), SERVER);
    let names: Vec<_> = fs.list(&dir).unwrap().into_iter().map(|e| e.name).collect();
    assert_eq!(names.len(), 2);
    assert_eq!(names.iter().filter(|name| name.ends_with(".meta")).count(), 1);
    for name in names {
        let contents = read(&*fs, &dir.join(name)).unwrap();
        assert!(contents.closed && contents.edits.len() == 1);
    }
}

#[tokio::test]
async fn an_entry_above_the_limit_is_refused() {
    let disk = disk();
    let wal = open(&disk, options());
    let long = "x".repeat(5000);
    let permit = wal.reserve(10).await.unwrap();
    assert!(matches!(wal.append(permit, entry(&long, 1, b"v", true)), Err(WalError::TooLarge { .. })));
    put(&wal, "r", 1, b"v").await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_file_of_a_compressed_log_stands_alone() {
    let disk = disk();
    let compression = Some(WalCompression { tags: true, values: Some(Compression::Snappy) });
    let wal = open(&disk, WalOptions { roll_size_bytes: 1000, compression, ..options() });
    for id in 1..=40 {
        put(&wal, "r", id, &[id as u8; 100]).await.unwrap();
    }
    assert!(wal.stats().rolls >= 2, "{:?}", wal.stats());
    for file in disk.fs.list(&dir()).unwrap() {
        let contents = read(&*disk.fs, &dir().join(file.name)).unwrap();
        assert_eq!(contents.torn_at, None);
    }
    assert_eq!(read_all(&*disk.fs, &dir()).unwrap().len(), 40);
}

#[tokio::test]
async fn tags_that_cannot_be_compressed_are_refused_and_the_log_goes_on() {
    let disk = disk();
    let wal = open(&disk, WalOptions { compression: Some(WalCompression::default()), ..options() });
    let parts = CellParts {
        row: b"r",
        family: b"f",
        qualifier: b"q",
        timestamp: 1,
        type_code: 4,
        value: b"",
        tags: b"\x00\x09x",
    };
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&parts);
    let bad = WalAppend { cells: cells.finish().bytes().clone(), ..entry("r", 1, b"", true) };
    let permit = wal.reserve(bad.cells.len()).await.unwrap();
    assert!(matches!(wal.append(permit, bad), Err(WalError::Malformed)));
    put(&wal, "r", 2, b"v").await.unwrap();
    assert_eq!(wal.stats().failures, 0);
}

/// Queues an entry, made of that at `after`; its position.
async fn queue(wal: &Wal, sequence_id: u64, sync: bool, after: Option<Position>) -> Position {
    let entry = WalAppend { after, ..entry("r", sequence_id, b"v", sync) };
    let permit = wal.reserve(entry.cells.len()).await.unwrap();
    wal.append(permit, entry).unwrap()
}

/// With an entry that fails fail those that were made of it, wherever they are: in its group, or in the next one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_made_of_a_failed_entry_fails_with_it_and_is_not_written() {
    let disk = disk();
    let wal = open(&disk, options());
    put(&wal, "r", 1, b"v").await.unwrap();
    disk.faults.fail_operation(disk.faults.operations() + 1); // append, then this sync
    disk.faults.pause();
    let first = queue(&wal, 2, true, None).await;
    let failing = wal.sync(first);
    while disk.faults.waiting() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let of_first = queue(&wal, 3, true, Some(first)).await;
    let of_that = queue(&wal, 4, true, Some(of_first)).await;
    let unrelated = queue(&wal, 5, true, None).await;
    let of_unrelated = queue(&wal, 6, true, Some(unrelated)).await;
    // In a memstore, as its writer has left it.
    let left = queue(&wal, 7, true, Some(of_that)).await;
    wal.leave(left).unwrap();
    let of_left = queue(&wal, 8, true, Some(left)).await;
    let syncs = [of_first, of_that, unrelated, of_unrelated, of_left].map(|position| wal.sync(position));
    disk.faults.resume();
    failing.await.unwrap_err();
    let [of_first_done, of_that_done, unrelated_done, of_unrelated_done, of_left_done] = syncs;
    assert!(matches!(of_first_done.await, Err(WalError::Io { action: "sync", .. })));
    of_that_done.await.unwrap_err();
    unrelated_done.await.unwrap();
    of_unrelated_done.await.unwrap();
    of_left_done.await.unwrap_err();
    wal.leave(of_first).unwrap_err();
    // Made of it when all that was long decided.
    for before in [of_that, left] {
        let late = queue(&wal, 9, true, Some(before)).await;
        wal.sync(late).await.unwrap_err();
    }
    put(&wal, "r", 10, b"v").await.unwrap();
    let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    assert_eq!(edits.iter().map(|(_, id)| *id).collect::<Vec<_>>(), [1, 5, 6, 7, 10]);
}

/// Its writer went away before it had asked for the sync.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_left_is_synced_soon_though_nobody_asks() {
    let disk = disk();
    let wal = open(&disk, WalOptions { async_sync_interval: Duration::from_millis(20), ..options() });
    put(&wal, "r", 1, b"v").await.unwrap();
    let left = queue(&wal, 2, true, None).await;
    wal.leave(left).unwrap();
    while wal.stats().entries < 2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap().len(), 2);
}

/// A group of which something was left out fails: what others have left of it is still carried over, and nothing else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_without_what_was_left_out_may_fail_as_well() {
    let disk = disk();
    let wal = open(&disk, options());
    put(&wal, "r", 0, b"v").await.unwrap();
    disk.faults.fail_operation(disk.faults.operations() + 1); // append, then this sync
    let first = queue(&wal, 1, true, None).await;
    wal.sync(first).await.unwrap_err();
    let of_first = queue(&wal, 2, true, Some(first)).await;
    let answered = queue(&wal, 3, false, None).await;
    let last = queue(&wal, 4, true, None).await;
    // In a new file: append, zeros ahead, then this sync.
    disk.faults.fail_operation(disk.faults.operations() + 2);
    let (of_first_done, last_done) = (wal.sync(of_first), wal.sync(last));
    of_first_done.await.unwrap_err();
    let failed = last_done.await.is_err();
    assert!(wal.sync(answered).await.is_err() || !failed);
    put(&wal, "r", 5, b"v").await.unwrap();
    let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    let ids: Vec<_> = edits.iter().map(|(_, id)| *id).collect();
    assert!(failed, "the fault has met another operation: {ids:?}");
    assert_eq!(ids, [0, 3, 5], "what was answered is there, in the next file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_close_says_that_what_was_answered_is_in_no_log() {
    for heals in [true, false] {
        let disk = disk();
        let wal = open(&disk, WalOptions { reopen_interval: Duration::from_secs(3600), ..options() });
        put(&wal, "r", 1, b"v").await.unwrap();
        disk.faults.fail_syncs(true);
        let answered = queue(&wal, 2, false, None).await;
        wal.sync(answered).await.unwrap_err();
        if heals {
            disk.faults.fail_syncs(false);
        }
        assert_eq!(wal.close().await.is_ok(), heals);
        let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
        assert_eq!(edits.len(), if heals { 2 } else { 1 });
    }
}

/// A log with one entry, whose thread is held up in writing it, with a request to close the log behind that.
async fn closing(disk: &Disk) -> (Arc<Wal>, Position, tokio::task::JoinHandle<Result<(), WalError>>) {
    let wal = open(disk, WalOptions { async_sync_interval: Duration::from_secs(3600), ..options() });
    let position = queue(&wal, 1, true, None).await;
    disk.faults.pause();
    let closing = {
        let wal = wal.clone();
        tokio::spawn(async move { wal.close().await })
    };
    while disk.faults.waiting() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (wal, position, closing)
}

/// Has something asked whose answer is not there yet.
async fn ask(asking: impl Future + Unpin) {
    tokio::select! {
        biased;
        _ = asking => panic!("answered already"),
        () = std::future::ready(()) => {}
    }
}

/// Nobody may wait for it: its writer has answered its client as soon as it was appended.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_appended_while_the_log_closes_is_written() {
    let disk = disk();
    let (wal, first, closing) = closing(&disk).await;
    queue(&wal, 2, false, None).await;
    let last = queue(&wal, 3, true, None).await;
    let mut again = pin!(wal.close());
    ask(&mut again).await;
    disk.faults.resume();
    let all = async { tokio::join!(closing, again, wal.sync(first), wal.sync(last)) };
    let (closed, again, of_first, of_last) =
        tokio::time::timeout(Duration::from_secs(60), all).await.unwrap();
    closed.unwrap().unwrap();
    again.unwrap();
    of_first.unwrap();
    of_last.unwrap();
    let edits = read_all(&disk.memory.crash(CrashMode::Strict), &dir()).unwrap();
    assert_eq!(edits.iter().map(|(_, id)| *id).collect::<Vec<_>>(), [1, 2, 3]);
}

#[tokio::test]
async fn who_waits_for_the_last_write_when_the_log_closes_is_answered() {
    let disk = disk();
    let (wal, only, closing) = closing(&disk).await;
    let mut waiting = pin!(wal.sync(only));
    ask(&mut waiting).await;
    disk.faults.resume();
    let all = async { tokio::join!(closing, waiting) };
    let (closed, waited) = tokio::time::timeout(Duration::from_secs(60), all).await.unwrap();
    closed.unwrap().unwrap();
    waited.unwrap();
}
