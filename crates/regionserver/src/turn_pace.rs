//! How many cells a long call looks at before it looks at the clock.
//!
//! A cell takes a scan less than a tenth of a microsecond, and its filter may take a thousand times as long over it.

use std::time::Duration;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_cells_make_turns_short_and_fast_ones_make_them_long_again() {
        let ms = Duration::from_millis;
        assert_eq!(next_turn(10_000, ms(1000), 10_000), 50);
        assert_eq!(next_turn(1, ms(1000), 10_000), 1, "one cell at least");
        assert_eq!(next_turn(50, ms(2), 10_000), 100);
        assert_eq!(next_turn(8000, ms(2), 10_000), 10_000);
    }
}
