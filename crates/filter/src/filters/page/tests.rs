use super::*;
use crate::testing::scan_rows;

#[test]
fn the_scan_ends_when_the_page_is_full() {
    let rows = ["a", "b", "c"];
    for size in 0..5 {
        let mut filter = PageFilter::new(size);
        assert_eq!(scan_rows(&mut filter, &rows, false), rows[..rows.len().min(size as usize)]);
        assert_eq!(filter.filter_all_remaining(), size <= 3);
    }
}
