//! In-memory flushes and compactions, counters, and which families a flush for memory takes.

use crate::world::{World, family, increment, mutation, number, put, rest, run, scan};
use finback_cell::{
    Bytes, CellType, ColumnFamilyDescriptor, MutationKind, RegionInfo, Scan, TableDescriptor, TableName,
};
use finback_fs::MemFileSystem;
use finback_region::{InMemoryCompaction, Region, RegionMetrics};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const COUNTER: (&str, &str, &str) = ("counter", "a", "n");

fn start(policy: InMemoryCompaction, families: Vec<ColumnFamilyDescriptor>) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), families);
    world.compact_in_memory(policy);
    world.host.has_no_background.store(true, Ordering::SeqCst);
    let region = world.start().unwrap();
    (world, region)
}

/// Writes `a:q` of so many rows, each so often.
fn write(region: &Region, rows: u32, times: u32) {
    for time in 0..times {
        for row in 0..rows {
            let column = format!("row-{row:03}");
            let results = run(region.batch(vec![put((&column, "a", "q"), &time.to_be_bytes())]));
            results.into_iter().for_each(|result| result.unwrap());
        }
    }
}

fn newest_values(region: &Region) -> Vec<Vec<u8>> {
    scan(region, &Scan::default(), None).unwrap().into_iter().map(|cell| cell.value).collect()
}

#[test]
fn eager_drops_versions_that_nobody_reads_and_basic_keeps_all() {
    let written = |policy| {
        let (world, region) = start(policy, vec![family("a", 1)]);
        write(&region, 20, 10);
        assert_eq!(newest_values(&region), vec![9_u32.to_be_bytes().to_vec(); 20]);
        let metrics = region.metrics();
        assert_eq!(metrics.memstore_bytes as i64, world.host.memstore_bytes());
        region.flush(None).unwrap();
        assert_eq!(newest_values(&region).len(), 20);
        assert_eq!(world.host.memstore_bytes(), 0, "what was dropped in memory is not counted any more");
        metrics
    };
    let none = written(InMemoryCompaction::None);
    assert_eq!((none.in_memory.flushes, none.memstore_cells), (0, 200));
    let basic = written(InMemoryCompaction::Basic);
    assert!(basic.in_memory.flushes > 5 && basic.in_memory.compactions > 5);
    assert_eq!((basic.memstore_cells, basic.in_memory.cells_dropped), (200, 0));
    for policy in [InMemoryCompaction::Eager, InMemoryCompaction::Adaptive] {
        let less: RegionMetrics = written(policy);
        assert!(less.memstore_cells < 60, "{policy:?}: {}", less.memstore_cells);
        assert_eq!(less.memstore_cells + less.in_memory.cells_dropped, 200);
    }
}

#[test]
fn a_pipeline_is_merged_however_many_segments_may_stay_side_by_side() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.compact_in_memory(InMemoryCompaction::Basic);
    world.config.pipeline_segments_limit = 1000;
    world.host.has_no_background.store(true, Ordering::SeqCst);
    let region = world.start().unwrap();
    write(&region, 20, 50);
    let in_memory = region.metrics().in_memory;
    assert!(in_memory.flushes > 20 && in_memory.compactions > 0, "{in_memory:?}");
}

#[test]
fn a_family_has_a_policy_of_its_own_and_hbases_tables_have_none() {
    let families = vec![family("a", 1).with("IN_MEMORY_COMPACTION", "none")];
    let (_world, region) = start(InMemoryCompaction::Eager, families);
    write(&region, 20, 3);
    assert_eq!(region.metrics().in_memory.flushes, 0);
    let families = vec![family("a", 1).with("IN_MEMORY_COMPACTION", "EAGER")];
    let (_world, region) = start(InMemoryCompaction::None, families);
    write(&region, 20, 3);
    assert!(region.metrics().in_memory.cells_dropped > 0);

    // Whatever the server has for others, and the family says.
    let name = TableName::parse(b"hbase:t").unwrap();
    let info = RegionInfo::new(name.clone(), Bytes::new(), Bytes::new(), 1);
    let families = vec![family("a", 1).with("IN_MEMORY_COMPACTION", "EAGER")];
    let table = TableDescriptor { families, ..TableDescriptor::new(name) };
    let mut world = World::of_region(Arc::new(MemFileSystem::new()), info, table);
    world.compact_in_memory(InMemoryCompaction::Eager);
    world.host.has_no_background.store(true, Ordering::SeqCst);
    let region = world.start().unwrap();
    write(&region, 20, 3);
    assert_eq!(region.metrics().in_memory.flushes, 0);
}

