//! A row that is much of what is written makes flushes come early, and is not put into the cache as a whole. Rows of ordinary
//! size are kept as the settings say.

use crate::world::{World, family, put, run};
use finback_cell::Scan;
use finback_fs::MemFileSystem;
use finback_region::{Interrupt, Region, ScanLimits, ScanOutput};
use std::sync::Arc;

const MIB: usize = 1 << 20;
/// As by default.
const FLUSH_BYTES: u64 = 128 << 20;

fn region() -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    world.config.flush_size_bytes = FLUSH_BYTES;
    let region = world.start().unwrap();
    (world, region)
}

fn write(region: &Region, row: &str, columns: std::ops::Range<usize>, bytes: usize) {
    for column in columns {
        run(region.mutate(&put((row, "a", &format!("{column:05}")), &vec![7; bytes]))).unwrap();
    }
}

#[test]
fn but_flushed_early() {
    let (_world, region) = region();
    write(&region, "large", 0..7, MIB);
    assert!(!region.is_over_flush_size());
    write(&region, "large", 7..9, MIB);
    assert!(region.is_over_flush_size());
    assert!(region.write_room().limit <= 16 << 20, "{:?}", region.write_room());
    region.flush(None).unwrap();
    assert!(!region.is_over_flush_size());
    (0..10).for_each(|row| write(&region, &format!("small{row}"), 0..1, MIB));
    assert!(!region.is_over_flush_size(), "it is forgotten after a while");
    assert!(region.write_room().limit >= FLUSH_BYTES, "{:?}", region.write_room());
    region.close().unwrap();
}

#[test]
fn nor_is_the_memory_for_many_rows_any_smaller() {
    let (_world, region) = region();
    for column in 0..20 {
        (0..10).for_each(|row| write(&region, &format!("row{row}"), column..column + 1, MIB / 8));
    }
    assert!(!region.is_over_flush_size());
    assert_eq!(region.write_room().limit, 4 * FLUSH_BYTES);
    region.close().unwrap();
}

/// Reads all there is, a cell at a time; how many cells that were.
fn read(region: &Region) -> usize {
    let mut scanner = region.scanner(&Scan::default(), None).unwrap();
    let limits = ScanLimits { bytes: 1, partial_rows: true, ..ScanLimits::NONE };
    let mut cells = 0;
    loop {
        let mut out = ScanOutput::default();
        while let Err(interrupt) = scanner.next(&mut out, &limits) {
            let Interrupt::NeedBlock(request) = interrupt else { panic!("{interrupt:?}") };
            scanner.provide(request.read().unwrap());
        }
        if out.is_empty() {
            return cells;
        }
        cells += 1;
    }
}

#[test]
fn nor_in_the_cache() {
    for (row_of, least, most) in [
        ((|at| format!("row{at:02}")) as fn(usize) -> String, 40, 40),
        // A block more, which is at the bound; and none of a second read.
        (|_| "large".to_owned(), 14, 16),
    ] {
        let (world, region) = region();
        for at in 0..40 {
            write(&region, &row_of(at), at..at + 1, MIB);
            if region.is_over_flush_size() || at == 39 {
                region.flush(None).unwrap();
            }
        }
        region.compact(b"a", true).unwrap();
        assert_eq!((world.cache.len(), read(&region), read(&region)), (0, 40, 40));
        let cached = world.cache.len();
        assert!((least..=most).contains(&cached), "{cached} blocks of {}", row_of(0));
        region.close().unwrap();
    }
}
