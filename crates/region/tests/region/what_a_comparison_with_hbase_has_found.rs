//! Answers that differed from a real HBase's once, each in the shortest form.

use crate::world::{Plain, World, family, increment, mutation, mutation_of, put, run, scan};
use finback_cell::cell::CellParts;
use finback_cell::{CellType, Durability, LATEST_TIMESTAMP, Mutation, MutationKind, Scan, TimeRange};
use finback_filter::Filter;
use finback_filter::filters::{
    ColumnCountGetFilter, ColumnPaginationFilter, ColumnPrefixFilter, FirstKeyOnlyFilter, PageStart,
    TimestampsFilter, WhileMatchFilter,
};
use finback_fs::{CrashMode, MemFileSystem};
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

#[test]
fn in_descending_order_it_has_none_after_the_last_row_either() {
    let (_world, region) = start(&["a"]);
    let cells = [("r", "a", "1"), ("s", "a", "1"), ("s", "a", "2")];
    run(region.batch(cells.map(|column| put(column, b"v"))));
    let backwards = Scan { reversed: true, ..Scan::default() };
    let of_row_s = scan(&region, &backwards, Some(Box::new(ColumnCountGetFilter::new(1)))).unwrap();
    assert_eq!(columns(&of_row_s), ["s/a/1"]);
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

fn put_and_flush(region: &Region, qualifier: &str) {
    run(region.batch(vec![put(("r", "a", qualifier), b"v")])).pop().unwrap().unwrap();
    region.flush(None).unwrap();
}

fn is_hidden_and_flushed(region: &Region, qualifier: &str) {
    let marker = mutation(MutationKind::Delete, CellType::DeleteColumn, ("r", "a", qualifier), FUTURE, b"");
    run(region.batch(vec![marker])).pop().unwrap().unwrap();
    region.flush(None).unwrap();
}

#[test]
fn a_compaction_of_all_files_that_found_none_waits_for_the_next() {
    let (_world, region) = start(&["a"]);
    assert!(region.compact(b"a", true).unwrap().is_none());
    is_hidden_and_flushed(&region, "q");
    let outcome = region.compact(b"a", false).unwrap().unwrap();
    assert_eq!((outcome.inputs, outcome.cells_written), (1, 0), "one file, whose marker goes");
    is_hidden_and_flushed(&region, "q");
    assert!(region.compact(b"a", false).unwrap().is_none(), "it was for once");
}

#[test]
fn a_file_without_cells_has_not_expired() {
    let with_ttl = family("a", 3).with("TTL", "1000");
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![with_ttl]);
    let region = world.start().unwrap();
    is_hidden_and_flushed(&region, "q");
    assert_eq!(region.compact(b"a", true).unwrap().unwrap().cells_written, 0);
    put_and_flush(&region, "q");
    assert!(region.compact(b"a", false).unwrap().is_none(), "it counts among the files worth a compaction");
    put_and_flush(&region, "q");
    assert_eq!(region.compact(b"a", false).unwrap().unwrap().inputs, 3);
}

#[test]
fn a_counter_hides_its_older_versions_until_a_flush_drops_them() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 1)]);
    let region = world.start().unwrap();
    for _ in 0..3 {
        run(region.mutate_atomically(Vec::new(), vec![increment(("r", "a", "n"), 1)])).unwrap();
    }
    let raw = Scan { raw: true, max_versions: u32::MAX, ..Scan::default() };
    assert_eq!(scan(&region, &raw, None).unwrap().len(), 3);
    region.flush(None).unwrap();
    assert_eq!(scan(&region, &raw, None).unwrap().len(), 1);
}

#[test]
fn a_hint_leaps_over_markers_forward_only() {
    let (_world, region) = start(&["a"]);
    let cell = |kind, cell_type, timestamp| mutation(kind, cell_type, ("r", "a", "q"), timestamp, b"");
    let puts = [1, 3].map(|timestamp| cell(MutationKind::Put, CellType::Put, timestamp));
    run(region.batch(puts));
    run(region.batch(vec![cell(MutationKind::Delete, CellType::DeleteColumn, 2)]));
    let found = |reversed| {
        let wanted: Box<dyn Filter> = Box::new(TimestampsFilter::new(vec![1], true).unwrap());
        let all = Scan { reversed, max_versions: u32::MAX, ..Scan::default() };
        scan(&region, &all, Some(wanted)).unwrap().len()
    };
    assert_eq!((found(false), found(true)), (1, 0));
}

#[test]
fn a_filter_is_not_asked_about_what_is_beyond_the_limit_of_a_family() {
    let (_world, region) = start(&["a", "b"]);
    let cells = [("r", "a", "q"), ("r", "a", "x"), ("r", "b", "q"), ("r", "b", "qq")];
    run(region.batch(cells.map(|column| put(column, b"v"))));
    let found = |store_limit, store_offset| {
        let while_q = WhileMatchFilter::new(Box::new(ColumnPrefixFilter::new("q".into())));
        let some = Scan { store_limit: Some(store_limit), store_offset, ..Scan::default() };
        columns(&scan(&region, &some, Some(Box::new(while_q))).unwrap())
    };
    assert_eq!(found(1, 0), ["r/a/q", "r/b/q"], "a/x would have ended it");
    assert_eq!(found(0, 0), ["r/a/q", "r/b/q"]);
    assert_eq!(found(2, 0), ["r/a/q"]);
}

