//! What a compaction, and the closing of a region, do to the block cache.

use crate::world::{World, family, put, rest, run, scan};
use finback_cell::Scan;
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;

fn start(attributes: &[(&str, &str)]) -> (World, Arc<Region>) {
    let described = attributes
        .iter()
        .fold(family("a", 1).with("BLOCKSIZE", "64"), |family, (name, value)| family.with(name, value));
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    let region = world.start().unwrap();
    (world, region)
}

fn fill(region: &Region, files: usize) {
    for _ in 0..files {
        for row in ["r1", "r2", "r3", "r4"] {
            run(region.batch(vec![put((row, "a", "q"), &[7; 100])])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
}

fn read(region: &Region) -> usize {
    scan(region, &Scan::default(), None).unwrap().len()
}

#[test]
fn the_blocks_of_a_compactions_inputs_are_dropped_even_if_a_scanner_still_reads_them() {
    let (world, region) = start(&[]);
    fill(&region, 3);
    assert_eq!(read(&region), 4);
    assert!(world.cache.len() >= 12, "{}", world.cache.len());
    let mut open = region.scanner(&Scan::default(), None).unwrap();
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(world.cache.len(), 0);
    assert_eq!(rest(&mut open).unwrap().len(), 4);
    assert_eq!(world.cache.len(), 0, "what is read of files that are gone is not kept");
    assert_eq!(read(&region), 4);
    assert_eq!(world.cache.len(), 4);
}

#[test]
fn a_closed_region_leaves_its_blocks_to_the_next_opening_unless_the_family_says_otherwise() {
    for (evicts, left) in [("false", 4), ("true", 0)] {
        let (world, region) = start(&[("EVICT_BLOCKS_ON_CLOSE", evicts)]);
        fill(&region, 1);
        assert_eq!(read(&region), 4);
        assert_eq!(world.cache.len(), 4);
        region.close().unwrap();
        assert_eq!(world.cache.len(), left);
        let region = world.open().unwrap();
        assert_eq!(world.cache.len(), left);
        let mut scanner = region.scanner(&Scan::default(), None).unwrap();
        let first = scanner.next(&mut Default::default(), &finback_region::ScanLimits::NONE);
        assert_eq!(first.is_ok(), evicts == "false", "the blocks of before are found");
    }
}
