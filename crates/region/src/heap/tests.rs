use super::Heap;
use crate::kept_blocks::KeptBlocks;
use crate::source::Source;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, CellBlock, CellBlockBuilder, CellOrder, CellType};
use finback_memstore::Segment;
use proptest::prelude::*;

/// Rows of which prefixes tell some apart and others not: short ones, long ones that are alike for long, and zeros at the end.
fn row() -> impl Strategy<Value = Vec<u8>> {
    let beginnings = prop::sample::select(vec![
        "",
        "a",
        "a-tenant-with-a-long-name,",
        "a-tenant-with-a-long-name,a-user-with-another-one,",
        "z-tenant-with-a-long-name,",
        "\u{ff}",
    ]);
    let ends = prop_oneof![
        3 => (0..2000u32).prop_map(|number| format!("{number:06},,{number:016}")),
        1 => (0..40u32).prop_map(|number| number.to_string()),
        1 => (0..20usize).prop_map(|zeros| "\0".repeat(zeros)),
    ];
    let row = |(beginning, end): (&str, String)| [beginning.as_bytes(), end.as_bytes()].concat();
    (beginnings, ends).prop_map(row).prop_filter("a row has bytes", |row| !row.is_empty())
}

/// Cells of one source: rows and sequence ids.
fn cells() -> impl Strategy<Value = Vec<(Vec<u8>, u64)>> {
    prop::collection::vec((row(), 1..4u64), 0..150)
}

fn put(row: &[u8]) -> CellBlock {
    let mut block = CellBlockBuilder::default();
    let (family, qualifier, type_code) = (b"f", b"q", CellType::Put.code());
    block.push_parts(&CellParts { row, family, qualifier, timestamp: 1, type_code, value: b"", tags: b"" });
    block.finish()
}

fn segment(order: CellOrder, cells: &[(Vec<u8>, u64)]) -> Source {
    let segment = Segment::new(order);
    for (row, sequence_id) in cells {
        for cell in &put(row) {
            segment.insert(&cell, *sequence_id);
        }
    }
    Source::Segment(segment.scanner())
}

fn found(heap: &Heap) -> Option<(Vec<u8>, u64)> {
    heap.peek().map(|(cell, sequence_id): (Cell<'_>, u64)| (cell.row().to_vec(), sequence_id))
}

proptest! {
    #[test]
    fn cells_of_all_sources_come_in_order(
        sources in prop::collection::vec(cells(), 1..6),
        jumps in prop::collection::vec((row(), 0..200usize), 0..4),
        is_meta: bool,
    ) {
        let order = if is_meta { CellOrder::Meta } else { CellOrder::User };
        let mut heap = Heap::new(
            order,
            sources.iter().map(|cells| segment(order, cells)).collect(),
            KeptBlocks::default(),
        );
        heap.seek(&Key::first_on_row(b"")).unwrap();
        // Of a source no cell is there twice.
        let mut all: Vec<(Vec<u8>, u64)> = Vec::new();
        for mut cells in sources {
            cells.sort();
            cells.dedup();
            all.extend(cells);
        }
        all.sort_by(|(a, a_id), (b, b_id)| order.compare_rows(a, b).then(b_id.cmp(a_id)));
        let mut rest = &all[..];
        for (row, count) in jumps {
            for _ in 0..count {
                prop_assert_eq!(found(&heap), rest.first().cloned());
                heap.next().unwrap();
                rest = rest.get(1..).unwrap_or_default();
            }
            heap.reseek(&Key::first_on_row(&row)).unwrap();
            let behind = rest.iter().position(|(next, _)| order.compare_rows(next, &row).is_ge());
            rest = &rest[behind.unwrap_or(rest.len())..];
        }
        for expected in rest {
            prop_assert_eq!(found(&heap), Some(expected.clone()));
            heap.next().unwrap();
        }
        prop_assert_eq!(found(&heap), None);
    }
}
