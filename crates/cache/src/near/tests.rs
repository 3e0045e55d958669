use super::{Changes, LOOKS, MAX_BYTES, Near, SLOTS};
use crate::block_key::BlockKey;
use crate::{MemoryBlockCache, Shares};
use finback_cell::Cell;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_fs::{FileSystem, MemFileSystem};
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{
    AskedRow, Block, BlockCache, BlockPriority, BloomOptions, BloomProbe, BloomType, FileId, HFileReader,
    HFileScanner, HFileWriter, ScanInterrupt, WriterOptions,
};
use std::path::Path;
use std::sync::Arc;

/// A file of one row, with a Bloom filter.
pub(super) fn file(id: u64) -> Arc<HFileReader> {
    let fs = MemFileSystem::default();
    let path = Path::new("/f");
    let bloom = BloomOptions { filter: Some(BloomType::Row), ..BloomOptions::default() };
    let options = WriterOptions { bloom, ..WriterOptions::default() };
    let mut writer = HFileWriter::new(fs.create_new(path).unwrap(), path, options).unwrap();
    let (row, family, qualifier, value): (_, _, _, &[u8]) = (b"row", b"f", b"", b"");
    let parts = CellParts { row, family, qualifier, timestamp: 1, type_code: 4, value, tags: &[] };
    writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 1).unwrap();
    writer.finish(1).unwrap();
    HFileReader::open(fs.open(path).unwrap(), path, FileId(id)).unwrap()
}

/// Reads the chunk of the file's filter, with the cache.
fn read_chunk(file: &Arc<HFileReader>, cache: &Arc<dyn BlockCache>) -> Arc<Block> {
    let mut probe = BloomProbe::row(Arc::clone(file), Some(Arc::clone(cache)), b"row");
    let Err(ScanInterrupt::NeedBlock(request)) = probe.may_contain() else { panic!("it is in the cache") };
    let chunk = request.read().unwrap();
    probe.provide(Arc::clone(&chunk));
    assert!(probe.may_contain().unwrap());
    chunk
}

fn answer(file: &HFileReader, cache: &dyn BlockCache) -> Option<bool> {
    BloomProbe::answer_of_cache(file, cache, &AskedRow::new(b"row"), None)
}

#[test]
fn what_the_cache_has_is_found_as_often_as_it_is_looked_for_and_every_look_is_counted() {
    let cache = Arc::new(MemoryBlockCache::new(1 << 20));
    let shared = Arc::clone(&cache) as Arc<dyn BlockCache>;
    let file = file(1);
    let chunk = read_chunk(&file, &shared);
    let before = cache.statistics();
    for _ in 0..3 * LOOKS {
        assert_eq!(answer(&file, &*cache), Some(true));
        let found = cache.get(FileId(1), chunk.place().offset, BlockPriority::Index).unwrap();
        assert!(Arc::ptr_eq(&found, &chunk));
    }
    let after = cache.statistics();
    assert_eq!(after.index_hits - before.index_hits, u64::from(6 * LOOKS));
    assert_eq!(after.index_misses, before.index_misses);
}

#[test]
fn what_is_dropped_with_its_file_is_not_found_any_more_by_any_thread() {
    let cache = Arc::new(MemoryBlockCache::new(1 << 20)) as Arc<dyn BlockCache>;
    let file = file(1);
    let chunk = read_chunk(&file, &cache);
    std::thread::scope(|scope| {
        let (to_other, inbox) = std::sync::mpsc::channel::<()>();
        let (to_first, seen) = std::sync::mpsc::channel();
        let (other_file, other_cache) = (&file, &cache);
        scope.spawn(move || {
            for () in inbox {
                to_first.send(answer(other_file, &**other_cache)).unwrap();
            }
        });
        for expected in [Some(true), None] {
            to_other.send(()).unwrap();
            assert_eq!(seen.recv().unwrap(), expected);
            assert_eq!(answer(&file, &*cache), expected);
            assert_eq!(cache.evict_file(FileId(1)), usize::from(expected.is_some()));
        }
    });
    assert!(cache.get(FileId(1), chunk.place().offset, BlockPriority::Index).is_none());
}

#[test]
fn what_made_room_for_data_blocks_is_not_found_any_more() {
    let no_shares = Shares { in_memory: 0.0, index: 0.0 };
    let cache = Arc::new(MemoryBlockCache::with_shares(16 << 10, no_shares)) as Arc<dyn BlockCache>;
    let file = file(1);
    let chunk = read_chunk(&file, &cache);
    assert_eq!(answer(&file, &*cache), Some(true));
    let data: Vec<FileId> = (2..2000).map(FileId).collect();
    while cache.contains(FileId(1), chunk.place().offset) {
        for &file in &data {
            cache.insert(file, &chunk, BlockPriority::Normal);
            cache.get(file, chunk.place().offset, BlockPriority::Normal);
        }
    }
    assert_eq!(answer(&file, &*cache), None);
}

#[test]
fn a_thread_does_not_find_in_one_cache_what_another_has() {
    let caches = [(); 2].map(|()| Arc::new(MemoryBlockCache::new(1 << 20)) as Arc<dyn BlockCache>);
    let files = [file(1), file(1)];
    read_chunk(&files[0], &caches[0]);
    for _ in 0..2 {
        assert_eq!(answer(&files[0], &*caches[0]), Some(true));
        assert_eq!(answer(&files[1], &*caches[1]), None);
    }
}

#[test]
fn a_thread_remembers_many_blocks_and_no_more_bytes_than_it_may() {
    let reader = reader_of(file_of_rows(WriterOptions::default(), 0..1, &[7; 200 << 10]), FileId(1));
    let mut scanner = HFileScanner::new(reader, None, false);
    let Err(ScanInterrupt::NeedBlock(request)) = scanner.seek(&Key::first_on_row(b"")) else {
        panic!("it is nowhere yet")
    };
    let block = request.read().unwrap();
    let key = |number: u64| BlockKey { file: FileId(number), offset: 0 };
    let mut near = Near::of((1, 1));
    let remembered = |near: &mut Near, numbers: std::ops::Range<u64>| {
        numbers.filter(|&number| near.slot(key(number)).is_some()).count()
    };
    let fit = MAX_BYTES / block.memory_bytes();
    for number in 0..10 * SLOTS as u64 {
        near.remember(key(number), Arc::clone(&block), MAX_BYTES);
        assert!(near.slot(key(number)).is_some());
        let held = near.slots.iter().flatten().count();
        assert_eq!(near.bytes, held * block.memory_bytes());
        assert!(near.bytes <= MAX_BYTES, "{} bytes of {held} blocks", near.bytes);
        if number + 1 == fit as u64 {
            assert!(remembered(&mut near, 0..number + 1) >= fit - 1, "places are shared by many");
        }
    }
    // The same again is not another one.
    near = Near::of((1, 1));
    (0..3).for_each(|_| near.remember(key(1), Arc::clone(&block), MAX_BYTES));
    assert_eq!((near.bytes, remembered(&mut near, 0..9)), (block.memory_bytes(), 1));
}

#[test]
fn of_a_small_cache_a_thread_remembers_a_small_part() {
    assert_eq!(Changes::of_cache(25 << 20).most, 400 << 10);
    assert_eq!([1 << 30, u64::MAX].map(|bytes| Changes::of_cache(bytes).most), [MAX_BYTES; 2]);
}
