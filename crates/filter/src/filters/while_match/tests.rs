use super::*;
use crate::CompareOperator::*;
use crate::filters::{RowFilter, ValueFilter};
use crate::testing::{binary, scan, scan_rows};

#[test]
fn the_scan_ends_at_the_first_row_that_is_rejected() {
    let mut filter = WhileMatchFilter::new(Box::new(RowFilter::new(binary(NotEqual, "c"))));
    assert_eq!(scan_rows(&mut filter, &["a", "b", "c", "d"], false), ["a", "b"]);
    assert!(filter.filter_all_remaining());
}

#[test]
fn a_cell_that_is_not_kept_ends_the_scan_after_its_row() {
    let mut filter = WhileMatchFilter::new(Box::new(ValueFilter::new(binary(NotEqual, "0"))));
    let cells = ["r/f:a@1=1", "r/f:b@1=0", "r/f:c@1=1", "s/f:a@1=1"];
    assert_eq!(scan(&mut filter, &cells, false), [cells[0], cells[2]]);
}
