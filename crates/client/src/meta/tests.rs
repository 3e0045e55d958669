use super::*;
use bytes::Bytes;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;
use finback_cell::{CellType, TableName};

fn row(columns: &[(&str, Vec<u8>)]) -> Row {
    let mut columns = columns.to_vec();
    columns.sort();
    let mut cells = CellBlockBuilder::default();
    for (qualifier, value) in &columns {
        cells.push_parts(&CellParts {
            row: b"t,,1.abc.",
            family: b"info",
            qualifier: qualifier.as_bytes(),
            timestamp: 1,
            type_code: CellType::Put.code(),
            value,
            tags: &[],
        });
    }
    Row::new(cells.finish(), false, false)
}

fn table() -> TableName {
    TableName::parse(b"t").unwrap()
}

#[test]
fn a_row_of_a_region_tells_its_servers_and_state() {
    let info = RegionInfo::new(table(), Bytes::new(), Bytes::from_static(b"m"), 1_700_000_000_000);
    let row = row(&[
        ("regioninfo", pbuf::encode(&pb::RegionInfo::from(&info))),
        ("server", b"host:16020".to_vec()),
        ("serverstartcode", 5i64.to_be_bytes().to_vec()),
        ("seqnumDuringOpen", 9i64.to_be_bytes().to_vec()),
        ("state", b"OPEN".to_vec()),
        ("server_0002", b"other:16021".to_vec()),
        ("serverstartcode_0002", 6i64.to_be_bytes().to_vec()),
    ]);
    let region = MetaRegion::of_row(&row).unwrap();
    let server = ServerName { host: "host".into(), port: 16020, start_code: 5 };
    let other = ServerName { host: "other".into(), port: 16021, start_code: 6 };
    assert_eq!(region.state, Some(RegionState::Open));
    assert_eq!(region.replicas, [(0, Some(server.clone()), 9), (2, Some(other), -1)]);
    let location = region.location().unwrap();
    assert_eq!((location.region(), location.server(), location.seq_num()), (&info, &server, 9));
    assert_eq!(location.replicas()[0].region().replica_id, 2);
}

#[test]
fn rows_that_are_no_regions_are_none_and_regions_without_server_are_nowhere() {
    assert_eq!(MetaRegion::of_row(&row(&[("server", b"host:1".to_vec())])), None);
    assert_eq!(MetaRegion::of_row(&row(&[("regioninfo", b"garbage".to_vec())])), None);
    let info = RegionInfo::new(table(), Bytes::new(), Bytes::new(), 1);
    let nowhere =
        row(&[("regioninfo", pbuf::encode(&pb::RegionInfo::from(&info))), ("server", b"what".to_vec())]);
    assert_eq!(MetaRegion::of_row(&nowhere).unwrap().location(), None);
}

#[test]
fn look_ups_begin_behind_the_row_and_end_at_the_table() {
    let up = query::containing(&table(), b"r");
    assert_eq!((&up.start[..], &up.stop[..]), (&b"t,r,99999999999999"[..], &b"t,,"[..]));
    assert_eq!(query::before(&table(), b"").start, b"t\0");
    assert_eq!(query::before(&table(), b"r").start, b"t,r,00000000000000");
}
