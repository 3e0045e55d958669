//! `SkipFilter`: whole rows, if one of their cells is not kept.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Drops a row if the inner filter says anything but `Include` of one of its cells.
///
/// As in HBase, the inner filter is asked about cells only: not about row keys, rows, hints, or the end, and it does not
/// learn the direction of the scan. A filter that decides by row key alone, such as `RowFilter`, drops nothing here.
pub struct SkipFilter {
    inner: Box<dyn Filter>,
    rejected: bool,
}

impl SkipFilter {
    /// Drops rows by `inner`.
    pub fn new(inner: Box<dyn Filter>) -> Self {
        Self { inner, rejected: false }
    }
}

impl Filter for SkipFilter {
    fn reset(&mut self) {
        self.inner.reset();
        self.rejected = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let code = self.inner.filter_cell(cell)?;
        self.rejected |= code != FilterCode::Include;
        Ok(code)
    }

    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        self.inner.transform_cell(cell, out)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        self.rejected
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        self.inner.is_family_essential(family)
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.inner.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
