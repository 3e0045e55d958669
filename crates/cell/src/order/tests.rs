use super::*;
use crate::cell::CellParts;

fn cell(row: &str, qualifier: &str, timestamp: i64, type_code: u8) -> Vec<u8> {
    CellParts {
        row: row.as_bytes(),
        family: b"f",
        qualifier: qualifier.as_bytes(),
        timestamp,
        type_code,
        value: b"",
        tags: b"",
    }
    .to_vec()
}

#[test]
fn cells_sort_by_row_column_newest_first_and_markers_before_puts() {
    let sorted = [
        cell("a", "", 9, 4),
        cell("a", "q", 9, 12),
        cell("a", "q", 9, 8),
        cell("a", "q", 9, 4),
        cell("a", "q", 8, 12),
        cell("a", "qq", 99, 4),
        cell("aa", "", 99, 4),
    ];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            let got = CellOrder::User.compare(&Cell::parse(a).unwrap(), &Cell::parse(b).unwrap());
            assert_eq!(got, i.cmp(&j), "{i} {j}");
        }
    }
}

#[test]
fn meta_rows_sort_by_table_then_start_key_then_region() {
    let sorted = ["t", "t,,1.x.", "t,,2.y.", "t,\u{1},1.", "t,+,1.", "t,a,1.", "t,a,b,1.", "t1", "t1,,1."];
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(CellOrder::Meta.compare_rows(a.as_bytes(), b.as_bytes()), i.cmp(&j), "{a} {b}");
        }
    }
}

#[test]
fn the_end_of_row_key_sorts_last_in_its_row() {
    let real = cell("a", "zzz", 0, 4);
    let real = Cell::parse(&real).unwrap();
    let end = Key::last_on_row(b"a");
    assert_eq!(compare_within_row(&Key::of(&real), &end), Ordering::Less);
    assert_eq!(CellOrder::User.compare_keys(&end, &Key::last_on_row(b"aa")), Ordering::Less);
}
