//! A get of a row that one source has alone, in memory and in plain puts, is found without a scanner; every other one is left to that.

use crate::world::{
    Plain, TestCache, World, compare_plain_gets, family, find_at_once, mutation, mutation_of, put, rest,
    results_of, run,
};
use finback_cell::cell::CellParts;
use finback_cell::{Bytes, CellType, FamilySelection, Get, LATEST_TIMESTAMP, MutationKind, Scan, TimeRange};
use finback_fs::MemFileSystem;
use finback_region::{Region, ScanOutput};
use std::sync::Arc;

fn start(bloom: &str) -> (World, Arc<Region>) {
    let families = ["a", "b"].map(|name| {
        let described = family(name, 3).with("BLOOMFILTER", bloom).with("BLOCKSIZE", "2048");
        if name == "b" { described.with("TTL", "100") } else { described }
    });
    let mut world = World::new(Arc::new(MemFileSystem::new()), families.into());
    let region = world.start().unwrap();
    (world, region)
}

fn write(region: &Region, cells: &[(&str, &str, &str)]) {
    let puts: Vec<_> = cells.iter().map(|&column| put(column, b"v")).collect();
    run(region.batch(puts)).into_iter().for_each(|written| written.unwrap());
}

/// Rows of two families, in one file of each, of blocks that were read.
fn in_files(bloom: &str) -> (World, Arc<Region>) {
    let (world, region) = start(bloom);
    for row in 10..40 {
        let row = row.to_string();
        write(&region, &[(&row, "a", "p"), (&row, "a", "q"), (&row, "b", "q")]);
    }
    region.flush(None).unwrap();
    // The get reads chunks of Bloom filters.
    for read in [Scan::default(), get("25"), column("25", "a", "q")] {
        rest(&mut region.scanner(&read, None).unwrap()).unwrap();
    }
    (world, region)
}

/// What is found at once, if that can be, of blocks that a scanner has asked for.
fn at_once(region: &Region, get: &Scan) -> Option<Vec<Plain>> {
    rest(&mut region.scanner(get, None).unwrap()).unwrap();
    find_at_once(region, get).unwrap()
}

fn get(row: &'static str) -> Scan {
    Get::new(Bytes::from_static(row.as_bytes())).scan
}

fn column(row: &'static str, family: &'static str, qualifier: &'static str) -> Scan {
    let families = vec![FamilySelection { family: family.into(), qualifiers: Some(vec![qualifier.into()]) }];
    Scan { families, ..get(row) }
}

fn count(found: Option<Vec<Plain>>) -> Option<usize> {
    found.map(|cells| cells.len())
}

#[test]
fn in_files_whose_blocks_are_in_memory() {
    for bloom in ["NONE", "ROW", "ROWCOL"] {
        let (_world, region) = in_files(bloom);
        let all = Scan::default();
        let (plain, others) = compare_plain_gets(&region, &all).unwrap();
        // The first row of a block, and the last, may be anywhere.
        assert!(plain >= 8 && plain + others == 16, "{bloom}: {plain} of {}", plain + others);
        assert_eq!(count(at_once(&region, &get("25"))), Some(3), "{bloom}");
        assert_eq!(count(at_once(&region, &column("25", "a", "q"))), Some(1), "{bloom}");
        assert_eq!(count(at_once(&region, &column("25", "a", "z"))), Some(0), "{bloom}");
        assert_eq!(count(at_once(&region, &get("25x"))), Some(0), "{bloom}");
    }
}

#[test]
fn not_in_blocks_that_are_not_there() {
    let (mut world, region) = in_files("NONE");
    drop(region);
    world.cache = TestCache::new(true);
    let region = world.start().unwrap();
    assert_eq!(at_once(&region, &get("25")), None);
}

#[test]
fn and_a_get_finds_each_row_whatever_it_takes() {
    let (_world, region) = in_files("ROW");
    for number in 0..200 {
        let row = (10 + number % 40).to_string();
        if number % 3 == 0 {
            write(&region, &[(&row, "a", "r")]);
        }
        let get = Get::new(Bytes::from(row.into_bytes())).scan;
        let mut out = ScanOutput::default();
        region.get(&get, &mut out).unwrap();
        let expected = rest(&mut region.scanner(&get, None).unwrap()).unwrap();
        let found = results_of(&out).into_iter().flat_map(|result| result.cells);
        assert!(found.eq(expected), "{get:?}");
    }
    let unknown = column("25", "z", "q");
    assert!(region.get(&unknown, &mut ScanOutput::default()).is_err());
}

#[test]
fn in_memstores() {
    let (_world, region) = start("ROW");
    write(&region, &[("10", "a", "p"), ("10", "a", "q"), ("10", "b", "q"), ("11", "a", "p")]);
    assert_eq!(count(at_once(&region, &get("10"))), Some(3));
    assert_eq!(count(at_once(&region, &column("10", "b", "q"))), Some(1));
    assert_eq!(count(at_once(&region, &get("11"))), Some(1));
    assert_eq!(count(at_once(&region, &get("1"))), Some(0));
}

