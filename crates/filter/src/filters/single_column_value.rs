//! `SingleColumnValueFilter`: rows by the value of one column.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError};
use bytes::Bytes;
use finback_cell::Cell;

/// Keeps rows in which one column has a value that passes a comparison.
pub struct SingleColumnValueFilter {
    family: Bytes,
    qualifier: Bytes,
    comparison: Comparison,
    filter_if_missing: bool,
    latest_version_only: bool,
    column_found: bool,
    column_matched: bool,
}

impl SingleColumnValueFilter {
    /// Tests `family:qualifier`. Rows without the column are kept unless `filter_if_missing`; only the newest version
    /// is tested if `latest_version_only`, otherwise any version may pass.
    pub fn new(
        family: Bytes,
        qualifier: Bytes,
        comparison: Comparison,
        filter_if_missing: bool,
        latest_version_only: bool,
    ) -> Self {
        Self {
            family,
            qualifier,
            comparison,
            filter_if_missing,
            latest_version_only,
            column_found: false,
            column_matched: false,
        }
    }

    pub(super) fn is_tested_column(&self, cell: &Cell<'_>) -> bool {
        cell.qualifier() == self.qualifier && cell.family() == self.family
    }
}

impl Filter for SingleColumnValueFilter {
    fn reset(&mut self) {
        self.column_found = false;
        self.column_matched = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if self.column_matched {
            return Ok(FilterCode::Include);
        }
        if self.latest_version_only && self.column_found {
            return Ok(FilterCode::NextRow);
        }
        if !self.is_tested_column(cell) {
            return Ok(FilterCode::Include);
        }
        self.column_found = true;
        self.column_matched = self.comparison.passes(cell.value())?;
        let failed_for_good = !self.column_matched && self.latest_version_only;
        Ok(if failed_for_good { FilterCode::NextRow } else { FilterCode::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        if self.column_found { !self.column_matched } else { self.filter_if_missing }
    }

    /// If rows without the column are kept, every family can matter: a row may consist of others only.
    fn is_family_essential(&self, family: &[u8]) -> bool {
        !self.filter_if_missing || family == self.family
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + self.comparison.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
