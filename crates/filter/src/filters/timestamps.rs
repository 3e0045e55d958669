//! `TimestampsFilter`: cells of certain timestamps.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use finback_cell::Cell;

/// Keeps cells whose timestamp is one of a set.
pub struct TimestampsFilter {
    sorted: Vec<i64>,
    can_hint: bool,
}

impl TimestampsFilter {
    /// Keeps `timestamps`, none of which may be negative. With `can_hint`, seeks from one to the next lower.
    pub fn new(mut timestamps: Vec<i64>, can_hint: bool) -> Result<Self, FilterError> {
        if let Some(negative) = timestamps.iter().find(|timestamp| **timestamp < 0) {
            let reason = format!("must be positive {negative}").into();
            return Err(FilterError::Invalid { class: "TimestampsFilter", reason });
        }
        timestamps.sort_unstable();
        timestamps.dedup();
        Ok(Self { sorted: timestamps, can_hint })
    }
}

impl Filter for TimestampsFilter {
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let timestamp = cell.timestamp();
        Ok(match self.sorted.binary_search(&timestamp) {
            Ok(_) => FilterCode::Include,
            // Versions come newest first: nothing older can be in the set. An empty set counts as one that begins
            // at the end of time, whose own timestamp is only skipped.
            Err(0) if !self.sorted.is_empty() || timestamp != i64::MAX => FilterCode::NextColumn,
            Err(_) if self.can_hint => FilterCode::SeekNextUsingHint,
            Err(_) => FilterCode::Skip,
        })
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        if !self.can_hint {
            return None;
        }
        let below = self.sorted.partition_point(|listed| *listed < cell.timestamp());
        Some(match below.checked_sub(1).and_then(|at| self.sorted.get(at)) {
            Some(&next) => OwnedKey::first_at_timestamp(cell, next),
            None => OwnedKey::last_on_column_of(cell),
        })
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
