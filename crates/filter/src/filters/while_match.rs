//! `WhileMatchFilter`: everything up to the first rejection.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Ends the scan as soon as the inner filter rejects a row key, a cell (by anything but `Include`) or a row.
///
/// As in HBase, the inner filter gives no hints, drops no cells of whole rows, and does not learn the direction of the
/// scan.
pub struct WhileMatchFilter {
    inner: Box<dyn Filter>,
    done: bool,
}

impl WhileMatchFilter {
    /// Passes what `inner` passes, until it rejects something.
    pub fn new(inner: Box<dyn Filter>) -> Self {
        Self { inner, done: false }
    }
}

impl Filter for WhileMatchFilter {
    fn reset(&mut self) {
        self.inner.reset();
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        if self.filter_all_remaining() {
            return Ok(true);
        }
        let rejected = self.inner.filter_row_key(row)?;
        self.done |= rejected;
        Ok(rejected)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let code = self.inner.filter_cell(cell)?;
        self.done |= code != FilterCode::Include;
        Ok(code)
    }

    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        self.inner.transform_cell(cell, out)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        let rejected = self.inner.filter_row();
        self.done |= rejected;
        rejected
    }

    fn filter_all_remaining(&self) -> bool {
        self.done || self.inner.filter_all_remaining()
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
