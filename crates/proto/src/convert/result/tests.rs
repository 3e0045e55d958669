use super::*;
use prost::Message;

fn cells() -> CellBlock {
    let mut block = CellBlockBuilder::default();
    for (qualifier, tags) in [(&b"a"[..], &b""[..]), (b"b", b"\0\x02\x41x")] {
        block.push_parts(&CellParts {
            row: b"r1",
            family: b"cf",
            qualifier,
            timestamp: -1,
            type_code: 4,
            value: b"v",
            tags,
        });
    }
    block.finish()
}

#[test]
fn a_counted_result_is_written_as_hbase_writes_it() {
    assert_eq!(result_in_block(1).encode_to_vec(), [0x10, 0x01, 0x20, 0x00]);
    assert!(result_in_block(0).encode_to_vec().is_empty());
}

#[test]
fn counted_cells_come_back() {
    let cells = cells();
    let mut block = cells.bytes().clone();
    assert_eq!(decode_result(&result_in_block(2), &mut block).unwrap(), cells);
    assert!(block.is_empty());
    assert!(decode_result(&result_in_block(1), &mut block).unwrap_err().loses_cells());
}

#[test]
fn inline_cells_come_back_behind_counted_ones() {
    let cells = cells();
    let inline = inline_result(&cells);
    let columns = |cells: &CellBlock| -> Vec<Vec<u8>> {
        cells
            .iter()
            .map(|cell| [cell.row(), cell.family(), cell.qualifier(), cell.value()].join(&0))
            .collect()
    };
    let inside = decode_result(&inline, &mut Bytes::new()).unwrap();
    assert_eq!(columns(&inside), columns(&cells));
    let mut both = inline;
    both.associated_cell_count = Some(2);
    assert_eq!(decode_result(&both, &mut cells.bytes().clone()).unwrap().count(), 4);
    assert_eq!(inline_result([]), pb::Result::default());
}

#[test]
fn tags_are_not_told_inside_and_are_read_where_somebody_does() {
    let cells = cells();
    assert!(cells.iter().any(|cell| !cell.tags().is_empty()));
    let mut inline = inline_result(&cells);
    assert!(inline.cell.iter().all(|cell| cell.tags.is_none()));
    inline.cell[1].tags = Some(Bytes::from_static(b"\0\x02\x41x"));
    assert_eq!(decode_result(&inline, &mut Bytes::new()).unwrap(), cells);
}

#[test]
fn malformed_results_are_errors() {
    let cell = |cell: pb::Cell| pb::Result { cell: vec![cell], ..Default::default() };
    let bad = [
        cell(pb::Cell::default()),
        cell(pb::Cell { cell_type: Some(256), ..Default::default() }),
        cell(pb::Cell { cell_type: Some(4), family: Some(vec![0; 128].into()), ..Default::default() }),
        pb::Result { associated_cell_count: Some(-4), ..Default::default() },
    ];
    for result in bad {
        assert!(decode_result(&result, &mut Bytes::new()).is_err(), "{result:?}");
    }
}
