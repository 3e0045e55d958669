//! Messages behind a varint length.
//!
//! ```text
//! +----------------------+-----------------+
//! | varint length (1..5) | message (length)|
//! +----------------------+-----------------+
//! ```

use crate::ProtoError;
use bytes::{Buf, Bytes};
use prost::Message;

/// Longest varint of a 32-bit length.
const MAX_LENGTH_BYTES: usize = 5;

/// Reads the varint length at `offset` of `data`: the length, and the offset behind the varint.
///
/// # Errors
/// [`ProtoError::Varint`] where the varint has more than five bytes, a value above 32 bits, or the data ends in it;
/// [`ProtoError::Length`] where fewer bytes follow than it says.
pub fn read_length(data: &[u8], offset: usize) -> Result<(usize, usize), ProtoError> {
    let (declared, start) = read_declared(data, offset)?;
    let available = data.len() - start;
    match usize::try_from(declared) {
        Ok(length) if length <= available => Ok((length, start)),
        _ => Err(ProtoError::Length { offset, declared: u64::from(declared), available }),
    }
}

/// What the length at `offset` says, true or not, and the offset behind it.
fn read_declared(data: &[u8], offset: usize) -> Result<(u32, usize), ProtoError> {
    let tail = data.get(offset..).unwrap_or_default();
    let mut value = 0u64;
    for (i, byte) in tail.iter().take(MAX_LENGTH_BYTES).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 != 0 {
            continue;
        }
        let Ok(declared) = u32::try_from(value) else { break };
        return Ok((declared, offset + i + 1));
    }
    Err(ProtoError::Varint { offset })
}

/// Takes the delimited bytes at the front of `data`, sharing its memory.
///
/// # Errors
/// As [`read_length`].
pub fn take_delimited(data: &mut Bytes) -> Result<Bytes, ProtoError> {
    let (length, start) = read_length(data, 0)?;
    data.advance(start);
    Ok(data.split_to(length))
}

/// Takes the delimited bytes at the front of `data`, or all there are where they should be more: protobuf's own readers read
/// a message to the end of what they have.
///
/// # Errors
/// As [`read_length`], but that too few bytes are an error only if the length is none for Java, which has 31 bits.
pub fn take_delimited_or_rest(data: &mut Bytes) -> Result<Bytes, ProtoError> {
    let (declared, start) = read_declared(data, 0)?;
    let available = data.len() - start;
    if i32::try_from(declared).is_err() {
        return Err(ProtoError::Length { offset: 0, declared: u64::from(declared), available });
    }
    data.advance(start);
    Ok(data.split_to(available.min(declared as usize)))
}

/// Decodes the delimited message at the front of `data` and moves `data` behind it.
///
/// # Errors
/// As [`read_length`], and [`ProtoError::Decode`].
pub fn decode_delimited<M: Message + Default>(
    data: &mut Bytes,
    message: &'static str,
) -> Result<M, ProtoError> {
    let body = take_delimited(data)?;
    M::decode(body).map_err(|source| ProtoError::Decode { message, source })
}

/// Appends `message` behind its length.
pub fn encode_delimited<M: Message>(message: &M, out: &mut Vec<u8>) {
    write_length(message.encoded_len(), out);
    message.encode_raw(out);
}

/// Appends a varint length.
pub fn write_length(length: usize, out: &mut Vec<u8>) {
    let mut rest = length as u64;
    while rest >= 0x80 {
        out.push((rest as u8) | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests;
