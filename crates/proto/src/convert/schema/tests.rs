use super::*;

fn schema() -> pb::TableSchema {
    let pair = |first: &'static str, second: &'static str| pb::BytesBytesPair {
        first: first.into(),
        second: second.into(),
    };
    let setting =
        |name: &str, value: &str| pb::NameStringPair { name: name.to_owned(), value: value.to_owned() };
    let family = |name: &'static str| pb::ColumnFamilySchema {
        name: name.into(),
        attributes: vec![pair("VERSIONS", "3"), pair("UNKNOWN", "x")],
        configuration: vec![setting("hbase.x", "1")],
    };
    pb::TableSchema {
        table_name: Some(pb::TableName { namespace: "default".into(), qualifier: "t".into() }),
        attributes: vec![pair("A", "1"), pair("B", "2"), pair("A", "3")],
        column_families: vec![family("g"), family("f")],
        configuration: vec![setting("C", "4")],
    }
}

#[test]
fn every_attribute_is_kept_and_configuration_becomes_attributes() {
    let table = TableDescriptor::try_from(&schema()).unwrap();
    assert_eq!(table.attribute("A"), Some("3"));
    assert_eq!(table.attribute("C"), Some("4"));
    assert_eq!(table.attributes.len(), 3);
    let names: Vec<_> = table.families.iter().map(|family| &family.name[..]).collect();
    assert_eq!(names, [b"f", b"g"]);
    assert_eq!(table.families[0].max_versions(), 3);
    assert_eq!(table.families[0].attribute("UNKNOWN"), Some("x"));
    let again = TableDescriptor::try_from(&pb::TableSchema::from(&table)).unwrap();
    assert_eq!(again, table);
}

#[test]
fn malformed_schemas_are_errors() {
    let nameless = pb::TableSchema { table_name: None, ..schema() };
    assert!(matches!(TableDescriptor::try_from(&nameless), Err(ProtoError::Missing { .. })));
    let mut twice = schema();
    twice.column_families[1].name = "g".into();
    assert!(matches!(TableDescriptor::try_from(&twice), Err(ProtoError::Invalid { .. })));
    for name in [Bytes::new(), Bytes::from(vec![b'f'; 128])] {
        let family = pb::ColumnFamilySchema { name, ..Default::default() };
        assert!(ColumnFamilyDescriptor::try_from(&family).is_err());
    }
}
