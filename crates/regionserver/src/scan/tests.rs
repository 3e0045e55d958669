use super::*;

#[test]
fn a_scan_before_its_first_row_has_no_cursor() {
    assert_eq!(cursor_at(b""), None);
    assert_eq!(cursor_at(b"r").and_then(|cursor| cursor.row), Some("r".into()));
}

#[test]
fn times_of_families_count_as_memory_of_the_request() {
    use finback_cell::TimeRange;
    let times = vec![(Bytes::from_static(b"f"), TimeRange::ALL); 100];
    let scan = Scan { family_time_ranges: times, ..Scan::default() };
    assert_eq!(memory_of_columns(&scan), 100 * size_of::<(Bytes, TimeRange)>());
}
