use super::*;
use serde_json::{Value, json};

#[test]
fn a_span_is_written_as_opentelemetry_wants_it() {
    let mut span = Span {
        trace_id: [0xab; 16],
        span_id: [1; 8],
        parent: Some([0x0f; 8]),
        name: "ClientService/\"Get\"".to_owned(),
        start_ns: 1,
        end_ns: u64::MAX,
        attributes: vec![
            ("text", Attribute::Text("a\nb".into())),
            ("name", Attribute::Name("hbase")),
            ("texts", Attribute::Texts(vec!["a".into(), "b".into()])),
            ("none", Attribute::Texts(Vec::new())),
            ("count", Attribute::Count(u64::MAX)),
            ("number", Attribute::Number(0.5)),
            ("flag", Attribute::Flag(true)),
        ],
        error: Some("org.x.E".to_owned()),
    };
    let written = |span: &Span| {
        let mut out = String::new();
        span.write(&mut out);
        serde_json::from_str::<Value>(&out).unwrap()
    };
    let attribute = |key: &str, value: Value| json!({"key": key, "value": value});
    assert_eq!(
        written(&span),
        json!({
            "traceId": "ab".repeat(16),
            "spanId": "01".repeat(8),
            "parentSpanId": "0f".repeat(8),
            "name": "ClientService/\"Get\"",
            "kind": 2,
            "startTimeUnixNano": "1",
            "endTimeUnixNano": u64::MAX.to_string(),
            "attributes": [
                attribute("text", json!({"stringValue": "a\nb"})),
                attribute("name", json!({"stringValue": "hbase"})),
                attribute("texts", json!({"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}})),
                attribute("none", json!({"arrayValue": {"values": []}})),
                attribute("count", json!({"intValue": i64::MAX.to_string()})),
                attribute("number", json!({"doubleValue": 0.5})),
                attribute("flag", json!({"boolValue": true})),
            ],
            "status": {"code": 2, "message": "org.x.E"},
        })
    );
    (span.parent, span.error) = (None, None);
    span.attributes.clear();
    let plain = written(&span);
    assert_eq!((&plain["attributes"], &plain["status"]), (&json!([]), &json!({})));
    assert!(plain.get("parentSpanId").is_none());
}
