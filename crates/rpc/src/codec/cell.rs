//! CellCodec and CellCodecWithTags.
//!
//! ```text
//! +------------+------------+------------+-------+------+------------+ - - - - - - +----------+
//! | u32 n, row | u32 n, fam | u32 n, qua | i64 ts| type | u32 n, val | u32 n, tags | i64 mvcc |   tags only WithTags
//! +------------+------------+------------+-------+------+------------+ - - - - - - +----------+
//! ```
//! The sequence id (mvcc) is not read, and written as zero: cell blocks in our layout have none.

use super::decoded::{Decoded, Room};
use super::{CodecError, for_each_cell};
use bytes::Bytes;
use finback_cell::cell::CellParts;

pub(super) fn decode(block: &[u8], with_tags: bool, room: &mut Room<'_>) -> Result<Bytes, CodecError> {
    let mut out = Decoded::of(block.len(), room)?;
    let (mut rest, mut index) = (block, 0);
    while !rest.is_empty() {
        let parts = parts(&mut rest, with_tags).ok_or(CodecError::Malformed { index })?;
        out.push(&parts, index)?;
        index += 1;
    }
    Ok(out.finish())
}

fn parts<'a>(rest: &mut &'a [u8], with_tags: bool) -> Option<CellParts<'a>> {
    let (row, family, qualifier) = (bytes(rest)?, bytes(rest)?, bytes(rest)?);
    let timestamp = number(rest)?;
    let type_code = *rest.split_off_first()?;
    let value = bytes(rest)?;
    let tags = if with_tags { bytes(rest)? } else { &[] };
    number(rest)?;
    Some(CellParts { row, family, qualifier, timestamp, type_code, value, tags })
}

fn number(rest: &mut &[u8]) -> Option<i64> {
    let (bytes, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    Some(i64::from_be_bytes(*bytes))
}

fn bytes<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (bytes, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    *rest = after;
    Some(bytes)
}

pub(super) fn encode(block: &[u8], with_tags: bool) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::with_capacity(block.len());
    for_each_cell(block, |cell| {
        let mut bytes = |bytes: &[u8]| {
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.extend_from_slice(bytes);
        };
        bytes(cell.row());
        bytes(cell.family());
        bytes(cell.qualifier());
        out.extend_from_slice(&cell.timestamp().to_be_bytes());
        out.push(cell.type_code());
        for bytes in [Some(cell.value()), with_tags.then_some(cell.tags())].into_iter().flatten() {
            out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
            out.extend_from_slice(bytes);
        }
        out.extend_from_slice(&0i64.to_be_bytes());
    })?;
    Ok(out)
}
