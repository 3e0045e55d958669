use super::*;
use finback_cell::cell::CellParts;
use finback_cell::{CellBlockBuilder, CellType, block::CellIter};

/// The pieces to which cells of these rows and timestamps go, each of them read and written.
fn pieces(cutter: &mut Cutter, cells: &[(&str, i64)]) -> Vec<usize> {
    let mut block = CellBlockBuilder::default();
    for (row, timestamp) in cells {
        block.push_parts(&CellParts {
            row: row.as_bytes(),
            family: b"f",
            qualifier: b"q",
            timestamp: *timestamp,
            type_code: CellType::Put.code(),
            value: b"",
            tags: b"",
        });
    }
    let block = block.finish();
    (1..)
        .zip(CellIter::over_checked(block.bytes()))
        .map(|(read, cell)| cutter.piece_of(&cell, 0, read))
        .collect()
}

fn bounds(bounds: &[&'static str]) -> Vec<Bytes> {
    bounds.iter().map(|bound| Bytes::from_static(bound.as_bytes())).collect()
}

fn stripes(cutter: &Cutter) -> Vec<(String, String)> {
    let text = |bound: Bytes| String::from_utf8(bound.to_vec()).unwrap();
    let stripe = |piece| cutter.stripe(piece).map(|(start, end)| (text(start), text(end))).unwrap();
    (0..cutter.pieces()).map(stripe).collect()
}

#[test]
fn an_output_may_be_whole() {
    let mut cutter = Cutter::new(Cut::Whole, CellOrder::User);
    assert_eq!(pieces(&mut cutter, &[("a", 1), ("b", 9)]), [0, 0]);
    assert_eq!(cutter.stripe(0), None);
    assert_eq!((cutter.empty_pieces(false), cutter.empty_pieces(true)), (0..1, 0..0));
}

#[test]
fn times_begin_at_their_bounds() {
    let mut cutter = Cutter::new(Cut::Times(vec![i64::MIN, 0, 10]), CellOrder::User);
    let cells = [("a", -1), ("b", 0), ("b", 9), ("c", 10), ("c", i64::MAX), ("d", i64::MIN)];
    assert_eq!(pieces(&mut cutter, &cells), [0, 1, 1, 2, 2, 0]);
    assert_eq!((cutter.empty_pieces(false), cutter.empty_pieces(true)), (0..1, 0..0));
}

#[test]
fn rows_go_between_their_bounds() {
    let cut = Cut::Rows { bounds: bounds(&["", "b", "d", ""]), whole: None };
    let mut cutter = Cutter::new(cut, CellOrder::User);
    assert_eq!(
        pieces(&mut cutter, &[("a", 1), ("az", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)]),
        [0, 0, 1, 1, 2, 2]
    );
    let expected = [("", "b"), ("b", "d"), ("d", "")].map(|(start, end)| (start.to_owned(), end.to_owned()));
    assert_eq!(stripes(&cutter), expected);
    // Without a cell the last stripe gets a file.
    assert_eq!((cutter.empty_pieces(false), cutter.empty_pieces(true)), (2..3, 0..0));
    let whole = Cut::Rows { bounds: bounds(&["", "b", "d", ""]), whole: Some((1, 2)) };
    assert_eq!(Cutter::new(whole, CellOrder::User).empty_pieces(true), 1..2);
}

#[test]
fn a_piece_ends_after_the_row_that_made_it_full() {
    let (start, end) = (Bytes::from_static(b"a"), Bytes::from_static(b"z"));
    let cut = |pieces| Cut::Cells { start: start.clone(), end: end.clone(), pieces, cells: 2 };
    let mut cutter = Cutter::new(cut(3), CellOrder::User);
    let cells = ["a", "b", "b", "c", "d", "e", "f", "g"].map(|row| (row, 1));
    assert_eq!(pieces(&mut cutter, &cells), [0, 0, 0, 1, 1, 2, 2, 2], "the last piece takes the rest");
    let expected =
        [("a", "c"), ("c", "e"), ("e", "z")].map(|(start, end)| (start.to_owned(), end.to_owned()));
    assert_eq!(stripes(&cutter), expected);
    let mut single = Cutter::new(cut(1), CellOrder::User);
    assert_eq!(pieces(&mut single, &cells), [0; 8]);
    let empty = Cutter::new(cut(3), CellOrder::User);
    assert_eq!((stripes(&empty), empty.empty_pieces(false)), (vec![("a".into(), "z".into())], 0..1));
}
