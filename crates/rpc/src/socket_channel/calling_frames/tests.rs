use super::*;

fn framed(header: pb::ResponseHeader, rest: &[u8]) -> Bytes {
    let mut frame = Vec::new();
    delimited::encode_delimited(&header, &mut frame);
    frame.extend_from_slice(rest);
    frame.into()
}

#[test]
fn what_is_said_about_the_connection_ends_it() {
    let said = exceptions::fatal_connection("no");
    let header =
        pb::ResponseHeader { call_id: Some(7), exception: Some(said.to_response()), ..Default::default() };
    assert_eq!(response(framed(header, &[])).unwrap_err().message, "no");
    let header = pb::ResponseHeader {
        call_id: Some(u32::MAX),
        exception: Some(exceptions::io("gone").to_response()),
        ..Default::default()
    };
    assert_eq!(response(framed(header, &[])).unwrap_err().message, "gone");
}

#[test]
fn an_exception_of_a_call_leaves_the_connection() {
    let header = pb::ResponseHeader {
        call_id: Some(7),
        exception: Some(exceptions::io("gone").to_response()),
        ..Default::default()
    };
    let (call_id, answer) = response(framed(header, &[])).unwrap();
    assert_eq!((call_id, answer.unwrap_err().message.as_str()), (7, "gone"));
}

#[test]
fn a_cell_block_shorter_than_it_says_ends_the_connection() {
    let header = pb::ResponseHeader {
        call_id: Some(7),
        cell_block_meta: Some(pb::CellBlockMeta { length: Some(5) }),
        ..Default::default()
    };
    assert!(response(framed(header, &[0, 1, 2])).is_err());
}

#[test]
fn a_request_counts_its_cells_in_its_length() {
    let request = Request {
        method: "Get",
        param: Bytes::from_static(b"abc"),
        cells: Bytes::from_static(b"defg").into(),
        ..Request::default()
    };
    let frame = RequestFrame::new(3, request).unwrap();
    let length = u32::from_be_bytes(frame.head[..4].try_into().unwrap()) as usize;
    assert_eq!(length + 4, frame.len());
    assert!(frame.head.ends_with(b"abc"));
}
