//! `InclusiveStopFilter`: rows up to and including a last one.

use crate::{Filter, FilterCode, FilterError};
use bytes::Bytes;
use finback_cell::Cell;

/// Ends the scan after a row.
pub struct InclusiveStopFilter {
    stop_row: Bytes,
    reversed: bool,
    done: bool,
}

impl InclusiveStopFilter {
    /// Ends the scan after `stop_row`.
    pub fn new(stop_row: Bytes) -> Self {
        Self { stop_row, reversed: false, done: false }
    }
}

impl Filter for InclusiveStopFilter {
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        if !self.done {
            self.done = if self.reversed { *row < self.stop_row[..] } else { *row > self.stop_row[..] };
        }
        Ok(self.done)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(if self.done { FilterCode::NextRow } else { FilterCode::Include })
    }

    fn filter_all_remaining(&self) -> bool {
        self.done
    }

    fn set_reversed(&mut self, reversed: bool) {
        self.reversed = reversed;
    }
}

#[cfg(test)]
mod tests;
