use super::*;
use crate::testing::scan_rows;

const ROWS: [&str; 7] = ["a", "b", "ba", "bab", "baz", "bb", "c"];

#[test]
fn rows_are_sought_and_the_scan_ends_after_them_in_both_directions() {
    let mut filter = PrefixFilter::new(Some("ba".into()));
    assert_eq!(scan_rows(&mut filter, &ROWS, false), ["ba", "bab", "baz"]);
    assert!(filter.filter_all_remaining());
    let mut filter = PrefixFilter::new(Some("ba".into()));
    assert_eq!(scan_rows(&mut filter, &ROWS, true), ["baz", "bab", "ba"]);
    assert!(filter.filter_all_remaining());
    assert_eq!(scan_rows(&mut PrefixFilter::new(None), &ROWS, false), [""; 0]);
    assert_eq!(scan_rows(&mut PrefixFilter::new(Some("".into())), &ROWS, false), ROWS);
}

#[test]
fn bounds_beyond_the_longest_row_are_cut() {
    let mut filter = PrefixFilter::new(Some(vec![b'x'; 40_000].into()));
    assert_eq!(filter.filter_row_key(b"a"), Ok(false));
    let cell = crate::testing::cell_bytes("a/f:q");
    let hint = filter.next_cell_hint(&Cell::from_checked(&cell)).unwrap();
    assert_eq!(hint.as_key().row.len(), finback_cell::MAX_ROW_LENGTH);
}

#[test]
fn the_last_byte_that_can_be_increased_is() {
    assert_eq!(increase_last_non_max_byte(b"a\x01\xff\xff".to_vec()), b"a\x02");
    assert_eq!(increase_last_non_max_byte(b"\xff".to_vec()), b"\xff");
    assert_eq!(increase_last_non_max_byte(Vec::new()), b"");
}
