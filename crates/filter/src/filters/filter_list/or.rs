//! A list of filters of which one must pass.

use super::last_cell::LastCell;
use super::{
    any_family_essential, any_has_filter_row, choose_hint, code_of, compare_in_scan_order,
    filter_row_cells_of_all, memory_bytes_of_all, step, transform_in_turn,
};
use crate::{Filter, FilterCode, FilterError, OwnedKey, RowCells};
use finback_cell::Cell;
use finback_cell::key::Key;
use std::cmp::Ordering;

/// `MUST_PASS_ONE`. Keeps a cell if one filter keeps it, and moves only as far as the filter that moves least. An empty
/// list keeps everything.
///
/// Since others may hold the scan back, a filter that wanted to move further can be shown cells that it meant to leave
/// out. It is not asked about them, but taken to want the same still (HBASE-17678, HBASE-18368).
pub struct FilterListWithOr {
    subs: Vec<Box<dyn Filter>>,
    states: Vec<SubState>,
    /// The cell that the list was asked about last in this row, if a filter wanted to move on from it.
    last: Option<LastCell>,
    reversed: bool,
}

/// What is remembered of one filter of the list.
#[derive(Clone, Default)]
struct SubState {
    /// What it said last in this row, of the list's last cell.
    code: Option<FilterCode>,
    /// Whether it kept the last cell.
    included: bool,
}

impl SubState {
    fn remember(&mut self, code: FilterCode) {
        self.code = Some(code);
        self.included = code.is_include();
    }

    /// Whether it wanted to move on from the last cell.
    fn is_moving(&self) -> bool {
        !matches!(self.code, None | Some(FilterCode::Include | FilterCode::Skip))
    }

    /// The code for `cell` if it lies within what the filter wanted to leave out, having seen `last`. Cells of one call
    /// follow each other in one row.
    fn still_moving(
        &self,
        filter: &mut dyn Filter,
        last: &LastCell,
        cell: &Cell<'_>,
        reversed: bool,
    ) -> Option<FilterCode> {
        let previous = last.as_cell();
        let same_family = previous.family() == cell.family();
        match self.code? {
            FilterCode::Include | FilterCode::Skip => None,
            FilterCode::NextColumn | FilterCode::IncludeAndNextColumn => {
                (same_family && previous.qualifier() == cell.qualifier()).then_some(FilterCode::NextColumn)
            }
            FilterCode::NextRow | FilterCode::IncludeAndSeekNextRow => {
                same_family.then_some(FilterCode::NextRow)
            }
            FilterCode::SeekNextUsingHint => {
                let hint = filter.next_cell_hint(&previous)?;
                let order = compare_in_scan_order(&Key::of(cell), &hint.as_key(), reversed);
                order.is_lt().then_some(FilterCode::SeekNextUsingHint)
            }
        }
    }
}

impl FilterListWithOr {
    /// Requires one of `filters`.
    pub fn new(filters: Vec<Box<dyn Filter>>) -> Self {
        let states = vec![SubState::default(); filters.len()];
        Self { subs: filters, states, last: None, reversed: false }
    }
}

/// Keeps if either keeps, and takes the smaller step. Seeking survives only among seekers: how far it goes is unknown.
fn merge(code: Option<FilterCode>, other: FilterCode) -> FilterCode {
    match code {
        None => other,
        Some(FilterCode::SeekNextUsingHint) if other == FilterCode::SeekNextUsingHint => other,
        Some(code) => code_of(code.is_include() || other.is_include(), step(code).min(step(other))),
    }
}

impl Filter for FilterListWithOr {
    fn reset(&mut self) {
        self.subs.iter_mut().for_each(crate::filter::Filter::reset);
        self.states.fill(SubState::default());
        self.last = None;
    }

    /// Asks all, since some take note of the row here.
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        let mut rejected = !self.subs.is_empty();
        for filter in &mut self.subs {
            if !filter.filter_all_remaining() && !filter.filter_row_key(row)? {
                rejected = false;
            }
        }
        Ok(rejected)
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        if self.subs.is_empty() {
            return Ok(FilterCode::Include);
        }
        let last = self.last.take();
        let mut merged = None;
        for (filter, state) in self.subs.iter_mut().zip(&mut self.states) {
            let before = std::mem::take(state);
            if filter.filter_all_remaining() {
                continue;
            }
            let still = last
                .as_ref()
                .and_then(|last| before.still_moving(filter.as_mut(), last, cell, self.reversed));
            let code = match still {
                Some(code) => code,
                None => filter.filter_cell(cell)?,
            };
            state.remember(code);
            merged = Some(merge(merged, code));
        }
        self.last = self.states.iter().any(SubState::is_moving).then(|| LastCell::of(cell));
        Ok(merged.unwrap_or(FilterCode::Skip))
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        let mut nearest = None;
        for filter in &mut self.subs {
            if filter.filter_all_remaining() {
                continue;
            }
            nearest = choose_hint(nearest, filter.next_cell_hint(cell)?, self.reversed, Ordering::Less);
        }
        nearest
    }

    fn transform_cell(&mut self, cell: &Cell<'_>, out: &mut Vec<u8>) -> bool {
        let including = self.subs.iter_mut().zip(&self.states).filter(|(_, state)| state.included);
        transform_in_turn(including.map(|(filter, _)| filter), cell, out)
    }

    fn has_filter_row(&self) -> bool {
        any_has_filter_row(&self.subs)
    }

    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        filter_row_cells_of_all(&mut self.subs, cells);
    }

    /// Stops asking at the first that keeps the row, as HBase does.
    fn filter_row(&mut self) -> bool {
        !self.subs.is_empty() && self.subs.iter_mut().all(crate::filter::Filter::filter_row)
    }

    fn filter_all_remaining(&self) -> bool {
        !self.subs.is_empty() && self.subs.iter().all(crate::filter::Filter::filter_all_remaining)
    }

    fn set_reversed(&mut self, reversed: bool) {
        self.reversed = reversed;
        self.subs.iter_mut().for_each(|filter| filter.set_reversed(reversed));
    }

    fn is_family_essential(&self, family: &[u8]) -> bool {
        any_family_essential(&self.subs, family)
    }

    fn memory_bytes(&self) -> usize {
        let last = self.last.as_ref().map_or(0, LastCell::memory_bytes);
        size_of_val(self) + size_of_val(&self.states[..]) + memory_bytes_of_all(&self.subs) + last
    }
}
