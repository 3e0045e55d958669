use super::*;
use crate::CompareOperator::*;
use crate::testing::{binary, scan};

const CELLS: [&str; 6] = ["r/f:a@3=x", "r/f:a@1=y", "r/f:q@3=1", "r/f:q@1=0", "s/f:a@3=x", "s/f:q@2=1"];

fn kept(drop: bool, comparison: Option<Comparison>) -> Vec<String> {
    scan(&mut DependentColumnFilter::new("f".into(), "q".into(), drop, comparison), &CELLS, false)
}

#[test]
fn cells_are_kept_that_share_a_timestamp_with_the_column() {
    assert_eq!(kept(false, None), [CELLS[0], CELLS[1], CELLS[2], CELLS[3], CELLS[5]]);
    assert_eq!(kept(true, None), [CELLS[0], CELLS[1]]);
    assert_eq!(kept(false, Some(binary(Equal, "0"))), [CELLS[1], CELLS[3]]);
    assert_eq!(kept(true, Some(binary(Equal, "2"))), [""; 0]);
}