#[test]
fn scanners_that_are_open_see_what_there_was_whatever_is_dropped_for_others() {
    for policy in [InMemoryCompaction::Basic, InMemoryCompaction::Eager, InMemoryCompaction::Adaptive] {
        let (_world, region) = start(policy, vec![family("a", 1)]);
        write(&region, 20, 3);
        let mut early = region.scanner(&Scan::default(), None).unwrap();
        write(&region, 20, 4);
        let delete =
            mutation(MutationKind::Delete, CellType::DeleteFamily, ("row-003", "a", ""), i64::MAX, b"");
        run(region.batch(vec![delete])).remove(0).unwrap();
        let mut late = region.scanner(&Scan::default(), None).unwrap();
        write(&region, 20, 6);
        region.flush(None).unwrap();
        write(&region, 20, 2);
        let values = |cells: Vec<crate::world::Plain>| -> Vec<Vec<u8>> {
            cells.into_iter().map(|cell| cell.value).collect()
        };
        assert_eq!(values(rest(&mut early).unwrap()), vec![2_u32.to_be_bytes().to_vec(); 20], "{policy:?}");
        assert_eq!(values(rest(&mut late).unwrap()), vec![3_u32.to_be_bytes().to_vec(); 19], "{policy:?}");
    }
}

#[test]
fn a_counter_takes_the_room_of_two_versions_and_is_exact_for_everybody() {
    let (policies, small) = ([InMemoryCompaction::Adaptive, InMemoryCompaction::Eager], [false, true]);
    for (policy, flushes_in_memory) in
        policies.into_iter().flat_map(|policy| small.map(|small| (policy, small)))
    {
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
        world.host.has_no_background.store(true, Ordering::SeqCst);
        world.config.in_memory_compaction = policy;
        if flushes_in_memory {
            world.compact_in_memory(policy);
        }
        let region = world.start().unwrap();
        let count = |times: usize| {
            for _ in 0..times {
                run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
            }
        };
        count(50);
        if !flushes_in_memory {
            assert_eq!(region.metrics().memstore_cells, 2, "{policy:?}");
        }
        let mut early = region.scanner(&Scan::default(), None).unwrap();
        count(50);
        assert_eq!(rest(&mut early).unwrap()[0].value, 50_u64.to_be_bytes());
        drop(early);
        assert_eq!(number(&region, COUNTER), 100);
        region.flush(None).unwrap();
        count(1);
        assert_eq!(number(&region, COUNTER), 101);
    }
}

#[test]
fn counters_of_families_with_more_versions_keep_them() {
    let (_world, region) = start(InMemoryCompaction::None, vec![family("a", 3)]);
    for _ in 0..10 {
        run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap();
    }
    assert_eq!(region.metrics().memstore_cells, 10);
    let versions = scan(&region, &Scan { max_versions: 3, ..Scan::default() }, None).unwrap();
    assert_eq!(versions.len(), 3);
}

