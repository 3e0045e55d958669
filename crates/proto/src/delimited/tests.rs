use super::*;
use crate::pb;

fn cluster_id(text: &str) -> pb::ClusterId {
    pb::ClusterId { cluster_id: text.to_owned() }
}

#[test]
fn messages_follow_one_another() {
    let mut out = Vec::new();
    encode_delimited(&cluster_id("a"), &mut out);
    encode_delimited(&cluster_id(&"b".repeat(300)), &mut out);
    let mut data = Bytes::from(out);
    assert_eq!(decode_delimited::<pb::ClusterId>(&mut data, "ClusterId").unwrap().cluster_id, "a");
    assert_eq!(
        decode_delimited::<pb::ClusterId>(&mut data, "ClusterId").unwrap().cluster_id,
        "b".repeat(300)
    );
    assert!(data.is_empty());
}

#[test]
fn a_length_beyond_the_data_is_an_error() {
    assert_eq!(
        read_length(&[9, 0x05, 1, 2], 1),
        Err(ProtoError::Length { offset: 1, declared: 5, available: 2 })
    );
    assert_eq!(
        read_length(&[0xff, 0xff, 0xff, 0xff, 0x0f], 0),
        Err(ProtoError::Length { offset: 0, declared: 0xffff_ffff, available: 0 })
    );
}

#[test]
fn what_is_too_short_is_taken_to_its_end_on_demand() {
    let take = |data: &'static [u8]| take_delimited_or_rest(&mut Bytes::from_static(data));
    assert_eq!(take(&[5, 1, 2]).unwrap()[..], [1, 2]);
    assert_eq!(take(&[1, 1, 2]).unwrap()[..], [1]);
    assert_eq!(take(&[0xff, 0xff, 0xff, 0xff, 0x07]).unwrap()[..], []);
    assert_eq!(
        take(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]),
        Err(ProtoError::Length { offset: 0, declared: 0xffff_ffff, available: 1 })
    );
}

#[test]
fn an_endless_or_torn_varint_is_an_error() {
    for bad in [&[0x80u8; 20][..], &[0x80], &[], &[0xff, 0xff, 0xff, 0xff, 0x1f]] {
        assert_eq!(read_length(bad, 0), Err(ProtoError::Varint { offset: 0 }), "{bad:02x?}");
    }
    assert_eq!(read_length(&[1], 7), Err(ProtoError::Varint { offset: 7 }));
}

#[test]
fn written_lengths_are_read_again() {
    for length in [0usize, 1, 127, 128, 16383, 16384, 70_000] {
        let mut out = Vec::new();
        write_length(length, &mut out);
        let start = out.len();
        out.resize(start + length, 0);
        assert_eq!(read_length(&out, 0), Ok((length, start)));
    }
}
