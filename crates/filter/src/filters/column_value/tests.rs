use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, codes, scan};

#[test]
fn only_cells_of_the_column_that_pass_are_kept() {
    let mut filter = ColumnValueFilter::new("f".into(), "b".into(), binary(Equal, "1"));
    let cells = ["r/f:a@1=1", "r/f:b@3=0", "r/f:b@2=1", "r/f:c@1=1"];
    use FilterCode::*;
    assert_eq!(codes(&mut filter, &cells), [NextColumn, Skip, Include, NextRow]);
    filter.reset();
    assert_eq!(scan(&mut filter, &cells, false), ["r/f:b@2=1"]);
    assert!(filter.is_family_essential(b"f") && !filter.is_family_essential(b"g"));
}
