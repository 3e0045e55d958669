use super::*;
use finback_cell::CellBlockBuilder;
use finback_cell::cell::CellParts;

const FAMILY_VERSION: CellType = CellType::DeleteFamilyVersion;

/// Qualifier, timestamp, type and sequence id of a cell.
type Written = (&'static str, i64, CellType, u64);

const fn put(qualifier: &'static str, timestamp: i64, sequence_id: u64) -> Written {
    (qualifier, timestamp, CellType::Put, sequence_id)
}

/// Timestamps of the puts that can be seen, with their columns; the cells are put in order first.
fn visible(max_versions: u32, mut cells: Vec<Written>) -> Vec<(&'static str, i64)> {
    use std::cmp::Reverse;
    cells.sort_by_key(|cell| (cell.0, Reverse(cell.1), Reverse(cell.2.code()), Reverse(cell.3)));
    let mut tracker = NewVersionTracker::new(max_versions);
    let mut found = Vec::new();
    // Twice: a row leaves nothing behind for the next.
    for _ in 0..2 {
        tracker.reset();
        found.clear();
        for &(qualifier, timestamp, cell_type, sequence_id) in &cells {
            let mut block = CellBlockBuilder::default();
            block.push_parts(&CellParts {
                row: b"row",
                family: b"f",
                qualifier: qualifier.as_bytes(),
                timestamp,
                type_code: cell_type.code(),
                value: b"",
                tags: b"",
            });
            let block = block.finish();
            let cell = block.iter().next().unwrap();
            if cell.is_delete() {
                tracker.add(&cell, sequence_id);
            } else if tracker.check(&cell, sequence_id) == Standing::Visible {
                found.push((qualifier, timestamp));
            }
        }
    }
    found
}

#[test]
fn a_marker_hides_what_was_written_before_it_and_nothing_later() {
    for marker in [CellType::DeleteColumn, CellType::DeleteFamily] {
        let qualifier = if marker == CellType::DeleteFamily { "" } else { "q" };
        let cells =
            vec![put("q", 5, 1), (qualifier, 7, marker, 2), put("q", 6, 3), put("q", 9, 1), put("q", 4, 2)];
        assert_eq!(visible(9, cells), [("q", 9), ("q", 6)], "{marker:?}");
    }
    for (qualifier, marker) in [("q", CellType::Delete), ("", FAMILY_VERSION)] {
        let cells = vec![put("q", 5, 1), (qualifier, 5, marker, 2), put("q", 4, 1), put("q", 6, 1)];
        assert_eq!(visible(9, cells.clone()), [("q", 6), ("q", 4)], "{marker:?}");
        assert_eq!(visible(9, [cells, vec![put("q", 5, 3)]].concat()), [("q", 6), ("q", 5), ("q", 4)]);
    }
}

#[test]
fn a_version_that_was_surplus_does_not_come_back() {
    let cells = vec![put("q", 5, 1), put("q", 6, 2), ("q", 6, CellType::Delete, 3)];
    assert_eq!(visible(1, cells.clone()), []);
    assert_eq!(visible(2, cells.clone()), [("q", 5)]);
    // Written after the delete it is no surplus.
    assert_eq!(visible(1, [&cells[1..], &[put("q", 5, 4)]].concat()), [("q", 5)]);
}

#[test]
fn of_puts_at_one_place_the_last_written_counts_alone() {
    let cells = vec![put("q", 5, 1), put("q", 5, 2), put("q", 4, 1)];
    assert_eq!(visible(2, cells), [("q", 5), ("q", 4)]);
    // The first was deleted before the second was written.
    let cells = vec![put("q", 5, 1), ("q", 5, CellType::Delete, 2), put("q", 5, 3)];
    assert_eq!(visible(2, cells), [("q", 5)]);
}

#[test]
fn a_version_deleted_for_the_family_still_counts_when_the_family_is_deleted_later() {
    // So HBase has it, although the later marker hides neither.
    let cells = vec![put("q", 10, 2), ("", 10, FAMILY_VERSION, 3), put("q", 8, 4)];
    assert_eq!(visible(1, cells.clone()), [("q", 8)]);
    assert_eq!(visible(1, [cells, vec![("", 5, CellType::DeleteFamily, 7)]].concat()), []);
}

#[test]
fn markers_of_the_family_hide_the_empty_qualifier_too_and_stay_for_the_columns_after_it() {
    let cells = vec![
        put("", 9, 1),
        ("", 8, CellType::DeleteFamily, 5),
        put("", 7, 1),
        put("", 6, 6),
        ("", 6, CellType::DeleteColumn, 2),
        put("q", 8, 4),
        put("q", 7, 9),
        put("r", 9, 4),
    ];
    assert_eq!(visible(9, cells), [("", 9), ("", 6), ("q", 7), ("r", 9)]);
}

#[test]
fn markers_of_a_column_end_with_it() {
    let cells = vec![("p", 9, CellType::DeleteColumn, 9), put("p", 5, 1), put("q", 5, 1)];
    assert_eq!(visible(1, cells), [("q", 5)]);
}

#[test]
fn families_that_keep_very_many_versions_still_hide_what_is_deleted() {
    let cells = vec![put("q", 5, 1), put("q", 6, 2), ("q", 6, CellType::Delete, 3)];
    assert_eq!(visible(u32::MAX, cells), [("q", 5)]);
}
