use super::*;
use crate::testing::scan;

#[test]
fn it_keeps_the_first_cells_of_each_row() {
    let cells = ["q/f:a@2=", "q/f:a@1=", "q/f:b@1=", "r/f:c@1="];
    let mut filter = ColumnCountOnRowFilter::decode(&[0, 0, 0, 2]).unwrap();
    assert_eq!(scan(&mut filter, &cells, false), [cells[0], cells[1], cells[3]]);
    assert!(crate::decode(ColumnCountOnRowFilter::CLASS, &[0, 0, 0, 2]).is_ok());
    assert!(ColumnCountOnRowFilter::decode(&[0, 0, 2]).is_err());
}
