//! `SubstringComparator`: text inside a value, whatever the case.

use crate::{Comparator, FilterError};
use std::cmp::Ordering;

/// Texts longer than this are sought in a copy of the value, in time linear in it; shorter ones at each place of the value
/// itself.
const LONG_BYTES: usize = 16;

/// `Equal` if the lower-cased value, read as UTF-8, contains the lower-cased text; `Greater` otherwise.
#[derive(Debug, Clone)]
pub struct SubstringComparator {
    lower: String,
}

impl SubstringComparator {
    /// Looks for `text`.
    pub fn new(text: &str) -> Self {
        Self { lower: text.to_lowercase() }
    }

    fn contained_in_ascii(&self, value: &[u8]) -> bool {
        if self.lower.len() > LONG_BYTES {
            return String::from_utf8_lossy(&value.to_ascii_lowercase()).contains(&self.lower);
        }
        let needle = self.lower.as_bytes();
        needle.is_empty() || value.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
    }
}

impl Comparator for SubstringComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        let found = if value.is_ascii() {
            self.contained_in_ascii(value)
        } else {
            String::from_utf8_lossy(value).to_lowercase().contains(&self.lower)
        };
        Ok(if found { Ordering::Equal } else { Ordering::Greater })
    }

    fn given(&self) -> &[u8] {
        self.lower.as_bytes()
    }
}

#[cfg(test)]
mod tests;
