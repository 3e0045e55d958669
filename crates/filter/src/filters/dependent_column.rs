//! `DependentColumnFilter`: cells that were written together with a cell of one column.

use super::Comparison;
use crate::{Filter, FilterCode, FilterError, RowCells};
use bytes::Bytes;
use finback_cell::Cell;
use std::collections::HashSet;

/// Keeps the cells of a row that share their timestamp with a cell of the reference column that passes.
///
/// The set of timestamps is no larger than the versions of one column in one row that the store returns.
pub struct DependentColumnFilter {
    family: Bytes,
    qualifier: Bytes,
    drop_dependent_column: bool,
    comparison: Option<Comparison>,
    timestamps: HashSet<i64>,
}

impl DependentColumnFilter {
    /// Refers to `family:qualifier`, of which cells count that pass `comparison`, or all; they are returned themselves
    /// unless `drop_dependent_column`.
    pub fn new(
        family: Bytes,
        qualifier: Bytes,
        drop_dependent_column: bool,
        comparison: Option<Comparison>,
    ) -> Self {
        Self { family, qualifier, drop_dependent_column, comparison, timestamps: HashSet::new() }
    }
}

impl Filter for DependentColumnFilter {
    fn reset(&mut self) {
        self.timestamps.clear();
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if cell.qualifier() != self.qualifier || cell.family() != self.family {
            return Ok(FilterCode::Include);
        }
        if let Some(comparison) = &self.comparison
            && !comparison.passes(cell.value())?
        {
            return Ok(FilterCode::Skip);
        }
        self.timestamps.insert(cell.timestamp());
        Ok(if self.drop_dependent_column { FilterCode::Skip } else { FilterCode::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        cells.retain(&mut |cell| self.timestamps.contains(&cell.timestamp()));
    }

    fn memory_bytes(&self) -> usize {
        let comparison = self.comparison.as_ref().map_or(0, Comparison::memory_bytes);
        size_of_val(self) + comparison + self.timestamps.capacity() * size_of::<i64>()
    }
}

#[cfg(test)]
mod tests;
