use super::*;
use finback_cell::CellType;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;

fn block(count: usize) -> Bytes {
    let mut cells = CellBlockBuilder::default();
    for number in 0..count {
        cells.push_parts(&CellParts {
            row: b"r",
            family: b"f",
            qualifier: &[number as u8],
            timestamp: 1,
            type_code: CellType::Put.code(),
            value: b"v",
            tags: &[],
        });
    }
    cells.finish().bytes().clone()
}

#[test]
fn cells_are_counted_off_the_block() {
    let response = pb::ScanResponse {
        cells_per_result: vec![1, 2],
        partial_flag_per_result: vec![false, true],
        stale: Some(true),
        ..Default::default()
    };
    let rows = rows_of(&response, block(3)).unwrap();
    assert_eq!(
        rows.iter().map(|row| (row.len(), row.is_partial())).collect::<Vec<_>>(),
        [(1, false), (2, true)]
    );
    assert!(rows[0].is_stale());
}

#[test]
fn counts_that_lie_are_errors() {
    for counts in [vec![4], vec![u32::MAX], vec![0], vec![3, u32::MAX]] {
        let response = pb::ScanResponse { cells_per_result: counts.clone(), ..Default::default() };
        assert!(rows_of(&response, block(3)).is_err(), "{counts:?}");
    }
    let results = vec![pb::Result { associated_cell_count: Some(-1), ..Default::default() }];
    assert!(rows_of(&pb::ScanResponse { results, ..Default::default() }, block(3)).is_err());
}
