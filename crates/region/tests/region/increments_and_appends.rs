//! What an increment or append reads, and what it takes over from what it read.

use crate::world::{World, family, increment, mutation, mutation_of, number, put, run, scan, value};
use finback_cell::cell::CellParts;
use finback_cell::tag::{TTL_TAG, tags, write_tag};
use finback_cell::{CellType, Get, LATEST_TIMESTAMP, Mutation, MutationKind, TimeRange};
use finback_fs::MemFileSystem;
use finback_region::{Region, RegionError};
use std::sync::Arc;
use std::sync::atomic::Ordering;

const COLUMN: (&str, &str, &str) = ("r", "a", "n");

fn start(versions: u32) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", versions)]);
    let region = world.start().unwrap();
    (world, region)
}

fn apply(region: &Region, mutation: Mutation) -> i64 {
    let outcome = run(region.mutate_atomically(Vec::new(), vec![mutation])).unwrap();
    let cell = outcome.cells.iter().next().unwrap();
    i64::from_be_bytes(cell.value().try_into().unwrap())
}

#[test]
fn what_appends_of_one_request_write_together_is_bounded() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.flush_size_bytes = 1 << 30;
    let region = world.start().unwrap();
    let large = vec![b'v'; 1 << 20];
    run(region.batch(vec![put(COLUMN, &large)])).remove(0).unwrap();
    let append = || mutation(MutationKind::Append, CellType::Put, COLUMN, LATEST_TIMESTAMP, b"+");
    let appends = |count| run(region.mutate_atomically(Vec::new(), (0..count).map(|_| append()).collect()));
    appends(60).unwrap();
    let refused = appends(64).unwrap_err();
    assert!(matches!(&refused, RegionError::Invalid(_)), "{refused}");
    let many = (0..64).map(|_| CellParts {
        row: b"r",
        family: b"a",
        qualifier: b"n",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: b"+",
        tags: b"",
    });
    let refused =
        run(region.mutate_atomically(Vec::new(), vec![mutation_of(MutationKind::Append, b"r", many)]));
    assert!(matches!(refused.unwrap_err(), RegionError::Invalid(_)));
    // Nothing of those that were refused is there, and others go on.
    appends(1).unwrap();
    let found = scan(&region, &Get::new(COLUMN.0.into()).scan, None).unwrap().remove(0);
    let added = found.value.len() - large.len();
    assert_eq!(added, 2, "each of a request builds upon what was there before it");
}

#[test]
fn it_reads_the_newest_version_of_its_time_range_and_writes_one_that_is_newer() {
    let (_world, region) = start(9);
    for (timestamp, number) in [(10, 100i64), (20, 200)] {
        let written = mutation(MutationKind::Put, CellType::Put, COLUMN, timestamp, &number.to_be_bytes());
        run(region.batch(vec![written])).remove(0).unwrap();
    }
    let of_time = |min, max| Mutation { time_range: TimeRange { min, max }, ..increment(COLUMN, 1) };
    assert_eq!(apply(&region, of_time(0, 20)), 101);
    // What it wrote is of now.
    assert_eq!(apply(&region, of_time(20, 21)), 201);
    assert_eq!(apply(&region, of_time(50, 60)), 1, "nothing is there at that time");
    let all = Get::new(COLUMN.0.into()).scan;
    let newest = scan(&region, &all, None).unwrap().remove(0);
    assert_eq!(newest.timestamp, 1_000_000);
    // A version of the future is older still than what is made of it.
    let future = mutation(MutationKind::Put, CellType::Put, COLUMN, 2_000_000, &7i64.to_be_bytes());
    run(region.batch(vec![future])).remove(0).unwrap();
    assert_eq!(apply(&region, increment(COLUMN, 1)), 8);
    assert_eq!(scan(&region, &all, None).unwrap().remove(0).timestamp, 2_000_001);
}

#[test]
fn a_time_to_live_is_taken_over_and_begins_anew_until_there_is_another() {
    let (world, region) = start(1);
    let at = |now: i64| world.host.now_ms.store(now, Ordering::SeqCst);
    let with_ttl = |ttl_ms| Mutation { ttl_ms, ..increment(COLUMN, 1) };
    at(1000);
    assert_eq!(apply(&region, with_ttl(Some(50))), 1);
    at(1040);
    assert_eq!(apply(&region, with_ttl(None)), 2);
    at(1080);
    assert_eq!(number(&region, COLUMN), 2, "the second lives as long as the first did");
    assert_eq!(apply(&region, with_ttl(Some(10))), 3);
    at(1091);
    assert_eq!(value(&region, COLUMN), None);
    assert_eq!(apply(&region, with_ttl(None)), 1, "and what has expired is not read");
}

#[test]
fn tags_of_the_delta_come_first_then_those_of_what_was_read_and_the_time_to_live_last() {
    let (_world, region) = start(1);
    let tag = |tag_type, content: &[u8]| {
        let mut area = Vec::new();
        write_tag(&mut area, tag_type, content);
        area
    };
    let append = |tags: &[u8], ttl_ms| {
        let parts = CellParts {
            row: COLUMN.0.as_bytes(),
            family: COLUMN.1.as_bytes(),
            qualifier: COLUMN.2.as_bytes(),
            timestamp: LATEST_TIMESTAMP,
            type_code: CellType::Put.code(),
            value: b"x",
            tags,
        };
        let append = mutation_of(MutationKind::Append, b"r", [parts]);
        let append = Mutation { ttl_ms, ..append };
        let outcome = run(region.mutate_atomically(Vec::new(), vec![append])).unwrap();
        let cell = outcome.cells.iter().next().unwrap();
        tags_of(cell.tags())
    };
    assert_eq!(append(&tag(90, b"old"), Some(1000)), [90, TTL_TAG]);
    assert_eq!(append(&tag(91, b"new"), None), [91, 90, TTL_TAG]);
    assert_eq!(append(&[], Some(5000)), [91, 90, TTL_TAG]);
    assert_eq!(value(&region, COLUMN).unwrap(), b"xxx");
}

fn tags_of(area: &[u8]) -> Vec<u8> {
    tags(area).map(|tag| tag.tag_type).collect()
}

#[test]
fn numbers_wrap_around_and_what_is_no_number_is_refused() {
    let (_world, region) = start(1);
    assert_eq!(apply(&region, increment(COLUMN, i64::MAX)), i64::MAX);
    assert_eq!(apply(&region, increment(COLUMN, 1)), i64::MIN);
    let other = ("r", "a", "word");
    run(region.batch(vec![put(other, b"word")])).remove(0).unwrap();
    let refused = run(region.mutate_atomically(Vec::new(), vec![increment(other, 1)])).unwrap_err();
    let RegionError::Invalid(why) = refused else { panic!("{refused}") };
    assert_eq!(why, "Field is not a long, it's 4 bytes wide");
    assert_eq!(value(&region, other).unwrap(), b"word");
}
