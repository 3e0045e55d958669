//! What flushes, compactions, and the opening and closing of a region do to the block cache.

use crate::world::{World, family, put, rest, run, scan};
use finback_cache::{CombinedBlockCache, FileTier, FileTierOptions, MemoryBlockCache};
use finback_cell::Scan;
use finback_fs::MemFileSystem;
use finback_region::{CacheConfig, Region};
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
    let of_the_output = world.cache.len();
    assert_eq!(of_the_output, 5, "four data blocks and a Bloom filter");
    assert_eq!(rest(&mut open).unwrap().len(), 4);
    assert_eq!(world.cache.len(), of_the_output, "what is read of files that are gone is not kept");
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

#[test]
fn what_a_closed_region_has_left_is_dropped_when_its_files_are_gone() {
    let (world, region) = start(&[]);
    fill(&region, 1);
    assert_eq!(read(&region), 4);
    region.close().unwrap();
    let left = region.left_blocks();
    drop(region);
    assert!(!left.free_if_gone().unwrap());
    assert_eq!(world.cache.len(), 4);
    let away = left.directory().with_extension("away");
    world.fs.rename(left.directory(), &away).unwrap();
    assert!(left.free_if_gone().unwrap());
    assert_eq!(world.cache.len(), 0);
}

#[test]
fn blocks_of_a_flush_are_there_at_once_if_the_family_wants_that_and_those_of_a_compaction_are_not() {
    for (attribute, of_flush) in [("CACHE_DATA_ON_WRITE", 5), ("CACHE_BLOOMS_ON_WRITE", 1), ("BLOCKCACHE", 0)]
    {
        let (world, region) = start(&[(attribute, "true")]);
        fill(&region, 1);
        assert_eq!(world.cache.len(), of_flush, "{attribute}");
        fill(&region, 2);
        region.compact(b"a", true).unwrap().unwrap();
        assert_eq!(world.cache.len(), usize::from(attribute == "CACHE_BLOOMS_ON_WRITE"), "{attribute}");
    }
}

#[test]
fn blocks_of_a_compaction_are_there_at_once_if_the_configuration_wants_that() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1).with("BLOCKSIZE", "64")]);
    world.config.caching = CacheConfig { compacted_on_write: true, ..CacheConfig::default() };
    let region = world.start().unwrap();
    fill(&region, 3);
    assert_eq!(world.cache.len(), 0);
    region.compact(b"a", true).unwrap().unwrap();
    let cached = world.cache.len();
    assert_eq!(cached, 5, "four data blocks and a Bloom filter");
    assert_eq!(read(&region), 4);
    assert_eq!(world.cache.len(), cached);
}

#[test]
fn an_opened_region_gets_its_blocks_before_it_is_asked_if_the_family_wants_that() {
    for (prefetches, blocks) in [("false", 0), ("true", 10)] {
        let (mut world, region) =
            start(&[("EVICT_BLOCKS_ON_CLOSE", "true"), ("PREFETCH_BLOCKS_ON_OPEN", prefetches)]);
        fill(&region, 2);
        assert_eq!(world.cache.len(), blocks, "files of flushes are opened, too");
        region.close().unwrap();
        assert_eq!(world.cache.len(), 0);
        let region = world.start().unwrap();
        assert_eq!(region.wants_prefetch(), blocks > 0);
        region.prefetch();
        assert_eq!(world.cache.len(), blocks);
        region.close().unwrap();
        region.prefetch();
        assert_eq!(world.cache.len(), 0, "of a region that is closed nothing is wanted");
    }
}

#[test]
fn the_file_tier_forgets_the_inputs_of_a_compaction() {
    let dir = tempfile::tempdir().unwrap();
    let options = FileTierOptions {
        path: dir.path().join("tier"),
        size_bytes: 2 * finback_cache::SEGMENT_BYTES as u64,
        persistent: false,
    };
    let tier = FileTier::open(&options).unwrap();
    let cache = Arc::new(CombinedBlockCache::new(MemoryBlockCache::new(0), tier));
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.start_server().unwrap();
    let region = world.open_with(cache.clone()).unwrap();
    // Segments of the tier are written when they are full.
    let (blocks, value) = (260, vec![7; 64 << 10]);
    for _ in 0..2 {
        for row in 0..blocks / 2 {
            let row = format!("r{row:03}");
            run(region.batch(vec![put((&row, "a", "q"), &value)])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
    let since = std::time::Instant::now();
    // A tier that is behind lets blocks go by: they come again.
    while cache.file().statistics().blocks < 100 {
        assert!(since.elapsed() < std::time::Duration::from_secs(30), "{:?}", cache.file().statistics());
        assert_eq!(read(&region), blocks / 2);
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    region.compact(b"a", true).unwrap().unwrap();
    assert_eq!(cache.file().statistics().blocks, 0);
}
