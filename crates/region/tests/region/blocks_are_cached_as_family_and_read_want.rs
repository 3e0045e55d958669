//! Data blocks are kept if both the family and the read want that; those of a family with IN_MEMORY have a share of the cache.

use crate::world::{World, family, put, run, scan, scan_counting_blocks};
use finback_cache::MemoryBlockCache;
use finback_cell::{ColumnFamilyDescriptor, Get, RegionInfo, Scan, TableDescriptor, TableName};
use finback_fs::MemFileSystem;
use finback_hfile::{Block, BlockCache, BlockPriority, BlockRef, BlockType, FileId, FileIdentity};
use finback_region::Region;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

const CACHE_BYTES: u64 = 16 << 20;

/// Has nothing, and notes which data blocks it is given: as they are in memory, and as they stand in their files.
#[derive(Default)]
struct Notes {
    in_memory: Mutex<BTreeSet<(FileId, u64)>>,
    stored: Mutex<BTreeSet<(FileId, u64)>>,
}

impl BlockCache for Notes {
    fn get(&self, _: FileId, _: u64, _: BlockPriority) -> Option<Arc<Block>> {
        None
    }

    fn insert(&self, file: FileId, block: &Arc<Block>, _: BlockPriority) {
        if block.block_type() == BlockType::Data {
            self.in_memory.lock().unwrap().insert((file, block.place().offset));
        }
    }

    fn evict_file(&self, _: FileId) -> usize {
        0
    }

    fn has_stored(&self) -> bool {
        true
    }

    fn keep_stored(&self, file: FileIdentity, place: BlockRef, bytes: Vec<u8>) {
        if bytes.starts_with(b"DATABLK") {
            self.stored.lock().unwrap().insert((file.id, place.offset));
        }
    }
}

/// A region of a family with these attributes, and a file of four rows, each in a block of its own.
fn start(attributes: &[(&str, &str)], cache: Arc<dyn BlockCache>) -> (World, Arc<Region>) {
    let described = attributes
        .iter()
        .fold(family("a", 1).with("BLOCKSIZE", "64"), |family, (name, value)| family.with(name, value));
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    world.start_server().unwrap();
    let region = world.open_with(cache).unwrap();
    fill(&region, "a", ["r1", "r2", "r3", "r4"]);
    (world, region)
}

fn fill(region: &Region, family: &str, rows: [&str; 4]) {
    for row in rows {
        run(region.batch(vec![put((row, family, "q"), &[7; 100])])).swap_remove(0).unwrap();
    }
    region.flush(None).unwrap();
}

/// Reads, and how many rows each of them finds.
fn reads() -> [(&'static str, Scan, usize); 3] {
    [
        ("a scan", Scan::default(), 4),
        ("a scan backwards", Scan { reversed: true, ..Scan::default() }, 4),
        ("a get", Get::new("r2".into()).scan, 1),
    ]
}

fn read_all(region: &Region) {
    for (what, read, rows) in reads() {
        assert_eq!(scan(region, &read, None).unwrap().len(), rows, "{what}");
    }
}

#[test]
fn data_blocks_are_kept_if_both_the_family_and_the_read_want_that() {
    for (of_family, of_read) in [(true, true), (true, false), (false, true), (false, false)] {
        for (what, read, rows) in reads() {
            let notes = Arc::new(Notes::default());
            let attribute = of_family.to_string();
            let (_world, region) = start(&[("BLOCKCACHE", &attribute[..])], notes.clone());
            let read = Scan { cache_blocks: of_read, ..read };
            assert_eq!(scan(&region, &read, None).unwrap().len(), rows, "{what}");
            let kept = if of_family && of_read { rows } else { 0 };
            let found = (notes.in_memory.lock().unwrap().len(), notes.stored.lock().unwrap().len());
            assert_eq!(found, (kept, kept), "{what}, BLOCKCACHE {of_family}, cache_blocks {of_read}");
        }
    }
}

#[test]
fn a_read_that_keeps_nothing_uses_what_others_have_kept() {
    let cache = Arc::new(MemoryBlockCache::new(CACHE_BYTES));
    let (_world, region) = start(&[], cache.clone());
    let passing = Scan { cache_blocks: false, ..Scan::default() };
    for (kept, data_blocks_read) in [(0, 4), (4, 0)] {
        let before = cache.statistics();
        let (rows, data_blocks) = scan_counting_blocks(&region, &passing);
        assert_eq!((rows.len(), data_blocks), (4, data_blocks_read));
        let after = cache.statistics();
        assert_eq!((after.blocks, after.bytes), (kept, before.bytes));
        assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 4);
    }
}

#[test]
fn those_of_a_family_in_memory_are_in_the_share_for_them_and_those_of_others_are_not() {
    // Read, written, and brought in before they are asked for.
    for attribute in ["BLOCKCACHE", "CACHE_DATA_ON_WRITE", "PREFETCH_BLOCKS_ON_OPEN"] {
        for is_in_memory in [true, false] {
            let cache = Arc::new(MemoryBlockCache::new(CACHE_BYTES));
            let in_memory = is_in_memory.to_string();
            let attributes = [("IN_MEMORY", &in_memory[..]), (attribute, "true")];
            let (_world, region) = start(&attributes, cache.clone());
            read_all(&region);
            let kept = cache.statistics();
            assert_eq!(kept.blocks, 5, "{attribute}: four data blocks and a Bloom filter");
            let of_data = kept.bytes - kept.index_bytes;
            assert!(of_data > 0 && kept.index_bytes > 0, "{attribute}: {kept:?}");
            let in_share = if is_in_memory { of_data } else { 0 };
            assert_eq!(kept.in_memory_bytes, in_share, "{attribute}, IN_MEMORY {is_in_memory}");
            read_all(&region);
            let again = cache.statistics();
            assert_eq!((again.blocks, again.misses), (5, kept.misses), "{attribute}: they are found there");
        }
    }
}

#[test]
fn those_of_the_catalogue_are_in_the_share_without_the_attribute() {
    let families = vec![ColumnFamilyDescriptor::with_defaults(b"info").with("BLOCKSIZE", "64")];
    let table = TableDescriptor { families, ..TableDescriptor::new(TableName::meta()) };
    let mut world = World::of_region(Arc::new(MemFileSystem::new()), RegionInfo::meta(), table);
    world.start_server().unwrap();
    let cache = Arc::new(MemoryBlockCache::new(CACHE_BYTES));
    let region = world.open_with(cache.clone()).unwrap();
    fill(&region, "info", ["t,,1", "t,a,1", "t,b,1", "t,c,1"]);
    assert_eq!(scan(&region, &Scan::default(), None).unwrap().len(), 4);
    let kept = cache.statistics();
    assert!(kept.in_memory_bytes > 0, "{kept:?}");
    assert_eq!(kept.in_memory_bytes, kept.bytes - kept.index_bytes);
}
