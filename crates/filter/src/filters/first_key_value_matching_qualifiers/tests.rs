use super::*;
use crate::testing::scan;

#[test]
fn rows_end_with_the_first_listed_qualifier() {
    let cells = ["r/f:a@1=", "r/f:c@1=", "r/f:d@1=", "s/f:a@1=", "s/f:b@1="];
    let mut filter = FirstKeyValueMatchingQualifiersFilter::new(vec!["z".into(), "c".into()]);
    assert_eq!(scan(&mut filter, &cells, false), [cells[0], cells[1], cells[3], cells[4]]);
}
