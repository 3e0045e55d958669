//! `ColumnCountGetFilter`: the first columns of a row.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps the newest version of each of the first columns of a row. Meant for a Get: inside the row in which the limit
/// is passed, it says that nothing remains.
pub struct ColumnCountGetFilter {
    limit: u64,
    columns: u64,
}

impl ColumnCountGetFilter {
    /// Keeps `limit` columns.
    pub fn new(limit: u32) -> Self {
        Self { limit: u64::from(limit), columns: 0 }
    }
}

impl Filter for ColumnCountGetFilter {
    fn reset(&mut self) {
        self.columns = 0;
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.columns += 1;
        Ok(if self.filter_all_remaining() {
            FilterCode::NextColumn
        } else {
            FilterCode::IncludeAndNextColumn
        })
    }

    fn filter_all_remaining(&self) -> bool {
        self.columns > self.limit
    }
}

#[cfg(test)]
mod tests;
