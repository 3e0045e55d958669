use super::*;
use crate::testing::scan_rows;

#[test]
fn the_stop_row_is_the_last_in_both_directions() {
    let rows = ["a", "b", "c", "d"];
    assert_eq!(scan_rows(&mut InclusiveStopFilter::new("b".into()), &rows, false), ["a", "b"]);
    assert_eq!(scan_rows(&mut InclusiveStopFilter::new("bb".into()), &rows, false), ["a", "b"]);
    assert_eq!(scan_rows(&mut InclusiveStopFilter::new("c".into()), &rows, true), ["d", "c"]);
}
