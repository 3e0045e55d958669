//! A list of filters that must all pass.

use super::{
    Step, any_family_essential, any_has_filter_row, choose_hint, code_of, filter_row_cells_of_all,
    memory_bytes_of_all, step, transform_in_turn,
};
use crate::{Filter, FilterCode, FilterError, OwnedKey, RowCells};
use finback_cell::Cell;
use std::cmp::Ordering;

/// `MUST_PASS_ALL`. Keeps a cell if all filters keep it, and moves as far as the filter that moves furthest. An empty
/// list keeps everything.
pub struct FilterListWithAnd {
    filters: Vec<Box<dyn Filter>>,
    /// Whether the filter asked for a seek at the last cell.
    seeking: Vec<bool>,
    reversed: bool,
}

impl FilterListWithAnd {
    /// Requires all of `filters`.
    pub fn new(filters: Vec<Box<dyn Filter>>) -> Self {
        let seeking = vec![false; filters.len()];
        Self { filters, seeking, reversed: false }
    }

    /// Asks the filters in turn up to the first that does not keep the cell: those behind must not count it
    /// (HBASE-20565). Returns the code, and how many were asked.
    fn ask_until_rejected(&mut self, cell: &Cell<'_>) -> Result<(FilterCode, usize), FilterError> {
        let mut furthest = Step::Cell;
        for (at, filter) in self.filters.iter_mut().enumerate() {
            if filter.filter_all_remaining() {
                return Ok((FilterCode::NextRow, at + 1));
            }
            let code = filter.filter_cell(cell)?;
            furthest = furthest.max(step(code));
            if code == FilterCode::SeekNextUsingHint {
                self.seeking[at] = true;
                return Ok((code, at + 1));
            }
            if !code.is_include() {
                return Ok((code_of(false, furthest), at + 1));
            }
        }
        Ok((code_of(true, furthest), self.filters.len()))
    }
}

impl Filter for FilterListWithAnd {
    fn reset(&mut self) {
        self.filters.iter_mut().for_each(crate::filter::Filter::reset);
        self.seeking.fill(false);
    }

    /// Asks all, since some take note of the row here. A row that one rejects is let through when another that can
    /// give a hint does not reject it: the hint can only be had from a cell.
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        let (mut rejected, mut may_hint) = (false, false);
        for filter in &mut self.filters {
            if filter.filter_all_remaining() {
                return Ok(true);
            }
            if filter.filter_row_key(row)? {
                rejected = true;
            } else if filter.is_hinting() {
                may_hint = true;
            }
        }
        Ok(rejected && !may_hint)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.seeking.fill(false);
        let (code, asked) = self.ask_until_rejected(cell)?;
        for (filter, seeking) in self.filters.iter_mut().zip(&mut self.seeking).skip(asked) {
            if filter.is_hinting() && filter.filter_cell(cell)? == FilterCode::SeekNextUsingHint {
                *seeking = true;
            }
        }
        Ok(if self.seeking.contains(&true) { FilterCode::SeekNextUsingHint } else { code })
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        let mut furthest = None;
        for (filter, _) in self.filters.iter_mut().zip(&self.seeking).filter(|(_, seeking)| **seeking) {
            if filter.filter_all_remaining() {
                continue;
            }
            if let Some(hint) = filter.next_cell_hint(cell) {
                furthest = choose_hint(furthest, hint, self.reversed, Ordering::Greater);
            }
        }
        furthest
    }

    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        transform_in_turn(self.filters.iter_mut(), cell, out)
    }

    fn has_filter_row(&self) -> bool {
        any_has_filter_row(&self.filters)
    }

    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        filter_row_cells_of_all(&mut self.filters, cells);
    }

    fn filter_row(&mut self) -> bool {
        self.filters.iter_mut().any(crate::filter::Filter::filter_row)
    }

    fn filter_all_remaining(&self) -> bool {
        self.filters.iter().any(crate::filter::Filter::filter_all_remaining)
    }

    fn set_reversed(&mut self, reversed: bool) {
        self.reversed = reversed;
        self.filters.iter_mut().for_each(|filter| filter.set_reversed(reversed));
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        any_family_essential(&self.filters, family)
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&self.seeking[..]) + memory_bytes_of_all(&self.filters)
    }
}
