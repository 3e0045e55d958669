//! `ColumnRangeFilter`: cells whose qualifier is within bounds.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;
use std::cmp::Ordering;

/// Keeps cells between two qualifiers.
pub struct ColumnRangeFilter {
    min: Option<Bytes>,
    min_inclusive: bool,
    max: Option<Bytes>,
    max_inclusive: bool,
}

impl ColumnRangeFilter {
    /// Keeps qualifiers from `min` to `max`; `None` is unbounded.
    pub fn new(min: Option<Bytes>, min_inclusive: bool, max: Option<Bytes>, max_inclusive: bool) -> Self {
        Self { min, min_inclusive, max, max_inclusive }
    }
}

impl Filter for ColumnRangeFilter {
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let qualifier = cell.qualifier();
        match self.min.as_ref().map_or(Ordering::Greater, |min| qualifier.cmp(&min[..])) {
            Ordering::Less => return Ok(FilterCode::SeekNextUsingHint),
            Ordering::Equal if !self.min_inclusive => return Ok(FilterCode::NextColumn),
            _ => {}
        }
        Ok(match self.max.as_ref().map_or(Ordering::Less, |max| qualifier.cmp(&max[..])) {
            Ordering::Less => FilterCode::Include,
            Ordering::Equal if self.max_inclusive => FilterCode::Include,
            _ => FilterCode::NextRow,
        })
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        Some(OwnedKey::first_on_qualifier(cell, self.min.as_deref().unwrap_or_default()))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
