use super::*;
use crate::testing::scan;

#[test]
fn one_cell_of_each_row_whatever_its_families() {
    let cells = ["r/f:a@1=", "r/f:b@1=", "r/g:a@1=", "s/g:a@1="];
    assert_eq!(scan(&mut FirstKeyOnlyFilter::new(), &cells, false), [cells[0], cells[3]]);
}
