use super::*;
use crate::outgoing::MAX_SLICES;
use std::io::IoSlice;

fn written(result: Result<Reply, RpcException>) -> Vec<u8> {
    let mut out = Outgoing::default();
    let header = pb::ConnectionHeader {
        cell_block_codec_class: Some("org.apache.hadoop.hbase.codec.KeyValueCodec".into()),
        ..Default::default()
    };
    push_result(&mut out, 46, result, CellFormat::of_header(&header).unwrap());
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    let count = out.slices(&mut slices);
    slices[..count].iter().flat_map(|slice| slice.to_vec()).collect()
}

/// The KeyValue of HBase's worked example of a Get response.
const CELL: &[u8] = b"\0\0\0\x1b\0\0\0\x11\0\0\0\x02\0\x02r1\x02cfq\0\0\x01\xa1\xfd\x78\xbe\x27\x04v1";

#[test]
fn a_get_response_is_written_as_hbase_writes_it() {
    let result = finback_proto::convert::result_in_block(1);
    let message = pb::GetResponse { result: Some(result) };
    let frame = written(Ok(Reply::with_cells(&message, CELL.to_vec())));
    let head = b"\0\0\0\x2d\x06\x08\x2e\x1a\x02\x08\x1f\x06\x0a\x04\x10\x01\x20\0";
    assert_eq!(frame, [&head[..], CELL].concat());
}

#[test]
fn an_empty_result_is_written_as_hbase_writes_it() {
    let message = pb::GetResponse { result: Some(pb::Result::default()) };
    assert_eq!(written(Ok(Reply::new(&message))), b"\0\0\0\x06\x02\x08\x2e\x02\x0a\0");
}

#[test]
fn large_call_ids_and_cell_blocks_are_decoded_again() {
    let mut out = Outgoing::default();
    let cells = CELL.repeat(2000);
    push_reply(&mut out, i32::MAX as u32, vec![0; 9000], cells.clone(), None);
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    let count = out.slices(&mut slices);
    let mut frame: bytes::Bytes = slices[..count].iter().flat_map(|s| s.to_vec()).collect::<Vec<_>>().into();
    assert_eq!(u32::from_be_bytes(frame.split_to(4)[..].try_into().unwrap()) as usize, frame.len());
    let header: pb::ResponseHeader = delimited::decode_delimited(&mut frame, "ResponseHeader").unwrap();
    assert_eq!(header.call_id, Some(i32::MAX as u32));
    assert_eq!(header.cell_block_meta.unwrap().length, Some(cells.len() as u32));
    assert_eq!(delimited::take_delimited(&mut frame).unwrap().len(), 9000);
    assert_eq!(frame, cells);
}

#[test]
fn the_cluster_id_is_told_as_hbase_tells_it() {
    let cluster_id = "deadbeef-0000-4000-8000-000000000001".to_owned();
    let frame = connection_frame(&pb::GetConnectionRegistryResponse { cluster_id: cluster_id.clone() });
    let head = b"\0\0\0\x2e\x06\x08\xff\xff\xff\xff\x0f\x26\x0a\x24";
    assert_eq!(frame, [&head[..], cluster_id.as_bytes()].concat());
}

#[test]
fn a_reply_with_malformed_cells_becomes_an_exception() {
    let reply = Reply { message: Vec::new(), cells: vec![1, 2, 3], ..Reply::default() };
    let frame = written(Ok(reply));
    let header: pb::ResponseHeader =
        delimited::decode_delimited(&mut bytes::Bytes::from(frame).slice(4..), "ResponseHeader").unwrap();
    assert!(header.exception.unwrap().stack_trace.unwrap().contains("malformed cell 0"));
}
