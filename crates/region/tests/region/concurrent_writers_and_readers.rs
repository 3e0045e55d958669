//! Many tasks at once, on several threads.

use crate::world::{
    Plain, World, family, find_at_once, increment, number, put, results_of, run, scan, value,
};
use finback_cell::{Durability, Get, Mutation, MutationKind, Scan, TimeRange};
use finback_filter::comparators::BinaryComparator;
use finback_fs::{Faults, FaultyFileSystem, MemFileSystem};
use finback_region::{AtomicOutcome, CompareOperator, Condition, ConditionTest, InMemoryCompaction};
use finback_region::{Region, RegionError, ScanOutput};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap()
}

fn start() -> (World, Faults, Arc<Region>) {
    start_with(Duration::from_secs(30))
}

fn start_with(row_lock_wait: Duration) -> (World, Faults, Arc<Region>) {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let mut world = World::new(Arc::new(faulty), vec![family("a", 1), family("b", 1)]);
    world.config.row_lock_wait = row_lock_wait;
    // In the background, what can be left out is left out all the time.
    world.compact_in_memory(InMemoryCompaction::Eager);
    let region = world.start().unwrap();
    (world, faults, region)
}

const COUNTER: (&str, &str, &str) = ("counter", "a", "n");

/// More than any of these tests takes, unless something waits for ever.
async fn in_time<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("somebody waits for ever")
}

#[test]
fn increments_sum_up_exactly_while_the_region_is_flushed() {
    let (_world, _, region) = start();
    runtime().block_on(in_time(async {
        let writers: Vec<_> = (0..16)
            .map(|writer| {
                let region = Arc::clone(&region);
                tokio::spawn(async move {
                    for at in 0..40 {
                        region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await.unwrap();
                        if writer == 0 && at % 10 == 9 {
                            let region = Arc::clone(&region);
                            tokio::task::spawn_blocking(move || region.flush(None)).await.unwrap().unwrap();
                        }
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
    }));
    assert_eq!(number(&region, COUNTER), 16 * 40);
}

#[test]
fn readers_see_mutations_of_a_row_whole_or_not_at_all() {
    let (_world, _, region) = start();
    let row = |content: u32| -> Vec<Mutation> {
        let content = content.to_be_bytes();
        [("a", "x"), ("a", "y"), ("b", "x")].iter().map(|(f, q)| put(("row", f, q), &content)).collect()
    };
    run(region.mutate_atomically(Vec::new(), row(0))).unwrap();
    // Neighbours in its block: the first and the last row of a file might have more in another one.
    let neighbours = ["q", "s"].map(|row| ["a", "b"].map(|family| put((row, family, "x"), b"v")));
    run(region.batch(neighbours.concat())).into_iter().for_each(|written| written.unwrap());
    let (done, found_at_once) = (AtomicBool::new(false), AtomicUsize::new(0));
    let is_whole = |cells: &[Plain]| {
        assert_eq!(cells.len(), 3, "{cells:?}");
        assert!(cells.iter().all(|cell| cell.value == cells[0].value), "{cells:?}");
    };
    let get = Get::new("row".into()).scan;
    let read = || {
        let mut out = ScanOutput::default();
        if region.find_plain(&get, &mut out, usize::MAX) {
            is_whole(&results_of(&out).into_iter().flat_map(|result| result.cells).collect::<Vec<_>>());
            found_at_once.fetch_add(1, Ordering::Relaxed);
        }
        is_whole(&scan(&region, &get, None).unwrap());
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    read();
                    while !done.load(Ordering::Relaxed) {
                        read();
                    }
                })
            })
            .collect();
        for content in 1..400u32 {
            run(region.mutate_atomically(Vec::new(), row(content))).unwrap();
            if content % 50 == 0 {
                region.flush(None).unwrap();
                for family in [b"a", b"b"] {
                    region.compact(family, true).unwrap();
                }
                // One file has the row alone now: it is found at once, without a scanner, by who goes on.
                let before = found_at_once.load(Ordering::Relaxed);
                let is_alive = || readers.iter().any(|reader| !reader.is_finished());
                while found_at_once.load(Ordering::Relaxed) == before && is_alive() {
                    std::thread::yield_now();
                }
            }
        }
        done.store(true, Ordering::Relaxed);
        readers.into_iter().for_each(|reader| reader.join().unwrap());
    });
}

