//! `MultiRowRangeFilter`: rows of several ranges, seeking from one to the next.

use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::Cell;
use std::cmp::Ordering;

const CLASS: &str = "MultiRowRangeFilter";

/// A range of rows. An empty start or stop is unbounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowRange {
    /// First row.
    pub start_row: Bytes,
    /// Whether `start_row` belongs to the range.
    pub start_inclusive: bool,
    /// Last row.
    pub stop_row: Bytes,
    /// Whether `stop_row` belongs to the range.
    pub stop_inclusive: bool,
}

impl RowRange {
    fn is_valid(&self) -> bool {
        self.start_row.is_empty()
            || self.stop_row.is_empty()
            || self.start_row < self.stop_row
            || (self.start_row == self.stop_row && self.stop_inclusive)
    }

    /// Whether the range begins after `row`. That a range without the empty row begins after it is of no consequence:
    /// there is no empty row.
    fn is_after(&self, row: &[u8]) -> bool {
        match self.start_row[..].cmp(row) {
            Ordering::Less => false,
            Ordering::Equal => !self.start_inclusive,
            Ordering::Greater => true,
        }
    }

    fn is_before(&self, row: &[u8]) -> bool {
        !self.stop_row.is_empty()
            && match self.stop_row[..].cmp(row) {
                Ordering::Less => true,
                Ordering::Equal => !self.stop_inclusive,
                Ordering::Greater => false,
            }
    }

    /// Whether `next`, which does not start earlier, overlaps this range or continues it without a gap.
    fn meets(&self, next: &RowRange) -> bool {
        self.stop_row.is_empty()
            || match next.start_row.cmp(&self.stop_row) {
                Ordering::Less => true,
                Ordering::Equal => next.start_inclusive || self.stop_inclusive,
                Ordering::Greater => false,
            }
    }

    fn extend(&mut self, next: RowRange) {
        if self.stop_row.is_empty() {
            return;
        }
        if next.stop_row.is_empty() || next.stop_row > self.stop_row {
            self.stop_row = next.stop_row;
            self.stop_inclusive = next.stop_inclusive;
        } else if next.stop_row == self.stop_row {
            self.stop_inclusive |= next.stop_inclusive;
        }
    }
}

/// Keeps rows of any of several ranges.
pub struct MultiRowRangeFilter {
    /// In order, and with a gap between each two.
    ranges: Vec<RowRange>,
    reversed: bool,
    done: bool,
    code: FilterCode,
    hint: usize,
}

impl MultiRowRangeFilter {
    /// Keeps rows of `ranges`, of which there must be some, in any order, each valid.
    pub fn new(mut ranges: Vec<RowRange>) -> Result<Self, FilterError> {
        let invalid = |reason: String| Err(FilterError::Invalid { class: CLASS, reason: reason.into() });
        if ranges.is_empty() {
            return invalid("No ranges found.".into());
        }
        let bad = ranges.iter().filter(|range| !range.is_valid()).count();
        if bad != 0 {
            return invalid(format!("{bad} invaild ranges."));
        }
        ranges.sort_by(|a, b| {
            a.start_row.cmp(&b.start_row).then_with(|| b.start_inclusive.cmp(&a.start_inclusive))
        });
        let mut merged: Vec<RowRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if last.meets(&range) => last.extend(range),
                _ => merged.push(range),
            }
        }
        // Nothing passes before a row key was seen: inside a `SkipFilter`, that is never.
        Ok(Self { ranges: merged, reversed: false, done: false, code: FilterCode::Skip, hint: 0 })
    }

    /// The range that holds `row`, or else the next one in the direction of the scan, if any.
    fn find(&self, row: &[u8]) -> Result<usize, Option<usize>> {
        let candidate = self.ranges.partition_point(|range| range.is_before(row));
        match self.ranges.get(candidate) {
            Some(range) if !range.is_after(row) => Ok(candidate),
            _ if self.reversed => Err(candidate.checked_sub(1)),
            Some(_) => Err(Some(candidate)),
            None => Err(None),
        }
    }

    /// The bound at which a scan meets the range first.
    fn entry(&self, at: usize) -> Option<&Bytes> {
        self.ranges.get(at).map(|range| if self.reversed { &range.stop_row } else { &range.start_row })
    }
}

impl Filter for MultiRowRangeFilter {
    /// Never rejects a row here before the last range is passed: only `filter_cell` can give a hint.
    fn filter_row_key(&mut self, row: &[u8]) -> Result<bool, FilterError> {
        if self.done {
            return Ok(true);
        }
        self.code = match self.find(row) {
            Ok(_) => FilterCode::Include,
            Err(None) => {
                self.done = true;
                FilterCode::NextRow
            }
            // The excluded bound itself: a seek to it would not move.
            Err(Some(next)) if self.entry(next).is_some_and(|bound| *bound == row) => FilterCode::NextRow,
            Err(Some(next)) => {
                self.hint = next;
                FilterCode::SeekNextUsingHint
            }
        };
        Ok(false)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(self.code)
    }

    fn next_cell_hint(&mut self, _cell: &Cell<'_>) -> Option<OwnedKey> {
        self.entry(self.hint).map(|bound| OwnedKey::first_on_row(bound))
    }

    fn filter_all_remaining(&self) -> bool {
        self.done
    }

    fn set_reversed(&mut self, reversed: bool) {
        self.reversed = reversed;
    }

    fn is_hinting(&self) -> bool {
        true
    }

    fn memory_bytes(&self) -> usize {
        size_of_val(self) + size_of_val(&self.ranges[..])
    }
}

#[cfg(test)]
mod tests;
