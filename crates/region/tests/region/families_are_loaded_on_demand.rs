//! Families that a filter can do without are read for the rows that pass, and for no others.

use crate::world::{Plain, TestCache, World, family, put, results_of, run, scan};
use finback_cell::{Bytes, FamilySelection, Scan, TimeRange};
use finback_filter::comparators::BinaryComparator;
use finback_filter::filters::{
    ColumnValueFilter, Comparison, SingleColumnValueExcludeFilter, SingleColumnValueFilter, SkipFilter,
    WhileMatchFilter,
};
use finback_filter::{CompareOperator, Filter};
use finback_fs::MemFileSystem;
use finback_hfile::FileId;
use finback_region::{Condition, ConditionTest, Interrupt, Region, RegionScanner, ScanLimits, ScanOutput};
use std::collections::HashSet;
use std::sync::Arc;

/// Rows 00 to 99, each in a block of its own in family b, and with a:q, whose value is the row.
const ROWS: usize = 100;

fn world(loads_on_demand: bool) -> (World, Arc<Region>) {
    let families = vec![family("a", 1), family("b", 1).with("BLOCKSIZE", "64")];
    let mut world = World::new(Arc::new(MemFileSystem::new()), families);
    // Every block is asked for each time.
    world.cache = TestCache::new(true);
    world.config.loads_families_on_demand = loads_on_demand;
    let region = world.start().unwrap();
    for row in 0..ROWS {
        let row = format!("{row:02}");
        let cells = vec![put((&row, "a", "q"), row.as_bytes()), put((&row, "b", "q"), &[b'v'; 80])];
        run(region.batch(cells)).into_iter().for_each(|written| written.unwrap());
    }
    region.flush(None).unwrap();
    (world, region)
}

fn is(value: &str) -> Comparison {
    let comparator = BinaryComparator::new(Bytes::copy_from_slice(value.as_bytes()));
    Comparison::new(CompareOperator::Equal, Box::new(comparator))
}

/// Rows in which the newest version of `family`:q is `value`.
fn single(family: &'static str, value: &str) -> SingleColumnValueFilter {
    SingleColumnValueFilter::new(family.into(), "q".into(), is(value), true, true)
}

/// What is left of a scan, row by row, and of which files how many blocks were read for it.
fn read_on(scanner: &mut RegionScanner, limits: &ScanLimits) -> (Vec<Vec<Plain>>, Vec<FileId>) {
    let (mut out, mut blocks) = (ScanOutput::default(), Vec::new());
    loop {
        match scanner.next(&mut out, limits) {
            Ok(_) => break,
            Err(Interrupt::NeedBlock(request)) => {
                blocks.push(request.file.id());
                scanner.provide(request.read().unwrap());
            }
            Err(other) => scanner.fetch(other).unwrap(),
        }
    }
    (results_of(&out).into_iter().map(|result| result.cells).collect(), blocks)
}

fn read(region: &Region, described: &Scan, filter: impl Filter + 'static) -> (Vec<Vec<Plain>>, Vec<FileId>) {
    read_on(&mut region.scanner(described, Some(Box::new(filter))).unwrap(), &ScanLimits::NONE)
}

/// How many blocks of family b there are among those read.
fn of_b(region: &Region, blocks: &[FileId]) -> usize {
    let families = vec![FamilySelection { family: "b".into(), qualifiers: None }];
    let mut scanner = region.scanner(&Scan { families, ..Scan::default() }, None).unwrap();
    let files: HashSet<FileId> = read_on(&mut scanner, &ScanLimits::NONE).1.into_iter().collect();
    blocks.iter().filter(|file| files.contains(file)).count()
}

fn get(row: &'static str) -> Scan {
    Scan { start_row: row.into(), stop_row: row.into(), include_stop_row: true, ..Scan::default() }
}

