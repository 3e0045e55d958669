use super::*;

#[test]
fn table_names_go_both_ways() {
    for name in ["t1", "ns:t2", "hbase:meta"] {
        let table = TableName::parse(name.as_bytes()).unwrap();
        let message = pb::TableName::from(&table);
        assert!(!message.namespace.is_empty());
        assert_eq!(TableName::try_from(&message).unwrap(), table);
    }
}

#[test]
fn a_table_without_a_legal_name_is_an_error() {
    let name = |namespace: &'static [u8], qualifier: &'static [u8]| pb::TableName {
        namespace: namespace.into(),
        qualifier: qualifier.into(),
    };
    for bad in [name(b"", b"t"), name(b"default", b""), name(b"default", b"a b"), name(b"\xff", b"t")] {
        assert!(matches!(TableName::try_from(&bad), Err(ProtoError::Invalid { .. })), "{bad:?}");
    }
}

#[test]
fn server_names_go_both_ways() {
    let server = ServerName { host: "h".into(), port: 16020, start_code: 17 };
    assert_eq!(ServerName::try_from(&pb::ServerName::from(&server)).unwrap(), server);
    let bad = pb::ServerName { host_name: "h".into(), port: Some(70_000), start_code: None };
    assert!(ServerName::try_from(&bad).is_err());
    assert!(ServerName::try_from(&pb::ServerName::default()).is_err());
}

#[test]
fn namespaces_go_both_ways() {
    let configuration = vec![("k".to_owned(), "v".to_owned())];
    let message = namespace_descriptor("ns", &configuration);
    assert_eq!(decode_namespace(&message).unwrap(), ("ns".to_owned(), configuration));
    assert!(decode_namespace(&pb::NamespaceDescriptor::default()).is_err());
}
