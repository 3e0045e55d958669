use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, scan};

#[test]
fn a_rejected_family_does_not_hide_the_next() {
    let cells = ["r/f:a@1=", "r/f:b@1=", "r/g:a@1=", "s/f:a@1="];
    assert_eq!(scan(&mut FamilyFilter::new(binary(Equal, "g")), &cells, false), ["r/g:a@1="]);
    assert_eq!(scan(&mut FamilyFilter::new(binary(Less, "g")), &cells, false).len(), 3);
}
