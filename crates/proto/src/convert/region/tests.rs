use super::*;
use crate::pbuf;
use bytes::Bytes;

fn region(table: &str, start: &'static [u8], id: u64) -> RegionInfo {
    RegionInfo::new(TableName::parse(table.as_bytes()).unwrap(), start.into(), Bytes::new(), id)
}

#[test]
fn a_region_is_written_as_hbase_writes_it() {
    let expected = "5042554608 80d095ffbc31 120d 0a07 64656661756c74 1202 7431 1a01 6d 2200 2800 3000 3800";
    let hex: String = pbuf::encode(&pb::RegionInfo::from(&region("t1", b"m", 1_700_000_000_000)))
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    assert_eq!(hex, expected.replace(' ', ""));
}

#[test]
fn regions_go_both_ways() {
    let mut info = region("ns:t", b"a,b.c", 7);
    info.end_key = Bytes::from_static(b"z");
    info.split = true;
    info.offline = true;
    info.replica_id = 2;
    assert_eq!(RegionInfo::try_from(&pb::RegionInfo::from(&info)).unwrap(), info);
    let bad = pb::RegionInfo { replica_id: Some(-1), ..pb::RegionInfo::from(&info) };
    assert!(RegionInfo::try_from(&bad).is_err());
    assert!(RegionInfo::try_from(&pb::RegionInfo::default()).is_err());
}

#[test]
fn both_names_lead_to_the_encoded_name() {
    for info in [region("t1", b"m", 1_700_000_000_000), region("t1", b"a.b,c", 5), RegionInfo::meta()] {
        let encoded = info.encoded_name();
        assert_eq!(encoded_name(&specifier_by_name(&info)).unwrap(), encoded.as_bytes());
        assert_eq!(encoded_name(&specifier_by_encoded_name(&info)).unwrap(), encoded.as_bytes());
    }
}

#[test]
fn the_name_of_a_replica_leads_to_its_region() {
    for info in [region("t1", b"m", 1_700_000_000_000), region("t1", b"a.b,c_0002", 5), RegionInfo::meta()] {
        assert_eq!(primary_of_replica(&info.name()), None);
        for id in [1, 2, 0x1F] {
            let name = info.replica(id).name();
            assert_eq!(primary_of_replica(&name), Some((info.encoded_name(), id)));
        }
    }
    for odd in [&b""[..], b".", b"_0001", b"t,,1_000g", b"t,,1_0000"] {
        assert!(primary_of_replica(odd).is_none_or(|(_, id)| id > 0), "{odd:?}");
    }
}

#[test]
fn strange_names_are_not_found_rather_than_fatal() {
    let named = |value: &'static [u8]| pb::RegionSpecifier { r#type: 1, value: value.into() };
    for odd in [&b"."[..], b"x", b"t,,1.short.", b"t1,m,1700000000000x940359fa5dccd7cdcd7a148f2f568482."] {
        assert_eq!(encoded_name(&named(odd)).unwrap(), odd);
    }
    assert!(encoded_name(&named(b"")).is_err());
    assert!(encoded_name(&pb::RegionSpecifier { r#type: 9, value: "x".into() }).is_err());
}
