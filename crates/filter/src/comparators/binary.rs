//! `BinaryComparator`: plain unsigned bytes.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

/// Compares bytes as a whole.
#[derive(Debug, Clone)]
pub struct BinaryComparator {
    value: Bytes,
}

impl BinaryComparator {
    /// Compares with `value`.
    pub fn new(value: Bytes) -> Self {
        Self { value }
    }
}

impl Comparator for BinaryComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        Ok(self.value[..].cmp(value))
    }

    fn given(&self) -> &[u8] {
        &self.value
    }
}

#[cfg(test)]
mod tests;
