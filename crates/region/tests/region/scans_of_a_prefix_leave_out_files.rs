//! A scan of rows with a common beginning reads only those files whose Bloom filters of beginnings have it.

use crate::world::{ResultRow, TestCache, World, family, put, run, scan_counting_blocks};
use finback_cell::{Bytes, Scan};
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;

const FILES: usize = 4;

/// In each file the rows of another user, and of the first and the last one, between which all others are.
fn world() -> (World, Arc<Region>) {
    let described = family("a", 1)
        .with("BLOCKSIZE", "64")
        .with("BLOOMFILTER", "RowPrefix_fixed_length")
        .with("RowPrefixBloomFilter.prefix_length", "4");
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![described]);
    world.cache = TestCache::new(true);
    let region = world.start().unwrap();
    for file in 0..FILES {
        for row in ["u000-x", &format!("u{file:03}-1"), &format!("u{file:03}-2"), "u999-x"] {
            run(region.batch(vec![put((row, "a", "q"), &[b'v'; 80])])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
    (world, region)
}

/// The rows that a scan finds, and how many data blocks it reads.
fn scan(region: &Region, start: &str, stop: &str, include_stop_row: bool) -> (Vec<String>, usize) {
    let row = |row: &str| Bytes::copy_from_slice(row.as_bytes());
    let scan = Scan { start_row: row(start), stop_row: row(stop), include_stop_row, ..Scan::default() };
    let (results, data_blocks) = scan_counting_blocks(region, &scan);
    let row = |result: &ResultRow| String::from_utf8(result.cells[0].row.clone()).unwrap();
    (results.iter().map(row).collect(), data_blocks)
}

#[test]
fn by_what_first_and_last_row_begin_with() {
    let (_world, region) = world();
    let rows = vec!["u002-1".to_owned(), "u002-2".to_owned()];
    // As HBase's clients scan a prefix, with a longer one, and with both ends in it.
    for (start, stop, include_stop) in
        [("u002", "u003", false), ("u002-", "u002.", false), ("u002-1", "u002-2", true)]
    {
        let (found, data_blocks) = scan(&region, start, stop, include_stop);
        assert_eq!(found, rows, "{start} to {stop}");
        assert!((2..=3).contains(&data_blocks), "{start} to {stop}: {data_blocks} blocks");
    }
    assert_eq!(scan(&region, "u777", "u778", false), (vec![], 0));
    // Rows that begin with something else may be among these.
    let (found, data_blocks) = scan(&region, "u002", "u003", true);
    assert_eq!(found, rows);
    assert!(data_blocks > 3, "{data_blocks} blocks");
    let (found, _) = scan(&region, "u00", "u01", false);
    assert_eq!(found.len(), 1 + 2 * FILES);
}
