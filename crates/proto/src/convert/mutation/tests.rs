use super::*;
use finback_cell::Durability;
use pb::mutation_proto::column_value::QualifierValue;

fn block(rows: &[(&str, CellType)]) -> Bytes {
    let mut block = CellBlockBuilder::default();
    for (row, cell_type) in rows {
        block.push_parts(&CellParts {
            row: row.as_bytes(),
            family: b"f",
            qualifier: b"q",
            timestamp: 5,
            type_code: cell_type.code(),
            value: b"v",
            tags: b"",
        });
    }
    block.finish().bytes().clone()
}

fn put(row: Option<&'static str>, count: i32) -> pb::MutationProto {
    pb::MutationProto {
        row: row.map(Into::into),
        mutate_type: Some(MutationType::Put.into()),
        associated_cell_count: Some(count),
        ..Default::default()
    }
}

fn inline(mutate_type: MutationType, value: QualifierValue) -> pb::MutationProto {
    pb::MutationProto {
        row: Some("r".into()),
        mutate_type: Some(mutate_type.into()),
        timestamp: Some(77),
        column_value: vec![ColumnValue { family: "f".into(), qualifier_value: vec![value] }],
        ..Default::default()
    }
}

#[test]
fn each_mutation_takes_its_cells() {
    let mut cells = block(&[("a", CellType::Put), ("a", CellType::Put), ("b", CellType::Put)]);
    let first = decode_mutation(put(Some("a"), 2), &mut cells, 0).unwrap();
    assert_eq!((&first.row[..], first.cells.count()), (&b"a"[..], 2));
    let second = decode_mutation(put(None, 1), &mut cells, 9).unwrap();
    assert_eq!((&second.row[..], second.cells.count(), second.nonce), (&b"b"[..], 1, (9, 0)));
    assert!(cells.is_empty());
}

#[test]
fn a_bad_mutation_does_not_take_the_cells_of_the_next() {
    let mut cells = block(&[("a", CellType::Put), ("b", CellType::Put)]);
    let wrong_row = decode_mutation(put(Some("x"), 1), &mut cells, 0).unwrap_err();
    assert!(!wrong_row.loses_cells(), "{wrong_row}");
    assert_eq!(decode_mutation(put(Some("b"), 1), &mut cells, 0).unwrap().cells.count(), 1);
}

#[test]
fn an_error_does_not_repeat_rows_of_any_length() {
    let row = "\u{1}".repeat(30_000);
    let mut cells = block(&[(&row, CellType::Put)]);
    let other = pb::MutationProto { row: Some(vec![2; 30_000].into()), ..put(None, 1) };
    let error = decode_mutation(other, &mut cells, 0).unwrap_err().to_string();
    assert!(error.contains("a cell of row") && error.len() < 3_000, "{} bytes", error.len());
}

#[test]
fn a_block_without_the_cells_is_lost() {
    let mut cells = block(&[("a", CellType::Put)]);
    for count in [2, i32::MAX] {
        let error = decode_mutation(put(Some("a"), count), &mut cells, 0).unwrap_err();
        assert!(error.loses_cells(), "{error}");
        assert!(error.to_string().contains(&format!("count of {count} but at index 1 no cell")), "{error}");
    }
    let mut torn = cells.slice(..cells.len() - 1);
    assert!(skip_cells(&put(None, 1), &mut torn).unwrap_err().loses_cells());
    assert!(decode_mutation(put(Some("a"), -1), &mut cells, 0).is_err());
    skip_cells(&put(None, 1), &mut cells).unwrap();
    assert!(cells.is_empty());
}

#[test]
fn cells_of_the_wrong_type_are_refused() {
    let delete =
        |count| pb::MutationProto { mutate_type: Some(MutationType::Delete.into()), ..put(Some("a"), count) };
    let mut cells = block(&[("a", CellType::Put), ("a", CellType::DeleteColumn), ("a", CellType::Maximum)]);
    assert!(decode_mutation(delete(1), &mut cells, 0).is_err());
    assert!(decode_mutation(delete(1), &mut cells, 0).is_ok());
    assert!(decode_mutation(put(Some("a"), 1), &mut cells, 0).is_err());
}

#[test]
fn inline_values_become_cells() {
    let value = QualifierValue { qualifier: Some("q".into()), value: Some("v".into()), ..Default::default() };
    let mutation = decode_mutation(inline(MutationType::Put, value), &mut Bytes::new(), 0).unwrap();
    let cell = mutation.cells.iter().next().unwrap();
    assert_eq!((cell.row(), cell.family(), cell.qualifier()), (&b"r"[..], &b"f"[..], &b"q"[..]));
    assert_eq!((cell.timestamp(), cell.type_code(), cell.value()), (77, 4, &b"v"[..]));
}

