//! Families that are loaded on demand: those of which the filter says that it can do without them. Rows are looked for in
//! the others, and a row is looked for here when it has passed: no block of these families is read for another one.
//!
//! HBase calls what reads them its joined heap. A filter sees their cells behind those that it needs; of a result they stand
//! in their places.

use super::{Phase, RegionScanner};
use crate::error::Interrupt;
use crate::scan_limits::{ScanLimits, ScanStop};
use crate::scan_output::ScanOutput;
use crate::store_scanner::{Found, StoreScanner};
use finback_cell::block::CellIter;
use finback_filter::Filter;
use finback_hfile::ScanInterrupt;

/// Which stores of a scan are loaded on demand, and how far that is.
pub(super) struct Joined {
    /// Whether any may be.
    pub(super) on_demand: bool,
    /// The number of the first of them. All stores that come before it are read for each row.
    pub(super) first: usize,
    /// Whether the filter has decided about the current row, by the cells of the others.
    pub(super) is_decided: bool,
    /// Where what was found of the store that is being read begins, in bytes from the beginning of the result.
    found_from: usize,
}

impl Joined {
    /// Puts the stores that the filter needs before the others. Where it needs none nothing is ever looked for.
    pub(super) fn divide(
        stores: &mut Vec<StoreScanner>,
        filter: Option<&(dyn Filter + 'static)>,
        on_demand: bool,
    ) -> Self {
        if let Some(filter) = filter.filter(|_| on_demand) {
            let is_needed = |store: &StoreScanner| filter.is_family_essential(store.family());
            stores.sort_by_key(|store| !is_needed(store));
            let first = stores.partition_point(is_needed);
            if first == 0 {
                stores.clear();
            }
            return Self { on_demand, first, is_decided: false, found_from: 0 };
        }
        Self { on_demand, first: stores.len(), is_decided: false, found_from: 0 }
    }
}

impl RegionScanner {
    /// The store loaded on demand that stands within the current row, or is on its way there.
    pub(super) fn joined_in_hand(&self) -> Option<usize> {
        match self.phase {
            Phase::Join(store) | Phase::InJoined(store) if store < self.stores.len() => Some(store),
            _ => None,
        }
    }

    /// Has the filter decide, by what it has seen, whether the rest of the row is loaded.
    ///
    /// Where nothing is left of the row, though some cells passed (an offset may have left them out, or the filter has removed
    /// them), it is asked when all is there, as without loading on demand. HBase leaves such rows out, or does not ask.
    pub(super) fn decide(&mut self, out: &mut ScanOutput) {
        let passed = self.ask_filter(out);
        self.joined.is_decided = passed.is_some();
        let has_passed_any =
            || self.was_cut || self.stores[..self.joined.first].iter().any(StoreScanner::has_passed_any);
        let goes_on = passed.unwrap_or_else(has_passed_any);
        self.phase = if goes_on { Phase::Join(self.joined.first) } else { Phase::RowEnd };
    }

    /// Moves a store to the row.
    pub(super) fn join(&mut self, number: usize, out: &ScanOutput) -> Result<(), ScanInterrupt> {
        // A filter that is done takes no cell of any store.
        if number == self.stores.len() || self.is_filter_done() {
            self.phase = Phase::RowEnd;
            return Ok(());
        }
        self.asking = number;
        self.stores[number].join_row(&self.row)?;
        self.joined.found_from = out.cells.len() - out.result_start;
        self.phase = Phase::InJoined(number);
        Ok(())
    }

    /// Reads a store's part of the row. Other than elsewhere a full reply ends within the row only before a cell that passes:
    /// HBase does not look whether there are others when it has what the filter needs.
    pub(super) fn read_joined(
        &mut self,
        number: usize,
        out: &mut ScanOutput,
        limits: &ScanLimits,
        (budget, turn_end): (&mut usize, usize),
    ) -> Result<Option<ScanStop>, Interrupt> {
        self.asking = number;
        loop {
            let store = &mut self.stores[number];
            match store.find(&self.row, self.filter.as_deref_mut(), budget)? {
                Found::EndOfRow => {
                    self.put_in_order(number, out);
                    self.phase = Phase::Join(number + 1);
                    return Ok(None);
                }
                Found::Yield => return Ok(Some(ScanStop::Budget)),
                Found::Cell => {}
            }
            if !self.whole_rows
                && out.open_cells > 0
                && let Some(stop) = self.cut_before_next(out, limits)
            {
                return Ok(Some(stop));
            }
            let store = &mut self.stores[number];
            let filter = self.filter.as_deref_mut();
            let takes = store.put_found(out, (turn_end, &mut self.left_bytes), |cell, bytes| {
                filter.is_some_and(|filter| filter.transform_cell(cell, bytes))
            })?;
            if !takes {
                return Ok(Some(ScanStop::Budget));
            }
            store.accept();
            if out.cells.len() >= turn_end {
                *budget = 0;
            }
        }
    }

    /// Ends a full batch, or a full reply, with what was found of the row; why the reply ends, if it does.
    fn cut_before_next(&mut self, out: &mut ScanOutput, limits: &ScanLimits) -> Option<ScanStop> {
        let is_full = out.size() >= limits.bytes;
        if (out.open_cells as usize) < limits.batch && !(is_full && limits.partial_rows) {
            return None;
        }
        self.cut(out);
        if out.counts.len() >= limits.results {
            Some(ScanStop::Results)
        } else {
            (out.size() >= limits.bytes).then_some(ScanStop::Bytes)
        }
    }

    /// Moves the cells that were found of a store before those of families that come after it.
    pub(super) fn put_in_order(&mut self, number: usize, out: &mut ScanOutput) {
        let (result, from) = (&mut out.cells[out.result_start..], self.joined.found_from);
        self.joined.found_from = 0;
        let family = self.stores[number].family();
        // Those of all other families that are loaded on demand, and were found before, come first.
        let is_last = self.leading().last().is_none_or(|last| last.family() < family);
        if from == result.len() || is_last {
            return;
        }
        let earlier = CellIter::over_checked(&result[..from]).take_while(|cell| cell.family() < family);
        let place = earlier.map(|cell| 4 + cell.bytes().len()).sum::<usize>();
        result[place..].rotate_left(from - place);
    }
}
