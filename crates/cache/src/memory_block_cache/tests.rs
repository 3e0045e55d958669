use finback_cell::key::Key;
use finback_hfile::{HFileReader, HFileScanner, read_through};

use super::*;
use crate::test_blocks::{blocks, reader};

/// Scans the whole file, and returns the number of cells.
fn scan(reader: &Arc<HFileReader>, cache: &Arc<MemoryBlockCache>) -> usize {
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
    let cache = Arc::new(MemoryBlockCache::new(16 << 20));
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
fn look_ups_of_reads_that_keep_nothing_are_counted_apart() {
    let cache = Arc::new(MemoryBlockCache::new(16 << 20));
    let passing = |reader: &Arc<HFileReader>| {
        let of_all: Arc<dyn BlockCache> = Arc::clone(&cache) as _;
        let mut scanner = HFileScanner::new(Arc::clone(reader), Some(of_all), false);
        read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
        let statistics = cache.statistics();
        (statistics.passing_hits, statistics.passing_misses)
    };
    let reader = reader(1);
    assert_eq!(passing(&reader), (0, 1));
    scan(&reader, &cache);
    assert_eq!(passing(&reader), (1, 1));
}

#[test]
fn a_full_cache_evicts_and_stays_within_its_capacity() {
    for capacity in [0, 1 << 10, 20 << 10, 100 << 10] {
        let cache = Arc::new(MemoryBlockCache::new(capacity));
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
fn blocks_that_threads_put_in_and_evict_at_once_leave_with_their_file() {
    // So small that each block pushes out those of the other thread, which puts in the same ones.
    let cache = Arc::new(MemoryBlockCache::new(20 << 10));
    let reader = reader(1);
    for _ in 0..30 {
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..5).for_each(|_| assert_eq!(scan(&reader, &cache), 200)));
            }
        });
        let blocks = cache.statistics().blocks;
        assert_eq!(cache.evict_file(FileId(1)) as u64, blocks);
        assert_eq!(cache.statistics().bytes, 0);
    }
}

#[test]
fn a_block_that_two_threads_put_in_at_once_leaves_with_its_file() {
    let read = Arc::new(MemoryBlockCache::new(16 << 20));
    scan(&reader(1), &read);
    let block = read.get(FileId(1), 0, BlockPriority::Normal).unwrap();
    let cache = MemoryBlockCache::new(16 << 20);
    for _ in 0..2 {
        cache.insert(FileId(1), &block, BlockPriority::Index);
    }
    cache.evict_file(FileId(1));
    assert_eq!((cache.statistics().blocks, cache.contains(FileId(1), block.place().offset)), (0, false));
}

#[test]
fn a_closed_file_leaves_nothing_and_others_stay() {
    let cache = Arc::new(MemoryBlockCache::new(16 << 20));
    let (one, two) = (reader(1), reader(2));
    scan(&one, &cache);
    let bytes_of_one = cache.statistics().bytes;
    scan(&two, &cache);
    assert_eq!(cache.evict_file(FileId(2)), 200);
    assert_eq!(cache.evict_file(FileId(2)), 0);
    let statistics = cache.statistics();
    assert_eq!((statistics.bytes, statistics.blocks, statistics.invalidations), (bytes_of_one, 200, 200));
    assert!(cache.get(FileId(1), 0, BlockPriority::Normal).is_some());
    assert!(cache.get(FileId(2), 0, BlockPriority::Normal).is_none());
}

/// Puts the blocks in as if they were of so many other files, one after the other.
fn flood(cache: &MemoryBlockCache, blocks: &[Arc<Block>], files: std::ops::Range<u64>) {
    for file in files {
        blocks.iter().for_each(|block| cache.insert(FileId(file), block, BlockPriority::Normal));
    }
}

fn found(cache: &MemoryBlockCache, file: u64, blocks: &[Arc<Block>], priority: BlockPriority) -> usize {
    let is_there = |block: &&Arc<Block>| cache.get(FileId(file), block.place().offset, priority).is_some();
    blocks.iter().filter(is_there).count()
}

#[test]
fn data_blocks_never_push_out_index_blocks_or_in_memory_families_that_fit_their_share() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    for priority in [BlockPriority::Index, BlockPriority::InMemory] {
        // A quarter is room for 100 of the 200 blocks.
        let cache = MemoryBlockCache::new(2 * bytes);
        flood(&cache, &blocks, 1000..1010);
        let kept = &blocks[..90];
        kept.iter().for_each(|block| cache.insert(FileId(1), block, priority));
        flood(&cache, &blocks, 1010..1050);
        assert_eq!(found(&cache, 1, kept, priority), 90, "{priority:?}");
        let statistics = cache.statistics();
        assert!(statistics.bytes <= statistics.capacity_bytes, "{statistics:?}");
        assert!(statistics.bytes > statistics.capacity_bytes * 8 / 10, "the rest is in use: {statistics:?}");
    }
}

