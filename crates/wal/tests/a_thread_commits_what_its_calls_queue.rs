//! Commits without the log's thread.

mod entries;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use entries::{SERVER, entry, put, read_all};
use finback_fs::{CrashMode, Faults, FaultyFileSystem, MemFileSystem};
use finback_wal::{
    Wal, WalError, WalKind, WalOptions, commit_on_this_thread, others_are_served_here, server_log_dir,
};
use tokio::task::{JoinSet, yield_now};

const SOME: u64 = 64;

struct Disk {
    memory: MemFileSystem,
    faults: Faults,
    wal: Arc<Wal>,
}

fn root() -> &'static Path {
    Path::new("/root")
}

fn dir() -> PathBuf {
    server_log_dir(root(), SERVER)
}

fn disk(options: WalOptions) -> Disk {
    let memory = MemFileSystem::new();
    let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
    let faults = faulty.faults();
    let wal = Wal::open(Arc::new(faulty), root(), SERVER, WalKind::Regions, options).unwrap();
    Disk { memory, faults, wal: Arc::new(wal) }
}

fn options() -> WalOptions {
    WalOptions { reopen_interval: Duration::ZERO, ..WalOptions::default() }
}

/// Ids of the entries that a power cut leaves.
fn durable(disk: &Disk) -> Vec<u64> {
    let after = disk.memory.crash(CrashMode::Strict);
    let mut ids: Vec<u64> = read_all(&after, &dir()).unwrap().iter().map(|edit| edit.1).collect();
    ids.sort_unstable();
    ids
}

/// Puts until the thread commits for itself: on a busy machine a commit may be slow, and the next ones are left to the log's thread.
async fn put_until_own_commit(wal: &Wal, from: u64) -> u64 {
    let own = wal.stats().own_syncs;
    for id in from..from + 100_000 {
        put(wal, "r", id, b"value").await.unwrap();
        if wal.stats().own_syncs > own {
            return id + 1 - from;
        }
    }
    panic!("this thread commits nothing");
}

async fn put_all(wal: &Wal, ids: impl Iterator<Item = u64>) {
    for id in ids {
        put(wal, "r", id, b"value").await.unwrap();
    }
}

#[tokio::test]
async fn a_lone_thread_commits_and_what_is_confirmed_is_on_disk() {
    let disk = disk(options());
    tokio::spawn(commit_on_this_thread());
    yield_now().await;
    let before = put_until_own_commit(&disk.wal, 1).await;
    for id in before + 1..=before + 200 {
        put(&disk.wal, "r", id, b"value").await.unwrap();
        assert_eq!(durable(&disk).len() as u64, id);
    }
    disk.wal.close().await.unwrap();
}

#[tokio::test]
async fn without_the_task_the_log_has_its_thread() {
    let disk = disk(options());
    put_all(&disk.wal, 1..=3 * SOME).await;
    assert_eq!(disk.wal.stats().own_syncs, 0);
    let task = tokio::spawn(commit_on_this_thread());
    yield_now().await;
    let own = put_until_own_commit(&disk.wal, 1_000_000).await;
    // What the task had taken on when it ends is not lost.
    let more: JoinSet<_> = (2_000_000..2_000_010)
        .map(|id| {
            let wal = Arc::clone(&disk.wal);
            async move { put(&wal, "r", id, b"value").await.unwrap() }
        })
        .collect();
    task.abort();
    more.join_all().await;
    put_all(&disk.wal, 3_000_000..3_000_000 + SOME).await;
    assert_eq!(durable(&disk).len() as u64, 3 * SOME + own + 10 + SOME);
}

#[tokio::test]
async fn a_thread_that_serves_others_leaves_it_to_the_logs() {
    let disk = disk(options());
    tokio::spawn(commit_on_this_thread());
    yield_now().await;
    put_until_own_commit(&disk.wal, 1).await;
    let own = disk.wal.stats().own_syncs;
    others_are_served_here();
    put_all(&disk.wal, 1_000_000..1_000_100).await;
    assert_eq!(disk.wal.stats().own_syncs, own);
    put_until_own_commit(&disk.wal, 2_000_000).await; // after a while without others
}

#[tokio::test]
async fn large_writes_are_left_to_the_logs_thread() {
    let disk = disk(options());
    tokio::spawn(commit_on_this_thread());
    yield_now().await;
    put_until_own_commit(&disk.wal, 1).await;
    let own = disk.wal.stats().own_syncs;
    for id in 1_000_000..1_000_010 {
        put(&disk.wal, "r", id, &[7; 100 << 10]).await.unwrap();
    }
    assert_eq!(disk.wal.stats().own_syncs, own);
}