#[test]
fn batches_over_the_same_rows_in_different_orders_do_not_wait_for_each_other_for_ever() {
    let (_world, _, region) = start();
    runtime().block_on(in_time(async {
        let writers: Vec<_> = (0..12usize)
            .map(|writer| {
                let region = Arc::clone(&region);
                tokio::spawn(async move {
                    for turn in 0..25 {
                        let rows = (0..6).map(|at| (writer * 5 + turn + at * (1 + writer % 5)) % 7);
                        let mutations: Vec<_> =
                            rows.map(|row| put((&format!("row{row}"), "a", "q"), b"v")).collect();
                        if writer % 3 == 0 {
                            region.mutate_atomically(Vec::new(), mutations).await.unwrap();
                        } else {
                            region.batch(mutations).await.into_iter().for_each(|result| result.unwrap());
                        }
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
    }));
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 7);
}

/// Polls a write a few times and drops it.
fn begin_and_drop(write: impl Future, polls: usize) {
    let mut write = Box::pin(write);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..polls {
        if write.as_mut().poll(&mut context).is_ready() {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn writes_that_are_dropped_anywhere_leave_the_region_usable() {
    let (mut world, faults, region) = start();
    let runtime = runtime();
    let _in_runtime = runtime.enter();
    for polls in 0..4 {
        begin_and_drop(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]), polls);
        begin_and_drop(region.batch(vec![put(("r", "a", "q"), b"v"), put(("s", "b", "q"), b"v")]), polls);
    }
    // One that waits for the log when it is dropped: it is in the log, and so must not be missing here.
    faults.pause();
    let before = number(&region, COUNTER);
    begin_and_drop(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]), 3);
    faults.resume();
    let now = number(&region, COUNTER);
    assert_eq!(now, before + 1, "its cells are there");
    // Nothing is locked, nothing waits for a write that is gone.
    runtime.block_on(in_time(async {
        region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await.unwrap();
        region.batch(vec![put(("r", "a", "q"), b"last"), put(("s", "b", "q"), b"last")]).await;
    }));
    assert_eq!(number(&region, COUNTER), now + 1);
    region.flush(None).unwrap();
    assert_eq!(world.host.memstore_bytes(), 0);
    region.close().unwrap();
    let region = world.start().unwrap();
    assert_eq!(number(&region, COUNTER), now + 1);
    assert_eq!(value(&region, ("s", "b", "q")).as_deref(), Some(&b"last"[..]));
}

#[test]
fn a_write_builds_upon_one_that_was_dropped_before_it_was_seen() {
    let (_world, faults, region) = start();
    faults.pause();
    runtime().block_on(in_time(async {
        let earlier = {
            let region = Arc::clone(&region);
            tokio::spawn(async move { region.batch(vec![put(("r", "a", "q"), b"v")]).await.remove(0) })
        };
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        begin_and_drop(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]), 3);
        assert_eq!(number(&region, COUNTER), 0, "seen before the earlier write");
        let later = {
            let region = Arc::clone(&region);
            tokio::spawn(
                async move { region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await },
            )
        };
        tokio::time::sleep(Duration::from_millis(20)).await;
        faults.resume();
        earlier.await.unwrap().unwrap();
        later.await.unwrap().unwrap();
    }));
    assert_eq!(number(&region, COUNTER), 2);
}

#[test]
fn a_waiter_for_a_row_gives_up_in_time() {
    let (_world, faults, region) = start_with(Duration::from_millis(30));
    faults.pause();
    let runtime = runtime();
    runtime.block_on(in_time(async {
        let holder = spawn_atomic(&region, Vec::new(), of_two_rows());
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let refused = region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await;
        assert!(matches!(refused, Err(RegionError::RowLockTimeout { .. })), "{refused:?}");
        faults.resume();
        holder.await.unwrap().unwrap();
        region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await.unwrap();
    }));
    assert_eq!(number(&region, COUNTER), 2);
}

/// An atomic write that somebody else carries out.
fn spawn_atomic(
    region: &Arc<Region>,
    conditions: Vec<Condition>,
    mutations: Vec<Mutation>,
) -> tokio::task::JoinHandle<Result<AtomicOutcome, RegionError>> {
    let region = Arc::clone(region);
    tokio::spawn(async move { region.mutate_atomically(conditions, mutations).await })
}

/// One that keeps its locks until it is seen.
fn of_two_rows() -> Vec<Mutation> {
    vec![increment(COUNTER, 1), put(("another row", "a", "q"), b"v")]
}

/// A put that somebody else carries out.
fn spawn_put(region: &Arc<Region>, put: Mutation) -> tokio::task::JoinHandle<Result<(), RegionError>> {
    let region = Arc::clone(region);
    tokio::spawn(async move { region.batch(vec![put]).await.remove(0) })
}

#[test]
fn a_row_is_waited_for_no_longer_than_the_client_waits() {
    let (_world, faults, region) = start_with(Duration::from_secs(3600));
    faults.pause();
    runtime().block_on(in_time(async {
        let holder = spawn_atomic(&region, Vec::new(), of_two_rows());
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let deadline = || Some(Instant::now() + Duration::from_millis(20));
        let one = put(COUNTER, b"late");
        let refused = region.mutate_until(&one, deadline()).await;
        assert!(matches!(refused, Err(RegionError::RowLockTimeout { .. })), "{refused:?}");
        let refused = region.batch_until(&[one], deadline()).await.remove(0);
        assert!(matches!(refused, Err(RegionError::RowLockTimeout { .. })), "{refused:?}");
        let refused =
            region.mutate_atomically_until(Vec::new(), vec![increment(COUNTER, 5)], deadline()).await;
        assert!(matches!(refused, Err(RegionError::RowLockTimeout { .. })), "{refused:?}");
        faults.resume();
        holder.await.unwrap().unwrap();
    }));
    assert_eq!(number(&region, COUNTER), 1, "none of them is done later");
}

#[test]
fn puts_of_one_row_share_its_lock_and_what_reads_first_waits_for_all_of_them() {
    const LOCK_WAIT: Duration = Duration::from_millis(30);
    let (_world, faults, region) = start_with(LOCK_WAIT);
    faults.pause();
    runtime().block_on(in_time(async {
        let puts = [1i64, 2, 3].map(|number| spawn_put(&region, put(COUNTER, &number.to_be_bytes())));
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        // Longer than anybody waits for a lock: they all have it, and wait for the log.
        tokio::time::sleep(LOCK_WAIT * 4).await;
        assert!(puts.iter().all(|put| !put.is_finished()), "a put waited for a lock");
        let refused = region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await;
        assert!(matches!(refused, Err(RegionError::RowLockTimeout { .. })), "{refused:?}");
        faults.resume();
        for put in puts {
            put.await.unwrap().unwrap();
        }
    }));
    let last = number(&region, COUNTER);
    run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
    assert_eq!(number(&region, COUNTER), last + 1);
}

#[test]
fn reads_of_uncommitted_writes_see_what_others_do_not_see_yet() {
    let (_world, faults, region) = start();
    let uncommitted = || Scan { read_uncommitted: true, ..Scan::default() };
    faults.pause();
    runtime().block_on(in_time(async {
        let earlier = spawn_put(&region, put(("r1", "a", "q"), b"v"));
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        // Needs no log, but comes after the other.
        let mut unlogged = put(("r2", "a", "q"), b"v");
        unlogged.durability = Durability::SkipWal;
        let later = spawn_put(&region, unlogged);
        while scan(&region, &uncommitted(), None).unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        let rows: Vec<_> = scan(&region, &uncommitted(), None).unwrap();
        assert_eq!(rows.iter().map(|cell| &cell.row[..]).collect::<Vec<_>>(), [b"r2"]);
        assert_eq!(scan(&region, &Scan::default(), None).unwrap(), []);
        assert_eq!(find_at_once(&region, &Get::new("r2".into()).scan).unwrap(), None);
        assert!(!later.is_finished(), "answered before readers see it");
        faults.resume();
        earlier.await.unwrap().unwrap();
        later.await.unwrap().unwrap();
    }));
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 2);
    let found = find_at_once(&region, &Get::new("r2".into()).scan).unwrap();
    assert_eq!(found.map(|cells| cells.len()), Some(1));
}

