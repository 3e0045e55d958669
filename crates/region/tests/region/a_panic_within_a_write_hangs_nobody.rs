//! A write panics when it has put half of its row into memory: the region is given up. Nobody waits for ever, nothing of the half
//! comes into a file, and the log brings back all that was acknowledged.

use crate::machine::Machine;
use crate::world::{family, increment, mutation_of, number, put, rest, run, scan, value};
use finback_cell::cell::CellParts;
use finback_cell::{CellType, Durability, LATEST_TIMESTAMP, Mutation, MutationKind, Scan};
use finback_fs::CrashMode;
use finback_region::{InMemoryCompaction, Region, RegionError};
use finback_wal::Wal;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};
use std::time::Duration;

const COUNTER: (&str, &str, &str) = ("counter", "a", "n");

/// With a row that was acknowledged. The next large write panics between its two families.
fn about_to_panic() -> (Machine, Arc<Region>) {
    let (machine, region) = started();
    machine.world.host.meddle(|| panic!("injected"));
    (machine, region)
}

fn started() -> (Machine, Arc<Region>) {
    let mut machine = Machine::new(vec![family("a", 1), family("b", 1)]);
    machine.world.compact_in_memory(InMemoryCompaction::Eager);
    let region = machine.world.start().unwrap();
    write(&region, put(("acknowledged", "b", "q"), b"1")).unwrap();
    (machine, region)
}

fn write(region: &Region, mutation: Mutation) -> Result<(), RegionError> {
    run(region.batch(vec![mutation])).remove(0)
}

/// A row in two families, the first of which makes a segment full.
fn large_row() -> Mutation {
    let cells = ["a", "b"].map(|family| CellParts {
        row: b"large",
        family: family.as_bytes(),
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: &[7; 1000],
        tags: b"",
    });
    mutation_of(MutationKind::Put, b"large", cells)
}

/// Which families have it.
fn large_row_in(region: &Region) -> [bool; 2] {
    ["a", "b"].map(|family| value(region, ("large", family, "q")).is_some())
}

/// Starts writes in their order, the first of which panics when all that can have got a place in the log; the answers of the others.
fn answers<T: Send + 'static>(
    machine: &Machine,
    panics: impl Future<Output = T> + Send + 'static,
    others: Vec<impl Future<Output = T> + Send + 'static>,
) -> Vec<T> {
    let patience = Duration::from_secs(60);
    run(async {
        machine.faults.pause();
        let panicked = tokio::spawn(panics);
        let others: Vec<_> = others.into_iter().map(tokio::spawn).collect();
        // More steps than any of them takes before it waits for the log, or for another.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        machine.faults.resume();
        assert!(panicked.await.err().expect("the injected panic").is_panic());
        let mut answers = Vec::new();
        for other in others {
            answers.push(tokio::time::timeout(patience, other).await.expect("an answer").unwrap());
        }
        answers
    })
}

async fn batch(region: Arc<Region>, mutation: Mutation) -> Result<(), RegionError> {
    region.batch(vec![mutation]).await.remove(0)
}

fn is_not_served<T>(answer: Result<T, RegionError>) -> bool {
    matches!(answer, Err(RegionError::Closing(_)))
}

#[test]
fn who_waits_and_who_comes_is_told_that_the_region_is_not_served() {
    let (machine, region) = about_to_panic();
    let mut early = region.scanner(&Scan::default(), None).unwrap();
    let later = (0..3).map(|row| batch(region.clone(), put((&format!("later{row}"), "b", "q"), b"1")));
    let later: Vec<_> = later.collect();
    for answer in answers(&machine, batch(region.clone(), large_row()), later) {
        assert!(is_not_served(answer));
    }
    assert!(region.is_given_up());
    assert_eq!(machine.world.host.regions_given_up.load(Ordering::SeqCst), 1);
    assert!(is_not_served(write(&region, put(("new", "b", "q"), b"1"))));
    assert!(is_not_served(scan(&region, &Scan::default(), None)));
    assert_eq!(rest(&mut early).unwrap().len(), 1, "a scanner goes on seeing what it saw");
}

#[test]
fn the_log_brings_back_what_was_acknowledged_and_the_whole_row() {
    for durability in [Durability::SyncWal, Durability::AsyncWal, Durability::SkipWal] {
        let (machine, region) = about_to_panic();
        let panics = Mutation { durability, ..large_row() };
        answers(&machine, batch(region.clone(), panics), Vec::<std::future::Pending<_>>::new());
        assert!(is_not_served(region.flush(None)));
        assert!(is_not_served(region.close()), "it must not be opened without its log");
        let wal = machine.world.wal.clone().unwrap();
        run(wal.close()).unwrap();
        drop(region);
        let recovered = machine.crash(CrashMode::Strict).world.recover().unwrap();
        assert!(value(&recovered, ("acknowledged", "b", "q")).is_some());
        assert_eq!(large_row_in(&recovered), [durability != Durability::SkipWal; 2], "{durability:?}");
    }
}

#[test]
fn what_is_made_of_a_write_that_is_never_seen_fails() {
    let (machine, region) = about_to_panic();
    let count = |rows: &'static [&'static str]| {
        let region = region.clone();
        async move {
            // Large enough to make a segment full.
            let qualifier = "n".repeat(400);
            let mutations = rows.iter().map(|row| increment((row, "a", &qualifier), 1)).collect();
            region.mutate_atomically(Vec::new(), mutations).await
        }
    };
    // One reads beside the memory what the first has let go of, the other waits until it is seen.
    let others = vec![count(&["counter"]), count(&["counter", "other"])];
    for answer in answers(&machine, count(&["counter"]), others) {
        assert!(is_not_served(answer));
    }
    let recovered = machine.crash(CrashMode::Strict).world.recover().unwrap();
    let qualifier = "n".repeat(400);
    let counted = |row| number(&recovered, (row, "a", &qualifier));
    assert_eq!((counted("counter"), counted("other")), (2, 0));
    run(recovered.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
}

/// Whether a flush keeps writes from beginning: one gets no place in the log then.
fn is_flush_waiting(region: &Region, wal: &Wal) -> bool {
    let end = wal.end();
    let mut probe = pin!(region.batch(vec![put(("probe", "b", "q"), b"1")]));
    let _ = probe.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    wal.end() == end
}

#[test]
fn a_flush_that_waits_for_the_write_writes_no_file() {
    let (machine, region) = started();
    let wal = machine.world.wal.clone().unwrap();
    let (told, flushed) = std::sync::mpsc::channel();
    machine.world.host.meddle({
        let region = region.clone();
        move || {
            let flushing = region.clone();
            std::thread::spawn(move || told.send(flushing.flush(None)));
            while !is_flush_waiting(&region, &wal) {
                std::thread::yield_now();
            }
            panic!("injected");
        }
    });
    answers(&machine, batch(region.clone(), large_row()), Vec::<std::future::Pending<_>>::new());
    assert!(is_not_served(flushed.recv().unwrap()));
    assert_eq!(region.metrics().store_files, 0);
    let recovered = machine.crash(CrashMode::Strict).world.recover().unwrap();
    assert_eq!(large_row_in(&recovered), [true; 2]);
    assert!(value(&recovered, ("acknowledged", "b", "q")).is_some());
}
