//! Store files behind memory and an SSD: what is read is what the file has, wherever it comes from.

use finback_cache::{
    CombinedBlockCache, FileTier, FileTierOptions, MemoryBlockCache, SEGMENT_BYTES, TierDevice,
};
use finback_cell::key::Key;
use finback_fs::{FileSystem, LocalFileSystem};
use finback_hfile::testing::write_rows;
use finback_hfile::{BlockCache, BlockRef, FileId, FileIdentity};
use finback_hfile::{HFileReader, HFileScanner, WriterOptions, read_through};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const ROWS: u32 = 2000;

/// Writes a store file of small blocks, with one value in all cells, at a time of its own.
fn write(path: &Path, value: u8) {
    let create_time_ms = i64::from(value);
    let options = WriterOptions { block_size_bytes: 4 << 10, create_time_ms, ..WriterOptions::default() };
    write_rows(&LocalFileSystem::new(), path, options, 0..ROWS, &[value; 100]);
}

/// Reads all cells; their values must be these.
fn assert_values(path: &Path, cache: &Arc<CombinedBlockCache>, value: u8) {
    let file = LocalFileSystem::new().open(path).unwrap();
    let reader = HFileReader::open_identified(file, path).unwrap();
    let cache = Arc::clone(cache) as Arc<dyn BlockCache>;
    let mut scanner = HFileScanner::new(reader, Some(cache), true);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut rows = 0;
    while let Some((cell, _)) = scanner.peek() {
        assert_eq!(cell.value(), [value; 100]);
        rows += 1;
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    assert_eq!(rows, ROWS);
}

#[test]
fn blocks_outlive_a_restart_and_a_file_that_was_replaced_is_another_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("0123456789abcdef");
    let options = FileTierOptions {
        path: dir.path().join("tier"),
        size_bytes: 4 * SEGMENT_BYTES as u64,
        persistent: true,
    };
    // No memory: every block comes from a device.
    let start =
        || Arc::new(CombinedBlockCache::new(MemoryBlockCache::new(0), FileTier::open(&options).unwrap()));
    write(&path, b'a');
    let cache = start();
    assert_values(&path, &cache, b'a');
    assert_eq!(cache.file().statistics().hits, 0);
    drop(cache);

    let cache = start();
    let since = Instant::now();
    while cache.file().statistics().blocks < 50 {
        assert!(since.elapsed() < Duration::from_secs(30));
        std::thread::yield_now();
    }
    assert_values(&path, &cache, b'a');
    let statistics = cache.file().statistics();
    assert_eq!((statistics.misses, statistics.mismatches), (0, 0), "{statistics:?}");
    assert!(statistics.hits >= 50);

    // Somebody puts another file of the same name, size and keys in its place.
    std::fs::remove_file(&path).unwrap();
    write(&path, b'b');
    assert_values(&path, &cache, b'b');
    drop(cache);

    // Garbage in the whole file of the tier.
    std::fs::write(&options.path, vec![0xa5; 4 * SEGMENT_BYTES]).unwrap();
    assert_values(&path, &start(), b'b');
}

#[test]
fn what_the_tier_knows_is_taken_from_the_memory_of_the_cache() {
    const CAPACITY: u64 = 256 << 20;
    let directory = tempfile::tempdir().unwrap();
    let options =
        FileTierOptions { path: directory.path().join("tier"), size_bytes: 64 << 20, persistent: false };
    let cache = CombinedBlockCache::new(MemoryBlockCache::new(CAPACITY), FileTier::open(&options).unwrap());
    let outside = || cache.memory().statistics().outside_bytes;
    let at_first = outside();
    assert!(at_first >= SEGMENT_BYTES as u64, "{at_first}");
    let file = FileIdentity { id: FileId(1), check: 1 };
    let (mut offset, mut written) = (0, 0);
    while written < 20_000 {
        cache.keep_stored(file, BlockRef { offset, size: 1 << 10 }, vec![7; 1 << 10]);
        offset += 1 << 10;
        written = cache.file().statistics().written;
    }
    let grown = outside() - at_first;
    assert!((1 << 20..8 << 20).contains(&grown), "{grown}");
}

/// A device that is read when it is let.
struct SlowDevice {
    file: std::fs::File,
    may_be_read: Arc<AtomicBool>,
}

impl TierDevice for SlowDevice {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        while !self.may_be_read.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        TierDevice::read_at(&self.file, bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        TierDevice::write_at(&self.file, bytes, offset)
    }
}

#[test]
fn what_the_tier_learns_after_a_restart_is_taken_from_the_memory_of_the_cache() {
    const CAPACITY: u64 = 256 << 20;
    const SIZE: u64 = 64 << 20;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tier");
    let options = FileTierOptions { path: path.clone(), size_bytes: SIZE, persistent: true };
    let cache = CombinedBlockCache::new(MemoryBlockCache::new(CAPACITY), FileTier::open(&options).unwrap());
    let file = FileIdentity { id: FileId(1), check: 1 };
    let place = |block: u64| BlockRef { offset: block << 10, size: 1 << 10 };
    let mut block = 0;
    while cache.file().statistics().written < 10_000 {
        cache.keep_stored(file, place(block), vec![7; 1 << 10]);
        block += 1;
    }
    drop(cache);

    let may_be_read = Arc::new(AtomicBool::new(false));
    let device = SlowDevice {
        file: std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap(),
        may_be_read: Arc::clone(&may_be_read),
    };
    let tier = FileTier::on(Box::new(device), SIZE, SEGMENT_BYTES, true).unwrap();
    let cache = CombinedBlockCache::new(MemoryBlockCache::new(CAPACITY), tier);
    let outside = || cache.memory().statistics().outside_bytes;
    let at_first = outside();
    may_be_read.store(true, Ordering::SeqCst);
    let since = Instant::now();
    while cache.file().statistics().blocks < 10_000 {
        assert!(since.elapsed() < Duration::from_secs(30));
        std::thread::yield_now();
    }
    assert!(!cache.read_stored(file, place(block), &mut [0; 1 << 10]), "not there");
    let learnt = outside() - at_first;
    assert!((1 << 20..8 << 20).contains(&learnt), "{learnt}");
}

#[test]
fn blocks_that_are_larger_than_what_the_tier_writes_at_once_are_neither_asked_of_it_nor_copied_for_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0123456789abcdef");
    write_rows(&LocalFileSystem::new(), &path, WriterOptions::default(), 0..3, &[b'v'; 100 << 10]);
    let device = std::fs::File::create_new(directory.path().join("tier")).unwrap();
    let tier = FileTier::on(Box::new(device), 1 << 20, 128 << 10, false).unwrap();
    let cache = Arc::new(CombinedBlockCache::new(MemoryBlockCache::new(0), tier));
    assert!(cache.takes_stored(60 << 10) && !cache.takes_stored(100 << 10));
    let file = LocalFileSystem::new().open(&path).unwrap();
    let reader = HFileReader::open_identified(file, &path).unwrap();
    let mut scanner = HFileScanner::new(reader, Some(Arc::clone(&cache) as Arc<dyn BlockCache>), true);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut rows = 0;
    while scanner.peek().is_some() {
        rows += 1;
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    let statistics = cache.file().statistics();
    assert_eq!((rows, statistics.hits, statistics.misses, statistics.dropped), (3, 0, 0, 0));
}
