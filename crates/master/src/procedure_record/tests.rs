use super::*;
use finback_proto::Message;

fn name(table: &str) -> TableName {
    TableName::parse(table.as_bytes()).unwrap()
}

fn descriptor() -> TableDescriptor {
    let mut table = TableDescriptor::new(name("ns:t"));
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f").with("VERSIONS", "7"));
    table
}

fn lock(held: Held) -> Operation {
    Operation::HoldLock { held, exclusive: true, description: "because".into() }
}

fn snapshot() -> pb::SnapshotDescription {
    pb::SnapshotDescription { name: "s".into(), table: Some("t".into()), ttl: Some(7), ..Default::default() }
}

fn table_of_snapshot() -> Box<TableOfSnapshot> {
    let region = |start: &'static str| RegionInfo::new(name("t"), start.into(), "z".into(), 7);
    Box::new(TableOfSnapshot {
        snapshot: snapshot(),
        table: descriptor(),
        regions: vec![region("a"), region("b")],
        splits: [("p".to_owned(), vec!["a".to_owned(), "b".to_owned()])].into(),
    })
}

fn operations() -> Vec<Operation> {
    let table = name("ns:t");
    let configuration = vec![("b".to_owned(), "1".to_owned()), ("a".to_owned(), "2".to_owned())];
    let family = ColumnFamilyDescriptor::with_defaults(b"g");
    let region = "0123".to_owned();
    vec![
        Operation::CreateNamespace { name: "ns".into(), configuration: configuration.clone() },
        Operation::ModifyNamespace { name: "ns".into(), configuration },
        Operation::DeleteNamespace("ns".into()),
        Operation::CreateTable { table: descriptor(), split_keys: vec!["a".into(), "b".into()] },
        Operation::DeleteTable(table.clone()),
        Operation::EnableTable(table.clone()),
        Operation::DisableTable(table.clone()),
        Operation::TruncateTable { table: table.clone(), preserve_splits: true },
        Operation::ModifyTable { table: descriptor(), reopen: false },
        Operation::AddFamily { table: table.clone(), family: family.clone() },
        Operation::ModifyFamily { table: table.clone(), family },
        Operation::DeleteFamily { table: table.clone(), family: "f".into() },
        Operation::ModifyFileTracker { table: table.clone(), family: None, to_file: true },
        Operation::ModifyFileTracker { table: table.clone(), family: Some("f".into()), to_file: false },
        Operation::FlushTable { table: table.clone(), families: vec!["f".into()] },
        Operation::AssignRegion { table: table.clone(), region: region.clone() },
        Operation::UnassignRegion { table: table.clone(), region: region.clone() },
        Operation::TruncateRegion { table: table.clone(), region: region.clone() },
        Operation::MoveRegion { table: table.clone(), region: region.clone() },
        Operation::SplitRegion { table: table.clone(), region: region.clone(), split_row: "m".into() },
        Operation::MergeRegions { table: table.clone(), regions: vec![region, "4567".into()] },
        Operation::TakeSnapshot { table: table.clone(), snapshot: Box::new(snapshot()) },
        Operation::CloneSnapshot(table_of_snapshot()),
        Operation::RestoreSnapshot(table_of_snapshot()),
        lock(Held::Namespace("ns".into())),
        lock(Held::Table(table.clone())),
        lock(Held::regions(table.clone(), [RegionInfo::new(table, "a".into(), "b".into(), 4)])),
    ]
}

#[test]
fn operations_are_read_as_they_were_written() {
    for operation in operations() {
        let bytes = encode_operation(&operation).unwrap().encode_to_vec();
        let record = pb::StoredOperation::decode(&bytes[..]).unwrap();
        let read = decode_operation(&record).unwrap();
        assert_eq!(format!("{read:?}"), format!("{operation:?}"));
    }
}

#[test]
fn decisions_are_read_as_they_were_written() {
    let region = |start: &'static str| RegionInfo::new(name("ns:t"), start.into(), "z".into(), 7);
    let decision = Decision {
        old_regions: vec![region("a"), region("b")],
        new_regions: vec![region("c")],
        old_descriptor: None,
        new_descriptor: Some(Arc::new(descriptor())),
        reopen: true,
        online: true,
        left_closed: vec!["0123".to_owned()],
    };
    assert_eq!(decode_decision(&encode_decision(&decision)).unwrap(), decision);
    assert_eq!(decode_decision(&encode_decision(&Decision::default())).unwrap(), Decision::default());
}

#[test]
fn what_is_missing_is_an_error() {
    for operation in operations() {
        let kind = encode_operation(&operation).unwrap().kind;
        let record = pb::StoredOperation { kind, ..Default::default() };
        assert!(matches!(decode_operation(&record), Err(RecordError::Missing(_))), "{operation:?}");
    }
    let record = pb::StoredOperation { kind: 4711, ..Default::default() };
    assert!(matches!(decode_operation(&record), Err(RecordError::UnknownKind(4711))));
}
