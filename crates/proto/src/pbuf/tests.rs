use super::*;
use crate::pb;

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

/// Value of `/hbase/meta-region-server` as an HBase server writes it, metadata included.
const META_NODE: &str = "ff 00000014 6d61737465723a3236303030 3132333435363738 50425546
    0a16 0a09 3132372e302e302e31 10b0e702 1880d095ffbc31 1000 1803";

#[test]
fn a_node_is_read_with_and_without_metadata() {
    let node = unhex(META_NODE);
    for value in [&node[..], &node[25..]] {
        let message: pb::MetaRegionServer = decode_node(value, "MetaRegionServer").unwrap();
        assert_eq!(message.server.host_name, "127.0.0.1");
        assert_eq!(message.server.port, Some(46000));
        assert_eq!(message.server.start_code, Some(1_700_000_000_000));
        assert_eq!(message.rpc_version, Some(0));
        assert_eq!(message.state(), pb::region_state::State::Open);
    }
}

#[test]
fn what_is_written_equals_what_hbase_writes() {
    let node = unhex(META_NODE);
    let message: pb::MetaRegionServer = decode_node(&node, "MetaRegionServer").unwrap();
    assert_eq!(encode(&message), node[25..]);
    let salt = u64::from_be_bytes(*b"12345678");
    assert_eq!(with_metadata("master:26000", salt, &encode(&message)).unwrap(), node);
}

#[test]
fn lying_metadata_is_an_error() {
    assert_eq!(
        strip_metadata(&[0xff, 0, 0, 0, 9, 1]),
        Err(ProtoError::Metadata { declared: 9, available: 1 })
    );
    assert!(strip_metadata(&[0xff, 0xff, 0xff, 0xff, 0xff]).is_err());
    assert!(strip_metadata(&[0xff, 0, 0]).is_err());
    assert_eq!(strip_metadata(&[]), Ok(&[][..]));
}

#[test]
fn a_missing_magic_is_an_error_that_says_what_was_found() {
    assert_eq!(
        decode::<pb::ClusterId>(b"PBUX", "ClusterId"),
        Err(ProtoError::NoMagic { offset: 0, found: b"PBUX".to_vec() })
    );
    assert_eq!(
        decode_node::<pb::ClusterId>(&[0xff, 0, 0, 0, 0, b'x'], "ClusterId"),
        Err(ProtoError::NoMagic { offset: 5, found: b"x".to_vec() })
    );
    assert!(decode_shared::<pb::ClusterId>(Bytes::from_static(b"PB"), "ClusterId").is_err());
}

#[test]
fn a_torn_message_is_an_error() {
    let whole = encode(&pb::ClusterId { cluster_id: "0123".into() });
    assert!(decode::<pb::ClusterId>(&whole[..whole.len() - 1], "ClusterId").is_err());
    let delimited = encode_delimited(&pb::ClusterId { cluster_id: "0123".into() });
    assert!(decode_delimited::<pb::ClusterId>(&delimited[..delimited.len() - 1], "ClusterId").is_err());
    assert_eq!(decode_delimited::<pb::ClusterId>(&delimited, "ClusterId").unwrap().cluster_id, "0123");
}
