//! `ColumnValueFilter`: the cells of one column, by their value.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use bytes::Bytes;
use finback_cell::Cell;

/// Keeps only cells of one column whose value passes a comparison.
pub struct ColumnValueFilter {
    family: Bytes,
    qualifier: Bytes,
    comparison: Comparison,
    column_found: bool,
}

impl ColumnValueFilter {
    /// Keeps cells of `family:qualifier` that pass `comparison`.
    pub fn new(family: Bytes, qualifier: Bytes, comparison: Comparison) -> Self {
        Self { family, qualifier, comparison, column_found: false }
    }
}

impl Filter for ColumnValueFilter {
    fn reset(&mut self) {
        self.column_found = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if cell.family() != self.family || cell.qualifier() != self.qualifier {
            return Ok(if self.column_found { FilterCode::NextRow } else { FilterCode::NextColumn });
        }
        self.column_found = true;
        Ok(if self.comparison.passes(cell.value())? { FilterCode::Include } else { FilterCode::Skip })
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        family == self.family
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
