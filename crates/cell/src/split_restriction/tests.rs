use super::*;
use crate::TableName;
use crate::schema::set_entry;

fn border(server: &SplitRestriction, attributes: &[(&str, &str)], row: &'static str) -> Bytes {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    attributes.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
    server.border(&table, Bytes::from_static(row.as_bytes()))
}

#[test]
fn rows_of_a_prefix_stay_together_where_a_table_wants_it() {
    let none = SplitRestriction::default();
    assert_eq!(border(&none, &[], "abc"), "abc");
    let prefix = [(TYPE, "KeyPrefix"), (PREFIX_LENGTH, "2")];
    assert_eq!(border(&none, &prefix, "abc"), "ab");
    assert_eq!(border(&none, &prefix, "a"), "a");
    let delimited = [(TYPE, "DelimitedKeyPrefix"), (DELIMITER, "__")];
    assert_eq!(border(&none, &delimited, "a_b__c__d"), "a_b");
    assert_eq!(border(&none, &delimited, "abc"), "abc");
    assert_eq!(border(&none, &delimited, "__c"), "");
}

#[test]
fn restrictions_that_make_no_sense_are_none() {
    let none = SplitRestriction::default();
    for attributes in [
        &[(TYPE, "KeyPrefix")][..],
        &[(TYPE, "KeyPrefix"), (PREFIX_LENGTH, "0")],
        &[(TYPE, "KeyPrefix"), (PREFIX_LENGTH, "-3")],
        &[(TYPE, "KeyPrefix"), (PREFIX_LENGTH, "two")],
        &[(TYPE, "DelimitedKeyPrefix")],
        &[(TYPE, "com.example.Own"), (PREFIX_LENGTH, "2")],
    ] {
        assert_eq!(border(&none, attributes, "abc"), "abc", "{attributes:?}");
    }
}

#[test]
fn what_a_table_does_not_say_the_server_does() {
    let server = SplitRestriction {
        kind: "DelimitedKeyPrefix".into(),
        prefix_length: "1".into(),
        delimiter: "_".into(),
    };
    assert_eq!(border(&server, &[], "ab_c"), "ab");
    assert_eq!(border(&server, &[(DELIMITER, "")], "ab_c"), "ab");
    assert_eq!(border(&server, &[(TYPE, "KeyPrefix")], "ab_c"), "a");
    assert_eq!(border(&server, &[(TYPE, "None")], "ab_c"), "ab_c");
}