#[tokio::test]
async fn a_failed_commit_fails_its_writers_and_nobody_else() {
    let disk = disk(options());
    tokio::spawn(commit_on_this_thread());
    yield_now().await;
    let mut failures = 0;
    for round in 1..20 {
        put_until_own_commit(&disk.wal, round * 1_000_000).await;
        let (lost, kept) = (round * 1_000_000 + 500_000, round * 1_000_000 + 600_000);
        disk.faults.fail_syncs(true);
        assert!(put(&disk.wal, "r", lost, b"value").await.is_err());
        disk.faults.fail_syncs(false);
        while put(&disk.wal, "r", kept, b"value").await.is_err() {}
        let ids = durable(&disk);
        assert!(!ids.contains(&lost) && ids.contains(&kept), "{round}");
        failures += 1;
        assert!(disk.wal.stats().failures >= failures);
    }
}

/// A runtime swallows the panic of its task: nobody may hear of a success that was none.
#[tokio::test]
async fn a_commit_that_panics_closes_the_log() {
    let closed =
        |answer: Result<(), WalError>| assert!(matches!(answer, Err(WalError::Closed)), "{answer:?}");
    loop {
        let disk = disk(options());
        let commits = tokio::spawn(commit_on_this_thread());
        yield_now().await;
        put_until_own_commit(&disk.wal, 1).await;
        let confirmed = durable(&disk);
        disk.faults.panic_in_sync();
        let mut positions = Vec::new();
        for id in [1_000_000, 1_000_001] {
            let entry = entry("r", id, b"value", true);
            let permit = disk.wal.reserve(entry.cells.len()).await.unwrap();
            positions.push(disk.wal.append(permit, entry).unwrap());
        }
        closed(disk.wal.sync(positions[0]).await);
        let later = put(&disk.wal, "r", 2_000_000, b"value").await;
        for position in positions {
            closed(disk.wal.sync(position).await);
            closed(disk.wal.leave(position));
        }
        closed(later);
        closed(disk.wal.close().await);
        assert_eq!(durable(&disk), confirmed);
        // On a busy machine it may have been the log's thread.
        if commits.is_finished() {
            return;
        }
        commits.abort();
    }
}

#[tokio::test]
async fn files_end_by_size_and_by_age() {
    let disk = disk(WalOptions { roll_size_bytes: 20_000, ..options() });
    tokio::spawn(commit_on_this_thread());
    yield_now().await;
    for round in 1..20 {
        put_until_own_commit(&disk.wal, round * 1_000_000).await;
        put_all(&disk.wal, round * 1_000_000 + 500_000..round * 1_000_000 + 500_300).await;
        // 25 kB in a file.
        assert!(disk.wal.stats().rolls >= round, "{:?}", disk.wal.stats());
    }
    let disk = self::disk(WalOptions { roll_period: Duration::from_millis(20), ..options() });
    put_until_own_commit(&disk.wal, 1).await;
    let rolls = disk.wal.stats().rolls;
    put_all(&disk.wal, 2_000_000..2_000_001).await;
    while disk.wal.stats().rolls == rolls {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Threads that commit, threads that do not, few writers and many, and rolls between: everybody is answered, and all is there.
#[test]
fn threads_of_all_kinds_share_a_log() {
    const EACH: u64 = 1500;
    let disk = disk(WalOptions { roll_size_bytes: 200_000, ..options() });
    let threads: Vec<_> = [(true, 1), (true, 4), (false, 2), (true, 2)]
        .into_iter()
        .zip(0u64..)
        .map(|((commits, writers), thread)| {
            let wal = Arc::clone(&disk.wal);
            thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(async {
                    if commits {
                        tokio::spawn(commit_on_this_thread());
                    }
                    let all: JoinSet<_> = (0..writers)
                        .map(|writer| {
                            let wal = Arc::clone(&wal);
                            async move {
                                for n in 0..EACH {
                                    let id = 1 + n + EACH * (writer + 4 * thread);
                                    put(&wal, "r", id, b"value").await.unwrap();
                                    if n % 300 == 299 {
                                        // The others of this log are alone for a while.
                                        tokio::time::sleep(Duration::from_millis(20)).await;
                                    }
                                }
                            }
                        })
                        .collect();
                    all.join_all().await;
                });
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    let mut ids = durable(&disk);
    ids.dedup();
    assert_eq!(ids.len() as u64, 9 * EACH);
    assert!(disk.wal.stats().own_syncs > 0);
}
