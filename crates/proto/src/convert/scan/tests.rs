use super::*;
use bytes::Bytes;

fn attribute(name: &str, value: &'static [u8]) -> pb::NameBytesPair {
    pb::NameBytesPair { name: name.to_owned(), value: Some(value.into()) }
}

#[test]
fn an_empty_scan_reads_everything() {
    let decoded = decode_scan(pb::Scan::default()).unwrap();
    assert_eq!(decoded.scan, Scan::default());
    assert_eq!((decoded.batch, decoded.max_result_size, decoded.filter), (None, None, None));
}

#[test]
fn attributes_count() {
    let scan = |attributes: Vec<_>| {
        decode_scan(pb::Scan { attribute: attributes, ..Default::default() }).unwrap().scan
    };
    assert!(scan(vec![attribute("_raw_", b"\xff")]).raw);
    assert!(!scan(vec![attribute("_raw_", b"\0")]).raw);
    assert!(!scan(vec![attribute("_raw_", b"")]).raw);
    assert!(!scan(vec![attribute("_isolationlevel_", b"\0")]).read_uncommitted);
    assert!(scan(vec![attribute("_isolationlevel_", b"\x01")]).read_uncommitted);
    assert!(scan(vec![attribute("_raw_", b"\0"), attribute("_raw_", b"\xff")]).raw);
}

#[test]
fn a_scan_says_whether_families_are_loaded_on_demand_or_leaves_it_to_the_server() {
    for said in [None, Some(false), Some(true)] {
        let scan = pb::Scan { load_column_families_on_demand: said, ..Default::default() };
        assert_eq!(decode_scan(scan).unwrap().scan.load_column_families_on_demand, said);
    }
}

#[test]
fn equal_rows_without_the_flag_mean_that_row() {
    let row = Some(Bytes::from_static(b"r"));
    let scan = pb::Scan { start_row: row.clone(), stop_row: row, ..Default::default() };
    assert!(decode_scan(scan.clone()).unwrap().scan.include_stop_row);
    let excluded = pb::Scan { include_stop_row: Some(false), ..scan };
    assert!(!decode_scan(excluded).unwrap().scan.include_stop_row);
}

#[test]
fn limits_of_zero_are_none() {
    let scan = pb::Scan {
        batch_size: Some(0),
        max_result_size: Some(0),
        caching: Some(0),
        mvcc_read_point: Some(0),
        ..Default::default()
    };
    let decoded = decode_scan(scan).unwrap();
    assert_eq!((decoded.batch, decoded.max_result_size, decoded.caching), (None, None, None));
    assert_eq!(decoded.scan.read_point, None);
}

#[test]
fn an_endless_row_is_an_error() {
    let row = Some(Bytes::from(vec![0; MAX_SCAN_ROW_LENGTH + 1]));
    assert!(decode_scan(pb::Scan { start_row: row.clone(), ..Default::default() }).is_err());
    assert!(decode_scan(pb::Scan { stop_row: row, ..Default::default() }).is_err());
}
