//! `PageFilter`: a number of rows.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Ends the scan of the region after a number of rows passed. Each region counts for itself; the client cuts the rest.
pub struct PageFilter {
    page_size: u64,
    accepted: u64,
}

impl PageFilter {
    /// Lets `page_size` rows pass.
    pub fn new(page_size: u64) -> Self {
        Self { page_size, accepted: 0 }
    }
}

impl Filter for PageFilter {
    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::Include)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        self.accepted += 1;
        self.accepted > self.page_size
    }

    fn filter_all_remaining(&self) -> bool {
        self.accepted >= self.page_size
    }
}

#[cfg(test)]
mod tests;
