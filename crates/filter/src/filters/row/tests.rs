use super::*;
use crate::CompareOperator::*;
use crate::comparators::LongComparator;
use crate::testing::{binary, scan_rows};

#[test]
fn a_rejected_row_is_rejected_at_every_step_until_reset() {
    let mut filter = RowFilter::new(binary(Equal, "b"));
    assert_eq!(filter.filter_row_key(b"a"), Ok(true));
    assert!(filter.filter_row());
    filter.reset();
    assert!(!filter.filter_row());
    assert_eq!(scan_rows(&mut filter, &["a", "b", "c"], true), ["b"]);
}

#[test]
fn a_row_that_the_comparator_cannot_read_is_an_error() {
    let given = LongComparator::new(bytes::Bytes::from_static(&[0; 8])).unwrap();
    let mut filter = RowFilter::new(Comparison::new(Equal, Box::new(given)));
    assert!(matches!(filter.filter_row_key(b"short"), Err(FilterError::ValueLength { found: 5, .. })));
}
