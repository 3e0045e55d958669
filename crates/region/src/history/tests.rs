use super::*;
use finback_cell::CellType::{Delete, DeleteColumn, DeleteFamily, DeleteFamilyVersion, Put};
use finback_cell::cell::CellParts;

/// Which of these cells, of a row, qualifier, timestamp and type, are history.
fn history(max_versions: u32, cells: &[(&str, &str, i64, CellType)]) -> Vec<bool> {
    let mut history = History::new(max_versions);
    let has = |&(row, qualifier, timestamp, cell_type): &(&str, &str, i64, CellType)| {
        let (row, qualifier) = (row.as_bytes(), qualifier.as_bytes());
        let type_code = cell_type.code();
        let parts = CellParts { row, family: b"f", qualifier, timestamp, type_code, value: b"", tags: b"" };
        history.has(&Cell::parse(&parts.to_vec()).unwrap())
    };
    cells.iter().map(has).collect()
}

#[test]
fn versions_of_each_column_are_of_the_present_up_to_as_many_as_are_kept() {
    let cells =
        [("r", "p", 3, Put), ("r", "p", 2, Put), ("r", "p", 1, Put), ("r", "q", 1, Put), ("s", "q", 1, Put)];
    assert_eq!(history(2, &cells), [false, false, true, false, false]);
    // One that was written twice, for two scanners.
    assert_eq!(
        history(1, &[("r", "p", 3, Put), ("r", "p", 3, Put), ("r", "p", 2, Put)]),
        [false, false, true]
    );
}

#[test]
fn what_markers_hide_is_history_and_so_are_markers_behind_them() {
    let cells = [
        ("r", "", 9, DeleteFamilyVersion),
        ("r", "", 5, DeleteFamily),
        ("r", "", 5, DeleteFamilyVersion),
        ("r", "", 4, DeleteFamily),
        ("r", "p", 9, Put),
        ("r", "p", 8, Delete),
        ("r", "p", 8, Put),
        ("r", "p", 7, DeleteColumn),
        ("r", "p", 7, Put),
        ("r", "p", 6, DeleteColumn),
        ("r", "p", 6, Delete),
        ("r", "q", 7, Put),
        ("r", "q", 5, Put),
        ("r", "q", 4, Delete),
        ("s", "q", 4, Put),
    ];
    let found = history(9, &cells);
    let expected = [
        false, false, true, true, // of the family
        true, false, true, false, true, true, true, // p
        false, true, true,  // q
        false, // another row
    ];
    assert_eq!(found, expected);
}
