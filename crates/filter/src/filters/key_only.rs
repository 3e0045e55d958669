//! `KeyOnlyFilter`: cells without their values.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;
use finback_cell::cell::CellParts;

/// Keeps every cell, but replaces its value. Tags are dropped, as in HBase.
pub struct KeyOnlyFilter {
    length_as_value: bool,
}

impl KeyOnlyFilter {
    /// Replaces values by nothing, or by their length as a big-endian 32-bit number.
    pub fn new(length_as_value: bool) -> Self {
        Self { length_as_value }
    }
}

impl Filter for KeyOnlyFilter {
    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        Ok(false)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::Include)
    }

    fn drops_cells(&self) -> bool {
        false
    }

    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        let length = (cell.value_length() as u32).to_be_bytes();
        let value: &[u8] = if self.length_as_value { &length } else { &[] };
        CellParts { value, tags: &[], ..CellParts::from(*cell) }.write(out);
        true
    }
}

#[cfg(test)]
mod tests;
