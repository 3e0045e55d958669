//! Files whose blocks are in the cache make way for one whose blocks are there too: readers notice nothing.

use crate::machine::Machine;
use crate::world::{World, family, put, run, scan, value};
use finback_cache::LruLikeCache;
use finback_cell::{ColumnFamilyDescriptor, Scan};
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
fn where_there_is_no_room_for_both_the_inputs_leave_first() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.start_server().unwrap();
    let cache = Arc::new(LruLikeCache::new(1_100_000));
    let region = world.open_with(cache.clone()).unwrap();
    fill(&region, 3, &[7; 64 << 10]);
    assert_eq!(read(&region), 12);
    assert!(cache.statistics().bytes > 700_000, "{:?}", cache.statistics());
    region.compact(b"a", true).unwrap().unwrap();
    let before = cache.statistics().misses;
    assert_eq!(read(&region), 12);
    assert_eq!(cache.statistics().misses, before, "{:?}", cache.statistics());
}
