use super::*;
use finback_cell::CellType;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;

/// A row with these columns; it goes on if the text ends with `+`.
fn row(text: &str) -> Row {
    let (key, columns) = text.split_once(':').unwrap();
    let (columns, partial) = columns.strip_suffix('+').map_or((columns, false), |columns| (columns, true));
    let mut cells = CellBlockBuilder::default();
    for column in columns.bytes() {
        cells.push_parts(&CellParts {
            row: key.as_bytes(),
            family: b"f",
            qualifier: &[column],
            timestamp: 1,
            type_code: CellType::Put.code(),
            value: b"",
            tags: &[],
        });
    }
    Row::new(cells.finish(), partial, false)
}

fn shown(rows: &[Row]) -> String {
    let show = |row: &Row| {
        let columns: String = row.cells().map(|cell| char::from(cell.qualifier()[0])).collect();
        let more = if row.is_partial() { "+" } else { "" };
        format!("{}:{columns}{more}", String::from_utf8_lossy(row.key()))
    };
    rows.iter().map(show).collect::<Vec<_>>().join(" ")
}

/// Adds answers, and shows what each of them brings. `-` is an empty one, `~` a sign of life, `!` begins anew.
fn told(grain: Grain, answers: &[&str]) -> (Vec<String>, u64) {
    let mut assembly = Assembly::new(grain, CellOrder::User);
    let mut told = Vec::new();
    for answer in answers {
        match *answer {
            "!" => assembly.restart(),
            "-" => told.push(shown(&assembly.add(Vec::new(), false))),
            "~" => told.push(shown(&assembly.add(Vec::new(), true))),
            rows => told.push(shown(&assembly.add(rows.split(' ').map(row).collect(), false))),
        }
    }
    (told, assembly.complete_rows())
}

#[test]
fn parts_become_whole_rows() {
    assert_eq!(
        told(Grain::Whole, &["a:1 b:1+", "b:2+", "b:3 c:1"]),
        (vec!["a:1".into(), "".into(), "b:123 c:1".into()], 3)
    );
    // A last part that is marked as one: the next row, an empty answer, tell that it was the last.
    assert_eq!(told(Grain::Whole, &["a:1+", "b:1+", "-"]), (vec!["".into(), "a:1".into(), "b:1".into()], 2));
    assert_eq!(told(Grain::Whole, &["a:1+", "~", "a:2"]), (vec!["".into(), "".into(), "a:12".into()], 1));
    // Begun anew in the middle of a row.
    assert_eq!(
        told(Grain::Whole, &["a:1+", "!", "a:12+", "a:3"]),
        (vec!["".into(), "".into(), "a:123".into()], 1)
    );
}

#[test]
fn rows_are_cut_into_parts_of_so_many_cells() {
    assert_eq!(told(Grain::Cells(2), &["a:12+ a:34+ a:5 b:1"]), (vec!["a:12+ a:34+ a:5 b:1".into()], 2));
    assert_eq!(
        told(Grain::Cells(2), &["a:1+", "a:23+", "a:4"]),
        (vec!["".into(), "a:12+".into(), "a:34".into()], 1)
    );
    assert_eq!(told(Grain::Cells(2), &["a:12+", "b:1"]), (vec!["a:12+".into(), "b:1".into()], 2));
    // Begun anew: what was handed over comes again, and is left out.
    assert_eq!(
        told(Grain::Cells(2), &["a:12+ a:3+", "!", "a:12+ a:34"]),
        (vec!["a:12+".into(), "a:34".into()], 1)
    );
    // A row whose last part is marked as one ends once.
    assert_eq!(
        told(Grain::Cells(3), &["a:123+", "a:45+", "-", "b:1"]),
        (vec!["a:123+".into(), "".into(), "a:45".into(), "b:1".into()], 2)
    );
    assert_eq!(told(Grain::Cells(1), &["a:123"]), (vec!["a:1+ a:2+ a:3".into()], 1));
}

#[test]
fn parts_are_handed_over_as_they_come_but_not_twice() {
    assert_eq!(told(Grain::AsTheyCome, &["a:12+", "a:3 b:1"]), (vec!["a:12+".into(), "a:3 b:1".into()], 2));
    assert_eq!(
        told(Grain::AsTheyCome, &["a:12+", "!", "a:1+", "a:23"]),
        (vec!["a:12+".into(), "".into(), "a:3".into()], 1)
    );
    assert_eq!(told(Grain::AsTheyCome, &["a:12+", "-"]), (vec!["a:12+".into(), "".into()], 1));
    assert_eq!(
        told(Grain::AsTheyCome, &["a:12+", "b:1+", "~"]),
        (vec!["a:12+".into(), "b:1+".into(), "".into()], 1)
    );
}
