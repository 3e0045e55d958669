//! `QualifierFilter`: cells by their qualifier.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps cells whose qualifier passes a comparison.
pub struct QualifierFilter {
    comparison: Comparison,
}

impl QualifierFilter {
    /// Keeps qualifiers that pass `comparison`.
    pub fn new(comparison: Comparison) -> Self {
        Self { comparison }
    }
}

impl Filter for QualifierFilter {
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let keep = self.comparison.passes(cell.qualifier())?;
        Ok(if keep { FilterCode::Include } else { FilterCode::Skip })
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
