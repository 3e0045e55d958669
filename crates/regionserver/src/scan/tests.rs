use super::*;

#[test]
fn a_scan_before_its_first_row_has_no_cursor() {
    assert_eq!(cursor_at(b""), None);
    assert_eq!(cursor_at(b"r").and_then(|cursor| cursor.row), Some("r".into()));
}