#[test]
fn a_long_row_is_not_repeated_without_end() {
    let of = |values: usize| {
        let mut delete = inline(MutationType::Delete, QualifierValue::default());
        delete.row = Some(vec![b'r'; 32_767].into());
        delete.column_value[0].qualifier_value = vec![QualifierValue::default(); values];
        decode_mutation(delete, &mut Bytes::new(), 0)
    };
    assert_eq!(of(1000).unwrap().cells.iter().count(), 1000);
    let error = of(100_000).unwrap_err().to_string();
    assert!(error.contains("100000 cells of a row of 32767 bytes"), "{error}");
}

#[test]
fn only_a_delete_has_columns_without_a_value() {
    for kind in [MutationType::Put, MutationType::Increment, MutationType::Append] {
        let value = QualifierValue { qualifier: Some("q".into()), ..Default::default() };
        let error = decode_mutation(inline(kind, value.clone()), &mut Bytes::new(), 0).unwrap_err();
        assert!(error.to_string().contains("Missing required field: qualifier value"), "{error}");
        let empty = QualifierValue { value: Some(Bytes::new()), ..value };
        assert!(decode_mutation(inline(kind, empty), &mut Bytes::new(), 0).is_ok(), "{kind:?}");
    }
}

#[test]
fn inline_deletes_name_their_kind() {
    let delete = |delete_type| {
        let value = QualifierValue { qualifier: Some("q".into()), delete_type, ..Default::default() };
        decode_mutation(inline(MutationType::Delete, value), &mut Bytes::new(), 0)
    };
    let expected =
        [(None, 8, "q"), (Some(0), 8, "q"), (Some(1), 12, "q"), (Some(2), 14, ""), (Some(3), 10, "")];
    for (delete_type, code, qualifier) in expected {
        let mutation = delete(delete_type).unwrap();
        let cell = mutation.cells.iter().next().unwrap();
        assert_eq!((cell.type_code(), cell.qualifier()), (code, qualifier.as_bytes()));
    }
    assert!(delete(Some(17)).is_err());
}

#[test]
fn a_delete_of_the_whole_row_has_no_cells() {
    let delete = pb::MutationProto {
        row: Some("r".into()),
        mutate_type: Some(MutationType::Delete.into()),
        ..Default::default()
    };
    let mutation = decode_mutation(delete, &mut block(&[("x", CellType::Put)]), 0).unwrap();
    assert!(mutation.cells.is_empty());
    assert_eq!(mutation.timestamp, LATEST_TIMESTAMP);
}

#[test]
fn attributes_and_durability_count() {
    let attribute = |name: &str, value: &'static [u8]| pb::NameBytesPair {
        name: name.to_owned(),
        value: Some(value.into()),
    };
    let one =
        QualifierValue { value: Some(Bytes::copy_from_slice(&1i64.to_be_bytes())), ..Default::default() };
    let mut increment = inline(MutationType::Increment, one);
    increment.attribute = vec![attribute("_ttl", &[0, 0, 0, 0, 0, 0, 3, 232]), attribute("_rr_", b"\0")];
    increment.durability = Some(4);
    increment.nonce = Some(11);
    let mutation = decode_mutation(increment.clone(), &mut Bytes::new(), 7).unwrap();
    assert_eq!((mutation.ttl_ms, mutation.return_results), (Some(1000), false));
    assert_eq!((mutation.durability, mutation.nonce), (Durability::FsyncWal, (7, 11)));
    increment.attribute = vec![attribute("_ttl", &[127, 255, 255, 255, 255, 255, 255, 255])];
    let without = decode_mutation(increment.clone(), &mut Bytes::new(), 7).unwrap();
    assert_eq!(without.ttl_ms, None, "as setTTL(Long.MAX_VALUE) says");
    increment.attribute = vec![attribute("_ttl", b"short")];
    assert!(decode_mutation(increment, &mut Bytes::new(), 7).is_err());
}

#[test]
fn malformed_mutations_are_errors() {
    let mut none = Bytes::new();
    let value = QualifierValue { qualifier: Some("q".into()), value: Some("v".into()), ..Default::default() };
    let good = inline(MutationType::Put, value);
    let bad = [
        pb::MutationProto { row: None, ..good.clone() },
        pb::MutationProto { row: Some(Bytes::new()), ..good.clone() },
        pb::MutationProto { row: Some(vec![0; MAX_ROW_LENGTH + 1].into()), ..good.clone() },
        pb::MutationProto { mutate_type: None, ..good.clone() },
        pb::MutationProto { mutate_type: Some(44), ..good.clone() },
        pb::MutationProto {
            column_value: vec![ColumnValue {
                family: vec![b'f'; 128].into(),
                qualifier_value: good.column_value[0].qualifier_value.clone(),
            }],
            ..good
        },
    ];
    for mutation in bad {
        assert!(decode_mutation(mutation.clone(), &mut none, 0).is_err(), "{mutation:?}");
    }
}
