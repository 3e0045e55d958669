use super::*;
use finback_cell::CellType;
use finback_cell::cell::CellParts;

fn write(sequence_id: u64, cells: &[(&str, &str, &str, i64, &str)]) -> Unsettled {
    let mut block = finback_cell::CellBlockBuilder::default();
    for (row, family, qualifier, timestamp, value) in cells {
        block.push_parts(&CellParts {
            row: row.as_bytes(),
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            timestamp: *timestamp,
            type_code: CellType::Put.code(),
            value: value.as_bytes(),
            tags: b"",
        });
    }
    let position = finback_wal::Position::default();
    Unsettled { sequence_id, position, cells: block.finish().bytes().clone() }
}

fn writes<const N: usize>(of: [Unsettled; N]) -> UnsettledWrites {
    let mut writes = UnsettledWrites::default();
    of.into_iter().for_each(|write| writes.push(write));
    writes
}

fn rest(cells: &mut UnsettledCells) -> Vec<(String, u64)> {
    std::iter::from_fn(|| {
        let found = cells.peek().map(|(cell, id)| (String::from_utf8(cell.value().to_vec()).unwrap(), id))?;
        cells.next();
        Some(found)
    })
    .collect()
}

#[test]
fn cells_of_a_family_come_in_order_and_of_one_key_the_last_one_first() {
    let writes = writes([
        write(3, &[("r", "f", "b", 7, "old"), ("r", "f", "b", 7, "old, again"), ("r", "g", "a", 1, "other")]),
        write(4, &[("r", "f", "b", 7, "new"), ("r", "f", "a", 9, "first"), ("r", "f", "b", 8, "newest")]),
    ]);
    let of = |family: &[u8]| UnsettledCells::of_family(&writes, family, CellOrder::User);
    let expected = [("first", 4), ("newest", 4), ("new", 4), ("old, again", 3)];
    assert_eq!(rest(&mut of(b"f").unwrap()), expected.map(|(value, id)| (value.to_owned(), id)));
    assert_eq!(rest(&mut of(b"g").unwrap()), [("other".to_owned(), 3)]);
    assert!(of(b"h").is_none());
}

#[test]
fn a_seek_goes_both_ways_and_a_reseek_only_on() {
    // Rows of one hash share a lock.
    let writes =
        writes([write(1, &[("r", "f", "a", 1, "ra"), ("r", "f", "b", 1, "rb"), ("t", "f", "a", 1, "ta")])]);
    let mut cells = UnsettledCells::of_family(&writes, b"f", CellOrder::User).unwrap();
    cells.seek(&Key::first_on_row(b"s"));
    assert_eq!(cells.peek().unwrap().0.value(), b"ta");
    cells.reseek(&Key::first_on_row(b"r"));
    assert_eq!(cells.peek().unwrap().0.value(), b"ta");
    cells.seek(&Key::first_on_column(b"r", b"f", b"b"));
    assert_eq!(cells.peek().unwrap().0.value(), b"rb");
    cells.seek(&Key::last_on_row(b"t"));
    assert!(cells.peek().is_none());
    cells.next();
    assert!(cells.peek().is_none());
    assert_eq!(cells.previous_row(None), Some(&b"t"[..]));
    assert_eq!(cells.previous_row(Some(b"t")), Some(&b"r"[..]));
    assert_eq!(cells.previous_row(Some(b"r")), None);
}

#[test]
fn a_view_keeps_what_is_settled_and_does_not_get_what_comes() {
    let mut writes = writes([write(1, &[]), write(2, &[]), write(3, &[])]);
    let numbers = |of: &UnsettledWrites| of.iter().map(|write| write.sequence_id).collect::<Vec<_>>();
    let view = writes.clone();
    writes.settle(2);
    writes.push(write(4, &[]));
    writes.settle(9);
    assert_eq!((numbers(&view), numbers(&writes)), (vec![1, 2, 3], vec![1, 3, 4]));
    drop(view);
    [1, 4, 3].into_iter().for_each(|number| writes.settle(number));
    assert!(writes.is_empty());
}
