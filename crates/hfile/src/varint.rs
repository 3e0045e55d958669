//! Lengths in encoded blocks: 7 bits a byte, the lowest first, as in protobuf.

/// Appends a length.
pub(crate) fn write(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a length off the front of `bytes`. `None` if they end before, or it is longer than any length can be.
#[inline]
pub(crate) fn take(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0u32;
    for (number, &byte) in bytes.iter().take(5).enumerate() {
        value |= u32::from(byte & 0x7f).checked_shl(7 * number as u32)?;
        if byte < 0x80 {
            *bytes = &bytes[number + 1..];
            let is_cut = number == 4 && byte > 0x07;
            return (!is_cut).then_some(value as usize);
        }
    }
    None
}

#[cfg(test)]
mod tests;
