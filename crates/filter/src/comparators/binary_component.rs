//! `BinaryComponentComparator`: bytes somewhere inside a value.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

/// Compares with as many bytes of a value, from an offset on, as were given.
///
/// Of a value that ends earlier, the bytes that there are take part. (HBase reads on into whatever lies behind the
/// value in memory.)
#[derive(Debug, Clone)]
pub struct BinaryComponentComparator {
    component: Bytes,
    offset: usize,
}

impl BinaryComponentComparator {
    /// Compares with `component` at `offset` bytes into the value.
    pub fn new(component: Bytes, offset: u32) -> Self {
        Self { component, offset: offset as usize }
    }
}

impl Comparator for BinaryComponentComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        let from = value.get(self.offset..).unwrap_or_default();
        Ok(self.component[..].cmp(&from[..from.len().min(self.component.len())]))
    }

    fn given(&self) -> &[u8] {
        &self.component
    }
}

#[cfg(test)]
mod tests;
