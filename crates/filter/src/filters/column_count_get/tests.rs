use super::*;
use crate::testing::{codes, scan};

#[test]
fn nothing_remains_of_a_row_with_more_columns() {
    let cells = ["r/f:a@2=", "r/f:a@1=", "r/f:b@1=", "r/f:c@1="];
    assert_eq!(scan(&mut ColumnCountGetFilter::new(2), &cells, false), [cells[0], cells[2]]);
    let mut filter = ColumnCountGetFilter::new(1);
    assert_eq!(codes(&mut filter, &["r/f:a"]), [FilterCode::IncludeAndNextColumn]);
    assert!(!filter.filter_all_remaining());
    assert_eq!(codes(&mut filter, &["r/f:b"]), [FilterCode::NextColumn]);
    assert!(filter.filter_all_remaining());
}
