//! What a file says of itself if each of its columns has one cell, a put without tags: whoever writes its cells anew has none
//! to leave out, so that it can be [joined](crate::HFileWriter::begin_joined) with others without a look at them.
//!
//! ```text
//!  hfile.FINBACK_PLAIN
//! ┌───────────────────┬─────────────────────┐  the sums of which the file info has averages
//! │ bytes of keys i64 │ bytes of values i64 │
//! └───────────────────┴─────────────────────┘
//! ```

use finback_cell::Cell;

/// Bytes of a flat key behind its column: timestamp and type.
const BEHIND_COLUMN: usize = 9;

/// Whether a cell is a put without tags, and of another column than the one before it, whose flat key is `last_key`; empty:
/// it is the first.
#[inline]
pub(crate) fn is_plain_behind(last_key: &[u8], cell: &Cell<'_>) -> bool {
    cell.is_put() && cell.tags().is_empty() && column(last_key) != column(cell.key())
}

/// Row, family and qualifier of a flat key, with their lengths.
fn column(key: &[u8]) -> &[u8] {
    &key[..key.len().saturating_sub(BEHIND_COLUMN)]
}

/// What stands in the file info.
pub(crate) fn encode(key_bytes: u64, value_bytes: u64) -> [u8; 16] {
    let mut value = [0; 16];
    value[..8].copy_from_slice(&key_bytes.to_be_bytes());
    value[8..].copy_from_slice(&value_bytes.to_be_bytes());
    value
}

/// Bytes of all keys and of all values; `None` if that is not what stands there.
pub(crate) fn decode(value: &[u8]) -> Option<(u64, u64)> {
    let (keys, values) = value.split_at_checked(8)?;
    Some((u64::from_be_bytes(keys.try_into().ok()?), u64::from_be_bytes(values.try_into().ok()?)))
}

#[cfg(test)]
mod tests;
