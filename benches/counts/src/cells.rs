//! The cells that all paths work on.

use finback_cell::cell::CellParts;
use finback_cell::{Bytes, CellType};

pub(crate) const FAMILY: &[u8] = b"f";
pub(crate) const QUALIFIER: &[u8] = b"field0";
/// Half of a value is random, half of it is not.
pub(crate) const VALUE_BYTES: usize = 100;
/// Of all cells, in ms.
const TIMESTAMP: i64 = 1_700_000_000_000;

pub(crate) fn row(number: usize) -> Bytes {
    format!("user{number:012}").into()
}

pub(crate) fn value(number: usize) -> [u8; VALUE_BYTES] {
    let mut value = [b'.'; VALUE_BYTES];
    let mut state = number as u64;
    for word in value[..VALUE_BYTES / 2].chunks_mut(8) {
        // Steele, Lea and Flood's SplitMix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..word.len()]);
    }
    value
}

/// The put of `value` into `row`.
pub(crate) fn put<'a>(row: &'a [u8], value: &'a [u8]) -> CellParts<'a> {
    CellParts {
        row,
        family: FAMILY,
        qualifier: QUALIFIER,
        timestamp: TIMESTAMP,
        type_code: CellType::Put.code(),
        value,
        tags: b"",
    }
}
