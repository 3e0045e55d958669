use super::*;

/// Bytes of a hex dump with spaces.
fn hex(dump: &str) -> Vec<u8> {
    let digits: Vec<u8> = dump.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// As sent by a stock client when it opens a session.
const CONNECT_REQUEST: &str = "0000002d 00000000 0000000000000000 00015f90 0000000000000000 00000010 00000000000000000000000000000000 00";

/// As accepted by that client.
const CONNECT_RESPONSE: &str =
    "00000025 00000000 00015f90 0001000000000001 00000010 00000000000000000000000000000000 00";

/// As sent by a stock client that looks for the cluster id.
const GET_DATA_HBASEID: &str = "0000001b 00000001 00000004 0000000e 2f68626173652f68626173656964 00";

#[test]
fn the_captured_connect_request_is_read() {
    let frame = hex(CONNECT_REQUEST);
    assert_eq!(frame_length(&frame, 1024).unwrap(), Some(frame.len() - 4));
    let request = ConnectRequest::decode(&frame[4..]).unwrap();
    assert_eq!(request, ConnectRequest { timeout_ms: 90_000, session_id: 0, has_read_only_flag: true });
}

#[test]
fn a_connect_request_of_an_old_client_lacks_the_read_only_flag() {
    let frame = hex(CONNECT_REQUEST);
    let request = ConnectRequest::decode(&frame[4..frame.len() - 1]).unwrap();
    assert!(!request.has_read_only_flag);
    let mut out = BytesMut::new();
    put_connect_response(&mut out, 90_000, 1, false);
    assert_eq!(out.len(), 4 + 36);
}

#[test]
fn the_connect_response_is_byte_for_byte_the_captured_one() {
    let mut out = BytesMut::new();
    put_connect_response(&mut out, 90_000, 0x0001_0000_0000_0001, true);
    assert_eq!(out[..], hex(CONNECT_RESPONSE)[..]);
}

#[test]
fn the_captured_get_data_is_read() {
    let frame = hex(GET_DATA_HBASEID);
    let mut reader = JuteReader::new(&frame[4..]);
    let header = RequestHeader::decode(&mut reader).unwrap();
    assert_eq!(header, RequestHeader { xid: 1, op_code: 4 });
    assert_eq!(
        Request::decode(4, &mut reader).unwrap(),
        Request::GetData { path: "/hbase/hbaseid", watch: false }
    );
    assert!(reader.is_at_end());
}

#[test]
fn the_reply_to_get_data_has_the_captured_frame() {
    let mut out = BytesMut::new();
    let stat = Stat { data_length: 67, ..Stat::default() };
    put_reply(&mut out, 1, 1, &ReplyBody::Data { data: &[7; 67], stat });
    assert_eq!(out[..24], hex("0000009b 00000001 0000000000000001 00000000 00000043")[..]);
    assert_eq!(out[24..91], [7; 67]);
    assert_eq!(out[91..].len(), 68);
}

#[test]
fn a_stat_has_its_fields_where_clients_look_for_them() {
    let stat = Stat {
        created_zxid: 1,
        modified_zxid: 2,
        created_ms: 3,
        modified_ms: 4,
        version: 5,
        children_version: 6,
        data_length: 7,
        children_count: 8,
        children_zxid: 9,
        acl_version: 10,
        ephemeral_owner: 11,
    };
    let mut out = BytesMut::new();
    stat.put(&mut out);
    let expected = "0000000000000001 0000000000000002 0000000000000003 0000000000000004 00000005 00000006 0000000a \
                    000000000000000b 00000007 00000008 0000000000000009";
    assert_eq!(out[..], hex(expected)[..]);
}

#[test]
fn an_error_reply_has_no_body() {
    let mut out = BytesMut::new();
    put_reply(&mut out, 9, 3, &ReplyBody::Error(ErrorCode::NoNode));
    assert_eq!(out[..], hex("00000010 00000009 0000000000000003 ffffff9b")[..]);
}

#[test]
fn children_are_a_vector_followed_by_a_stat_only_when_asked() {
    let mut out = BytesMut::new();
    put_reply(&mut out, 2, 1, &ReplyBody::Children { names: &["a", "bc"], stat: None });
    assert_eq!(
        out[..],
        hex("0000001f 00000002 0000000000000001 00000000 00000002 00000001 61 00000002 6263")[..]
    );
    out.clear();
    put_reply(&mut out, 2, 1, &ReplyBody::Children { names: &[], stat: Some(Stat::default()) });
    assert_eq!(out.len(), 4 + 16 + 4 + 68);
}

#[test]
fn each_op_code_of_the_reading_client_is_known_and_others_are_unimplemented() {
    let body = b"\0\0\0\x02/a\0";
    let decode = |op_code| Request::decode(op_code, &mut JuteReader::new(body)).unwrap();
    assert_eq!(decode(3), Request::Exists { path: "/a", watch: false });
    assert_eq!(decode(4), Request::GetData { path: "/a", watch: false });
    assert_eq!(decode(8), Request::GetChildren { path: "/a", watch: false, with_stat: false });
    assert_eq!(decode(12), Request::GetChildren { path: "/a", watch: false, with_stat: true });
    for op_code in [11, 100] {
        assert_eq!(decode(op_code), Request::Acknowledge);
    }
    assert_eq!(decode(-11), Request::CloseSession);
    for op_code in [13, 19, 20, 21, 102, 0, -1, 10_000] {
        assert_eq!(decode(op_code), Request::Unimplemented, "{op_code}");
    }
}

#[test]
fn frame_lengths_beyond_the_limit_are_refused_before_anything_is_kept() {
    assert_eq!(frame_length(&[0, 0, 4], 1024).unwrap(), None);
    assert_eq!(frame_length(&[0, 0, 4, 0], 1024).unwrap(), Some(1024));
    for received in [[0, 0, 4, 1], [0x7f, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0xff], *b"GET "] {
        assert!(matches!(frame_length(&received, 1024), Err(Error::FrameLength { limit: 1024, .. })));
    }
}
