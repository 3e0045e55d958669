//! The magic in front of messages that stand in files, in cells of hbase:meta and in ZooKeeper nodes.
//!
//! ```text
//! file, cell:  +--------+---------+
//!              | "PBUF" | message |
//!              +--------+---------+
//! node:        +------+-----------+------------+--------+---------+
//!              | 0xFF | u32 idLen | id (idLen) | "PBUF" | message |
//!              +------+-----------+------------+--------+---------+
//! ```
//!
//! A node's first three are the metadata of who wrote it. HBase's own clients do without; others (asynchbase, gohbase)
//! take a node that has none for damaged.

use crate::{ProtoError, delimited};
use bytes::{Buf, Bytes};
use prost::Message;

/// "Protobuf follows".
pub const MAGIC: &[u8; 4] = b"PBUF";
/// First byte of the metadata that HBase servers put before the value of a ZooKeeper node.
const METADATA_MAGIC: u8 = 0xff;

/// The message with the magic in front.
pub fn encode<M: Message>(message: &M) -> Vec<u8> {
    let mut out = Vec::with_capacity(MAGIC.len() + message.encoded_len());
    out.extend_from_slice(MAGIC);
    message.encode_raw(&mut out);
    out
}

/// The message with the magic and its length in front (`.regioninfo`).
pub fn encode_delimited<M: Message>(message: &M) -> Vec<u8> {
    let mut out = Vec::with_capacity(MAGIC.len() + 5 + message.encoded_len());
    out.extend_from_slice(MAGIC);
    delimited::encode_delimited(message, &mut out);
    out
}

/// The value of a ZooKeeper node, with metadata in front of it: the name of who writes it, such as `master:16000`, and
/// eight bytes that tell one write from another.
///
/// # Errors
/// [`ProtoError::Metadata`] if the name is longer than four bytes can say.
pub fn with_metadata(writer: &str, salt: u64, value: &[u8]) -> Result<Vec<u8>, ProtoError> {
    let salt = salt.to_be_bytes();
    let length = writer.len() + salt.len();
    let declared =
        u32::try_from(length).map_err(|_| ProtoError::Metadata { declared: u32::MAX, available: length })?;
    Ok([&[METADATA_MAGIC], &declared.to_be_bytes()[..], writer.as_bytes(), &salt, value].concat())
}

/// What follows the magic.
///
/// # Errors
/// [`ProtoError::NoMagic`].
pub fn strip(data: &[u8]) -> Result<&[u8], ProtoError> {
    data.strip_prefix(MAGIC).ok_or_else(|| no_magic(data, 0))
}

/// Decodes a message behind the magic. `name` is the message's, for the error.
///
/// # Errors
/// [`ProtoError::NoMagic`] or [`ProtoError::Decode`].
pub fn decode<M: Message + Default>(data: &[u8], name: &'static str) -> Result<M, ProtoError> {
    M::decode(strip(data)?).map_err(|source| ProtoError::Decode { message: name, source })
}

/// Decodes a message behind the magic and a length; bytes behind the message are ignored (HBase appended a
/// readable copy in some files).
///
/// # Errors
/// [`ProtoError::NoMagic`], [`ProtoError::Varint`], [`ProtoError::Length`] or [`ProtoError::Decode`].
pub fn decode_delimited<M: Message + Default>(data: &[u8], name: &'static str) -> Result<M, ProtoError> {
    let (length, start) = delimited::read_length(data, strip(data).map(|_| MAGIC.len())?)?;
    M::decode(&data[start..start + length]).map_err(|source| ProtoError::Decode { message: name, source })
}

/// Decodes the value of a ZooKeeper node, with or without metadata in front.
///
/// # Errors
/// [`ProtoError::Metadata`], [`ProtoError::NoMagic`] or [`ProtoError::Decode`].
pub fn decode_node<M: Message + Default>(data: &[u8], name: &'static str) -> Result<M, ProtoError> {
    let value = strip_metadata(data)?;
    let offset = data.len() - value.len();
    let body = value.strip_prefix(MAGIC).ok_or_else(|| no_magic(value, offset))?;
    M::decode(body).map_err(|source| ProtoError::Decode { message: name, source })
}

/// The value of a ZooKeeper node without the metadata in front, if there is any.
///
/// # Errors
/// [`ProtoError::Metadata`].
pub fn strip_metadata(data: &[u8]) -> Result<&[u8], ProtoError> {
    if data.first() != Some(&METADATA_MAGIC) {
        return Ok(data);
    }
    let Some((length, rest)) = data[1..].split_first_chunk::<4>() else {
        return Err(ProtoError::Metadata { declared: 0, available: 0 });
    };
    let declared = u32::from_be_bytes(*length);
    usize::try_from(declared)
        .ok()
        .and_then(|length| rest.get(length..))
        .ok_or(ProtoError::Metadata { declared, available: rest.len() })
}

/// As [`decode`], where the decoded `bytes` fields share the memory of `data`.
///
/// # Errors
/// [`ProtoError::NoMagic`] or [`ProtoError::Decode`].
pub fn decode_shared<M: Message + Default>(mut data: Bytes, name: &'static str) -> Result<M, ProtoError> {
    if !data.starts_with(MAGIC) {
        return Err(no_magic(&data, 0));
    }
    data.advance(MAGIC.len());
    M::decode(data).map_err(|source| ProtoError::Decode { message: name, source })
}

fn no_magic(data: &[u8], offset: usize) -> ProtoError {
    ProtoError::NoMagic { offset, found: data[..data.len().min(MAGIC.len())].to_vec() }
}

#[cfg(test)]
mod tests;
