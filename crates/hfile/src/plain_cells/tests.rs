use super::*;
use finback_cell::CellType;
use finback_cell::cell::CellParts;

fn cell(
    (row, family, qualifier): (&str, &str, &str),
    timestamp: i64,
    cell_type: CellType,
    tags: &[u8],
) -> Vec<u8> {
    let parts = CellParts {
        row: row.as_bytes(),
        family: family.as_bytes(),
        qualifier: qualifier.as_bytes(),
        timestamp,
        type_code: cell_type.code(),
        value: b"v",
        tags,
    };
    parts.to_vec()
}

fn put(column: (&str, &str, &str)) -> Vec<u8> {
    cell(column, 1, CellType::Put, b"")
}

fn is_plain(last: &[u8], next: &[u8]) -> bool {
    is_plain_behind(Cell::parse(last).unwrap().key(), &Cell::parse(next).unwrap())
}

#[test]
fn a_put_is_plain_behind_one_of_another_column() {
    let last = put(("row", "f", "q"));
    for column in
        [("row", "f", "r"), ("row", "f", "qq"), ("row", "f", ""), ("row", "g", "q"), ("roz", "f", "q")]
    {
        assert!(is_plain(&last, &put(column)), "{column:?}");
    }
    assert!(is_plain_behind(&[], &Cell::parse(&last).unwrap()));
    // As many bytes, divided otherwise.
    assert!(is_plain(&put(("ro", "wf", "q")), &put(("row", "f", "q"))));
}

#[test]
fn an_older_version_a_marker_and_a_put_with_tags_are_not() {
    let column = ("row", "f", "q");
    assert!(!is_plain(&put(column), &cell(column, 0, CellType::Put, b"")));
    let next = ("row", "f", "r");
    assert!(!is_plain(&put(column), &cell(next, 1, CellType::Delete, b"")));
    assert!(!is_plain(&put(column), &cell(next, 1, CellType::Put, &[0, 2, 70, b't'])));
}

#[test]
fn the_sums_are_read_back() {
    assert_eq!(decode(&encode(1 << 40, 7)), Some((1 << 40, 7)));
    for other in [&b""[..], &[0xff], &[0; 15], &[0; 17]] {
        assert_eq!(decode(other), None);
    }
}