#[test]
fn what_does_not_fit_its_share_competes_with_data_blocks() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    let cache = MemoryBlockCache::new(2 * bytes);
    blocks.iter().for_each(|block| cache.insert(FileId(1), block, BlockPriority::Index));
    assert_eq!(cache.statistics().evictions, 0, "nothing else wants the room");
    // Data blocks that are all used again.
    for file in 1000..1005 {
        for block in &blocks {
            cache.insert(FileId(file), block, BlockPriority::Normal);
            assert!(cache.get(FileId(file), block.place().offset, BlockPriority::Normal).is_some());
        }
    }
    let left = found(&cache, 1, &blocks, BlockPriority::Index);
    assert!((80..200).contains(&left), "{left}");
}

#[test]
fn an_unused_share_is_lent_to_data_blocks_and_given_back_when_files_close() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    let cache = MemoryBlockCache::new(bytes * 11 / 10);
    let fills = |cache: &MemoryBlockCache, file| {
        flood(cache, &blocks, file..file + 1);
        found(cache, file, &blocks, BlockPriority::Normal)
    };
    assert_eq!(fills(&cache, 1), 200);
    blocks[..50].iter().for_each(|block| cache.insert(FileId(2), block, BlockPriority::Index));
    cache.evict_file(FileId(1));
    assert!(fills(&cache, 1) < 200, "a quarter is lent no more");
    assert_eq!(cache.evict_file(FileId(2)), 50);
    cache.evict_file(FileId(1));
    assert_eq!(fills(&cache, 1), 200);
}

#[test]
fn a_scan_does_not_push_out_what_is_used_again() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    let cache = MemoryBlockCache::new(bytes);
    let hot = &blocks[..100];
    for _ in 0..3 {
        for block in hot {
            if cache.get(FileId(1), block.place().offset, BlockPriority::Normal).is_none() {
                cache.insert(FileId(1), block, BlockPriority::Normal);
            }
        }
    }
    flood(&cache, &blocks, 1000..1003);
    assert!(found(&cache, 1, hot, BlockPriority::Normal) > 90);
}

/// Asks for the blocks one after the other, so many times, and puts in what is missing. Says how many were there the last time.
fn ask_in_turn(cache: &MemoryBlockCache, file: u64, blocks: &[Arc<Block>], times: usize) -> usize {
    let mut hits = 0;
    for _ in 0..times {
        hits = 0;
        for block in blocks {
            if cache.get(FileId(file), block.place().offset, BlockPriority::Normal).is_some() {
                hits += 1;
            } else {
                cache.insert(FileId(file), block, BlockPriority::Normal);
            }
        }
    }
    hits
}

#[test]
fn of_a_table_that_is_scanned_again_and_again_and_does_not_fit_a_part_stays() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    // The least recently used is the one that is wanted next: an LRU finds none.
    let cache = MemoryBlockCache::new(bytes / 2);
    let hits: usize = (0..30).map(|_| ask_in_turn(&cache, 1, &blocks, 1)).sum();
    assert!(hits > 30 * 12, "{hits} of {}, where half fit", 30 * 200);
}

#[test]
fn what_is_used_no_more_makes_room_for_what_is() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    let cache = MemoryBlockCache::new(bytes);
    for round in 0..3 {
        assert!(ask_in_turn(&cache, round, &blocks[..180], 20) > 170, "{round}");
    }
}

#[test]
fn what_is_wanted_again_soon_and_then_no_more_is_there() {
    let blocks = blocks(&reader(1));
    let bytes: u64 = blocks.iter().map(|block| crate::bucket::weight(block)).sum();
    let cache = MemoryBlockCache::new(bytes);
    // Each is asked for again when 50 others have come, a quarter of what there is room for.
    let at = |number: usize| (1 + number as u64 / 200, &blocks[number % 200]);
    let mut again = 0;
    for number in 0..20_000 {
        let (file, block) = at(number);
        cache.insert(FileId(file), block, BlockPriority::Normal);
        if let Some((file, block)) = number.checked_sub(50).map(at) {
            if cache.get(FileId(file), block.place().offset, BlockPriority::Normal).is_some() {
                again += usize::from(number >= 10_000);
            } else {
                cache.insert(FileId(file), block, BlockPriority::Normal);
            }
        }
    }
    assert!(again > 8_000, "{again} of 10,000");
}

#[test]
fn threads_that_insert_read_and_close_leave_a_sound_cache() {
    let cache = Arc::new(MemoryBlockCache::new(120 << 10));
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

#[test]
fn what_comes_and_goes_beside_the_cache_does_not_change_its_capacity_each_time() {
    const CAPACITY: u64 = 2 << 30;
    let cache = MemoryBlockCache::new(CAPACITY);
    cache.outside_changed(124 << 20);
    let mut capacities = std::collections::BTreeSet::new();
    for change in [8 << 20, -(8 << 20)].repeat(50) {
        cache.outside_changed(change);
        capacities.insert(cache.division.bytes_left());
        assert!(cache.division.bytes_left() + cache.division.outside_bytes() <= CAPACITY);
    }
    assert_eq!(capacities.len(), 1, "{capacities:?}");
    // What is gone for good is given back.
    cache.outside_changed(-(124 << 20));
    assert_eq!(cache.division.bytes_left(), CAPACITY);
    cache.outside_changed(8 << 20);
    cache.outside_changed(-(8 << 20));
    assert_eq!(cache.division.bytes_left(), CAPACITY);
}
