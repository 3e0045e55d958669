//! `BinaryPrefixComparator`: the beginning of a value.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

/// Compares with as many of a value's first bytes as were given.
#[derive(Debug, Clone)]
pub struct BinaryPrefixComparator {
    prefix: Bytes,
}

impl BinaryPrefixComparator {
    /// Compares with `prefix`.
    pub fn new(prefix: Bytes) -> Self {
        Self { prefix }
    }
}

impl Comparator for BinaryPrefixComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        Ok(self.prefix[..].cmp(&value[..value.len().min(self.prefix.len())]))
    }

    fn given(&self) -> &[u8] {
        &self.prefix
    }
}

#[cfg(test)]
mod tests;
