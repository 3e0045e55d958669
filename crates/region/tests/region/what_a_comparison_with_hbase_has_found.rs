//! Answers that differed from a real HBase's once, each in the shortest form.

use crate::world::{Plain, World, family, increment, mutation, mutation_of, put, run, scan};
use finback_cell::cell::CellParts;
use finback_cell::{CellType, LATEST_TIMESTAMP, Mutation, MutationKind, Scan, TimeRange};
use finback_filter::Filter;
use finback_filter::filters::{
    ColumnCountGetFilter, ColumnPaginationFilter, FirstKeyOnlyFilter, PageStart, WhileMatchFilter,
};
use finback_fs::MemFileSystem;
use finback_region::{Condition, ConditionTest, Region};
use std::sync::Arc;

const FUTURE: i64 = 4_102_444_800_000;

fn start(families: &[&str]) -> (World, Arc<Region>) {
    let families = families.iter().map(|name| family(name, 3)).collect();
    let mut world = World::new(Arc::new(MemFileSystem::new()), families);
    let region = world.start().unwrap();
    (world, region)
}

fn columns(cells: &[Plain]) -> Vec<String> {
    let name = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    cells.iter().map(|c| [name(&c.row), name(&c.family), name(&c.qualifier)].join("/")).collect()
}

fn filtered(region: &Region, filter: impl Filter + 'static) -> Vec<String> {
    columns(&scan(region, &Scan::default(), Some(Box::new(filter))).unwrap())
}

#[test]
fn a_filter_that_is_done_within_a_row_ends_the_row_there() {
    let (_world, region) = start(&["a", "b"]);
    let cells = [("r", "a", "1"), ("r", "a", "2"), ("r", "b", "1"), ("s", "a", "1")];
    run(region.batch(cells.map(|column| put(column, b"v"))));
    // The pages say "and the next column", which for WhileMatchFilter is not a match; the cell itself is taken.
    let page = ColumnPaginationFilter::new(3, PageStart::Offset(0));
    assert_eq!(filtered(&region, WhileMatchFilter::new(Box::new(page))), ["r/a/1"]);
}

#[test]
fn a_family_that_a_filter_was_done_with_has_no_further_rows() {
    let (_world, region) = start(&["a", "b"]);
    let cells = [("r", "a", "1"), ("r", "a", "2"), ("s", "a", "1"), ("s", "b", "1")];
    run(region.batch(cells.map(|column| put(column, b"v"))));
    // Done with the second column of r, it begins to count anew in s: only b is still there.
    assert_eq!(filtered(&region, ColumnCountGetFilter::new(1)), ["r/a/1", "s/b/1"]);
}

fn if_there_is_anything() -> Condition {
    let test = ConditionTest::Filter(Box::new(FirstKeyOnlyFilter::new()));
    Condition { row: "r".into(), time_range: TimeRange::ALL, test }
}

fn at(column: (&str, &str, &str), timestamp: i64) -> Mutation {
    mutation(MutationKind::Put, CellType::Put, column, timestamp, b"v")
}

fn timestamp_of(region: &Region, qualifier: &str) -> i64 {
    let cells = scan(region, &Scan::default(), None).unwrap();
    cells.iter().find(|cell| cell.qualifier == qualifier.as_bytes()).unwrap().timestamp
}

#[test]
fn only_puts_take_the_time_of_what_a_condition_saw() {
    let (world, region) = start(&["a", "b"]);
    run(region.batch(vec![at(("r", "a", "seen"), FUTURE), at(("r", "b", "unseen"), FUTURE + 9)]));
    let both = vec![put(("r", "a", "put"), b"v"), increment(("r", "a", "counter"), 1)];
    assert!(run(region.mutate_atomically(vec![if_there_is_anything()], both)).unwrap().applied);
    assert_eq!(timestamp_of(&region, "put"), FUTURE, "the first cell's, not the newest one's");
    assert_eq!(timestamp_of(&region, "counter"), world.host.now_ms.load(std::sync::atomic::Ordering::SeqCst));
}

#[test]
fn an_increment_of_several_columns_fails_at_the_first_in_their_order() {
    let (_world, region) = start(&["a"]);
    run(region.batch(vec![put(("r", "a", "m"), b"12"), put(("r", "a", "n"), b"123")]));
    let one = 1i64.to_be_bytes();
    let column = |qualifier: &'static [u8]| CellParts {
        row: b"r",
        family: b"a",
        qualifier,
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value: &one,
        tags: b"",
    };
    let both = mutation_of(MutationKind::Increment, b"r", [column(b"n"), column(b"m")]);
    let error = run(region.mutate_atomically(Vec::new(), vec![both])).unwrap_err().to_string();
    assert!(error.contains("it's 2 bytes wide"), "{error}");
}