#[test]
fn a_flush_for_memory_takes_large_families_and_those_without_in_memory_compaction_first() {
    let plain = |name| family(name, 1).with("IN_MEMORY_COMPACTION", "NONE");
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1), plain("b"), plain("c")]);
    // So 20,000 bytes are large. Chunks of 4 KiB for nodes and as much for cells are counted for each family.
    world.config.flush_size_bytes = 60_000;
    world.config.flush_lower_bound_bytes = 1;
    world.host.has_no_background.store(true, Ordering::SeqCst);
    let region = world.start().unwrap();
    let fill = |name: &str, bytes: usize| {
        run(region.batch(vec![put(("row", name, "q"), &vec![7; bytes])])).remove(0).unwrap();
    };
    fill("a", 40_000);
    fill("b", 10);
    fill("c", 30_000);
    // The files of each family, and whether it has something in memory.
    let stores = || {
        let stores = region.store_metrics().into_iter();
        stores.map(|store| (store.files.len(), store.memstore_data_bytes > 0)).collect::<Vec<_>>()
    };
    let names =
        |cells: Vec<crate::world::Plain>| cells.into_iter().map(|cell| cell.family).collect::<Vec<_>>();
    let (in_memory, flushed) = ((0_usize, true), (1_usize, false));
    assert_eq!(stores(), [in_memory; 3]);
    for (expected, what) in [
        ([in_memory, in_memory, flushed], "the large one without in-memory compaction"),
        ([flushed, in_memory, flushed], "then the large one with it"),
        ([flushed; 3], "all, as none is large"),
    ] {
        let before = region.metrics().memstore_bytes;
        assert!(region.flush_for_memory().unwrap().flushed, "{what}");
        assert_eq!(stores(), expected, "{what}");
        assert!(region.metrics().memstore_bytes < before, "{what}");
        assert_eq!(names(scan(&region, &Scan::default(), None).unwrap()), [b"a", b"b", b"c"]);
    }
    assert_eq!(world.host.memstore_bytes(), 0);
    assert!(!region.flush_for_memory().unwrap().flushed);
}

#[test]
fn edits_that_are_old_or_followed_by_many_should_be_flushed() {
    let (world, region) = start(InMemoryCompaction::Basic, vec![family("a", 1), family("b", 1)]);
    assert!(!region.has_old_edits());
    write(&region, 3, 1);
    let hour = i64::try_from(Duration::from_secs(3600).as_millis()).unwrap();
    world.host.now_ms.fetch_add(hour - 10, Ordering::SeqCst);
    write(&region, 3, 1);
    assert!(!region.has_old_edits());
    world.host.now_ms.fetch_add(20, Ordering::SeqCst);
    assert!(region.has_old_edits());
    region.flush_for_memory().unwrap();
    assert!(!region.has_old_edits());

    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.flush_per_changes = 10;
    let region = world.start().unwrap();
    write(&region, 10, 1);
    assert!(!region.has_old_edits());
    write(&region, 3, 1);
    assert!(region.has_old_edits());
}

#[test]
fn a_family_of_which_nothing_is_left_in_memory_is_not_old_and_others_are_flushed() {
    let plain = family("b", 1).with("IN_MEMORY_COMPACTION", "NONE");
    let (world, region) = start(InMemoryCompaction::Eager, vec![family("a", 1).with("TTL", "10"), plain]);
    // Expired before it was written.
    let late = |row: u32| {
        let row = format!("row-{row:05}");
        mutation(MutationKind::Put, CellType::Put, (&row, "a", "q"), 1, &[0; 100])
    };
    let is_gone = (0..10_000).any(|row| {
        run(region.batch(vec![late(row)])).remove(0).unwrap();
        region.metrics().memstore_cells == 0
    });
    assert!(is_gone, "it is kept");
    let hours = i64::try_from(Duration::from_secs(2 * 3600).as_millis()).unwrap();
    world.host.now_ms.fetch_add(hours, Ordering::SeqCst);
    assert!(!region.has_old_edits());
    run(region.batch(vec![put(("row", "b", "q"), b"v")])).remove(0).unwrap();
    assert!(region.flush_for_memory().unwrap().flushed, "what there is");
    assert_eq!(region.metrics().memstore_cells, 0);
    // The flush of what is empty forgets how old it was.
    assert!(!region.flush(None).unwrap().flushed);
    run(region.batch(vec![late(0)])).remove(0).unwrap();
    assert!(!region.has_old_edits());
}

#[test]
fn the_background_of_a_program_without_a_runtime_keeps_memstores_small() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.compact_in_memory(InMemoryCompaction::Eager);
    let region = world.start().unwrap();
    let start = Instant::now();
    while region.metrics().in_memory.cells_dropped == 0 {
        write(&region, 20, 5);
        assert!(start.elapsed() < Duration::from_secs(60), "nothing happens");
    }
    assert_eq!(newest_values(&region).len(), 20);
    region.close().unwrap();
    // A job that is still at it finds its segments gone, and counts nothing.
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(world.host.memstore_bytes(), 0);
}
