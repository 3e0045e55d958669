use super::*;
use finback_cell::{CellBlockBuilder, cell::CellParts};

fn row(key: &[u8], cells: &[(&str, &str, &[u8])]) -> CellBlock {
    let mut block = CellBlockBuilder::with_capacity(0);
    for (family, qualifier, value) in cells {
        block.push_parts(&CellParts {
            row: key,
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            timestamp: 7,
            type_code: 4,
            value,
            tags: &[],
        });
    }
    block.finish()
}

fn region(start: &'static str) -> RegionInfo {
    RegionInfo::new(TableName::parse(b"t").unwrap(), start.into(), "".into(), 1_700_000_000_000)
}

fn bytes(region: &RegionInfo) -> Vec<u8> {
    pbuf::encode(&pb::RegionInfo::from(region))
}

#[test]
fn a_region_row_is_read() {
    let (info, parent) = (region(""), region("p"));
    let cells: [(&str, &str, &[u8]); 6] = [
        ("info", "merge0000", &bytes(&parent)),
        ("info", "regioninfo", &bytes(&info)),
        ("info", "seqnumDuringOpen", &9i64.to_be_bytes()),
        ("info", "server", b"host:16020"),
        ("info", "serverstartcode", &77i64.to_be_bytes()),
        ("info", "state", b"OPEN"),
    ];
    let Some(MetaRow::Region(read)) = decode(&row(&info.name(), &cells)).unwrap() else { panic!() };
    assert_eq!(read.server.unwrap().to_string(), "host,16020,77");
    assert_eq!((read.state, read.open_seq_num), (RegionState::Open, 9));
    assert_eq!(read.merged_from, [parent.encoded_name()]);
    assert_eq!(read.info, info);
}

#[test]
fn a_table_row_is_read() {
    let read = decode(&row(b"ns:t", &[("table", "state", &[8, 1])])).unwrap();
    let table = TableName::parse(b"ns:t").unwrap();
    assert_eq!(read, Some(MetaRow::Table { table, state: TableState::Disabled }));
}

#[test]
fn rows_of_other_things_are_passed_over() {
    assert_eq!(decode(&row(b"ns", &[("ns", "d", b"x")])).unwrap(), None);
    assert_eq!(decode(&row(b"t", &[])).unwrap(), None);
}

#[test]
fn a_region_whose_row_does_not_say_what_it_is_is_remembered() {
    let info = region("");
    let mut contents = MetaContents::default();
    contents.add(&row(&info.name(), &[("info", "state", b"OPEN")]));
    contents.add(&row(b"t", &[]));
    contents.add(&row(b"t", &[("info", "server", b"x")]));
    assert_eq!(contents.nameless, [(info.table.clone(), info.encoded_name())]);
    assert!(contents.rows.is_empty() && contents.damage.is_none());
}

#[test]
fn damage_is_an_error_with_its_row() {
    let info = region("");
    let wrong_row = row(b"t,,5.abc.", &[("info", "regioninfo", &bytes(&info))]);
    assert!(decode(&wrong_row).unwrap_err().contains("info:regioninfo is that of"));
    for value in [&b"PBUF\xff"[..], b"", b"nothing"] {
        assert!(decode(&row(&info.name(), &[("info", "regioninfo", value)])).is_err());
    }
    let good = bytes(&info);
    let bad_parent = row(&info.name(), &[("info", "merge0000", b"x"), ("info", "regioninfo", &good)]);
    assert!(decode(&bad_parent).unwrap_err().contains("merge0000"));
    assert!(decode(&row(b"t", &[("table", "state", &[8, 99])])).is_err());
    assert!(decode(&row(b"-t", &[("table", "state", &[8, 0])])).is_err());
    let mut contents = MetaContents::default();
    contents.add(&bad_parent);
    assert!(contents.damage.is_some());
    assert_eq!(contents.newest_timestamp, 7);
}
