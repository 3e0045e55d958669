//! `RowFilter`: rows by their key.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps rows whose key passes a comparison.
pub struct RowFilter {
    comparison: Comparison,
    rejected: bool,
}

impl RowFilter {
    /// Keeps rows that pass `comparison`.
    pub fn new(comparison: Comparison) -> Self {
        Self { comparison, rejected: false }
    }
}

impl Filter for RowFilter {
    fn reset(&mut self) {
        self.rejected = false;
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        self.rejected |= !self.comparison.passes(row)?;
        Ok(self.rejected)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(if self.rejected { FilterCode::NextRow } else { FilterCode::Include })
    }

    fn filter_row(&mut self) -> bool {
        self.rejected
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
