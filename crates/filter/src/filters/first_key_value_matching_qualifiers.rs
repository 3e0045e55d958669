//! `FirstKeyValueMatchingQualifiersFilter`: each row as far as the first of certain columns.

use crate::{Filter, FilterCode, FilterError};
use bytes::Bytes;
use finback_cell::Cell;

/// Keeps the cells of each row up to and including the first whose qualifier is one of a set.
pub struct FirstKeyValueMatchingQualifiersFilter {
    sorted: Vec<Bytes>,
    found: bool,
}

impl FirstKeyValueMatchingQualifiersFilter {
    /// Stops each row at the first of `qualifiers`.
    pub fn new(mut qualifiers: Vec<Bytes>) -> Self {
        qualifiers.sort_unstable();
        Self { sorted: qualifiers, found: false }
    }
}

impl Filter for FirstKeyValueMatchingQualifiersFilter {
    fn reset(&mut self) {
        self.found = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if self.found {
            return Ok(FilterCode::NextRow);
        }
        self.found = self.sorted.binary_search_by(|listed| listed[..].cmp(cell.qualifier())).is_ok();
        Ok(FilterCode::Include)
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&self.sorted[..])
    }
}

#[cfg(test)]
mod tests;
