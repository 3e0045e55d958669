use super::*;

fn region(table: &[u8], start: &'static [u8], id: u64) -> RegionInfo {
    RegionInfo::new(TableName::parse(table).unwrap(), Bytes::from_static(start), Bytes::new(), id)
}

/// Names observed in a real HBase.
#[test]
fn names_are_those_of_hbase() {
    let plain = region(b"t1", b"m", 1_700_000_000_000);
    assert_eq!(&plain.name()[..], b"t1,m,1700000000000.940359fa5dccd7cdcd7a148f2f568482.");
    assert_eq!(plain.encoded_name(), "940359fa5dccd7cdcd7a148f2f568482");
    let replica = RegionInfo { replica_id: 1, ..plain };
    assert_eq!(&replica.name()[..], b"t1,m,1700000000000_0001.537167e79ff421373660bfdf980ed423.");
    let other = region(b"ns:t2", b"", 1_700_000_000_000);
    assert_eq!(&other.name()[..], b"ns:t2,,1700000000000.13704dc5b413cce35f31f51119cfc1ee.");
    assert_eq!(&RegionInfo::meta().name()[..], b"hbase:meta,,1");
    assert_eq!(RegionInfo::meta().encoded_name(), "1588230740");
}

#[test]
fn a_region_contains_its_start_and_not_its_end() {
    let region = RegionInfo::new(TableName::meta(), Bytes::from_static(b"b"), Bytes::from_static(b"d"), 1);
    let inside: Vec<bool> =
        [&b"a"[..], b"b", b"c\xff", b"d"].iter().map(|row| region.contains_row(row)).collect();
    assert_eq!(inside, [false, true, true, false]);
}
