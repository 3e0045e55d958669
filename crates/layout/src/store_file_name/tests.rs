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
    assert_eq!(StoreFileName::parse(&format!("{HEX}.{region}")), Some(StoreFileName::Reference));
    assert_eq!(StoreFileName::parse(&format!("t1={region}-{HEX}")), Some(StoreFileName::Link));
    assert_eq!(StoreFileName::parse(&format!("ns1=t1={region}-{HEX}")), Some(StoreFileName::Link));
    let mob = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611";
    assert_eq!(StoreFileName::parse(&format!("ns1=t1={region}-{mob}_{region}")), Some(StoreFileName::Link));
    let of_link = format!("ns1=t1={region}-{HEX}.{region}");
    assert_eq!(StoreFileName::parse(&of_link), Some(StoreFileName::Reference));
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
