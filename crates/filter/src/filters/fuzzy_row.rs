//! `FuzzyRowFilter`: rows that equal a pattern in certain positions, seeking from one to the next.

use super::prefix::increase_last_non_max_byte;
use crate::{Filter, FilterCode, FilterError, OwnedKey};
use bytes::Bytes;
use finback_cell::{Cell, Shortened};
use std::cmp::Ordering;

const CLASS: &str = "FuzzyRowFilter";
/// Mask byte of a position that must match, as clients send it after their own preprocessing.
const PREPROCESSED_FIXED: u8 = 0xff;
/// Mask byte of any other position, after preprocessing by clients that say so (`is_mask_v2`), and by older ones.
const PREPROCESSED_ANY_V2: u8 = 2;
const PREPROCESSED_ANY_V1: u8 = 0;
/// Mask byte of a position that must match, as the user writes it.
const RAW_FIXED: u8 = 0;

/// A pattern: bytes, and which of them count.
#[derive(Debug, Clone)]
struct FuzzyKey {
    key: Vec<u8>,
    fixed: Vec<bool>,
}

impl FuzzyKey {
    fn new(key: &[u8], mask: &[u8], any: u8) -> Self {
        let preprocessed = mask.iter().all(|byte| *byte == PREPROCESSED_FIXED || *byte == any);
        let fixed_byte = if preprocessed { PREPROCESSED_FIXED } else { RAW_FIXED };
        Self { key: key.to_vec(), fixed: mask.iter().map(|byte| *byte == fixed_byte).collect() }
    }

    /// A row shorter than the pattern matches if it does as far as it goes; what follows a longer one does not count.
    fn matches(&self, row: &[u8]) -> bool {
        self.key.iter().zip(&self.fixed).zip(row).all(|((key, fixed), byte)| !fixed || key == byte)
    }

    /// A key to seek to from `row`, which does not match: nothing that matches lies between. `None` if nothing that
    /// matches follows at all.
    ///
    /// Everything before the first wrong byte agrees with the row. If that byte has to move in the direction of the
    /// scan, the pattern itself, with the row's bytes in the free positions before, is next. Otherwise the last free
    /// position before it that can still move does so by one.
    fn next_after(&self, row: &[u8], reversed: bool) -> Option<Vec<u8>> {
        let wrong = self
            .key
            .iter()
            .zip(&self.fixed)
            .zip(row)
            .position(|((key, fixed), byte)| *fixed && key != byte)?;
        let mut next = row[..=wrong].to_vec();
        let order = row[wrong].cmp(&self.key[wrong]);
        if order == (if reversed { Ordering::Greater } else { Ordering::Less }) {
            next[wrong] = self.key[wrong];
            self.continue_pattern(&mut next, reversed);
        } else {
            let last = if reversed { 0 } else { 0xff };
            let moving = (0..wrong).rev().find(|at| !self.fixed[*at] && row[*at] != last)?;
            next.truncate(moving + 1);
            next[moving] = if reversed { next[moving] - 1 } else { next[moving] + 1 };
            self.continue_pattern(&mut next, reversed);
        }
        Some(if reversed { increase_last_non_max_byte(next) } else { next })
    }

    /// Appends the first bytes, in the direction of the scan, that the rest of the pattern allows, as far as the last fixed
    /// position. A forward scan would skip rows that end there otherwise. (As in HBase, it does skip rows that end
    /// earlier, although those that are met by chance match.) In a reversed scan, rows that go on behind it sort after it; the
    /// caller's increase takes them in, and nothing else of what comes before them.
    fn continue_pattern(&self, next: &mut Vec<u8>, reversed: bool) {
        let end = self.fixed.iter().rposition(|fixed| *fixed).map_or(0, |last| last + 1);
        let free = if reversed { 0xff } else { 0 };
        for at in next.len()..end {
            next.push(if self.fixed[at] { self.key[at] } else { free });
        }
    }
}

/// Keeps rows that match one of several patterns.
pub struct FuzzyRowFilter {
    keys: Vec<FuzzyKey>,
    reversed: bool,
    rejected: bool,
    done: bool,
    last_match: usize,
}

impl FuzzyRowFilter {
    /// Keeps rows that match one of `pairs` of a key and a mask of the same length. A mask is either raw (0: must
    /// match, 1: any), or preprocessed by the client (0xff: must match, and 2 with `is_mask_v2` or 0 without: any).
    pub fn new(pairs: &[(Bytes, Bytes)], is_mask_v2: bool) -> Result<Self, FilterError> {
        let any = if is_mask_v2 { PREPROCESSED_ANY_V2 } else { PREPROCESSED_ANY_V1 };
        let mut keys = Vec::with_capacity(pairs.len());
        for (key, mask) in pairs {
            if key.len() != mask.len() {
                let (key, mask) = (Shortened(key), Shortened(mask));
                let reason = format!("Fuzzy pair lengths do not match: {{{key},{mask}}}").into();
                return Err(FilterError::Invalid { class: CLASS, reason });
            }
            keys.push(FuzzyKey::new(key, mask, any));
        }
        if keys.is_empty() {
            // HBase fails at a queue of no capacity.
            return Err(FilterError::Invalid { class: CLASS, reason: "no fuzzy keys".into() });
        }
        Ok(Self { keys, reversed: false, rejected: false, done: false, last_match: 0 })
    }
}

impl Filter for FuzzyRowFilter {
    fn reset(&mut self) {
        self.rejected = false;
    }

    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        let row = cell.row();
        let count = self.keys.len();
        let matching =
            (0..count).map(|i| (self.last_match + i) % count).find(|at| self.keys[*at].matches(row));
        if let Some(at) = matching {
            self.last_match = at;
            return Ok(FilterCode::Include);
        }
        self.last_match = 0;
        self.rejected = true;
        Ok(FilterCode::SeekNextUsingHint)
    }

    fn next_cell_hint(&mut self, cell: &Cell<'_>) -> Option<OwnedKey> {
        let row = cell.row();
        if self.keys.iter().any(|key| key.matches(row)) {
            return None;
        }
        let candidates = self.keys.iter().filter_map(|key| key.next_after(row, self.reversed));
        let next = if self.reversed { candidates.max() } else { candidates.min() };
        self.done = next.is_none();
        next.map(|row| OwnedKey::first_on_row(&row))
    }

    fn filter_row(&mut self) -> bool {
        self.rejected
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
        let of_keys: usize = self.keys.iter().map(|key| key.key.len() + key.fixed.len()).sum();
        size_of_val(self) + size_of_val(&self.keys[..]) + of_keys
    }
}

#[cfg(test)]
mod tests;