#[test]
fn of_two_cells_of_a_key_in_one_edit_the_later_one_counts_whatever_goes_into_the_log() {
    let order = [Durability::SkipWal, Durability::UseDefault];
    for durabilities in [order, [order[1], order[0]]] {
        let (_world, region) = start(&["a"]);
        let put = |value: &[u8], durability| Mutation {
            durability,
            ..mutation(MutationKind::Put, CellType::Put, ("r", "a", "q"), 5, value)
        };
        let both = vec![put(b"first", durabilities[0]), put(b"later", durabilities[1])];
        run(region.mutate_atomically(Vec::new(), both)).unwrap();
        assert_eq!(scan(&region, &Scan::default(), None).unwrap()[0].value, b"later");
    }
}

#[test]
fn a_filter_that_leaves_the_column_without_a_qualifier_sees_a_timestamp_of_it_once() {
    let (_world, region) = start(&["a"]);
    for (qualifier, timestamp) in [("", 2), ("", 2), ("", 1), ("p", 1), ("q", 1)] {
        run(region.batch(vec![at(("r", "a", qualifier), timestamp)]));
    }
    let pages = |skipped| {
        let page = ColumnPaginationFilter::new(1, PageStart::Offset(skipped));
        filtered(&region, page)
    };
    // Every timestamp of that column counts as a column.
    assert_eq!((pages(1), pages(2)), (vec!["r/a/".to_owned()], vec!["r/a/p".to_owned()]));
}

#[test]
fn what_is_recovered_is_flushed_with_all_its_versions() {
    let fs = MemFileSystem::new();
    let kept = family("a", 2).with("KEEP_DELETED_CELLS", "TRUE");
    let mut world = World::new(Arc::new(fs.clone()), vec![kept]);
    let region = world.start().unwrap();
    let column = ("r", "a", "q");
    let hidden = mutation(MutationKind::Delete, CellType::Delete, column, FUTURE + 2, b"");
    run(region.batch([at(column, FUTURE + 3), at(column, FUTURE + 2), at(column, FUTURE + 1), hidden]));
    let all = Scan { max_versions: u32::MAX, ..Scan::default() };
    let versions = |region: &Region| {
        let cells = scan(region, &all, None).unwrap();
        cells.iter().map(|cell| cell.timestamp - FUTURE).collect::<Vec<_>>()
    };
    assert_eq!(versions(&region), [3, 1]);
    let mut after = world.after_crash(Arc::new(fs.crash(CrashMode::Strict)));
    // The one that is hidden counts as a version in a flush, which would leave nothing but 3 and it.
    let region = after.recover().unwrap();
    assert_eq!(versions(&region), [3, 1]);
}

#[test]
fn what_is_recovered_is_compacted_as_ever_though_another_family_is_not_flushed() {
    let fs = MemFileSystem::new();
    let mut world = World::new(Arc::new(fs.clone()), vec![family("a", 1), family("b", 1)]);
    let region = world.start().unwrap();
    let column = ("r", "b", "q");
    let hides = mutation(MutationKind::Delete, CellType::DeleteColumn, column, FUTURE, b"");
    run(region.batch([put(("r", "a", "q"), b""), hides]));
    let mut after = world.after_crash(Arc::new(fs.crash(CrashMode::Strict)));
    let region = after.recover().unwrap();
    region.flush(Some(&[b"b".to_vec()])).unwrap();
    region.compact(b"b", true).unwrap();
    run(region.batch([at(column, FUTURE - 1)]));
    assert_eq!(columns(&scan(&region, &Scan::default(), None).unwrap()), ["r/a/q", "r/b/q"]);
}

#[test]
fn what_is_recovered_is_flushed_without_what_has_expired() {
    let fs = MemFileSystem::new();
    let mut world = World::new(Arc::new(fs.clone()), vec![family("a", 3).with("TTL", "60")]);
    let region = world.start().unwrap();
    run(region.batch(vec![at(("r", "a", "old"), 1), at(("r", "a", "new"), FUTURE)]));
    let raw = Scan { raw: true, max_versions: u32::MAX, ..Scan::default() };
    assert_eq!(columns(&scan(&region, &raw, None).unwrap()), ["r/a/new", "r/a/old"]);
    let mut after = world.after_crash(Arc::new(fs.crash(CrashMode::Strict)));
    let region = after.recover().unwrap();
    assert_eq!(columns(&scan(&region, &raw, None).unwrap()), ["r/a/new"]);
}

#[test]
fn recovered_edits_that_have_all_expired_become_a_file_without_cells() {
    let fs = MemFileSystem::new();
    let families = vec![family("a", 3).with("TTL", "60"), family("b", 3).with("TTL", "60")];
    let mut world = World::new(Arc::new(fs.clone()), families);
    let region = world.start().unwrap();
    run(region.batch(vec![at(("r", "a", "old"), 1)]));
    let crashed = fs.crash(CrashMode::Strict);
    let mut after = world.after_crash(Arc::new(crashed.clone()));
    let region = after.recover().unwrap();
    assert_eq!(region.metrics().store_files, 1, "of the family that was written to");
    assert!(!region.flush(None).unwrap().flushed);
    run(region.batch(vec![at(("r", "a", "old"), 1), at(("r", "b", "new"), FUTURE)]));
    let mut after = after.after_crash(Arc::new(crashed.crash(CrashMode::Strict)));
    let region = after.recover().unwrap();
    assert!(region.flush(None).unwrap().flushed);
    assert_eq!(region.metrics().store_files, 3);
}
