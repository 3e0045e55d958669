use super::*;

const HEX: &str = "576d886d16ff4d8e996c75d842dfbf8b";

#[test]
fn plain_names() {
    assert_eq!(StoreFileName::parse(HEX), Some(StoreFileName::Plain));
    assert_eq!(StoreFileName::parse("0"), Some(StoreFileName::Plain));
    assert_eq!(StoreFileName::parse(&format!("{HEX}_del")), Some(StoreFileName::Plain));
}

#[test]
fn bulk_loaded_names_carry_a_sequence_id() {
    let name = format!("{HEX}_SeqId_58_");
    assert_eq!(StoreFileName::parse(&name), Some(StoreFileName::BulkLoaded { sequence_id: 58 }));
    for bad in
        ["_SeqId__", "_SeqId_-1_", "_SeqId_+1_", "_SeqId_1", "_SeqId_99999999999999999999_", "_seqid_1_"]
    {
        assert_eq!(StoreFileName::parse(&format!("{HEX}{bad}")), None, "{bad}");
    }
}

#[test]
fn references_and_links() {
    let region = "b7c00b964376cff158bc7760d715d840";
    let mob = format!("d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_{region}");
    let reference = |name: &str, file: &str| {
        assert_eq!(StoreFileName::parse(name), Some(StoreFileName::Reference { file, region }), "{name}");
    };
    reference(&format!("{HEX}.{region}"), HEX);
    reference(&format!("ns1=t1={region}-{HEX}.{region}"), &format!("ns1=t1={region}-{HEX}"));
    let link = |name: &str, namespace: &str, table: &str, file: &str| {
        let table = TableName::new(namespace.as_bytes(), table.as_bytes()).unwrap();
        let link = FileLink { table, region, file };
        assert_eq!(link.to_string(), name);
        assert_eq!(StoreFileName::parse(name), Some(StoreFileName::Link(link)), "{name}");
    };
    link(&format!("t1={region}-{HEX}"), "default", "t1", HEX);
    link(&format!("a.b-c={region}-{HEX}"), "default", "a.b-c", HEX);
    link(&format!("ns1=t1={region}-{HEX}"), "ns1", "t1", HEX);
    link(&format!("ns1=t1={region}-{mob}"), "ns1", "t1", &mob);
}

#[test]
fn what_was_bulk_loaded_stays_so_where_it_is_referred_to() {
    let region = "b7c00b964376cff158bc7760d715d840";
    let sequence_id = |name: &str| StoreFileName::parse(name).unwrap().bulk_sequence_id();
    assert_eq!(sequence_id(HEX), None);
    assert_eq!(sequence_id(&format!("{HEX}_SeqId_58_")), Some(58));
    assert_eq!(sequence_id(&format!("{HEX}_SeqId_58_.{region}")), Some(58));
    assert_eq!(sequence_id(&format!("t1={region}-{HEX}_SeqId_58_")), Some(58));
    assert_eq!(sequence_id(&format!("t1={region}-{HEX}_SeqId_58_.{region}")), Some(58));
}

#[test]
fn other_names_are_none() {
    for name in ["", ".tmp", "ABC", "x", "576d.tmp", ".", "..", "=", "-", "a=b-c", "..576d"] {
        assert_eq!(StoreFileName::parse(name), None, "{name}");
    }
    let region = "b7c00b964376cff158bc7760d715d840";
    let twice = format!("{HEX}.{region}.{region}");
    assert_eq!(StoreFileName::parse(&twice), None, "a reference to a reference does not exist");
}

#[test]
fn new_names_are_32_hex_digits_and_differ() {
    let (a, b) = (new_store_file_name().unwrap(), new_store_file_name().unwrap());
    assert_eq!(a.len(), 32);
    assert_eq!(StoreFileName::parse(&a), Some(StoreFileName::Plain));
    assert_ne!(a, b);
}
