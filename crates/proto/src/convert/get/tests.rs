use super::*;
use bytes::Bytes;
use prost::Message;

fn column(family: &'static str, qualifiers: &[&'static str]) -> pb::Column {
    pb::Column { family: family.into(), qualifier: qualifiers.iter().map(|&q| q.into()).collect() }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

#[test]
fn the_get_of_a_real_client_is_understood() {
    let bytes = unhex("0a02 7231 2a0c 0800 10ffffffffffffffff7f 3001 3801 7800");
    let decoded = decode_get(pb::Get::decode(&bytes[..]).unwrap()).unwrap();
    let expected = Get::new(Bytes::from_static(b"r1"));
    assert_eq!(
        decoded,
        DecodedGet { get: expected, filter: None, closest_row_before: false, timeline: false }
    );
}

#[test]
fn columns_are_merged_and_sorted() {
    let get = pb::Get {
        row: "r".into(),
        column: vec![
            column("g", &["b", "a", "b"]),
            column("f", &[]),
            column("g", &["0"]),
            column("f", &["x"]),
            column("h", &["x"]),
            column("h", &[]),
        ],
        ..Default::default()
    };
    let families = decode_get(get).unwrap().get.scan.families;
    let wanted = |at: usize| (&families[at].family[..], families[at].qualifiers.clone());
    assert_eq!(families.len(), 3);
    assert_eq!(wanted(0), (&b"f"[..], Some(vec!["x".into()])), "columns behind the whole family");
    assert_eq!(wanted(1), (&b"g"[..], Some(vec!["0".into(), "a".into(), "b".into()])));
    assert_eq!(wanted(2), (&b"h"[..], None), "the whole family behind a column");
}

#[test]
fn filters_and_time_ranges_of_families_are_handed_on() {
    let get = pb::Get {
        row: "r".into(),
        filter: Some(Box::new(pb::Filter { name: "F".into(), serialized_filter: Some("x".into()) })),
        cf_time_range: vec![pb::ColumnFamilyTimeRange {
            column_family: "f".into(),
            time_range: pb::TimeRange { from: Some(2), to: Some(5) },
        }],
        existence_only: Some(true),
        ..Default::default()
    };
    let decoded = decode_get(get).unwrap();
    assert_eq!(decoded.filter, Some(SerializedFilter { name: "F".into(), bytes: "x".into() }));
    assert_eq!(decoded.get.scan.time_range_of(b"f").min, 2);
    assert!(decoded.get.existence_only);
}

#[test]
fn of_several_time_ranges_of_a_family_the_last_one_counts() {
    let times = |family: &'static str, from| pb::ColumnFamilyTimeRange {
        column_family: family.into(),
        time_range: pb::TimeRange { from: Some(from), to: Some(9) },
    };
    let cf_time_range = vec![times("g", 1), times("f", 2), times("g", 3), times("f", 4)];
    let get = pb::Get { row: "r".into(), cf_time_range, ..Default::default() };
    let scan = decode_get(get).unwrap().get.scan;
    let of = |family: &str| scan.time_range_of(family.as_bytes()).min;
    assert_eq!((of("f"), of("g"), scan.family_time_ranges.len()), (4, 3, 2));
}

#[test]
fn malformed_gets_are_errors() {
    let get = pb::Get { row: "r".into(), ..Default::default() };
    assert!(decode_get(pb::Get::default()).is_err());
    assert!(decode_get(pb::Get { row: vec![0; MAX_ROW_LENGTH + 1].into(), ..get.clone() }).is_err());
    for versions in [0, u32::MAX] {
        assert!(decode_get(pb::Get { max_versions: Some(versions), ..get.clone() }).is_err());
    }
    let backwards = Some(Box::new(pb::TimeRange { from: Some(2), to: Some(1) }));
    assert!(decode_get(pb::Get { time_range: backwards, ..get }).is_err());
}
