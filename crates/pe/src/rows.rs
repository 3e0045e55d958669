//! The numbers of the rows that one client works on.

use crate::command::Kind;
use crate::options::Options;
use std::ops::Range;

/// Rows, one after the other, as often as the options say.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    range: Range<u64>,
    step: u64,
    next: u64,
    /// How often to begin again; none is for as long as there is time.
    cycles: Option<u64>,
    /// How many rows of the first go unmeasured.
    unmeasured: u64,
}

impl Rows {
    /// The rows of a client of PerformanceEvaluation's commands.
    pub(crate) fn of_client(options: &Options, client: u32) -> Self {
        let count = options.extent().of_client;
        let first = match (options.command.kind, options.start_row) {
            // They all work on the same.
            (Kind::Update(_), _) => 0,
            (_, 0) => u64::from(client) * count,
            (_, first) => first,
        };
        let cycles = match (options.duration, options.cycles) {
            (Some(_), None) => None,
            (_, cycles) => Some(cycles.unwrap_or(1)),
        };
        // PerformanceEvaluation takes the rows whose numbers can be divided by this.
        let step = (1.0 / options.sample_rate) as u64;
        Self::new(first..first.saturating_add(count), step, cycles, options.measure_after)
    }

    /// One client's share of numbers that all take together.
    pub(crate) fn share(all: Range<u64>, client: u32, clients: u32, options: &Options) -> Self {
        let (client, clients) = (u64::from(client), u64::from(clients));
        let count = all.end - all.start;
        let part =
            |number: u64| all.start + (u128::from(count) * u128::from(number) / u128::from(clients)) as u64;
        Self::new(part(client)..part(client + 1), 1, Some(1), options.measure_after)
    }

    /// Numbers without an end: only time ends them.
    pub(crate) fn endless(options: &Options) -> Self {
        Self::new(0..u64::MAX, 1, None, options.measure_after)
    }

    fn new(range: Range<u64>, step: u64, cycles: Option<u64>, unmeasured: u64) -> Self {
        let step = step.max(1);
        let first = range.start.next_multiple_of(step);
        let cycles = if first >= range.end { Some(0) } else { cycles };
        Self { next: first, range, step, cycles, unmeasured }
    }

    /// How many there are in all; none if only time ends them.
    pub(crate) fn in_all(&self) -> Option<u64> {
        let first = self.range.start.next_multiple_of(self.step);
        let of_cycle = self.range.end.saturating_sub(first).div_ceil(self.step);
        Some(self.cycles?.saturating_mul(of_cycle))
    }

    /// Whether a row is far enough from the first to be measured: as PerformanceEvaluation, the very first is not if any
    /// are left out.
    pub(crate) fn is_measured(&self, row: u64) -> bool {
        self.unmeasured == 0 || row - self.range.start > self.unmeasured
    }
}

impl Iterator for Rows {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.cycles == Some(0) {
            return None;
        }
        let row = self.next;
        self.next += self.step;
        if self.next >= self.range.end {
            self.next = self.range.start.next_multiple_of(self.step);
            self.cycles = self.cycles.map(|cycles| cycles - 1);
        }
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::PeCommand;

    fn rows(command: &str, client: u32, given: &[(&str, &str)]) -> Rows {
        let mut options = Options::new(PeCommand::find(command).unwrap());
        given.iter().for_each(|(name, value)| options.set(name, value).unwrap());
        Rows::of_client(&options, client)
    }

    #[test]
    fn each_client_has_its_range_but_for_updates() {
        assert!(rows("scan", 2, &[("rows", "3")]).eq([6, 7, 8]));
        assert!(rows("scan", 2, &[("rows", "3"), ("startRow", "100")]).eq([100, 101, 102]));
        assert!(rows("increment", 2, &[("rows", "3"), ("startRow", "100")]).eq([0, 1, 2]));
    }

    #[test]
    fn samples_are_those_of_hbase() {
        let sampled = rows("scan", 1, &[("rows", "10"), ("sampleRate", "0.3")]);
        assert_eq!(sampled.in_all(), Some(3));
        assert!(sampled.eq([12, 15, 18]));
        assert_eq!(rows("scan", 0, &[("rows", "5"), ("sampleRate", "0.001")]).in_all(), Some(1));
        assert_eq!(rows("scan", 1, &[("rows", "5"), ("sampleRate", "0.001")]).next(), None);
        assert_eq!(rows("scan", 1, &[("rows", "0")]).next(), None);
    }

    #[test]
    fn cycles_begin_again() {
        assert!(rows("scan", 0, &[("rows", "2"), ("cycles", "3")]).eq([0, 1, 0, 1, 0, 1]));
        let timed = rows("scan", 0, &[("rows", "2"), ("duration", "9")]);
        assert_eq!(timed.in_all(), None);
        assert!(timed.take(5).eq([0, 1, 0, 1, 0]));
        for (cycles, wanted) in [("1", 2), ("3", 6)] {
            let both = rows("scan", 0, &[("rows", "2"), ("cycles", cycles), ("duration", "9")]);
            assert_eq!(both.in_all(), Some(wanted));
        }
    }

    #[test]
    fn the_first_rows_can_be_left_out() {
        let rows = rows("scan", 1, &[("rows", "10"), ("measureAfter", "2")]);
        assert_eq!([10, 11, 12, 13].map(|row| rows.is_measured(row)), [false, false, false, true]);
    }

    #[test]
    fn shares_are_all_of_it() {
        let options = Options::default();
        let all: Vec<u64> = (0..3).flat_map(|client| Rows::share(5..15, client, 3, &options)).collect();
        assert_eq!(all, (5..15).collect::<Vec<_>>());
    }
}
