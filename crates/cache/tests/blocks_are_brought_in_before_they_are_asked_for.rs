//! Blocks that are wanted in the cache are there when they are asked for; what is counted in the cache without being in it
//! leaves less room.

use finback_cache::MemoryBlockCache;
use finback_cell::key::Key;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{
    BlockCache, BlockPriority, BloomOptions, BloomProbe, BloomType, CacheCharge, FileId, HFileReader,
    HFileScanner, Prefetch, WriterOptions, read_through,
};
use std::sync::Arc;

const ROWS: u32 = 2000;

/// A file of 200 data blocks, with several index blocks and chunks of a Bloom filter.
fn reader() -> Arc<HFileReader> {
    let options = WriterOptions {
        block_size_bytes: 1 << 10,
        index_block_size_bytes: 1 << 10,
        bloom: BloomOptions {
            filter: Some(BloomType::Row),
            chunk_size_bytes: 1 << 10,
            ..BloomOptions::default()
        },
        ..WriterOptions::default()
    };
    reader_of(file_of_rows(options, 0..ROWS, &[7; 70]), FileId(1))
}

fn cache(bytes: u64) -> (Arc<MemoryBlockCache>, Arc<dyn BlockCache>) {
    let cache = Arc::new(MemoryBlockCache::new(bytes));
    (Arc::clone(&cache), cache)
}

fn scan(reader: &Arc<HFileReader>, cache: &Arc<dyn BlockCache>) {
    let mut scanner = HFileScanner::new(Arc::clone(reader), Some(Arc::clone(cache)), true);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    while scanner.peek().is_some() {
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
}

#[test]
fn all_of_a_file_is_there_after_one_pass() {
    let (statistics, cache) = cache(16 << 20);
    let reader = reader();
    let put = reader.prefetch(&cache, Prefetch::all(BlockPriority::Normal), |_| true).unwrap();
    scan(&reader, &cache);
    for row in 0..ROWS {
        let row = row.to_be_bytes();
        let mut probe = BloomProbe::row(Arc::clone(&reader), Some(Arc::clone(&cache)), &row);
        assert!(probe.may_contain().unwrap(), "without a block being asked for");
    }
    let found = statistics.statistics();
    assert_eq!((found.misses, found.blocks), (0, put), "{found:?}");
    assert!(found.hits > 200 && found.index_bytes > 0, "{found:?}");
    // What is there is not read again.
    assert_eq!(reader.prefetch(&cache, Prefetch::all(BlockPriority::Normal), |_| true).unwrap(), 0);
}

#[test]
fn some_kinds_of_blocks_only() {
    let (statistics, cache) = cache(16 << 20);
    let reader = reader();
    let indexes = Prefetch { indexes: true, ..Prefetch::default() };
    let blooms = Prefetch { blooms: true, ..Prefetch::default() };
    let data = Prefetch { data: Some(BlockPriority::InMemory), ..Prefetch::default() };
    let put = |wanted| reader.prefetch(&cache, wanted, |_| true).unwrap();
    let (indexes, blooms, data) = (put(indexes), put(blooms), put(data));
    assert!(indexes > 2 && blooms > 1 && data > 150, "{indexes} {blooms} {data}");
    assert_eq!(put(Prefetch::all(BlockPriority::InMemory)), 0, "there are no others");
    assert!(statistics.statistics().in_memory_bytes > 150 << 10);
}

#[test]
fn nothing_has_to_go_for_it_if_that_is_the_wish() {
    let (statistics, cache) = cache(64 << 10);
    let reader = reader();
    let wanted = Prefetch::all(BlockPriority::Normal);
    let put = reader.prefetch(&cache, wanted, |bytes| cache.has_room(bytes)).unwrap();
    let found = statistics.statistics();
    assert!(put > 20, "{put}");
    assert!(found.bytes <= 64 << 10 && found.evictions == 0, "{found:?}");
    // A file that is gone is not worth it.
    reader.retire();
    cache.evict_file(FileId(1));
    assert_eq!(reader.prefetch(&cache, wanted, |_| true).unwrap(), 0);
}

#[test]
fn indexes_of_open_files_and_other_memory_leave_less_room() {
    const CAPACITY: u64 = 256 << 10;
    let (statistics, cache) = cache(CAPACITY);
    let reader = reader();
    scan(&reader, &cache);
    let full = statistics.statistics().bytes;
    reader.charge_to(&cache);
    reader.charge_to(&cache);
    let charged = statistics.statistics().outside_bytes;
    assert_eq!(charged, reader.memory_bytes() as u64, "counted once");
    let mut other = CacheCharge::new(Arc::clone(&cache), 100 << 10);
    scan(&reader, &cache);
    let found = statistics.statistics();
    assert!(found.bytes + found.outside_bytes <= CAPACITY && found.bytes < full, "{found:?}");
    assert_eq!(found.outside_bytes, charged + (100 << 10));
    // More than all: nothing is kept.
    other.set(1 << 20);
    scan(&reader, &cache);
    assert_eq!(statistics.statistics().bytes, 0);
    drop((other, reader));
    assert_eq!(statistics.statistics().outside_bytes, 0);
    scan(&self::reader(), &cache);
    assert!(statistics.statistics().bytes > full / 2, "what was taken comes back");
}
