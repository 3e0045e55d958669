//! Files whose blocks are in the cache make way for one whose blocks are there too: readers notice nothing.

use crate::machine::Machine;
use crate::world::{World, family, put, run, scan, value};
use finback_cache::MemoryBlockCache;
use finback_cell::{ColumnFamilyDescriptor, FamilySelection, Scan};
use finback_fs::MemFileSystem;
use finback_fs::NextRead::{Later, Soon};
use finback_region::Region;
use std::sync::Arc;

/// A block for each row.
fn blocks_of_a_row() -> ColumnFamilyDescriptor {
    family("a", 1).with("BLOCKSIZE", "64")
}

fn fill(region: &Region, files: usize, value: &[u8]) {
    for file in 0..files {
        for number in 0..4 {
            let row = format!("r{number} of {file}");
            run(region.batch(vec![put((&row, "a", "q"), value)])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
}

fn read(region: &Region) -> usize {
    scan(region, &Scan::default(), None).unwrap().len()
}

#[test]
fn the_output_takes_the_place_of_inputs_that_were_cached_and_goes_past_the_systems_memory() {
    let mut machine = Machine::new(vec![blocks_of_a_row()]);
    let region = machine.world.start().unwrap();
    fill(&region, 3, &[7; 100]);
    assert_eq!(read(&region), 12);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.faults.large_files(), [Later; 4]);
    let cached = machine.world.cache.len();
    assert_eq!(cached, 13, "twelve data blocks and a Bloom filter");
    assert_eq!(read(&region), 12);
    assert_eq!(machine.world.cache.len(), cached, "all was there");
}

#[test]
fn files_of_which_little_is_cached_go_through_the_systems_memory_and_not_into_the_cache() {
    let mut machine = Machine::new(vec![blocks_of_a_row()]);
    let region = machine.world.start().unwrap();
    fill(&region, 1, &[7; 100]);
    assert!(value(&region, ("r1 of 0", "a", "q")).is_some());
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.faults.large_files(), [Later, Soon]);
    assert_eq!(machine.world.cache.len(), 0);
}

#[test]
fn what_was_cached_once_and_is_not_read_any_more_leaves_the_cache() {
    let mut machine = Machine::new(vec![blocks_of_a_row()]);
    let region = machine.world.start().unwrap();
    fill(&region, 2, &[7; 100]);
    assert_eq!(read(&region), 8);
    for _ in 0..2 {
        run(region.batch(vec![put(("r5", "a", "q"), b"")])).swap_remove(0).unwrap();
        region.flush(None).unwrap();
    }
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.world.cache.len(), 0);
}

#[test]
fn what_is_cached_is_told_by_blocks_however_well_they_are_encoded() {
    let encoded = family("a", 1).with("BLOCKSIZE", "1024").with("DATA_BLOCK_ENCODING", "FAST_DIFF");
    let mut machine = Machine::new(vec![encoded]);
    let region = machine.world.start().unwrap();
    let row = |number: u32| format!("{}{number:04}", "a row of which all begin with the same ".repeat(10));
    let puts: Vec<_> = (0..200).map(|number| put((&row(number), "a", "q"), b"v")).collect();
    run(region.batch(puts)).into_iter().for_each(|done| done.unwrap());
    region.flush(None).unwrap();
    for number in 0..50 {
        assert!(value(&region, (&row(number), "a", "q")).is_some());
    }
    assert!(machine.world.cache.len() > 10);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.faults.large_files(), [Later, Soon]);
    assert_eq!(machine.world.cache.len(), 0);
}

#[test]
fn many_small_blocks_do_not_stand_for_few_large_ones() {
    let mut machine = Machine::new(vec![blocks_of_a_row()]);
    let region = machine.world.start().unwrap();
    fill(&region, 1, &[7; 100]);
    assert_eq!(read(&region), 4);
    run(region.batch(vec![put(("z", "a", "q"), &[7; 10_000])])).swap_remove(0).unwrap();
    region.flush(None).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.faults.large_files().last(), Some(&Soon));
    assert_eq!(machine.world.cache.len(), 0);
}

#[test]
fn what_flushes_put_into_the_cache_stays_there() {
    let mut machine = Machine::new(vec![blocks_of_a_row().with("CACHE_DATA_ON_WRITE", "true")]);
    let region = machine.world.start().unwrap();
    fill(&region, 2, &[7; 100]);
    assert_eq!(read(&region), 8);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.world.cache.len(), 9, "eight data blocks and a Bloom filter");
}

#[test]
fn blocks_that_are_read_as_soon_as_they_are_written_are_read_once() {
    let mut machine = Machine::new(vec![blocks_of_a_row().with("PREFETCH_BLOCKS_ON_OPEN", "true")]);
    let region = machine.world.start().unwrap();
    fill(&region, 2, &[7; 100]);
    assert_eq!(read(&region), 8);
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(machine.faults.large_files(), [Soon; 3]);
    assert_eq!(machine.world.cache.len(), 9, "eight data blocks and a Bloom filter");
}

#[test]
fn in_a_full_cache_the_output_takes_as_much_room_as_the_inputs_had() {
    for compression in ["NONE", "GZ"] {
        let mut world = World::new(
            Arc::new(MemFileSystem::new()),
            vec![family("a", 1).with("COMPRESSION", compression), family("b", 1)],
        );
        world.start_server().unwrap();
        let cache = Arc::new(MemoryBlockCache::new(128 << 20));
        let region = world.open_with(cache.clone()).unwrap();
        for number in 0..2200 {
            let row = format!("other {number:04}");
            run(region.batch(vec![put((&row, "b", "q"), &[7; 64 << 10])])).swap_remove(0).unwrap();
        }
        fill(&region, 2, &[7; 64 << 10]);
        let read = |family: &str| {
            let families = vec![FamilySelection { family: family.to_owned().into(), qualifiers: None }];
            scan(&region, &Scan { families, ..Scan::default() }, None).unwrap().len()
        };
        assert_eq!(read("b"), 2200);
        for _ in 0..3 {
            assert_eq!(read("a"), 8);
        }
        let full = cache.statistics();
        assert!(full.bytes > 129_000_000, "{full:?}");
        region.compact(b"a", true).unwrap().unwrap();
        let before = cache.statistics();
        assert_eq!(read("a"), 8);
        let after = cache.statistics();
        assert_eq!(after.misses, before.misses, "{compression}: {full:?}, {before:?}");
    }
}

#[test]
fn where_there_is_no_room_for_both_the_inputs_leave_first() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.start_server().unwrap();
    let cache = Arc::new(MemoryBlockCache::new(1_100_000));
    let region = world.open_with(cache.clone()).unwrap();
    fill(&region, 3, &[7; 64 << 10]);
    assert_eq!(read(&region), 12);
    assert!(cache.statistics().bytes > 700_000, "{:?}", cache.statistics());
    region.compact(b"a", true).unwrap().unwrap();
    let before = cache.statistics().misses;
    assert_eq!(read(&region), 12);
    assert_eq!(cache.statistics().misses, before, "{:?}", cache.statistics());
}
