use super::*;
use crate::testing::scan;

const CELLS: [&str; 5] = ["r/f:a@2=", "r/f:a@1=", "r/f:b@1=", "r/f:c@1=", "s/f:b@1="];

#[test]
fn a_page_begins_after_columns_or_at_one() {
    let of = |limit, start| scan(&mut ColumnPaginationFilter::new(limit, start), &CELLS, false);
    assert_eq!(of(2, PageStart::Offset(0)), [CELLS[0], CELLS[2], CELLS[4]]);
    assert_eq!(of(1, PageStart::Offset(1)), [CELLS[2]]);
    assert_eq!(of(1, PageStart::Column("b".into())), [CELLS[2], CELLS[4]]);
    assert_eq!(of(0, PageStart::Column("b".into())), [""; 0]);
    assert_eq!(of(u32::MAX, PageStart::Offset(u32::MAX)), [""; 0]);
}
