use super::*;
use crate::testing::scan;

#[test]
fn values_become_nothing_or_their_length() {
    let cells = ["r/f:a@1=xyz", "r/f:b@1="];
    assert_eq!(scan(&mut KeyOnlyFilter::new(false), &cells, false), ["r/f:a@1=", "r/f:b@1="]);
    let lengths = [r"r/f:a@1=\x00\x00\x00\x03", r"r/f:b@1=\x00\x00\x00\x00"];
    assert_eq!(scan(&mut KeyOnlyFilter::new(true), &cells, false), lengths);
}

#[test]
fn tags_are_dropped_and_what_was_in_the_buffer_stays() {
    let cell = crate::testing::cell_bytes("r/f:a@1=xyz");
    let tagged = CellParts { tags: b"\0\x02\x01x", ..CellParts::from(Cell::from_checked(&cell)) }.to_vec();
    let mut out = b"before".to_vec();
    assert!(KeyOnlyFilter::new(false).transform_cell(&Cell::parse(&tagged).unwrap(), &mut out));
    let cell = Cell::parse(out.strip_prefix(b"before").unwrap()).unwrap();
    assert!(cell.tags().is_empty() && cell.value().is_empty());
}
