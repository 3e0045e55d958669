//! `FirstKeyOnlyFilter`: the first cell of each row, to count rows by.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps the first cell of each row.
#[derive(Default)]
pub struct FirstKeyOnlyFilter {
    found: bool,
}

impl FirstKeyOnlyFilter {
    /// Keeps the first cell of each row.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Filter for FirstKeyOnlyFilter {
    fn reset(&mut self) {
        self.found = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let code = if self.found { FilterCode::NextRow } else { FilterCode::Include };
        self.found = true;
        Ok(code)
    }
}

#[cfg(test)]
mod tests;
