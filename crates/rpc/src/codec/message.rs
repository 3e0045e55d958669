//! MessageCodec: every cell as a delimited `Cell` message, without tags, as in HBase.

use super::decoded::{Decoded, Room};
use super::{CodecError, for_each_cell};
use bytes::Bytes;
use finback_cell::cell::CellParts;
use finback_proto::{convert, delimited, pb};

pub(super) fn decode(mut block: Bytes, room: &mut Room<'_>) -> Result<Bytes, CodecError> {
    let mut out = Decoded::of(block.len(), room)?;
    let mut index = 0;
    while !block.is_empty() {
        let malformed = CodecError::Malformed { index };
        let cell: pb::Cell =
            delimited::decode_delimited(&mut block, "Cell").map_err(|_| malformed.clone())?;
        let parts = CellParts {
            row: cell.row.as_deref().unwrap_or_default(),
            family: cell.family.as_deref().unwrap_or_default(),
            qualifier: cell.qualifier.as_deref().unwrap_or_default(),
            timestamp: cell.timestamp.unwrap_or(0) as i64,
            type_code: u8::try_from(cell.cell_type.unwrap_or(0)).map_err(|_| malformed)?,
            value: cell.value.as_deref().unwrap_or_default(),
            tags: &[],
        };
        out.push(&parts, index)?;
        index += 1;
    }
    Ok(out.finish())
}

pub(super) fn encode(block: &[u8]) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::with_capacity(block.len());
    for_each_cell(block, |cell| {
        delimited::encode_delimited(&convert::inline_cell(cell), &mut out);
    })?;
    Ok(out)
}