#[test]
fn not_where_two_sources_have_some_of_the_row() {
    for bloom in ["NONE", "ROW", "ROWCOL"] {
        let (_world, region) = in_files(bloom);
        write(&region, &[("25", "b", "r")]);
        assert_eq!(at_once(&region, &get("25")), None, "{bloom}");
        let of_a = FamilySelection { family: "a".into(), qualifiers: None };
        let of_a = Scan { families: vec![of_a], ..get("25") };
        assert_eq!(count(at_once(&region, &of_a)), Some(2), "{bloom}");
        // With neighbours in its block.
        write(&region, &[("24", "b", "r"), ("26", "b", "r")]);
        region.flush(None).unwrap();
        assert_eq!(at_once(&region, &get("25")), None, "{bloom}");
        assert_eq!(count(at_once(&region, &get("27"))), Some(3), "{bloom}");
    }
}

#[test]
fn not_where_a_marker_a_time_or_a_tag_decides() {
    let (_world, region) = in_files("ROW");
    let marker = |row, cell_type| {
        let marker = mutation(MutationKind::Delete, cell_type, (row, "a", "q"), 7, b"");
        run(region.batch([marker])).into_iter().for_each(|written| written.unwrap());
    };
    for (row, cell_type) in [("50", CellType::Delete), ("51", CellType::DeleteColumn)] {
        marker(row, cell_type);
        write(&region, &[(row, "a", "r")]);
    }
    assert!(at_once(&region, &get("50")).is_none() && at_once(&region, &get("51")).is_none());
    // Long ago.
    let old = mutation(MutationKind::Put, CellType::Put, ("52", "b", "q"), 7, b"v");
    run(region.batch([old])).into_iter().for_each(|written| written.unwrap());
    write(&region, &[("52", "b", "r")]);
    assert_eq!(at_once(&region, &get("52")), None);
    let times = TimeRange { min: 0, max: 5 };
    assert_eq!(at_once(&region, &Scan { time_range: times, ..get("25") }), None);
    let mut mortal = Vec::new();
    finback_cell::tag::write_tag(&mut mortal, finback_cell::tag::TTL_TAG, &1_000_000_i64.to_be_bytes());
    let parts = CellParts {
        row: b"53",
        family: b"a",
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: b"v",
        tags: &mortal,
    };
    let mortal = mutation_of(MutationKind::Put, b"53", [parts]);
    run(region.batch([mortal])).into_iter().for_each(|written| written.unwrap());
    assert_eq!(at_once(&region, &get("53")), None);
}

#[test]
fn of_several_versions_the_newest_alone() {
    let (_world, region) = in_files("ROW");
    for version in [1, 2, 3] {
        let put = mutation(MutationKind::Put, CellType::Put, ("50", "a", "q"), version, b"v");
        run(region.batch([put])).into_iter().for_each(|written| written.unwrap());
    }
    write(&region, &[("50", "a", "r")]);
    let found = at_once(&region, &get("50")).unwrap();
    assert_eq!((found.len(), found[0].timestamp), (2, 3));
    assert_eq!(at_once(&region, &Scan { max_versions: 2, ..get("50") }), None);
    assert_eq!(count(at_once(&region, &Scan { max_versions: 2, ..get("25") })), Some(3));
}

#[test]
fn not_much_and_nothing_that_is_asked_for_otherwise() {
    let (_world, region) = in_files("ROW");
    let many: Vec<String> = (0..65).map(|column| format!("{column:02}")).collect();
    let cells: Vec<(&str, &str, &str)> = many.iter().map(|column| ("50", "a", &column[..])).collect();
    write(&region, &cells);
    assert_eq!(at_once(&region, &get("50")), None);
    for other in [
        Scan { raw: true, ..get("25") },
        Scan { store_limit: Some(1), ..get("25") },
        Scan { store_offset: 1, ..get("25") },
        Scan { read_uncommitted: true, ..get("25") },
        Scan { cache_blocks: false, ..get("25") },
        Scan { max_versions: 0, ..get("25") },
        Scan { stop_row: Bytes::from_static(b"26"), ..get("25") },
    ] {
        assert_eq!(at_once(&region, &other), None, "{other:?}");
    }
    let long = "q".repeat(2000);
    write(&region, &[("51", "a", &long)]);
    assert_eq!(at_once(&region, &get("51")), None);
    let unknown = column("25", "z", "q");
    assert!(!region.find_plain(&unknown, &mut ScanOutput::default(), usize::MAX));
    let mut out = ScanOutput::default();
    assert!(!region.find_plain(&get("25"), &mut out, 60) && out.cells.is_empty());
    assert!(region.find_plain(&get("25"), &mut out, 600));
}
