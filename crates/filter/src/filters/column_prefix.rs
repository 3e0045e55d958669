//! `ColumnPrefixFilter`: cells whose qualifier begins with given bytes.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;
use std::cmp::Ordering;

/// Keeps cells with a qualifier prefix.
pub struct ColumnPrefixFilter {
    prefix: Bytes,
}

impl ColumnPrefixFilter {
    /// Keeps qualifiers that begin with `prefix`.
    pub fn new(prefix: Bytes) -> Self {
        Self { prefix }
    }
}

impl Filter for ColumnPrefixFilter {
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let qualifier = cell.qualifier();
        Ok(match qualifier[..qualifier.len().min(self.prefix.len())].cmp(&self.prefix[..]) {
            Ordering::Less => FilterCode::SeekNextUsingHint,
            Ordering::Equal => FilterCode::Include,
            Ordering::Greater => FilterCode::NextRow,
        })
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        Some(OwnedKey::first_on_qualifier(cell, &self.prefix))
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
