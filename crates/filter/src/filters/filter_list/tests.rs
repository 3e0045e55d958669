use super::*;
use crate::CompareOperator::*;
use crate::filters::*;
use crate::testing::{binary, codes, scan, scan_rows};
use FilterCode::*;

const ALL: [FilterCode; 7] =
    [Include, IncludeAndNextColumn, IncludeAndSeekNextRow, Skip, NextColumn, NextRow, SeekNextUsingHint];

/// Says the same of every cell, and counts how often it was asked.
struct Says(FilterCode, std::sync::Arc<std::sync::atomic::AtomicUsize>);

impl Filter for Says {
    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, crate::FilterError> {
        self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(self.0)
    }
}

fn says(code: FilterCode) -> Box<dyn Filter> {
    Box::new(Says(code, Default::default()))
}

/// HBase's tables of merged codes: rows are the first filter's code, columns the second's, both in the order of `ALL`.
#[test]
fn codes_merge_as_in_hbase() {
    let (i, ic, ir, s, nc, nr, h) =
        (Include, IncludeAndNextColumn, IncludeAndSeekNextRow, Skip, NextColumn, NextRow, SeekNextUsingHint);
    let one = [
        [i, i, i, i, i, i, i],
        [i, ic, ic, i, ic, ic, i],
        [i, ic, ir, i, ic, ir, i],
        [i, i, i, s, s, s, s],
        [i, ic, ic, s, nc, nc, s],
        [i, ic, ir, s, nc, nr, s],
        [i, i, i, s, s, s, h],
    ];
    // A first filter that rejects is not followed by the second.
    let all = [
        [i, ic, ir, s, nc, nr, h],
        [ic, ic, ir, nc, nc, nr, h],
        [ir, ir, ir, nr, nr, nr, h],
        [s; 7],
        [nc; 7],
        [nr; 7],
        [h; 7],
    ];
    for (a, first) in ALL.into_iter().enumerate() {
        for (b, second) in ALL.into_iter().enumerate() {
            let mut list = FilterListWithOr::new(vec![says(first), says(second)]);
            assert_eq!(codes(&mut list, &["r/f:q"]), [one[a][b]], "{first:?} or {second:?}");
            let mut list = FilterListWithAnd::new(vec![says(first), says(second)]);
            assert_eq!(codes(&mut list, &["r/f:q"]), [all[a][b]], "{first:?} and {second:?}");
        }
    }
}

#[test]
fn empty_lists_keep_everything() {
    let rows = ["a", "b"];
    assert_eq!(scan_rows(&mut FilterListWithAnd::new(Vec::new()), &rows, false), rows);
    assert_eq!(scan_rows(&mut FilterListWithOr::new(Vec::new()), &rows, false), rows);
}

#[test]
fn a_filter_that_left_a_column_is_not_asked_about_it_again() {
    for (code, asked) in [(NextColumn, 3), (NextRow, 2), (Skip, 5), (IncludeAndSeekNextRow, 2)] {
        let count = std::sync::Arc::default();
        let mut list =
            FilterListWithOr::new(vec![Box::new(Says(code, std::sync::Arc::clone(&count))), says(Include)]);
        codes(&mut list, &["r/f:a@2", "r/f:a@1", "r/f:b@2", "r/f:b@1", "r/g:a@1"]);
        assert_eq!(count.load(std::sync::atomic::Ordering::Relaxed), asked, "{code:?}");
    }
}

#[test]
fn hints_are_the_furthest_of_all_and_the_nearest_of_one() {
    let prefixes = || -> Vec<Box<dyn Filter>> {
        ["b", "d"].map(|p| Box::new(ColumnPrefixFilter::new(p.into())) as Box<dyn Filter>).into()
    };
    let cell = crate::testing::cell_bytes("r/f:a");
    let cell = Cell::from_checked(&cell);
    let hint = |filter: &mut dyn Filter| {
        assert_eq!(filter.filter_cell(&cell), Ok(SeekNextUsingHint));
        filter.next_cell_hint(&cell).unwrap().as_key().qualifier.to_vec()
    };
    assert_eq!(hint(&mut FilterListWithAnd::new(prefixes())), b"d");
    assert_eq!(hint(&mut FilterListWithOr::new(prefixes())), b"b");
}

#[test]
fn only_filters_that_kept_the_cell_transform_it() {
    let list = |or: bool, value: &'static str| -> Box<dyn Filter> {
        let keys = FilterListWithAnd::new(vec![
            Box::new(ValueFilter::new(binary(Equal, value))),
            Box::new(KeyOnlyFilter::new(true)),
            Box::new(KeyOnlyFilter::new(true)),
        ]);
        let filters: Vec<Box<dyn Filter>> =
            vec![Box::new(keys), Box::new(ColumnPrefixFilter::new("q".into()))];
        if or { Box::new(FilterListWithOr::new(filters)) } else { Box::new(FilterListWithAnd::new(filters)) }
    };
    // The second of two transformations sees the four bytes of the first.
    let length = [r"r/f:q@1=\x00\x00\x00\x04"];
    assert_eq!(scan(list(true, "xy").as_mut(), &["r/f:q@1=xy"], false), length);
    assert_eq!(scan(list(false, "xy").as_mut(), &["r/f:q@1=xy"], false), length);
    assert_eq!(scan(list(true, "z").as_mut(), &["r/f:q@1=xy"], false), ["r/f:q@1=xy"]);
}

#[test]
fn a_rejected_row_is_let_through_to_a_filter_with_a_hint() {
    let row = RowFilter::new(binary(Equal, "b"));
    let mut list = FilterListWithAnd::new(vec![Box::new(row), Box::new(PrefixFilter::new(Some("b".into())))]);
    assert_eq!(list.filter_row_key(b"a"), Ok(false));
    assert_eq!(codes(&mut list, &["a/f:q"]), [SeekNextUsingHint]);
    let mut list = FilterListWithAnd::new(vec![Box::new(RowFilter::new(binary(Equal, "b"))), says(Include)]);
    assert_eq!(list.filter_row_key(b"a"), Ok(true));
}
