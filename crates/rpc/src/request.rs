//! Request frames.
//!
//! ```text
//! +--------+---------------+--------+-------+------------+
//! | varint | RequestHeader | varint | param | cell block |    the header says whether there is a cell block,
//! +--------+---------------+--------+-------+------------+    and how long it is
//! ```

use crate::exception::RpcException;
use crate::exceptions;
use crate::service::MethodName;
use bytes::{Buf, Bytes};
use finback_proto::{ProtoError, delimited};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// What a server needs of a `RequestHeader`, decoded without allocating.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RequestHeader {
    pub(crate) call_id: u32,
    /// An encoded `RPCTInfo`, unread; empty if there is none.
    pub(crate) trace_info: Bytes,
    pub(crate) method: Option<MethodName>,
    pub(crate) has_param: bool,
    pub(crate) cell_block_bytes: Option<u32>,
    pub(crate) priority: u32,
    pub(crate) timeout_ms: u32,
}

impl RequestHeader {
    /// Decodes the message; none if it is malformed.
    pub(crate) fn decode(header: &Bytes) -> Option<Self> {
        let mut decoded = Self::default();
        let mut rest = &header[..];
        while rest.has_remaining() {
            let (tag, wire) = decode_key(&mut rest).ok()?;
            match (tag, wire) {
                (1, WireType::Varint) => decoded.call_id = varint(&mut rest)?,
                (2, WireType::LengthDelimited) => {
                    // Most clients send an empty one: those cost nothing.
                    let info = field(&mut rest)?;
                    if !info.is_empty() {
                        decoded.trace_info = header.slice_ref(info);
                    }
                }
                (3, WireType::LengthDelimited) => {
                    let name = header.slice_ref(field(&mut rest)?);
                    // A name that is no text is no method's: the service will say so.
                    decoded.method = MethodName::from_bytes(name).or(Some(MethodName::from_static("?")));
                }
                (4, WireType::Varint) => decoded.has_param = varint(&mut rest)? != 0,
                (5, WireType::LengthDelimited) => {
                    decoded.cell_block_bytes = Some(cell_block_bytes(field(&mut rest)?)?);
                }
                (6, WireType::Varint) => decoded.priority = varint(&mut rest)?,
                (7, WireType::Varint) => decoded.timeout_ms = varint(&mut rest)?,
                _ => skip_field(wire, tag, &mut rest, DecodeContext::default()).ok()?,
            }
        }
        Some(decoded)
    }
}

fn varint(rest: &mut &[u8]) -> Option<u32> {
    decode_varint(rest).ok().map(|value| value as u32)
}

/// Takes a length and as many bytes.
fn field<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(decode_varint(rest).ok()?).ok()?;
    let (field, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(field)
}

/// The length in a `CellBlockMeta`.
fn cell_block_bytes(mut meta: &[u8]) -> Option<u32> {
    let mut bytes = 0;
    while meta.has_remaining() {
        let (tag, wire) = decode_key(&mut meta).ok()?;
        match (tag, wire) {
            (1, WireType::Varint) => bytes = varint(&mut meta)?,
            _ => skip_field(wire, tag, &mut meta, DecodeContext::default()).ok()?,
        }
    }
    Some(bytes)
}

/// Splits a frame: its header, and what follows. None if there is no header that makes sense, so that nobody can be
/// told what is wrong.
pub(crate) fn split_header(mut frame: Bytes) -> Option<(RequestHeader, Bytes)> {
    let header = delimited::take_delimited(&mut frame).ok()?;
    Some((RequestHeader::decode(&header)?, frame))
}

/// The parameter and the cell block behind the header. Bytes behind them are ignored, as HBase does. A parameter that is
/// shorter than it says, with nothing behind it, is read as far as it goes: HBase does so, and the Python client hbase-driver
/// says wrong lengths whenever they have two bytes.
///
/// # Errors
/// What to answer if the lengths lie.
pub(crate) fn split_body(header: &RequestHeader, mut body: Bytes) -> Result<(Bytes, Bytes), RpcException> {
    let malformed = |what: &str, e: ProtoError| {
        exceptions::do_not_retry(format!("malformed {what} of call {}: {e}", header.call_id))
    };
    if !header.has_param {
        return Err(exceptions::do_not_retry(format!("call {} without parameter", header.call_id)));
    }
    let take = match header.cell_block_bytes {
        None => delimited::take_delimited_or_rest,
        Some(_) => delimited::take_delimited,
    };
    let param = take(&mut body).map_err(|e| malformed("parameter", e))?;
    let cells = match header.cell_block_bytes {
        None | Some(0) => Bytes::new(),
        Some(length) if length as usize <= body.len() => body.split_to(length as usize),
        Some(length) => {
            let lie = ProtoError::Length { offset: 0, declared: u64::from(length), available: body.len() };
            return Err(malformed("cell block", lie));
        }
    };
    Ok((param, cells))
}

#[cfg(test)]
mod tests;
