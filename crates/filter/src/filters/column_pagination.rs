//! `ColumnPaginationFilter`: a page of the columns of each row.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;

/// Where the page begins.
#[derive(Debug, Clone)]
pub enum PageStart {
    /// After this many columns.
    Offset(u32),
    /// At this qualifier, or the next after it.
    Column(Bytes),
}

/// Keeps the newest version of each of a number of columns of each row.
pub struct ColumnPaginationFilter {
    limit: u64,
    start: PageStart,
    columns: u64,
}

impl ColumnPaginationFilter {
    /// Keeps `limit` columns from `start` on.
    pub fn new(limit: u32, start: PageStart) -> Self {
        Self { limit: u64::from(limit), start, columns: 0 }
    }
}

impl Filter for ColumnPaginationFilter {
    fn reset(&mut self) {
        self.columns = 0;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let offset = match &self.start {
            PageStart::Offset(offset) => u64::from(*offset),
            PageStart::Column(_) => 0,
        };
        if self.columns >= offset + self.limit {
            return Ok(FilterCode::NextRow);
        }
        if let PageStart::Column(column) = &self.start
            && self.columns == 0
            && *cell.qualifier() < column[..]
        {
            return Ok(FilterCode::SeekNextUsingHint);
        }
        self.columns += 1;
        Ok(if self.columns <= offset { FilterCode::NextColumn } else { FilterCode::IncludeAndNextColumn })
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        match &self.start {
            PageStart::Offset(_) => None,
            PageStart::Column(column) => Some(OwnedKey::first_on_qualifier(cell, column)),
        }
    }
}

#[cfg(test)]
mod tests;
