//! `FamilyFilter`: cells by their family.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps cells whose family passes a comparison.
pub struct FamilyFilter {
    comparison: Comparison,
}

impl FamilyFilter {
    /// Keeps families that pass `comparison`.
    pub fn new(comparison: Comparison) -> Self {
        Self { comparison }
    }
}

impl Filter for FamilyFilter {
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let family = cell.family();
        let keep = family.is_empty() || self.comparison.passes(family)?;
        Ok(if keep { FilterCode::Include } else { FilterCode::NextRow })
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
