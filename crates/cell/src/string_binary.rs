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

#[cfg(test)]
mod tests;
