//! Response frames.
//!
//! ```text
//! +------------+--------+----------------+--------+---------+------------+
//! | u32 length | varint | ResponseHeader | varint | message | cell block |    message and cell block are not there
//! +------------+--------+----------------+--------+---------+------------+    with an exception
//! ```

use crate::cell_format::CellFormat;
use crate::exception::RpcException;
use crate::exceptions;
use crate::outgoing::Outgoing;
use crate::reply_memory::ReplyShare;
use crate::service::Reply;
use finback_proto::{Message, delimited, pb};
use prost::encoding::{encode_varint, encoded_len_varint};

/// `call_id` of what is said about the connection rather than a call.
pub(crate) const CONNECTION_CALL_ID: u32 = u32::MAX;
/// Longest frame that Java clients take.
const MAX_FRAME_BYTES: usize = i32::MAX as usize;

/// Field 1 `call_id`, a varint.
const CALL_ID_KEY: u8 = 0x08;
/// Field 3 `cell_block_meta`, a message.
const CELL_BLOCK_META_KEY: u8 = 0x1a;
/// Field 1 `length` of it, a varint.
const LENGTH_KEY: u8 = 0x08;

/// Queues the answer of a call.
pub(crate) fn push_result(
    out: &mut Outgoing,
    call_id: u32,
    result: Result<Reply, RpcException>,
    format: CellFormat,
) {
    let encoded = result.and_then(|reply| {
        let cells = format
            .encode(reply.cells, reply.is_untagged)
            .map_err(|e| exceptions::do_not_retry(format!("internal error: the reply has {e}")))?;
        Ok((reply.message, cells, reply.share))
    });
    match encoded {
        Ok((message, cells, share)) if message.len().saturating_add(cells.len()) < MAX_FRAME_BYTES - 64 => {
            push_reply(out, call_id, message, cells, share);
        }
        Ok(_) => push_exception(out, call_id, &exceptions::do_not_retry("the reply is larger than 2 GiB")),
        Err(exception) => push_exception(out, call_id, &exception),
    }
}

fn push_reply(out: &mut Outgoing, call_id: u32, message: Vec<u8>, cells: Vec<u8>, share: Option<ReplyShare>) {
    let call_id = u64::from(call_id);
    let meta_length = 1 + encoded_len_varint(cells.len() as u64);
    let meta_field = if cells.is_empty() { 0 } else { 2 + meta_length };
    let header_length = 1 + encoded_len_varint(call_id) + meta_field;
    let message_field = encoded_len_varint(message.len() as u64) + message.len();
    let total = 1 + header_length + message_field + cells.len();
    out.append(|segment| {
        segment.extend_from_slice(&(total as u32).to_be_bytes());
        // At most 19 bytes: its length and that of the meta data take one byte each.
        segment.push(header_length as u8);
        segment.push(CALL_ID_KEY);
        encode_varint(call_id, segment);
        if !cells.is_empty() {
            segment.extend_from_slice(&[CELL_BLOCK_META_KEY, meta_length as u8, LENGTH_KEY]);
            encode_varint(cells.len() as u64, segment);
        }
        encode_varint(message.len() as u64, segment);
    });
    // Counted until the last byte is written.
    let (of_message, of_cells) = if cells.is_empty() { (share, None) } else { (None, share) };
    out.push(message, of_message);
    if !cells.is_empty() {
        out.push(cells, of_cells);
    }
}

/// Queues an exception.
pub(crate) fn push_exception(out: &mut Outgoing, call_id: u32, exception: &RpcException) {
    out.append(|segment| segment.extend_from_slice(&exception_frame(call_id, exception)));
}

/// The frame of an exception.
pub(crate) fn exception_frame(call_id: u32, exception: &RpcException) -> Vec<u8> {
    let header = pb::ResponseHeader {
        call_id: Some(call_id),
        exception: Some(exception.to_response()),
        ..Default::default()
    };
    let mut body = Vec::new();
    delimited::encode_delimited(&header, &mut body);
    framed(body)
}

/// The frame of a message about the connection.
pub(crate) fn connection_frame<M: Message>(message: &M) -> Vec<u8> {
    let header = pb::ResponseHeader { call_id: Some(CONNECTION_CALL_ID), ..Default::default() };
    let mut body = Vec::new();
    delimited::encode_delimited(&header, &mut body);
    delimited::encode_delimited(message, &mut body);
    framed(body)
}

fn framed(body: Vec<u8>) -> Vec<u8> {
    [&(body.len() as u32).to_be_bytes()[..], &body].concat()
}

#[cfg(test)]
mod tests;
