//! The frames of the calling side: what opens a connection, requests out, responses in.
//!
//! ```text
//! +------------+--------+---------------+--------+-------+------------+
//! | u32 length | varint | RequestHeader | varint | param | cell block |
//! +------------+--------+---------------+--------+-------+------------+
//! ```

use crate::cell_pieces::CellPieces;
use crate::channel::{RawReply, Request};
use crate::exception::RpcException;
use crate::exceptions;
use crate::socket_channel::ConnectOptions;
use bytes::Bytes;
use finback_proto::{Message, ProtoError, delimited, pb};

/// Call ids are positive in Java.
pub(super) const CALL_ID_MASK: u32 = u32::MAX >> 1;
/// Cells with their tags, and without; in both a block has the same layout.
const CODEC_WITH_TAGS: &str = "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags";
const CODEC: &str = "org.apache.hadoop.hbase.codec.KeyValueCodec";
/// What we are as far as servers look: the release whose calls are made.
const VERSION: (&str, u32, u32) = ("2.5.11", 2, 5);

/// Preamble and connection header.
pub(super) fn opening(options: &ConnectOptions, cell_tags: bool) -> Vec<u8> {
    let header = pb::ConnectionHeader {
        user_info: Some(pb::UserInformation { effective_user: options.user.clone(), real_user: None }),
        service_name: Some(options.service.clone()),
        cell_block_codec_class: Some(if cell_tags { CODEC_WITH_TAGS } else { CODEC }.to_owned()),
        version_info: Some(pb::VersionInfo {
            version: VERSION.0.to_owned(),
            url: "finback".to_owned(),
            user: options.user.clone(),
            version_major: Some(VERSION.1),
            version_minor: Some(VERSION.2),
            ..Default::default()
        }),
        ..Default::default()
    };
    let mut bytes = b"HBas\0\x50".to_vec();
    bytes.extend_from_slice(&(header.encoded_len() as u32).to_be_bytes());
    bytes.extend_from_slice(&header.encode_to_vec());
    bytes
}

/// A request as it is written: its frame but for the cells, and these.
pub(super) struct RequestFrame {
    pub(super) head: Vec<u8>,
    pub(super) cells: CellPieces,
}

impl RequestFrame {
    /// # Errors
    /// RequestTooBigException beyond what a frame can hold.
    pub(super) fn new(call_id: u32, request: Request) -> Result<Self, RpcException> {
        let too_big = |bytes: usize| exceptions::request_too_big(format!("a request of {bytes} bytes"));
        let cell_bytes = request.cells.len();
        let header = pb::RequestHeader {
            call_id: Some(call_id),
            method_name: Some(request.method.to_owned()),
            request_param: Some(true),
            cell_block_meta: (cell_bytes > 0)
                .then(|| u32::try_from(cell_bytes).map(|length| pb::CellBlockMeta { length: Some(length) }))
                .transpose()
                .map_err(|_| too_big(cell_bytes))?,
            priority: Some(request.priority),
            timeout: request.timeout.map(|timeout| u32::try_from(timeout.as_millis()).unwrap_or(0)),
            ..Default::default()
        };
        let mut head = vec![0; 4];
        head.reserve(64 + request.param.len());
        delimited::encode_delimited(&header, &mut head);
        delimited::write_length(request.param.len(), &mut head);
        head.extend_from_slice(&request.param);
        let length = head.len() - 4 + cell_bytes;
        let length = i32::try_from(length).map_err(|_| too_big(length))?;
        head[..4].copy_from_slice(&length.to_be_bytes());
        Ok(Self { head, cells: request.cells })
    }

    pub(super) fn len(&self) -> usize {
        self.head.len() + self.cells.len()
    }
}

/// The call that a response answers, and the answer; an error if the connection is of no use any more.
pub(super) fn response(mut frame: Bytes) -> Result<(u32, Result<RawReply, RpcException>), RpcException> {
    let malformed = |e: ProtoError| exceptions::connection_closed(format!("malformed response: {e}"));
    let header: pb::ResponseHeader =
        delimited::decode_delimited(&mut frame, "ResponseHeader").map_err(malformed)?;
    let call_id = header.call_id();
    if let Some(exception) = header.exception {
        let exception = RpcException::from_response(exception);
        // A call id that no call has, and this class, are about the connection.
        let fatal = call_id > CALL_ID_MASK || exception.simple_class() == "FatalConnectionException";
        return if fatal { Err(exception) } else { Ok((call_id, Err(exception))) };
    }
    let message = delimited::take_delimited(&mut frame).map_err(malformed)?;
    let length = header.cell_block_meta.map_or(0, |meta| meta.length()) as usize;
    if length > frame.len() {
        let available = frame.len();
        return Err(malformed(ProtoError::Length { offset: 0, declared: length as u64, available }));
    }
    Ok((call_id, Ok((message, frame.split_to(length)))))
}

/// The call that a response answers, by the front of it; none if the header is not all there.
pub(super) fn answered_call(mut front: Bytes) -> Option<Result<u32, RpcException>> {
    let header = delimited::take_delimited(&mut front).ok()?;
    let header = pb::ResponseHeader::decode(header);
    Some(match header {
        Ok(header) => Ok(header.call_id()),
        Err(error) => Err(exceptions::connection_closed(format!("malformed response: {error}"))),
    })
}

#[cfg(test)]
mod tests;
