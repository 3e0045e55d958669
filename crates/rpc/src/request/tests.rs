use super::*;
use finback_proto::{Message, pb};
use proptest::prelude::*;

fn unhex(text: &str) -> Bytes {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap())
        .collect::<Vec<_>>()
        .into()
}

/// A Get of a 2.6.4 client.
const GET: &str = "11 082e 1200 1a03476574 2001 3000 389f9c01 54 0a38 0801 1234
    74312c6d2c313739353235333931303731322e3465363334336433343965373163386663353563636134373462393830643034 2e
    1218 0a027231 2a0c 0800 10ffffffffffffffff7f 3001 3801 7800";

#[test]
fn the_get_of_a_real_client_is_understood() {
    let (header, body) = split_header(unhex(GET)).unwrap();
    let expected = RequestHeader {
        trace_info: Bytes::new(),
        call_id: 46,
        method: Some(MethodName::from_static("Get")),
        has_param: true,
        cell_block_bytes: None,
        priority: 0,
        timeout_ms: 19999,
    };
    assert_eq!(header, expected);
    let (param, cells) = split_body(&header, body).unwrap();
    assert_eq!(param.len(), 84);
    assert!(cells.is_empty());
    assert_eq!(&pb::GetRequest::decode(param).unwrap().get.row[..], b"r1");
}

#[test]
fn lying_lengths_are_found_out() {
    assert_eq!(split_header(unhex("7f 082e")), None);
    assert_eq!(split_header(Bytes::new()), None);
    assert_eq!(split_header(unhex("03 1aff01")), None);
    let body = |frame| split_header(unhex(frame)).map(|(header, body)| split_body(&header, body));
    for lie in [
        "0408012001 8080808008 00",
        "0408012001 8080808080808000",
        "0408012001",
        "08 08012001 2a0208 05 00 0102",
        "08 08012001 2a0208 01 7f 00",
    ] {
        let exception = body(lie).unwrap().unwrap_err();
        assert_eq!(exception.simple_class(), "DoNotRetryIOException", "{lie}");
    }
    let cells = body("08 08012001 2a020802 00 010203").unwrap().unwrap().1;
    assert_eq!(&cells[..], [1, 2]);
    assert!(body("02 0801 00").unwrap().unwrap_err().message.contains("without parameter"));
}

#[test]
fn a_parameter_with_nothing_behind_it_is_read_as_far_as_it_goes() {
    let (header, body) = split_header(unhex("0408012001 c29c01 010203")).unwrap();
    let (param, cells) = split_body(&header, body).unwrap();
    assert_eq!((&param[..], &cells[..]), (&[1, 2, 3][..], &[][..]));
}

proptest! {
    #[test]
    fn it_agrees_with_the_generated_decoder(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
        let bytes = Bytes::from(bytes);
        if let (Some(ours), Ok(theirs)) = (RequestHeader::decode(&bytes), pb::RequestHeader::decode(bytes.clone())) {
            prop_assert_eq!(ours.call_id, theirs.call_id());
            prop_assert_eq!(ours.priority, theirs.priority());
            prop_assert_eq!(ours.timeout_ms, theirs.timeout());
            prop_assert_eq!(ours.has_param, theirs.request_param());
        }
    }

    #[test]
    fn it_reads_what_the_generated_encoder_writes(
        call_id in any::<u32>(), method in "[A-Za-z]{1,40}", priority in any::<u32>(),
        timeout in any::<u32>(), cells in proptest::option::of(any::<u32>()), attributes in 0usize..3,
        trace_id in proptest::option::of(any::<i64>()),
    ) {
        let trace = pb::RpctInfo { trace_id, ..Default::default() };
        let theirs = pb::RequestHeader {
            call_id: Some(call_id),
            trace_info: Some(trace.clone()),
            method_name: Some(method.clone()),
            request_param: Some(true),
            cell_block_meta: cells.map(|length| pb::CellBlockMeta { length: Some(length) }),
            priority: Some(priority),
            timeout: Some(timeout),
            attribute: vec![pb::NameBytesPair { name: "n".into(), value: None }; attributes],
        };
        let ours = RequestHeader::decode(&theirs.encode_to_vec().into()).unwrap();
        prop_assert_eq!(ours, RequestHeader {
            call_id, method: MethodName::from_bytes(method.into()), has_param: true, cell_block_bytes: cells,
            priority, timeout_ms: timeout, trace_info: trace.encode_to_vec().into(),
        });
    }
}
