//! `NullComparator`: whether there is a value at all.

use crate::{Comparator, FilterError};
use std::cmp::Ordering;

/// `Greater` for every value: a value that is there, even an empty one, is not null.
#[derive(Debug, Clone, Copy)]
pub struct NullComparator;

impl Comparator for NullComparator {
    fn compare_to(&self, _value: &[u8]) -> Result<Ordering, FilterError> {
        Ok(Ordering::Greater)
    }

    fn given(&self) -> &[u8] {
        &[]
    }
}

#[cfg(test)]
mod tests;
