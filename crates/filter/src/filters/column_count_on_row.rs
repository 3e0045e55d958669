//! `ColumnCountOnRowFilter`: the first cells of each row.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Keeps the first cells of each row. It is in none of HBase's programs, but in the tests that come with HBase, which scan
/// with it where they need rows to be cut by a filter and by limits at once.
pub struct ColumnCountOnRowFilter {
    limit: i32,
    cells: i32,
}

impl ColumnCountOnRowFilter {
    /// Its name among clients.
    pub(crate) const CLASS: &str = "org.apache.hadoop.hbase.client.ColumnCountOnRowFilter";

    /// Keeps `limit` cells of a row.
    pub fn new(limit: i32) -> Self {
        Self { limit, cells: 0 }
    }

    /// From its limit, in four bytes.
    ///
    /// # Errors
    /// Other lengths.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, FilterError> {
        let invalid = |_| FilterError::Invalid {
            class: "ColumnCountOnRowFilter",
            reason: format!("{} bytes for the limit, which takes 4", bytes.len()).into(),
        };
        Ok(Self::new(i32::from_be_bytes(bytes.try_into().map_err(invalid)?)))
    }
}

impl Filter for ColumnCountOnRowFilter {
    fn reset(&mut self) {
        self.cells = 0;
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.cells = self.cells.saturating_add(1);
        Ok(if self.cells > self.limit { FilterCode::NextRow } else { FilterCode::Include })
    }
}

#[cfg(test)]
mod tests;
