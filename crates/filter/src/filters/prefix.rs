//! `PrefixFilter`: rows that begin with given bytes.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;
use std::cmp::Ordering;

/// Keeps rows with a prefix; seeks to them, and ends the scan once past them.
pub struct PrefixFilter {
    prefix: Option<Bytes>,
    reversed: bool,
    passed: bool,
    rejected: bool,
    before: bool,
}

impl PrefixFilter {
    /// Keeps rows that begin with `prefix`; without one, none.
    pub fn new(prefix: Option<Bytes>) -> Self {
        Self { prefix, reversed: false, passed: false, rejected: true, before: false }
    }
}

impl Filter for PrefixFilter {
    fn reset(&mut self) {
        self.rejected = true;
    }

    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        let Some(prefix) = &self.prefix else { return Ok(true) };
        if self.passed {
            return Ok(true);
        }
        let order = row[..row.len().min(prefix.len())].cmp(&prefix[..]);
        let in_scan_order = if self.reversed { order.reverse() } else { order };
        self.passed = in_scan_order == Ordering::Greater;
        self.before = in_scan_order == Ordering::Less;
        self.rejected = order != Ordering::Equal;
        // A row before the prefix is let through to `filter_cell`, which can give a hint; here one cannot.
        Ok(self.passed)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(match (self.before, self.rejected) {
            (true, _) => FilterCode::SeekNextUsingHint,
            (false, true) => FilterCode::NextRow,
            (false, false) => FilterCode::Include,
        })
    }

    fn next_cell_hint(&mut self, _cell: &Cell<'_>) -> Option<OwnedKey> {
        let prefix = self.prefix.as_ref()?;
        Some(if self.reversed {
            OwnedKey::first_on_row(&increase_last_non_max_byte(prefix.to_vec()))
        } else {
            OwnedKey::first_on_row(prefix)
        })
    }

    fn filter_row(&mut self) -> bool {
        self.rejected
    }

    fn filter_all_remaining(&self) -> bool {
        self.passed
    }

    fn set_reversed(&mut self, reversed: bool) {
        self.reversed = reversed;
    }

    fn is_hinting(&self) -> bool {
        true
    }
}

/// The bytes as far as their last one below 0xff, which is increased: sorts after everything that begins with `bytes`, and before
/// all that sorts so, except for a key of 0xff only, after which a reversed scan has nothing to skip.
pub(super) fn increase_last_non_max_byte(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(last) = bytes.iter().rposition(|byte| *byte != 0xff) {
        bytes.truncate(last + 1);
        bytes[last] += 1;
    }
    bytes
}

#[cfg(test)]
mod tests;
