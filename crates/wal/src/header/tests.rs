use super::*;

#[test]
fn our_header_is_the_one_hbase_writes() {
    let golden = include_bytes!("../../../../fixtures/hbase-2.5.11/wals/plain.wal");
    assert_eq!(encoded(), golden[..0x55]);
    assert_eq!(Header::parse(golden), Header::Readable { end: 0x55 });
}

#[test]
fn every_prefix_is_unfinished_with_or_without_zeros() {
    let whole = encoded();
    for len in 0..whole.len() {
        let mut bytes = whole[..len].to_vec();
        assert_eq!(Header::parse(&bytes), Header::Unfinished, "cut at {len}");
        bytes.resize(4096, 0);
        if len == whole.len() - 1 {
            continue; // its last byte is a zero: this header is whole
        }
        assert_eq!(Header::parse(&bytes), Header::Unfinished, "zeros from {len}");
    }
}

#[test]
fn compressed_and_encrypted_logs_are_refused_by_name() {
    for (number, value, name) in
        [(HAS_COMPRESSION, 1, "dictionary compression"), (HAS_VALUE_COMPRESSION, 1, "value compression")]
    {
        let mut message = Vec::new();
        put_uint(&mut message, number, value);
        assert_eq!(Header::of_message(&message, 0), Header::Unsupported { feature: name.to_owned() });
    }
    let mut message = Vec::new();
    put_bytes(&mut message, ENCRYPTION_KEY, b"wrapped");
    assert_eq!(Header::of_message(&message, 0), Header::Unsupported { feature: "encryption".to_owned() });
    let mut message = Vec::new();
    put_bytes(&mut message, WRITER_CLASS, b"SecureProtobufLogWriter");
    assert!(matches!(Header::of_message(&message, 0), Header::Unsupported { .. }));
}

#[test]
fn garbage_is_not_a_log() {
    assert!(matches!(Header::parse(b"HBase"), Header::Invalid { .. }));
    assert!(matches!(Header::parse(b"PWAL\xff\xff\xff\xff\x0fxxxxxxxxxxxxx"), Header::Invalid { .. }));
    assert!(matches!(Header::parse(&[b"PWAL", &[0xff; 20][..]].concat()), Header::Invalid { .. }));
    assert!(matches!(Header::parse(b"PWAL\x02\xff\xff"), Header::Invalid { .. }));
}
