use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, codes};

#[test]
fn other_qualifiers_are_skipped_one_by_one() {
    let mut filter = QualifierFilter::new(binary(GreaterOrEqual, "b"));
    let expected = [FilterCode::Skip, FilterCode::Include, FilterCode::Include];
    assert_eq!(codes(&mut filter, &["r/f:a", "r/f:b", "r/f:c"]), expected);
}
