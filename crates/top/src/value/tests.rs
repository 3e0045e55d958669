use super::*;

fn written(kind: FieldType, text: &str) -> Option<String> {
    Value::parse(kind, text).map(|value| value.to_string())
}

#[test]
fn values_are_written_as_hbase_writes_them() {
    let sizes = [0, 1023, 1024, 1536, 5 << 20, 1 << 30, 3 << 50, u64::MAX];
    let written = sizes.map(|bytes| Value::Size(bytes).to_string());
    assert_eq!(written, ["0.0B", "1023.0B", "1.0KB", "1.5KB", "5.0MB", "1.0GB", "3.0PB", "16384.0PB"]);
    assert_eq!(Value::Ratio(1.0).to_string(), "1.0");
    assert_eq!(Value::Ratio(0.25).to_string(), "0.25");
    assert_eq!(Value::Percent(33.333).to_string(), "33.33%");
    assert_eq!(Value::Number(12_345).to_string(), "12345");
}

#[test]
fn what_is_written_can_be_read() {
    assert_eq!(written(FieldType::Size, "1.5KB").as_deref(), Some("1.5KB"));
    assert_eq!(written(FieldType::Size, "2048").as_deref(), Some("2.0KB"));
    assert_eq!(written(FieldType::Size, "3 gb").as_deref(), Some("3.0GB"));
    assert_eq!(written(FieldType::Percent, "12.5%").as_deref(), Some("12.50%"));
    assert_eq!(written(FieldType::Percent, "12.5").as_deref(), Some("12.50%"));
    assert_eq!(written(FieldType::Ratio, "0.5").as_deref(), Some("0.5"));
    assert_eq!(written(FieldType::Number, " 7 ").as_deref(), Some("7"));
    assert_eq!(written(FieldType::Text, " 7 ").as_deref(), Some(" 7 "));
}

#[test]
fn what_is_no_value_of_the_type_is_refused() {
    for text in ["", "x", "-1", "1.5", "99999999999999999999"] {
        assert_eq!(Value::parse(FieldType::Number, text), None, "{text}");
    }
    for text in ["", "MB", "1XB", "-1KB", "nan", "inf", "1e999", "é"] {
        assert_eq!(Value::parse(FieldType::Size, text), None, "{text}");
    }
    for text in ["", "%", "inf", "NaN%"] {
        assert_eq!(Value::parse(FieldType::Percent, text), None, "{text}");
    }
}

#[test]
fn values_are_compared_by_their_type() {
    let compare = |kind, one: &str, other: &str| {
        Value::parse(kind, one).unwrap().compare(&Value::parse(kind, other).unwrap(), false)
    };
    assert_eq!(compare(FieldType::Number, "9", "10"), Ordering::Less);
    assert_eq!(compare(FieldType::Text, "9", "10"), Ordering::Greater);
    assert_eq!(compare(FieldType::Size, "1GB", "1023.9MB"), Ordering::Greater);
    assert_eq!(compare(FieldType::Ratio, "0.5", "0.50"), Ordering::Equal);
    let (one, other) = (Value::Text("Äpfel".into()), Value::Text("äPFEL".into()));
    assert_eq!(one.compare(&other, true), Ordering::Equal);
    assert_ne!(one.compare(&other, false), Ordering::Equal);
}
