use super::*;
use crate::CompareOperator::*;
use crate::filters::{RowFilter, ValueFilter};
use crate::testing::{binary, scan};

const CELLS: [&str; 4] = ["r/f:a@1=1", "r/f:b@1=0", "s/f:a@1=1", "s/f:b@1=1"];

#[test]
fn one_cell_that_is_not_kept_drops_the_row() {
    let mut filter = SkipFilter::new(Box::new(ValueFilter::new(binary(NotEqual, "0"))));
    assert_eq!(scan(&mut filter, &CELLS, false), CELLS[2..]);
}

#[test]
fn row_keys_are_not_asked() {
    let mut filter = SkipFilter::new(Box::new(RowFilter::new(binary(Equal, "nothing"))));
    assert_eq!(scan(&mut filter, &CELLS, false), CELLS);
}
