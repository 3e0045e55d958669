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

#[test]
fn a_scanner_that_failed_is_unknown_to_clients_that_know_no_reset() {
    let class = |failure, knows_resets| reset(failure, 7, knows_resets).simple_class().to_owned();
    assert_eq!(class(exceptions::io("damaged"), true), "ScannerResetException");
    assert_eq!(class(exceptions::io("damaged"), false), "UnknownScannerException");
    for knows_resets in [true, false] {
        assert_eq!(class(exceptions::not_serving_region("t"), knows_resets), "NotServingRegionException");
        assert_eq!(class(exceptions::row_too_big("long"), knows_resets), "RowTooBigException");
    }
}
