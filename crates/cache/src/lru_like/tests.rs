use std::path::Path;

use finback_cell::Cell;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::{HFileReader, HFileScanner, HFileWriter, WriterOptions, read_through};

use super::*;

/// A file of 200 small blocks.
fn reader(id: u64) -> Arc<HFileReader> {
    let fs = MemFileSystem::default();
    let options = WriterOptions { block_size_bytes: 1 << 10, ..WriterOptions::default() };
    let mut writer =
        HFileWriter::new(fs.create_new(Path::new("/f")).unwrap(), Path::new("/f"), options).unwrap();
    for number in 0..200u32 {
        let row = number.to_be_bytes();
        let parts = CellParts {
            row: &row,
            family: b"f",
            qualifier: b"",
            timestamp: 1,
            type_code: 4,
            value: &[7; 1 << 10],
            tags: &[],
        };
        writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 1).unwrap();
    }
    writer.finish(1).unwrap();
    HFileReader::open(fs.open(Path::new("/f")).unwrap(), Path::new("/f"), FileId(id)).unwrap()
}

/// Scans the whole file, and returns the number of cells.
fn scan(reader: &Arc<HFileReader>, cache: &Arc<LruLikeCache>) -> usize {
    let cache = Arc::clone(cache) as Arc<dyn BlockCache>;
    let mut scanner = HFileScanner::new(Arc::clone(reader), Some(cache), true);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut count = 0;
    while scanner.peek().is_some() {
        count += 1;
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    count
}

#[test]
fn a_second_scan_finds_every_block_of_the_first() {
    let cache = Arc::new(LruLikeCache::new(16 << 20));
    let reader = reader(1);
    assert_eq!(scan(&reader, &cache), 200);
    let first = cache.statistics();
    assert_eq!((first.hits, first.misses, first.blocks), (0, 200, 200));
    assert!(first.bytes > 200 << 10 && first.bytes < 300 << 10, "{first:?}");
    assert_eq!(scan(&reader, &cache), 200);
    let second = cache.statistics();
    assert_eq!((second.hits, second.misses, second.bytes), (200, 200, first.bytes));
}

#[test]
fn a_full_cache_evicts_and_stays_within_its_capacity() {
    for capacity in [0, 1 << 10, 20 << 10, 100 << 10] {
        let cache = Arc::new(LruLikeCache::new(capacity));
        let reader = reader(1);
        for _ in 0..3 {
            assert_eq!(scan(&reader, &cache), 200);
            let statistics = cache.statistics();
            assert!(statistics.bytes <= capacity, "{statistics:?}");
        }
        let statistics = cache.statistics();
        assert!(statistics.evictions > 0);
        assert_eq!(statistics.misses - statistics.evictions, statistics.blocks, "{statistics:?}");
        let left = cache.evict_file(FileId(1));
        assert_eq!(left as u64, statistics.blocks, "evicted blocks are forgotten, the others are not");
        assert_eq!(cache.statistics().bytes, 0);
    }
}

#[test]
fn a_closed_file_leaves_nothing_and_others_stay() {
    let cache = Arc::new(LruLikeCache::new(16 << 20));
    let (one, two) = (reader(1), reader(2));
    scan(&one, &cache);
    let bytes_of_one = cache.statistics().bytes;
    scan(&two, &cache);
    assert_eq!(cache.evict_file(FileId(2)), 200);
    assert_eq!(cache.evict_file(FileId(2)), 0);
    let statistics = cache.statistics();
    assert_eq!((statistics.bytes, statistics.blocks, statistics.invalidations), (bytes_of_one, 200, 200));
    assert!(cache.get(FileId(1), 0).is_some());
    assert!(cache.get(FileId(2), 0).is_none());
}

#[test]
fn the_priority_of_a_block_is_kept() {
    let cache = LruLikeCache::new(16 << 20);
    let reader = reader(1);
    let mut scanner = HFileScanner::new(Arc::clone(&reader), None, false);
    let request = match scanner.seek(&Key::first_on_row(b"")) {
        Err(finback_hfile::ScanInterrupt::NeedBlock(request)) => request,
        other => panic!("{other:?}"),
    };
    let block = request.read().unwrap();
    cache.insert(FileId(1), &block, BlockPriority::High);
    assert_eq!(cache.priority(FileId(1), 0), Some(BlockPriority::High));
    assert_eq!(cache.priority(FileId(1), 1), None);
}

#[test]
fn threads_that_insert_read_and_close_leave_a_sound_cache() {
    let cache = Arc::new(LruLikeCache::new(120 << 10));
    std::thread::scope(|scope| {
        for id in 1..=4 {
            let cache = Arc::clone(&cache);
            scope.spawn(move || {
                let reader = reader(id);
                for _ in 0..5 {
                    assert_eq!(scan(&reader, &cache), 200);
                    cache.evict_file(FileId(id));
                }
            });
        }
    });
    assert!(cache.statistics().bytes <= 120 << 10);
}
