//! `FilterAllFilter`: nothing.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;

/// Drops every cell. HBase has it among its test tools, and `PerformanceEvaluation` sends it to measure scans that
/// return nothing.
pub struct FilterAllFilter;

impl Filter for FilterAllFilter {
    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::Skip)
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
