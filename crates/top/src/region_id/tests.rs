use super::*;
use finback_client::{Bytes, RegionInfo, TableName};
use proptest::prelude::*;

fn read(name: &[u8]) -> RegionId {
    let kind = messages::region_specifier::RegionSpecifierType::RegionName;
    RegionId::of(&messages::RegionSpecifier { r#type: kind.into(), value: Bytes::copy_from_slice(name) })
}

#[test]
fn all_parts_of_a_name_are_found() {
    let table = TableName::parse(b"garden:flowers").unwrap();
    let region = RegionInfo::new(table, Bytes::from_static(b"a,\x01b"), Bytes::new(), 1_700_000_000_123);
    let id = read(&region.name());
    assert_eq!((&*id.table.namespace, &*id.table.qualifier), ("garden", "flowers"));
    assert_eq!(id.start_key, "a,\\x01b");
    assert_eq!(id.start_code, "1700000000123");
    assert_eq!(id.replica_id, "");
    assert_eq!(id.encoded_name, region.encoded_name());

    let replica = region.replica(18);
    let id = read(&replica.name());
    assert_eq!((id.start_code.as_str(), id.replica_id.as_str()), ("1700000000123", "18"));
    assert_eq!(id.encoded_name, replica.encoded_name());
}

#[test]
fn the_region_of_meta_has_its_own_encoded_name() {
    let id = read(b"hbase:meta,,1");
    assert_eq!(&*id.table.full, "hbase:meta");
    assert_eq!((id.start_code.as_str(), id.encoded_name.as_str()), ("1", "1588230740"));
}

#[test]
fn tables_of_the_default_namespace_are_named_without_it() {
    let id = read(b"t,,5.0123456789abcdef0123456789abcdef.");
    assert_eq!((&*id.table.namespace, &*id.table.qualifier, &*id.table.full), ("default", "t", "default:t"));
}

proptest! {
    #[test]
    fn any_bytes_are_a_name_of_sorts(name in proptest::collection::vec(any::<u8>(), 0..60)) {
        let id = read(&name);
        prop_assert_eq!(&*id.name, StringBinary(&name).to_string());
    }
}
