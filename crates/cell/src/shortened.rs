//! Bytes of any length in messages that have one.

use std::fmt::{Display, Formatter, Result};

/// Bytes that are shown. Names, rows and most columns are shorter.
const SHOWN_BYTES: usize = 200;

/// Shows bytes that a client has sent or chosen, as `escape_ascii` does, up to a limit: what goes beyond is `…`.
#[derive(Clone, Copy, Debug)]
pub struct Shortened<'a>(pub &'a [u8]);

impl Display for Shortened<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (shown, more) = self.0.split_at(self.0.len().min(SHOWN_BYTES));
        write!(f, "{}{}", shown.escape_ascii(), if more.is_empty() { "" } else { "…" })
    }
}

#[cfg(test)]
mod tests;