#[test]
fn a_close_waits_for_writers_and_refuses_later_ones() {
    let (mut world, faults, region) = start();
    let runtime = runtime();
    faults.pause();
    runtime.block_on(in_time(async {
        let writer = {
            let region = Arc::clone(&region);
            tokio::spawn(async move { region.batch(vec![put(("r", "a", "q"), b"in time")]).await.remove(0) })
        };
        while faults.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let close = {
            let region = Arc::clone(&region);
            tokio::task::spawn_blocking(move || region.close())
        };
        while !region.is_closing() {
            tokio::task::yield_now().await;
        }
        let late = region.batch(vec![put(("r", "a", "q"), b"late")]).await.remove(0);
        assert!(matches!(late, Err(RegionError::Closing(_))), "{late:?}");
        let late = region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await;
        assert!(matches!(late, Err(RegionError::Closing(_))));
        assert!(region.scanner(&Scan::default(), None).is_ok(), "it is read until the end");
        assert!(!close.is_finished(), "it did not wait");
        faults.resume();
        writer.await.unwrap().unwrap();
        close.await.unwrap().unwrap();
    }));
    assert!(region.scanner(&Scan::default(), None).is_err());
    assert_eq!(world.host.memstore_bytes(), 0);
    let region = world.start().unwrap();
    assert_eq!(value(&region, ("r", "a", "q")).as_deref(), Some(&b"in time"[..]));
}