#[test]
fn no_block_of_them_is_read_for_rows_that_do_not_pass() {
    let (_world, region) = world(true);
    for described in [Scan::default(), Scan { reversed: true, ..Scan::default() }, get("57")] {
        let (found, blocks) = read(&region, &described, single("a", "none"));
        assert_eq!((found.len(), of_b(&region, &blocks)), (0, 0), "{described:?}");
        let (found, blocks) = read(&region, &described, single("a", "57"));
        let [row] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&row[0].value[..], row.len()), (&b"57"[..], 2));
        // One before it may say that there is something, and one behind it that there is no more.
        assert!((1..4).contains(&of_b(&region, &blocks)), "{described:?}");
    }
    let named = FamilySelection { family: "b".into(), qualifiers: Some(vec!["q".into()]) };
    let families = vec![FamilySelection { family: "a".into(), qualifiers: None }, named];
    let (_, blocks) = read(&region, &Scan { families, ..Scan::default() }, single("a", "57"));
    assert_eq!(of_b(&region, &blocks), 1, "of a column that is named there is nothing to look for behind it");
    let cells = ColumnValueFilter::new("a".into(), "q".into(), is("none"));
    let (found, blocks) = read(&region, &Scan::default(), cells);
    assert_eq!((found.len(), of_b(&region, &blocks)), (0, 0));
}

#[test]
fn a_read_may_say_that_it_wants_none_of_that_and_so_may_the_server() {
    let (_world, region) = world(true);
    let all = Scan { load_column_families_on_demand: Some(false), ..Scan::default() };
    assert!(of_b(&region, &read(&region, &all, single("a", "57")).1) >= ROWS);
    let (_world, region) = world(false);
    assert!(of_b(&region, &read(&region, &Scan::default(), single("a", "57")).1) >= ROWS);
    let on_demand = Scan { load_column_families_on_demand: Some(true), ..Scan::default() };
    assert!(of_b(&region, &read(&region, &on_demand, single("a", "57")).1) < 3);
}

#[test]
fn a_filter_that_keeps_rows_without_its_column_needs_all_families() {
    let (_world, region) = world(true);
    let filter = SingleColumnValueFilter::new("a".into(), "q".into(), is("57"), false, true);
    assert!(of_b(&region, &read(&region, &Scan::default(), filter).1) >= ROWS);
}

#[test]
fn a_scanner_that_let_go_of_its_blocks_does_not_ask_for_one_again_that_it_does_not_need() {
    let (_world, region) = world(true);
    for reversed in [false, true] {
        let described = Scan { reversed, ..Scan::default() };
        let mut scanner = region.scanner(&described, Some(Box::new(single("a", "57")))).unwrap();
        let one = ScanLimits { results: 1, ..ScanLimits::NONE };
        let (found, blocks) = read_on(&mut scanner, &one);
        assert!(found.len() == 1 && of_b(&region, &blocks) > 0);
        scanner.park();
        assert_eq!(scanner.held_bytes(), scanner.carried_bytes());
        let (found, blocks) = read_on(&mut scanner, &ScanLimits::NONE);
        assert_eq!((found.len(), of_b(&region, &blocks)), (0, 0));
    }
}

/// A region with these cells; of each the value is `v`.
fn region_of(cells: &[(&str, &str, &str)]) -> (World, Arc<Region>) {
    let families = ["a", "b", "c"].map(|name| family(name, 1)).to_vec();
    let mut world = World::new(Arc::new(MemFileSystem::new()), families);
    let region = world.start().unwrap();
    let cells: Vec<_> = cells.iter().map(|&column| put(column, b"v")).collect();
    run(region.batch(cells)).into_iter().for_each(|written| written.unwrap());
    (world, region)
}

fn columns(region: &Region, described: &Scan, filter: impl Filter + 'static) -> Vec<String> {
    let name = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let cells = scan(region, described, Some(Box::new(filter))).unwrap();
    cells.iter().map(|cell| [name(&cell.row), name(&cell.family), name(&cell.qualifier)].join("/")).collect()
}

#[test]
fn their_cells_stand_where_they_belong() {
    let (_world, region) = region_of(&[
        ("r", "a", "1"),
        ("r", "a", "2"),
        ("r", "b", "q"),
        ("r", "c", "1"),
        ("s", "a", "1"),
        ("t", "b", "q"),
        ("t", "c", "1"),
    ]);
    let expected = ["r/a/1", "r/a/2", "r/b/q", "r/c/1", "t/b/q", "t/c/1"];
    assert_eq!(columns(&region, &Scan::default(), single("b", "v")), expected);
    let reversed = Scan { reversed: true, ..Scan::default() };
    let expected = ["t/b/q", "t/c/1", "r/a/1", "r/a/2", "r/b/q", "r/c/1"];
    assert_eq!(columns(&region, &reversed, single("b", "v")), expected);
    let expected = ["r/a/1", "r/a/2", "r/c/1", "t/c/1"];
    let excluding = || SingleColumnValueExcludeFilter::new(single("b", "v"));
    assert_eq!(columns(&region, &Scan::default(), excluding()), expected);
}

