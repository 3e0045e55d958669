use super::*;
use crate::testing::{cell_bytes, text_of};
use finback_cell::CellBlockBuilder;

#[test]
fn dropping_cells_of_the_last_row_leaves_earlier_rows_alone() {
    let mut builder = CellBlockBuilder::default();
    let texts = ["a/f:q@1=x", "b/f:1@1=x", "b/f:22@1=yy", "b/f:333@1=zzz", "b/f:4@1="];
    for text in texts {
        builder.push(&Cell::from_checked(&cell_bytes(text)));
    }
    let mut block = builder.finish().bytes().to_vec();
    let row_start = 4 + cell_bytes(texts[0]).len();
    let mut tail = BlockTail::new(&mut block, row_start);
    assert_eq!(tail.count(), 4);
    let mut seen = Vec::new();
    tail.retain(&mut |cell| {
        seen.push(text_of(cell));
        cell.qualifier() == b"22" || cell.qualifier() == b"4"
    });
    assert_eq!(tail.count(), 2);
    assert_eq!(seen, texts[1..]);
    let left: Vec<String> = CellIter::over_checked(&block).map(|cell| text_of(&cell)).collect();
    assert_eq!(left, [texts[0], texts[2], texts[4]]);
    let mut tail = BlockTail::new(&mut block, row_start);
    tail.retain(&mut |_| false);
    assert!(tail.is_empty());
    assert_eq!(block.len(), row_start);
}