#[test]
fn an_open_scanner_reads_on_over_flush_and_close() {
    let (_world, _, region) = start();
    for row in ["r1", "r2", "r3"] {
        run(region.batch(vec![put((row, "a", "q"), b"old")])).remove(0).unwrap();
    }
    let mut scanner = region.scanner(&Scan::default(), None).unwrap();
    let mut unlogged = put(("r2", "a", "q"), b"new");
    unlogged.durability = Durability::SkipWal;
    run(region.batch(vec![unlogged])).remove(0).unwrap();
    region.flush(None).unwrap();
    let again = Scan { read_point: Some(scanner.read_point()), ..Scan::default() };
    let cells = scan(&region, &again, None).unwrap();
    assert!(cells.len() == 3 && cells.iter().all(|cell| cell.value == b"old"), "{cells:?}");
    region.close().unwrap();
    let cells = crate::world::rest(&mut scanner).unwrap();
    assert!(cells.len() == 3 && cells.iter().all(|cell| cell.value == b"old"), "{cells:?}");
}

/// Waits until so many entries are in the log's queue, beside the one that it is writing.
async fn queued(world: &World, entries: usize) {
    /// What one takes there, of these tests, at least.
    const ENTRY_BYTES: usize = 540;
    let wal = world.wal.as_ref().unwrap();
    while wal.stats().queued_bytes / ENTRY_BYTES <= entries {
        tokio::task::yield_now().await;
    }
}

/// A state of the region in which the log is held up in the write of something else.
async fn hold_up(region: &Arc<Region>, faults: &Faults) -> tokio::task::JoinHandle<Result<(), RegionError>> {
    faults.pause();
    let first = spawn_put(region, put(("first", "a", "q"), b"v"));
    while faults.waiting() == 0 {
        tokio::task::yield_now().await;
    }
    first
}

#[test]
fn increments_of_one_row_share_a_sync() {
    const WRITERS: usize = 40;
    for policy in [InMemoryCompaction::Basic, InMemoryCompaction::Eager] {
        let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
        let faults = faulty.faults();
        let mut world = World::new(Arc::new(faulty), vec![family("a", 1)]);
        world.compact_in_memory(policy);
        let region = world.start().unwrap();
        runtime().block_on(in_time(async {
            let first = hold_up(&region, &faults).await;
            let before = faults.syncs();
            let writers: Vec<_> = (0..WRITERS)
                .map(|_| spawn_atomic(&region, Vec::new(), vec![increment(COUNTER, 1)]))
                .collect();
            queued(&world, WRITERS).await;
            assert_eq!(number(&region, COUNTER), 0, "seen before it is on disk");
            faults.resume();
            first.await.unwrap().unwrap();
            let mut seen = Vec::new();
            for writer in writers {
                let cells = writer.await.unwrap().unwrap().cells;
                let value = cells.iter().next().unwrap().value().to_vec();
                seen.push(i64::from_be_bytes(value.try_into().unwrap()));
            }
            seen.sort_unstable();
            assert!(seen.into_iter().eq(1..=WRITERS as i64), "each had a number of its own");
            // One for the first, one for all others, but for who had room in the queue and was not in it yet.
            assert!(faults.syncs() - before <= 6, "{}", faults.syncs() - before);
        }));
        assert_eq!(number(&region, COUNTER), WRITERS as i64);
        run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
        region.flush(None).unwrap();
        assert_eq!(number(&region, COUNTER), WRITERS as i64 + 1);
    }
}

fn has_value(row: &str, value: &[u8]) -> Vec<Condition> {
    let test = ConditionTest::Value {
        family: "a".into(),
        qualifier: "q".into(),
        operator: CompareOperator::Equal,
        comparator: Box::new(BinaryComparator::new(value.to_vec().into())),
    };
    vec![Condition { row: row.to_owned().into(), time_range: TimeRange::ALL, test }]
}

