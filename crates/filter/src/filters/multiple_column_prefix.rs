//! `MultipleColumnPrefixFilter`: cells whose qualifier begins with one of several prefixes.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;

/// Keeps cells whose qualifier begins with any of the prefixes.
pub struct MultipleColumnPrefixFilter {
    sorted: Vec<Bytes>,
    hint: usize,
}

impl MultipleColumnPrefixFilter {
    /// Keeps qualifiers that begin with one of `prefixes`, which must be distinct; without any, all.
    pub fn new(mut prefixes: Vec<Bytes>) -> Result<Self, FilterError> {
        prefixes.sort_unstable();
        if prefixes.windows(2).any(|pair| pair[0] == pair[1]) {
            let reason = "prefixes must be distinct".into();
            return Err(FilterError::Invalid { class: "MultipleColumnPrefixFilter", reason });
        }
        Ok(Self { sorted: prefixes, hint: 0 })
    }
}

impl Filter for MultipleColumnPrefixFilter {
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    /// Like HBase, looks only at the greatest prefix that is not above the qualifier: of the prefixes "a" and "ab",
    /// the qualifier "abc" passes by "ab", but "ac" not by "a", since "ab" stands between and there is no longer
    /// any above it.
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if self.sorted.is_empty() {
            return Ok(FilterCode::Include);
        }
        let qualifier = cell.qualifier();
        let above = self.sorted.partition_point(|prefix| prefix[..] <= *qualifier);
        if above > 0 && qualifier.starts_with(&self.sorted[above - 1]) {
            return Ok(FilterCode::Include);
        }
        if above == self.sorted.len() {
            return Ok(FilterCode::NextRow);
        }
        self.hint = above;
        Ok(FilterCode::SeekNextUsingHint)
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        let prefix = self.sorted.get(self.hint)?;
        Some(OwnedKey::first_on_qualifier(cell, prefix))
    }

    fn is_hinting(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&self.sorted[..])
    }
}

#[cfg(test)]
mod tests;
