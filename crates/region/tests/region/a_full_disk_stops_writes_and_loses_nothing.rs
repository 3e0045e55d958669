//! No space left: writes fail, reads go on, and with room again everything goes on as before.

use crate::world::{World, family, put, run, value};
use finback_fs::{Faults, FaultyFileSystem, MemFileSystem};
use finback_region::{Region, RegionError};
use std::sync::Arc;
use std::time::Duration;

fn start() -> (World, Faults, Arc<Region>) {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let mut world = World::new(Arc::new(faulty), vec![family("a", 1), family("b", 1)]);
    let region = world.start().unwrap();
    (world, faults, region)
}

fn write(region: &Region, row: &str, content: &[u8]) -> Result<(), RegionError> {
    run(region.batch(vec![put((row, "a", "q"), content), put((row, "b", "q"), content)])).remove(0)
}

/// A log that failed is left alone for a moment before another is tried.
fn write_when_possible(region: &Region, row: &str, content: &[u8]) {
    for _ in 0..100 {
        if write(region, row, content).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("writes do not work again");
}

#[test]
fn writes_fail_and_reads_go_on_until_there_is_room() {
    let (_world, faults, region) = start();
    write(&region, "before", b"1").unwrap();
    faults.set_byte_budget(Some(10));
    assert!(write(&region, "full", &[b'x'; 1000]).is_err());
    assert_eq!(value(&region, ("before", "a", "q")).as_deref(), Some(&b"1"[..]));
    assert_eq!(value(&region, ("full", "a", "q")), None, "a write that failed is not seen");
    assert_eq!(value(&region, ("full", "b", "q")), None);
    faults.set_byte_budget(None);
    write_when_possible(&region, "after", b"2");
    assert_eq!(value(&region, ("after", "b", "q")).as_deref(), Some(&b"2"[..]));
    assert_eq!(value(&region, ("full", "a", "q")), None);
}

#[test]
fn a_failed_flush_loses_nothing_and_the_next_succeeds() {
    let (mut world, faults, region) = start();
    for row in ["r1", "r2", "r3"] {
        write(&region, row, row.as_bytes()).unwrap();
    }
    let counted = world.host.memstore_bytes();
    assert!(counted > 0);
    assert_eq!(region.metrics().memstore_bytes as i64, counted);
    // Each operation of a flush fails once: in the log, in the first family's file, in the second's.
    let first = faults.operations();
    let mut failures = 0;
    loop {
        faults.fail_operation(faults.operations() + failures);
        let flushed = region.flush(None);
        faults.heal();
        for row in ["r1", "r2", "r3"] {
            for family in ["a", "b"] {
                assert_eq!(value(&region, (row, family, "q")).as_deref(), Some(row.as_bytes()));
            }
        }
        assert_eq!(region.metrics().memstore_bytes as i64, world.host.memstore_bytes());
        match flushed {
            Ok(outcome) if outcome.flushed => break,
            Ok(_) => panic!("nothing was flushed"),
            Err(_) => failures += 1,
        }
        write_when_possible(&region, "more", b"more");
        assert!(failures < 100);
    }
    assert!(failures > 5 && faults.operations() > first);
    assert_eq!(world.host.memstore_bytes(), 0);
    assert_eq!(region.metrics().memstore_bytes, 0);
    region.close().unwrap();
    let region = world.start().unwrap();
    for row in ["r1", "r2", "r3", "more"] {
        assert!(value(&region, (row, "a", "q")).is_some() && value(&region, (row, "b", "q")).is_some());
    }
}

#[test]
fn a_close_that_failed_leaves_the_region_open_and_can_be_repeated() {
    let (mut world, faults, region) = start();
    write(&region, "r", b"v").unwrap();
    faults.set_byte_budget(Some(200));
    assert!(region.close().is_err());
    assert!(!region.is_closing());
    assert_eq!(value(&region, ("r", "a", "q")).as_deref(), Some(&b"v"[..]));
    faults.set_byte_budget(None);
    write_when_possible(&region, "again", b"v");
    region.close().unwrap();
    region.close().unwrap();
    assert_eq!(world.host.memstore_bytes(), 0);
    let region = world.start().unwrap();
    assert!(value(&region, ("again", "b", "q")).is_some());
}

#[test]
fn an_opening_that_fails_gives_its_memory_back() {
    let (mut world, faults, region) = start();
    write(&region, "r", b"v").unwrap();
    drop(region);
    assert_eq!(world.host.memstore_bytes(), 0, "a region that is gone");
    world.split_logs().unwrap();
    world.start_server().unwrap();
    faults.set_byte_budget(Some(300));
    // It has to flush.
    world.host.limit_memory(0);
    assert!(world.open().is_err());
    assert_eq!(world.host.memstore_bytes(), 0);
    world.host.limit_memory(u64::MAX);
    faults.set_byte_budget(None);
    let region = world.recover().unwrap();
    assert_eq!(value(&region, ("r", "b", "q")).as_deref(), Some(&b"v"[..]));
}

#[test]
fn a_region_given_up_in_mid_flush_counts_its_memory_once() {
    let (world, faults, region) = start();
    write(&region, "r", b"v").unwrap();
    faults.pause();
    std::thread::scope(|scope| {
        let flush = scope.spawn(|| region.flush(None));
        while faults.waiting() == 0 {
            std::thread::yield_now();
        }
        region.abandon();
        faults.resume();
        flush.join().unwrap().unwrap();
    });
    assert_eq!(world.host.memstore_bytes(), 0);
    drop(region);
    assert_eq!(world.host.memstore_bytes(), 0);
}
