//! `SingleColumnValueExcludeFilter`: rows by the value of one column, which is not returned.

use super::SingleColumnValueFilter;
use crate::{Filter, FilterCode, FilterError, RowCells};
use finback_cell::Cell;

/// A [`SingleColumnValueFilter`] that removes the tested column from the rows it keeps.
pub struct SingleColumnValueExcludeFilter {
    inner: SingleColumnValueFilter,
}

impl SingleColumnValueExcludeFilter {
    /// Tests like `inner`.
    pub fn new(inner: SingleColumnValueFilter) -> Self {
        Self { inner }
    }
}

impl Filter for SingleColumnValueExcludeFilter {
    fn reset(&mut self) {
        self.inner.reset();
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        self.inner.filter_row_key(row)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.inner.filter_cell(cell)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        cells.retain(&mut |cell| !self.inner.is_tested_column(cell));
    }

    fn filter_row(&mut self) -> bool {
        self.inner.filter_row()
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.inner.is_family_essential(family)
    }

    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
