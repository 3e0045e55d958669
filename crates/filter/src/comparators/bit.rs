//! `BitComparator`: whether a bitwise operation leaves any bit.

use crate::{Comparator, FilterError};
use bytes::Bytes;
use std::cmp::Ordering;

/// The operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitwiseOp {
    /// Both bits.
    And,
    /// Either bit.
    Or,
    /// Exactly one bit.
    Xor,
}

/// `Equal` if the operation on the given bytes and a value *of the same length* is not all zeros, `Greater` otherwise.
#[derive(Debug, Clone)]
pub struct BitComparator {
    mask: Bytes,
    op: BitwiseOp,
}

impl BitComparator {
    /// Combines values with `mask`.
    pub fn new(mask: Bytes, op: BitwiseOp) -> Self {
        Self { mask, op }
    }
}

impl Comparator for BitComparator {
    fn compare_to(&self, value: &[u8]) -> Result<Ordering, FilterError> {
        let any_bit = self.mask.iter().zip(value).any(|(given, found)| match self.op {
            BitwiseOp::And => given & found != 0,
            BitwiseOp::Or => given | found != 0,
            BitwiseOp::Xor => given ^ found != 0,
        });
        let matches = value.len() == self.mask.len() && any_bit;
        Ok(if matches { Ordering::Equal } else { Ordering::Greater })
    }

    fn given(&self) -> &[u8] {
        &self.mask
    }
}

#[cfg(test)]
mod tests;
