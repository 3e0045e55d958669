//! Hadoop's variable-length integers.
//!
//! One byte for -112..=127; otherwise a first byte that tells sign and number of big-endian bytes that follow.

/// Appends `value`.
pub(crate) fn write(out: &mut Vec<u8>, value: i64) {
    if (-112..=127).contains(&value) {
        out.push(value as u8);
        return;
    }
    let (base, magnitude) = if value < 0 { (-120i64, !value as u64) } else { (-112i64, value as u64) };
    let bytes = 8 - magnitude.leading_zeros() as usize / 8;
    out.push((base - bytes as i64) as u8);
    out.extend_from_slice(&magnitude.to_be_bytes()[8 - bytes..]);
}

/// Bytes that [`write`] takes for `value`.
pub(crate) fn size(value: i64) -> usize {
    if (-112..=127).contains(&value) {
        return 1;
    }
    let magnitude = if value < 0 { !value } else { value };
    9 - magnitude.leading_zeros() as usize / 8
}

/// Reads a number off the front of `bytes`; gives it and its length. `None` if the bytes end before.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Option<(i64, usize)> {
    let first = *bytes.first()? as i8;
    if first >= -112 {
        return Some((i64::from(first), 1));
    }
    let (length, negative) = if first >= -120 {
        ((-112 - i16::from(first)) as usize, false)
    } else {
        ((-120 - i16::from(first)) as usize, true)
    };
    let magnitude = bytes.get(1..1 + length)?.iter().fold(0u64, |all, &byte| all << 8 | u64::from(byte));
    Some((if negative { !magnitude as i64 } else { magnitude as i64 }, 1 + length))
}

#[cfg(test)]
mod tests;