/// HBase leaves such a row out.
#[test]
fn a_row_of_which_an_offset_leaves_nothing_that_the_filter_needs_is_not_lost() {
    let (_world, region) =
        region_of(&[("r", "a", "q"), ("r", "b", "1"), ("r", "b", "2"), ("s", "a", "p"), ("s", "b", "2")]);
    let described = Scan { store_offset: 1, ..Scan::default() };
    assert_eq!(columns(&region, &described, single("a", "v")), ["r/b/2"]);
}

#[test]
fn a_filter_is_not_asked_about_a_row_of_which_an_offset_leaves_nothing_at_all() {
    let described = Scan { store_offset: 1, ..Scan::default() };
    let up_to_a_mismatch = || WhileMatchFilter::new(Box::new(single("a", "v")));
    let (_world, region) = region_of(&[("r", "a", "p"), ("s", "a", "p"), ("s", "a", "q")]);
    assert_eq!(columns(&region, &described, up_to_a_mismatch()), ["s/a/q"]);
    run(region.batch(vec![put(("r", "b", "1"), b"v"), put(("r", "b", "2"), b"v")]));
    assert!(columns(&region, &described, up_to_a_mismatch()).is_empty());
}

/// HBase does not ask it: the row would pass.
#[test]
fn a_filter_that_has_removed_its_column_is_still_asked_about_the_row() {
    let (_world, region) = region_of(&[("r", "a", "q"), ("r", "b", "1"), ("s", "a", "q")]);
    // Not only the newest version: the cell is kept at first.
    let test = |value| SingleColumnValueFilter::new("a".into(), "q".into(), is(value), true, false);
    let excluding = |value| SingleColumnValueExcludeFilter::new(test(value));
    assert_eq!(columns(&region, &Scan::default(), excluding("v")), ["r/b/1"]);
    assert!(columns(&region, &Scan::default(), excluding("w")).is_empty());
}

/// As in HBase.
#[test]
fn filters_of_whole_rows_decide_by_the_families_that_they_need() {
    let cells = [
        ("r", "a", "q"),
        ("r", "b", "1"),
        ("s", "a", "p"),
        ("s", "a", "q"),
        ("t", "a", "q"),
        ("u", "b", "1"),
    ];
    let (_world, region) = region_of(&cells);
    let value = || Box::new(ColumnValueFilter::new("a".into(), "q".into(), is("v")));
    // b:1 is rejected too, but when the row has passed.
    assert_eq!(columns(&region, &Scan::default(), SkipFilter::new(value())), ["r/a/q", "t/a/q"]);
    let all = Scan { load_column_families_on_demand: Some(false), ..Scan::default() };
    assert_eq!(columns(&region, &all, SkipFilter::new(value())), ["t/a/q"]);
    // A row that has nothing of them is none.
    let skips = || SkipFilter::new(Box::new(single("a", "v")));
    assert_eq!(columns(&region, &Scan::default(), skips()), ["r/a/q", "r/b/1", "s/a/p", "s/a/q", "t/a/q"]);
    assert_eq!(columns(&region, &all, skips()).last().unwrap(), "u/b/1");
    // Up to b:1 of r everything matches.
    assert_eq!(columns(&region, &Scan::default(), WhileMatchFilter::new(value())), ["r/a/q"]);
}

/// As in HBase.
#[test]
fn a_condition_sees_all_families() {
    let (_world, region) = region_of(&[("r", "a", "q"), ("r", "b", "1"), ("s", "a", "q")]);
    for (row, holds) in [("r", false), ("s", true)] {
        let value = ColumnValueFilter::new("a".into(), "q".into(), is("v"));
        let test = ConditionTest::Filter(Box::new(SkipFilter::new(Box::new(value))));
        let condition = Condition { row: row.into(), time_range: TimeRange::ALL, test };
        let outcome = run(region.mutate_atomically(vec![condition], vec![put((row, "c", "q"), b"v")]));
        assert_eq!(outcome.unwrap().applied, holds, "{row}");
    }
}
