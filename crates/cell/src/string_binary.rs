//! Bytes as HBase's messages show them.

use std::fmt::{Display, Formatter, Result, Write};

/// Shows bytes as HBase's `Bytes.toStringBinary`: printable ASCII as it is, but for the backslash, which begins the two
/// hexadecimal digits of everything else.
#[derive(Clone, Copy, Debug)]
pub struct StringBinary<'a>(pub &'a [u8]);

impl Display for StringBinary<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for &byte in self.0 {
            match byte {
                b' '..=b'~' if byte != b'\\' => f.write_char(char::from(byte))?,
                _ => write!(f, "\\x{byte:02X}")?,
            }
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
