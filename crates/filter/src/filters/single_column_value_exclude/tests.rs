use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, scan};

#[test]
fn the_tested_column_is_removed() {
    let inner = SingleColumnValueFilter::new("f".into(), "q".into(), binary(Equal, "1"), true, true);
    let mut filter = SingleColumnValueExcludeFilter::new(inner);
    let cells = ["r/f:a@1=x", "r/f:q@2=1", "r/g:q@1=y", "s/f:a@1=x", "s/f:q@1=0", "t/f:q@1=1"];
    assert_eq!(scan(&mut filter, &cells, false), ["r/f:a@1=x", "r/g:q@1=y"]);
}
