//! A get of all columns of a row ends with the row's last cell, and looks at no block behind it to see that it was the last.

use crate::world::{Plain, TestCache, World, family, put, run, scan_counting_blocks};
use finback_cell::{FamilySelection, Scan};
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;

const ROWS: usize = 40;

/// The rows 00 to 39 with `columns` each, every cell in a block of its own, in so many files one after the other.
fn world(columns: usize, files: usize) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1).with("BLOCKSIZE", "64")]);
    // Every block is asked for each time.
    world.cache = TestCache::new(true);
    let region = world.start().unwrap();
    for file in 0..files {
        for row in (file..ROWS).step_by(files) {
            let row = format!("{row:02}");
            let cells = (0..columns).map(|column| put((&row, "a", &format!("q{column}")), &[b'v'; 80]));
            run(region.batch(cells.collect::<Vec<_>>())).into_iter().for_each(|written| written.unwrap());
        }
        region.flush(None).unwrap();
    }
    (world, region)
}

/// What a get finds, and how many data blocks it reads.
fn get(region: &Region, row: &str, families: Vec<FamilySelection>) -> (Vec<Plain>, usize) {
    let row: finback_cell::Bytes = row.as_bytes().to_vec().into();
    let described =
        Scan { start_row: row.clone(), stop_row: row, include_stop_row: true, families, ..Scan::default() };
    let (results, data_blocks) = scan_counting_blocks(region, &described);
    (results.into_iter().flat_map(|result| result.cells).collect(), data_blocks)
}

#[test]
fn not_even_the_next_block() {
    for (columns, files) in [(1, 1), (3, 1), (1, 3), (3, 3)] {
        let (_world, region) = world(columns, files);
        for row in 0..ROWS {
            let row = format!("{row:02}");
            let (found, data_blocks) = get(&region, &row, Vec::new());
            assert_eq!((found.len(), data_blocks), (columns, columns), "{row}, {files} files");
            let named = FamilySelection { family: "a".into(), qualifiers: Some(vec!["q0".into()]) };
            let (found, data_blocks) = get(&region, &row, vec![named]);
            assert_eq!((found.len(), data_blocks), (1, 1), "{row}, {files} files");
        }
    }
}

#[test]
fn but_all_of_a_row_that_lies_in_several_files() {
    let (_world, region) = world(2, 1);
    run(region.batch(vec![put(("07", "a", "q9"), b"w")])).into_iter().for_each(|written| written.unwrap());
    region.flush(None).unwrap();
    let (found, _) = get(&region, "07", Vec::new());
    let qualifiers: Vec<_> = found.iter().map(|cell| &cell.qualifier[..]).collect();
    assert_eq!(qualifiers, [b"q0", b"q1", b"q9"]);
    run(region.batch(vec![put(("07", "a", "q1"), b"new")])).into_iter().for_each(|written| written.unwrap());
    let (found, _) = get(&region, "07", Vec::new());
    assert_eq!((found.len(), &found[1].value[..]), (3, &b"new"[..]), "and in the memstore");
}
