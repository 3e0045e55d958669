use super::*;
use finback_client::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use jiff::tz::TimeZone;

#[test]
fn times_are_those_of_java_and_ruby() {
    let at = |ms| time::local_date_time(ms, &TimeZone::UTC);
    assert_eq!(at(1_795_267_468_575), "2026-11-21T13:24:28.575");
    assert_eq!(at(1_795_267_468_000), "2026-11-21T13:24:28");
    assert_eq!(
        (at(0), at(5), at(i64::MAX)),
        ("1970-01-01T00:00".into(), "1970-01-01T00:00:00.005".into(), i64::MAX.to_string())
    );
    assert_eq!(ruby_time(1_795_267_468_575, &TimeZone::UTC), "2026-11-21 13:24:28 +0000");
}

#[test]
fn units_are_written_and_read() {
    for (seconds, shown) in [
        (i64::from(i32::MAX), "FOREVER"),
        (1, "1 SECOND"),
        (59, "59 SECONDS"),
        (86_400, "86400 SECONDS (1 DAY)"),
        (93_784, "93784 SECONDS (1 DAY 2 HOURS 3 MINUTES 4 SECONDS)"),
    ] {
        assert_eq!(pretty::ttl(&seconds.to_string()), shown);
        assert_eq!(parse_ttl(shown), Some(seconds), "{shown}");
    }
    assert_eq!(
        (parse_ttl("2 days"), parse_ttl("2 hours 1 day"), parse_ttl("x")),
        (Some(172_800), None, None)
    );
    assert_eq!(pretty::bytes("65536"), "65536 B (64KB)");
    assert_eq!(pretty::bytes("1536"), "1536 B (1KB 512B)");
    assert_eq!(
        (parse_bytes("65536 B (64KB)"), parse_bytes("1 GB"), parse_bytes("")),
        (Some(65_536), Some(1 << 30), None)
    );
}

#[test]
fn tables_and_families_are_described_as_hbase_does() {
    let f = ColumnFamilyDescriptor::with_defaults(b"f").with("TTL", "86400").with("owner", "me");
    assert_eq!(
        family(&f),
        "{NAME => 'f', INDEX_BLOCK_ENCODING => 'NONE', VERSIONS => '1', KEEP_DELETED_CELLS => 'FALSE', \
         DATA_BLOCK_ENCODING => 'NONE', TTL => '86400 SECONDS (1 DAY)', MIN_VERSIONS => '0', REPLICATION_SCOPE => '0', \
         BLOOMFILTER => 'ROW', IN_MEMORY => 'false', COMPRESSION => 'NONE', BLOCKCACHE => 'true', \
         BLOCKSIZE => '65536 B (64KB)', METADATA => {'owner' => 'me'}}"
    );
    let table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    assert_eq!(table_attributes(&table), "");
    let table = table
        .with("hbase.store.file-tracker.impl", "DEFAULT")
        .with("MAX_FILESIZE", "1073741824")
        .with("NORMALIZATION_ENABLED", "true")
        .with("READONLY", "false");
    assert_eq!(
        table_attributes(&table),
        ", {TABLE_ATTRIBUTES => {MAX_FILESIZE => '1073741824 B (1GB)', \
         METADATA => {'NORMALIZATION_ENABLED' => 'true', 'hbase.store.file-tracker.impl' => 'DEFAULT'}}}"
    );
}
