use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, codes};

#[test]
fn other_values_are_skipped_one_by_one() {
    let mut filter = ValueFilter::new(binary(NotEqual, "x"));
    let expected = [FilterCode::Skip, FilterCode::Include, FilterCode::Include];
    assert_eq!(codes(&mut filter, &["r/f:a=x", "r/f:b=xx", "r/f:c="]), expected);
    let mut none = ValueFilter::new(binary(NoOp, "x"));
    assert_eq!(codes(&mut none, &["r/f:a=x"]), [FilterCode::Skip]);
}
