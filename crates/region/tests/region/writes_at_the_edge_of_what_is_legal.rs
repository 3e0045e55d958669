//! Writes that a hostile or careless client may send.

use crate::world::{World, family, increment, mutation, mutation_of, number, put, run, scan};
use finback_cell::cell::CellParts;
use finback_cell::{CellType, LATEST_TIMESTAMP, Mutation, MutationKind, Scan};
use finback_fs::MemFileSystem;
use finback_region::{Region, RegionError};
use finback_wal::WalCompression;
use std::sync::Arc;

const COLUMN: (&str, &str, &str) = ("r", "a", "n");

fn start() -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    (world, region)
}

#[test]
fn a_counter_at_the_end_of_all_time_goes_on() {
    let (_world, region) = start();
    let seven = 7i64.to_be_bytes();
    let at_the_end = mutation(MutationKind::Put, CellType::Put, COLUMN, LATEST_TIMESTAMP - 1, &seven);
    run(region.batch(vec![at_the_end])).remove(0).unwrap();
    for _ in 0..3 {
        run(region.mutate_atomically(Vec::new(), vec![increment(COLUMN, 1)])).unwrap();
    }
    assert_eq!(number(&region, COLUMN), 10);
    let cells = scan(&region, &Scan::default(), None).unwrap();
    assert_eq!(cells[0].timestamp, LATEST_TIMESTAMP - 1, "LATEST is no time");
}

#[test]
fn tags_that_leave_no_room_for_a_time_to_live_are_refused() {
    let (_world, region) = start();
    // One tag of any type that fills the area.
    let content = finback_cell::MAX_TAGS_LENGTH - 3;
    let mut tags = ((content + 1) as u16).to_be_bytes().to_vec();
    tags.push(99);
    tags.resize(finback_cell::MAX_TAGS_LENGTH, 0);
    let parts = CellParts {
        row: b"r",
        family: b"a",
        qualifier: b"q",
        timestamp: 1,
        type_code: CellType::Put.code(),
        value: b"v",
        tags: &tags,
    };
    let mut full = mutation_of(MutationKind::Put, b"r", [parts]);
    run(region.batch(vec![full.clone()])).remove(0).unwrap();
    full.ttl_ms = Some(1);
    let refused = run(region.batch(vec![full.clone(), put(("other", "a", "q"), b"v")]));
    assert!(matches!(refused[0], Err(RegionError::Invalid(_))), "{refused:?}");
    assert!(refused[1].is_ok(), "one of a batch may fail and the others not");
    assert!(run(region.mutate_atomically(Vec::new(), vec![full])).is_err());
    region.flush(None).unwrap();
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 2);
}

#[test]
fn tags_whose_lengths_disagree_are_refused_alone() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.wal_compression = Some(WalCompression::default());
    let region = world.start().unwrap();
    let with_tags = |row: &[u8], tags: &[u8]| {
        let (family, qualifier, value) = (&b"a"[..], &b"q"[..], &b"v"[..]);
        let type_code = CellType::Put.code();
        let parts = CellParts { row, family, qualifier, timestamp: 1, type_code, value, tags };
        mutation_of(MutationKind::Put, row, [parts])
    };
    for bad in [&b"\0"[..], b"\0\0", b"\0\x02\x63", b"\0\x02\x63\x01\0", b"\0\x01\x63\xff\xff\x63"] {
        let good = with_tags(b"good", b"\0\x02\x63\x01\0\x01\x63");
        let results = run(region.batch(vec![good, with_tags(b"bad", bad)]));
        assert!(results[0].is_ok(), "{results:?}");
        assert!(matches!(results[1], Err(RegionError::Invalid(_))), "{results:?}");
    }
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 1);
}

#[test]
fn cells_of_other_rows_unknown_families_and_too_large_ones_are_refused_alone() {
    let (world, region) = start();
    let mut elsewhere = put(("r", "a", "q"), b"v");
    elsewhere.row = "other".into();
    let large = vec![0; world.config.max_cell_size_bytes];
    let results = run(region.batch(vec![
        elsewhere,
        put(("r", "z", "q"), b"v"),
        put(("r", "a", "q"), &large),
        put(("", "a", "q"), b"v"),
        increment(COLUMN, 1),
        put(("r", "a", "q"), b"good"),
    ]));
    assert!(matches!(results[0], Err(RegionError::Invalid(_))));
    assert!(matches!(results[1], Err(RegionError::NoSuchFamily { .. })));
    assert!(matches!(results[2], Err(RegionError::CellTooLarge { .. })));
    assert!(matches!(results[3], Err(RegionError::Invalid(_))));
    assert!(matches!(results[4], Err(RegionError::Invalid(_))));
    assert!(results[5].is_ok());
    let cells = scan(&region, &Scan::default(), None).unwrap();
    assert!(cells.len() == 1 && cells[0].value == b"good", "{cells:?}");
}

/// With the four bytes of its length, and without what a time to live adds to it.
#[test]
fn a_cell_is_as_long_as_hbase_measures_it() {
    let limit = 1000;
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.max_cell_size_bytes = limit;
    let region = world.start().unwrap();
    let empty = put(("r", "a", "q"), b"").cells.bytes().len();
    let of = |bytes: usize| put(("r", "a", "q"), &vec![0; bytes - empty]);
    let results =
        run(region.batch(vec![of(limit), of(limit + 1), Mutation { ttl_ms: Some(1000), ..of(limit) }]));
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    assert!(matches!(results[1], Err(RegionError::CellTooLarge { size, .. }) if size == limit + 1));
}

#[test]
fn every_marker_of_a_delete_has_its_time_to_live() {
    let delete = |kind, qualifier| {
        let delete = mutation(MutationKind::Delete, kind, ("r", "a", qualifier), LATEST_TIMESTAMP, b"");
        Mutation { ttl_ms: Some(1000), ..delete }
    };
    let of_row = Mutation {
        cells: mutation_of(MutationKind::Delete, b"r", []).cells,
        ..delete(CellType::Delete, "q")
    };
    for delete in [delete(CellType::Delete, "q"), delete(CellType::DeleteColumn, "q"), of_row] {
        let (world, region) = start();
        run(region.batch(vec![put(("r", "a", "q"), b"v")])).swap_remove(0).unwrap();
        run(region.batch(vec![delete])).swap_remove(0).unwrap();
        assert_eq!(scan(&region, &Scan::default(), None).unwrap(), []);
        world.host.now_ms.fetch_add(2000, std::sync::atomic::Ordering::SeqCst);
        let raw = Scan { raw: true, ..Scan::default() };
        assert_eq!(scan(&region, &raw, None).unwrap().len(), 1, "the marker is not over");
        assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 1);
    }
}

#[test]
fn puts_that_are_too_far_in_the_future_are_refused_where_the_setting_says_so() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.timestamp_slop_ms = Some(10);
    let region = world.start().unwrap();
    let now = world.host.now_ms.load(std::sync::atomic::Ordering::SeqCst);
    let write = |kind, cell_type, timestamp| {
        run(region.batch(vec![mutation(kind, cell_type, COLUMN, timestamp, b"")])).remove(0)
    };
    write(MutationKind::Put, CellType::Put, now + 10).unwrap();
    write(MutationKind::Put, CellType::Put, LATEST_TIMESTAMP).unwrap();
    let refused = write(MutationKind::Put, CellType::Put, now + 11).unwrap_err();
    assert!(matches!(refused, RegionError::TooNew { slop_ms: 10, .. }), "{refused}");
    // HBase looks at puts alone.
    write(MutationKind::Delete, CellType::DeleteColumn, now + 11).unwrap();
}
