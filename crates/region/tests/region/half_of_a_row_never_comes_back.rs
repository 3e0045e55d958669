//! A row that was answered before it was logged has cells in two families. The log fails, one family is flushed, the power
//! is cut: the row is there wholly.

use crate::machine::Machine;
use crate::world::{family, mutation_of, put, run, value};
use finback_cell::cell::CellParts;
use finback_cell::{CellType, Durability, LATEST_TIMESTAMP, Mutation, MutationKind};
use finback_fs::CrashMode;
use finback_region::Region;
use std::future::Future;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

const FAMILIES: [&str; 2] = ["a", "b"];

fn started() -> (Machine, Arc<Region>) {
    let mut machine = Machine::new(FAMILIES.map(|name| family(name, 1)).to_vec());
    let region = machine.world.start().unwrap();
    run(region.batch(vec![put(("first", "a", "q"), b"1")])).remove(0).unwrap();
    (machine, region)
}

fn whole_row(durability: Durability) -> Mutation {
    let cells = FAMILIES.map(|family| CellParts {
        row: b"row",
        family: family.as_bytes(),
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: b"whole",
        tags: b"",
    });
    Mutation { durability, ..mutation_of(MutationKind::Put, b"row", cells) }
}

/// Which families have the row.
fn found(region: &Region) -> [bool; 2] {
    FAMILIES.map(|family| value(region, ("row", family, "q")).is_some())
}

/// Waits until the log takes writes again.
fn write_again(region: &Region) {
    let start = Instant::now();
    while run(region.batch(vec![put(("again", "a", "q"), b"1")])).remove(0).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "the log takes no writes any more");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Flushes one family and cuts the power. Gives back what is there then.
fn after_a_flush_of_one_family(machine: &Machine, region: &Region) -> [bool; 2] {
    region.flush(Some(&[b"a".to_vec()])).unwrap();
    found(&machine.crash(CrashMode::Strict).world.recover().unwrap())
}

#[test]
fn when_one_write_of_the_log_fails() {
    // The operations of a group: writing it, syncing it.
    for nth in 0..2 {
        let (machine, region) = started();
        run(region.batch(vec![whole_row(Durability::AsyncWal)])).remove(0).unwrap();
        machine.faults.fail_operation(machine.faults.operations() + nth);
        let synced = run(region.batch(vec![put(("other", "a", "q"), b"1")])).remove(0);
        assert!(synced.is_err(), "operation {nth}");
        write_again(&region);
        assert_eq!(found(&region), [true; 2]);
        assert_eq!(after_a_flush_of_one_family(&machine, &region), [true; 2], "operation {nth}");
    }
}

#[test]
fn when_the_log_fails_for_a_while() {
    let (machine, region) = started();
    run(region.batch(vec![whole_row(Durability::AsyncWal)])).remove(0).unwrap();
    machine.faults.fail_from(machine.faults.operations());
    for _ in 0..3 {
        assert!(run(region.batch(vec![put(("other", "a", "q"), b"1")])).remove(0).is_err());
    }
    assert!(region.flush(Some(&[b"a".to_vec()])).is_err(), "without a log no file");
    machine.faults.heal();
    write_again(&region);
    assert_eq!(after_a_flush_of_one_family(&machine, &region), [true; 2]);
}

#[test]
fn nor_is_it_lost_when_nobody_writes_again() {
    let (machine, region) = started();
    let wal = machine.world.wal.clone().unwrap();
    run(region.batch(vec![whole_row(Durability::AsyncWal)])).remove(0).unwrap();
    machine.faults.fail_from(machine.faults.operations());
    assert!(run(region.batch(vec![put(("other", "a", "q"), b"1")])).remove(0).is_err());
    let written = wal.stats().entries;
    machine.faults.heal();
    let start = Instant::now();
    while wal.stats().entries == written {
        assert!(start.elapsed() < Duration::from_secs(60), "the log does not try again");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(found(&machine.crash(CrashMode::Strict).world.recover().unwrap()), [true; 2]);
}

#[test]
fn when_its_writer_went_away_before_the_answer() {
    for nth in 0..4 {
        let (machine, region) = started();
        machine.faults.fail_operation(machine.faults.operations() + nth);
        run(async {
            let mut write = std::pin::pin!(region.batch(vec![whole_row(Durability::SyncWal)]));
            std::future::poll_fn(|context| {
                let _ = write.as_mut().poll(context);
                Poll::Ready(())
            })
            .await;
        });
        write_again(&region);
        machine.faults.heal();
        let before = found(&region);
        assert_eq!(before[0], before[1]);
        assert_eq!(after_a_flush_of_one_family(&machine, &region), before, "operation {nth}");
    }
}
