//! `ValueFilter`: cells by their value.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps cells whose value passes a comparison.
pub struct ValueFilter {
    comparison: Comparison,
}

impl ValueFilter {
    /// Keeps values that pass `comparison`.
    pub fn new(comparison: Comparison) -> Self {
        Self { comparison }
    }
}

impl Filter for ValueFilter {
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let keep = self.comparison.passes(cell.value())?;
        Ok(if keep { FilterCode::Include } else { FilterCode::Skip })
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
