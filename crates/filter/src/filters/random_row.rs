//! `RandomRowFilter`: a random sample of rows.

use crate::{Filter, FilterCode, FilterError};
use finback_cell::Cell;
use std::hash::{BuildHasher, RandomState};

/// Keeps each row with a probability.
pub struct RandomRowFilter {
    chance: f32,
    state: u64,
    rejected: bool,
}

impl RandomRowFilter {
    /// Keeps rows with probability `chance`: none at 0 and below, all above 1, none if it is not a number.
    pub fn new(chance: f32) -> Self {
        Self::with_seed(chance, RandomState::new().hash_one(0))
    }

    /// The same, choosing the same rows for the same seed.
    pub fn with_seed(chance: f32, seed: u64) -> Self {
        Self { chance, state: seed, rejected: false }
    }

    /// A number in [0, 1), of 24 random bits like Java's `nextFloat`; the generator is SplitMix64.
    fn next_float(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed >> 40) as f32 / (1 << 24) as f32
    }
}

impl Filter for RandomRowFilter {
    fn reset(&mut self) {
        self.rejected = false;
    }

    fn filter_row_key(&mut self, _row: &[u8]) -> Result<bool, FilterError> {
        // Neither comparison holds for a chance that is not a number.
        let keep = self.chance > 1.0 || self.next_float() < self.chance;
        self.rejected = !keep;
        Ok(self.rejected)
    }

    fn filter_cell(&mut self, _cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(if self.rejected { FilterCode::NextRow } else { FilterCode::Include })
    }

    fn has_filter_row(&self) -> bool {
        true
    }

    fn filter_row(&mut self) -> bool {
        self.rejected
    }
}

#[cfg(test)]
mod tests;
