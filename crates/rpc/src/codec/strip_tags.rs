//! KeyValueCodec: our layout without the tags.

use super::CodecError;

/// Lengths of key and value.
const LENGTHS_BYTES: usize = 8;

/// The block without tags. If no cell has any, which costs a look at three numbers of each, it is given back as it is.
pub(super) fn strip(block: Vec<u8>) -> Result<Vec<u8>, CodecError> {
    let mut has_tags = false;
    walk(&block, |cell, bare| has_tags |= bare < cell.len())?;
    if !has_tags {
        return Ok(block);
    }
    let mut stripped = Vec::with_capacity(block.len());
    walk(&block, |cell, bare| {
        stripped.extend_from_slice(&(bare as u32).to_be_bytes());
        stripped.extend_from_slice(&cell[..bare]);
    })?;
    Ok(stripped)
}

/// Calls `each` with every KeyValue and its length without tags.
fn walk(block: &[u8], mut each: impl FnMut(&[u8], usize)) -> Result<(), CodecError> {
    let (mut rest, mut index) = (block, 0);
    while !rest.is_empty() {
        let (cell, bare, after) = first(rest).ok_or(CodecError::Malformed { index })?;
        each(cell, bare);
        rest = after;
        index += 1;
    }
    Ok(())
}

fn first(rest: &[u8]) -> Option<(&[u8], usize, &[u8])> {
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (cell, after) = rest.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    let (key, tail) = cell.split_first_chunk::<4>()?;
    let value = tail.first_chunk::<4>()?;
    let bare = LENGTHS_BYTES
        .checked_add(u32::from_be_bytes(*key) as usize)?
        .checked_add(u32::from_be_bytes(*value) as usize)?;
    (bare <= cell.len()).then_some((cell, bare, after))
}
