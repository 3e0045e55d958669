//! `LongComparator`: values of eight bytes as signed integers.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

const CLASS: &str = "LongComparator";

/// Compares big-endian signed 64-bit integers. A value of another length is an error, as in HBase.
#[derive(Debug, Clone)]
pub struct LongComparator {
    bytes: Bytes,
    number: i64,
}

impl LongComparator {
    /// Compares with the integer in `bytes`.
    pub fn new(bytes: Bytes) -> Result<Self, FilterError> {
        let number = read(&bytes)?;
        Ok(Self { bytes, number })
    }
}

fn read(bytes: &[u8]) -> Result<i64, FilterError> {
    let wrong = FilterError::ValueLength { class: CLASS, found: bytes.len(), expected: 8 };
    bytes.try_into().map(i64::from_be_bytes).map_err(|_| wrong)
}

impl Comparator for LongComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        Ok(self.number.cmp(&read(value)?))
    }

    fn given(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests;
