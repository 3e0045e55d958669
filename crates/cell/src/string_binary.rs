//! Bytes as HBase's messages show them.

use std::fmt::{Display, Formatter, Result, Write};

/// Shows bytes as HBase's `Bytes.toStringBinary`: printable ASCII as it is, but for the backslash, which begins the two
/// hexadecimal digits of everything else.
#[derive(Clone, Copy, Debug)]
pub struct StringBinary<'a>(pub &'a [u8]);

impl Display for StringBinary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let stands_for_itself = |byte: &u8| matches!(byte, b' '..=b'~' if *byte != b'\\');
        let mut rest = self.0;
        while let Some(&first) = rest.first() {
            let plain = rest.iter().position(|byte| !stands_for_itself(byte)).unwrap_or(rest.len());
            if plain > 0 {
                f.write_str(std::str::from_utf8(&rest[..plain]).unwrap_or_default())?;
            } else {
                let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
                f.write_str("\\x")?;
                f.write_char(digit(first >> 4))?;
                f.write_char(digit(first))?;
            }
            rest = &rest[plain.max(1)..];
        }
        Ok(())
    }
}

/// The bytes that HBase's `Bytes.toBytesBinary` makes of such a text. A backslash that no `x` and two digits follow stands for
/// itself.
pub fn from_string_binary(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        match (first, after.first(), digit(1), digit(2)) {
            (b'\\', Some(b'x'), Some(high), Some(low)) => {
                bytes.push((high << 4 | low) as u8);
                rest = &after[3..];
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
