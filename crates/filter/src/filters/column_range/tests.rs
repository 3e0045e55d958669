use super::*;
use crate::testing::codes;

#[test]
fn bounds_are_inclusive_exclusive_or_open() {
    use FilterCode::*;
    let cells = ["r/f:a", "r/f:b", "r/f:c", "r/f:d", "r/f:e"];
    let of = |min: Option<&'static str>, min_in, max: Option<&'static str>, max_in| {
        codes(&mut ColumnRangeFilter::new(min.map(Bytes::from), min_in, max.map(Bytes::from), max_in), &cells)
    };
    assert_eq!(of(Some("b"), true, Some("d"), true), [SeekNextUsingHint, Include, Include, Include, NextRow]);
    assert_eq!(
        of(Some("b"), false, Some("d"), false),
        [SeekNextUsingHint, NextColumn, Include, NextRow, NextRow]
    );
    assert_eq!(of(None, false, None, false), [Include; 5]);
}
