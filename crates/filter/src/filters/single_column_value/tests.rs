use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, scan};

const CELLS: [&str; 6] = ["p/f:q@2=1", "p/f:q@1=0", "q/f:a@1=", "q/f:q@2=0", "q/f:q@1=1", "r/f:a@1="];

fn rows(filter_if_missing: bool, latest_version_only: bool) -> Vec<String> {
    let comparison = binary(Equal, "1");
    let mut filter = SingleColumnValueFilter::new(
        "f".into(),
        "q".into(),
        comparison,
        filter_if_missing,
        latest_version_only,
    );
    let mut rows: Vec<String> =
        scan(&mut filter, &CELLS, false).iter().map(|text| text[..1].into()).collect();
    rows.dedup();
    rows
}

#[test]
fn rows_are_kept_by_the_latest_or_any_version_of_the_column() {
    assert_eq!(rows(true, true), ["p"]);
    assert_eq!(rows(true, false), ["p", "q"]);
    assert_eq!(rows(false, true), ["p", "r"]);
    assert_eq!(rows(false, false), ["p", "q", "r"]);
}

#[test]
fn a_row_that_fails_is_left_at_once() {
    let mut filter = SingleColumnValueFilter::new("f".into(), "q".into(), binary(Equal, "1"), true, true);
    let codes = crate::testing::codes(&mut filter, &["r/f:a", "r/f:q=0", "r/f:z"]);
    assert_eq!(codes, [FilterCode::Include, FilterCode::NextRow, FilterCode::NextRow]);
    assert!(filter.filter_row());
    assert!(filter.is_family_essential(b"f") && !filter.is_family_essential(b"g"));
}
