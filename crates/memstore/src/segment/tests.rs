use super::Segment;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellOrder};

fn put(row: &[u8], qualifier: &[u8], timestamp: i64, value: &[u8]) -> Vec<u8> {
    CellParts { row, family: b"f", qualifier, timestamp, type_code: 4, value, tags: &[] }.to_vec()
}

#[test]
fn cells_come_back_in_order_and_the_newest_of_a_key_first() {
    let segment = Segment::new(CellOrder::User);
    for (row, sequence_id) in [(b"c", 1), (b"a", 2), (b"b", 3), (b"a", 5), (b"a", 4)] {
        segment.insert(&Cell::from_checked(&put(row, b"q", 7, b"v")), sequence_id);
    }
    let mut scanner = segment.scanner();
    let mut seen = Vec::new();
    while let Some((cell, sequence_id)) = scanner.peek() {
        seen.push((cell.row().to_vec(), sequence_id));
        scanner.next();
    }
    let expected = [(b"a", 5), (b"a", 4), (b"a", 2), (b"b", 3), (b"c", 1)];
    assert_eq!(seen, expected.map(|(row, sequence_id)| (row.to_vec(), sequence_id)));
    assert_eq!(scanner.previous_row(Some(b"c")), Some(&b"b"[..]));
    assert_eq!(scanner.previous_row(Some(b"a")), None);
    scanner.seek(&Key::first_on_row(b"aa"));
    assert_eq!(scanner.peek().unwrap().0.row(), b"b");
}

#[test]
fn the_same_key_and_sequence_id_replaces() {
    let segment = Segment::new(CellOrder::User);
    segment.insert(&Cell::from_checked(&put(b"a", b"q", 7, b"first")), 3);
    segment.insert(&Cell::from_checked(&put(b"a", b"q", 7, b"2nd")), 3);
    let mut scanner = segment.scanner();
    assert_eq!(scanner.peek().unwrap().0.value(), b"2nd");
    scanner.next();
    assert!(scanner.peek().is_none());
    assert_eq!((segment.len(), segment.data_bytes()), (1, put(b"a", b"q", 7, b"2nd").len()));
}
