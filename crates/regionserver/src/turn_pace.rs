//! How many cells a long call looks at before it looks at the clock.
//!
//! A cell takes a scan less than a tenth of a microsecond, and its filter may take a thousand times as long over it.

use std::time::{Duration, Instant};

/// What a turn is to take: short enough that heartbeats come in time, and others have their turns.
pub(crate) const TURN_TIME: Duration = Duration::from_millis(5);

/// Cells for the next turn, after one of `cells` took so long; `most` at most. It grows slowly: what comes next may be slower.
pub(crate) fn next_turn(cells: usize, took: Duration, most: usize) -> usize {
    if took <= TURN_TIME {
        return cells.saturating_mul(2).min(most);
    }
    let share = TURN_TIME.as_secs_f64() / took.as_secs_f64();
    ((cells as f64 * share) as usize).clamp(1, most)
}

/// Cells that a filter sees before the next look at the clock.
pub(crate) const FILTERED_CELLS_PER_LOOK: usize = 16;

/// Reads between two looks at the clock, where many follow each other.
const READS_PER_LOOK: u32 = 8;

/// A turn of one read, or of several that follow each other.
#[derive(Debug)]
pub(crate) struct ReadTurn {
    /// Cells that each read may look at.
    pub(crate) cells: usize,
    ends: Option<Instant>,
    reads: u32,
}

impl ReadTurn {
    /// One that begins with the first look at the clock.
    pub(crate) fn of(cells: usize) -> Self {
        Self { cells, ends: None, reads: 0 }
    }

    /// One that begins now.
    pub(crate) fn begin(cells: usize) -> Self {
        Self { ends: Some(Instant::now() + TURN_TIME), ..Self::of(cells) }
    }

    /// Looks at the clock; whether the turn is over.
    pub(crate) fn is_over(&mut self) -> bool {
        let now = Instant::now();
        now >= *self.ends.get_or_insert(now + TURN_TIME)
    }

    /// After each of several reads: whether the turn is over.
    pub(crate) fn is_over_after_read(&mut self) -> bool {
        self.reads += 1;
        self.reads.is_multiple_of(READS_PER_LOOK) && self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_of_several_reads_ends_by_the_clock_at_which_few_of_them_look() {
        let mut turn = ReadTurn { ends: Some(Instant::now()), ..ReadTurn::of(100) };
        let over = (0..2 * READS_PER_LOOK).filter(|_| turn.is_over_after_read()).count();
        assert_eq!(over, 2);
        assert!(turn.is_over());
        assert!(!ReadTurn::of(100).is_over(), "it begins with the first look");
    }

    #[test]
    fn slow_cells_make_turns_short_and_fast_ones_make_them_long_again() {
        let ms = Duration::from_millis;
        assert_eq!(next_turn(10_000, ms(1000), 10_000), 50);
        assert_eq!(next_turn(1, ms(1000), 10_000), 1, "one cell at least");
        assert_eq!(next_turn(50, ms(2), 10_000), 100);
        assert_eq!(next_turn(8000, ms(2), 10_000), 10_000);
    }
}
