use super::*;
use proptest::prelude::*;

fn prefix(rows: &RowRange<&Bytes>) -> Vec<u8> {
    let rules = FamilyRules::of(&finback_cell::ColumnFamilyDescriptor::with_defaults(b"f"));
    let scan = Scan::default();
    let relevant = Relevant::new(&scan, rows, (b"f", &rules), CellOrder::User, &|| 0);
    relevant.prefix().to_vec()
}

fn row() -> impl Strategy<Value = Bytes> {
    prop::collection::vec(prop::sample::select(vec![0, 1, b'a', b'b', 0xfe, 0xff]), 0..5)
        .prop_map(Bytes::from)
}

#[test]
fn a_scan_of_a_prefix_has_all_of_it() {
    for (start, stop, wanted) in
        [("abc", "abd", "abc"), ("abc", "abdd", "ab"), ("abcx", "abd", "abc"), ("a", "", "")]
    {
        let (start, stop) = (Bytes::from(start), Bytes::from(stop));
        let mut rows = RowRange {
            start: &start,
            include_start: true,
            stop: &stop,
            include_stop: false,
            reversed: false,
        };
        assert_eq!(prefix(&rows), wanted.as_bytes(), "{rows:?}");
        rows.include_stop = true;
        assert!(prefix(&rows).len() <= 2, "{rows:?}");
    }
}

proptest! {
    #[test]
    fn every_row_of_the_read_begins_with_it(start in row(), stop in row(), include_stop: bool, row in row()) {
        let rows = RowRange { start: &start, include_start: true, stop: &stop, include_stop, reversed: false };
        let ends_behind = stop.is_empty() || if include_stop { row <= stop } else { row < stop };
        prop_assume!(row >= start && ends_behind);
        prop_assert!(row.starts_with(&prefix(&rows)));
    }
}