#[test]
fn what_is_answered_from_a_write_that_is_not_on_disk_waits_for_it() {
    let (world, faults, region) = start();
    runtime().block_on(in_time(async {
        let first = hold_up(&region, &faults).await;
        let taken = spawn_atomic(&region, has_value("r", b""), vec![put(("r", "a", "q"), b"mine")]);
        let word = spawn_atomic(&region, has_value("w", b""), vec![put(("w", "a", "q"), b"word")]);
        queued(&world, 2).await;
        let no_number = spawn_atomic(&region, Vec::new(), vec![increment(("w", "a", "q"), 1)]);
        let refused = spawn_atomic(&region, has_value("r", b""), vec![put(("r", "a", "q"), b"his")]);
        let passed = spawn_atomic(&region, has_value("r", b"mine"), vec![put(("r", "a", "q"), b"next")]);
        // Else the row may be gone before they look at it, which they do with the lock of the row. Two have looked before.
        while region.counters().reads.load(Ordering::Relaxed) < 4 {
            tokio::task::yield_now().await;
        }
        let deleted = {
            let mut delete = put(("r", "a", "q"), b"");
            delete.kind = MutationKind::Delete;
            delete.cells = finback_cell::CellBlock::default();
            spawn_put(&region, delete)
        };
        tokio::time::sleep(Duration::from_millis(30)).await;
        let is_early = taken.is_finished() || refused.is_finished() || passed.is_finished();
        assert!(!is_early && !deleted.is_finished(), "answered before it is on disk");
        assert!(!word.is_finished() && !no_number.is_finished(), "answered before it is on disk");
        faults.resume();
        first.await.unwrap().unwrap();
        assert!(taken.await.unwrap().unwrap().applied && word.await.unwrap().unwrap().applied);
        assert!(matches!(no_number.await.unwrap(), Err(RegionError::Invalid(_))));
        assert!(!refused.await.unwrap().unwrap().applied);
        assert!(passed.await.unwrap().is_ok());
        deleted.await.unwrap().unwrap();
    }));
    assert_eq!(value(&region, ("r", "a", "q")), None);
}

#[test]
fn with_a_write_that_fails_fails_what_was_made_of_it() {
    // The operations of a group: writing it, syncing it.
    for nth in 0..2 {
        let memory = MemFileSystem::new();
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        let faults = faulty.faults();
        let mut world = World::new(Arc::new(faulty), vec![family("a", 1)]);
        let region = world.start().unwrap();
        run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 100)])).unwrap();
        runtime().block_on(in_time(async {
            faults.fail_operation(faults.operations() + nth);
            faults.pause();
            let fails = spawn_atomic(&region, Vec::new(), vec![increment(COUNTER, 1)]);
            while faults.waiting() == 0 {
                tokio::task::yield_now().await;
            }
            let with_it: Vec<_> =
                (0..3).map(|_| spawn_atomic(&region, Vec::new(), vec![increment(COUNTER, 1)])).collect();
            queued(&world, 3).await;
            let mut unlogged = increment(COUNTER, 10);
            unlogged.durability = Durability::SkipWal;
            let later = spawn_atomic(&region, Vec::new(), vec![unlogged]);
            let other = spawn_put(&region, put(("r", "a", "q"), b"v"));
            queued(&world, 4).await;
            faults.resume();
            fails.await.unwrap().unwrap_err();
            for write in with_it {
                write.await.unwrap().unwrap_err();
            }
            other.await.unwrap().unwrap();
            later.await.unwrap().unwrap();
            assert_eq!(number(&region, COUNTER), 110, "made of what is there");
            region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)]).await.unwrap();
        }));
        assert_eq!(number(&region, COUNTER), 111);
        drop(region);
        let crashed = Arc::new(memory.crash(finback_fs::CrashMode::Strict));
        let region = world.after_crash(crashed).recover().unwrap();
        assert_eq!(number(&region, COUNTER), 111, "nothing comes back of what has failed");
        assert_eq!(value(&region, ("r", "a", "q")).as_deref(), Some(&b"v"[..]));
    }
}

#[test]
fn a_close_has_writes_wait_for_little() {
    let (_world, faults, region) = start();
    let unlogged = |row: &str, bytes: usize| Mutation {
        durability: Durability::SkipWal,
        ..put((row, "a", "q"), &vec![7; bytes])
    };
    run(region.mutate(&unlogged("much", 6 << 20))).unwrap();
    faults.pause();
    let closing = std::thread::spawn({
        let region = Arc::clone(&region);
        move || region.close()
    });
    while faults.waiting() == 0 {
        std::thread::yield_now();
    }
    // What is in memory is on its way to a file, and nobody is refused yet.
    run(region.mutate(&unlogged("r", 1))).unwrap();
    assert!(!region.is_closing());
    faults.resume();
    closing.join().unwrap().unwrap();
    assert!(run(region.mutate(&unlogged("r", 1))).is_err());
    assert!(region.scanner(&Scan::default(), None).is_err());
}
