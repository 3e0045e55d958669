use finback_client::messages;

fn shown(name: &str, message: &impl prost::Message) -> String {
    super::message(&format!("type.googleapis.com/hbase.pb.{name}"), &message.encode_to_vec().into())
        .to_string()
}

#[test]
fn fields_are_shown_in_the_order_of_their_numbers() {
    let table = messages::TableName { namespace: b"default"[..].into(), qualifier: b"t1"[..].into() };
    assert_eq!(shown("TableName", &table), r#"{"namespace"=>"ZGVmYXVsdA==", "qualifier"=>"dDE="}"#);
    let server =
        messages::ServerName { host_name: "rs1".to_owned(), port: Some(16020), start_code: Some(1 << 40) };
    assert_eq!(
        shown("ServerName", &server),
        r#"{"hostName"=>"rs1", "port"=>16020, "startCode"=>"1099511627776"}"#
    );
    let state = messages::StateMachineProcedureData { state: vec![1, 2, 1 << 31] };
    assert_eq!(shown("StateMachineProcedureData", &state), r#"{"state"=>[1, 2, 2147483648]}"#);
    let nested = messages::ProcedureDescription {
        signature: "s".to_owned(),
        configuration: vec![messages::NameStringPair { name: "n".to_owned(), value: "v".to_owned() }],
        ..messages::ProcedureDescription::default()
    };
    assert_eq!(
        shown("ProcedureDescription", &nested),
        r#"{"signature"=>"s", "configuration"=>[{"name"=>"n", "value"=>"v"}]}"#
    );
}

#[test]
fn what_cannot_be_read_is_shown_as_it_is() {
    let url = "type.googleapis.com/hbase.pb.NoSuchMessage";
    assert_eq!(
        super::message(url, &b"abcd"[..].into()).to_string(),
        format!(r#"{{"@type"=>"{url}", "value"=>"YWJjZA=="}}"#)
    );
    // A length that is longer than what is there.
    let url = "type.googleapis.com/hbase.pb.TableName";
    let broken = super::message(url, &b"\x0a\x7fx"[..].into()).to_string();
    assert!(broken.contains("@type"), "{broken}");
}
