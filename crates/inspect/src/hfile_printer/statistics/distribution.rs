//! How numbers are distributed: exactly as long as there are few different ones, nearly beyond that.

use crate::java_text::two_decimals;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// So many different numbers are told apart; with more of them their lowest bits are let go of.
const MOST_NUMBERS: usize = 1 << 15;
/// HBase's ranges.
const RANGES: [u64; 18] = [
    1,
    3,
    10,
    50,
    100,
    500,
    1_000,
    5_000,
    10_000,
    50_000,
    100_000,
    500_000,
    750_000,
    1_000_000,
    5_000_000,
    10_000_000,
    50_000_000,
    100_000_000,
];

/// Numbers, counted.
#[derive(Debug, Default)]
pub(super) struct Distribution {
    /// How many there are of each, without their lowest `shift` bits.
    counts: BTreeMap<u64, u64>,
    shift: u32,
    count: u64,
    min: Option<u64>,
    max: u64,
    sum: u128,
    /// Of the squares.
    squares: u128,
    /// How many are in each of [`RANGES`] and not in the one before; the last beyond all of them.
    ranges: [u64; RANGES.len() + 1],
}

impl Distribution {
    pub(super) fn add(&mut self, number: u64) {
        *self.counts.entry(number >> self.shift).or_default() += 1;
        if self.counts.len() > MOST_NUMBERS {
            self.coarsen();
        }
        self.count += 1;
        self.min = Some(self.min.map_or(number, |min| min.min(number)));
        self.max = self.max.max(number);
        let number_wide = u128::from(number);
        self.sum += number_wide;
        self.squares = self.squares.saturating_add(number_wide.saturating_mul(number_wide));
        self.ranges[RANGES.partition_point(|&range| range < number)] += 1;
    }

    fn coarsen(&mut self) {
        self.shift += 1;
        for (number, count) in std::mem::take(&mut self.counts) {
            *self.counts.entry(number >> 1).or_default() += count;
        }
    }

    /// The number at a place in the order of all, from 1.
    fn at(&self, place: u64) -> f64 {
        let mut before = 0;
        for (number, count) in &self.counts {
            before += count;
            if before >= place {
                return (number << self.shift).clamp(self.min.unwrap_or_default(), self.max) as f64;
            }
        }
        self.max as f64
    }

    /// As Metrics does it: between two numbers in proportion.
    fn quantile(&self, quantile: f64) -> f64 {
        let place = quantile * (self.count + 1) as f64;
        let index = place as u64;
        if index < 1 {
            return self.at(1);
        }
        if index >= self.count {
            return self.at(self.count);
        }
        let (lower, upper) = (self.at(index), self.at(index + 1));
        lower + (place - place.floor()) * (upper - lower)
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    /// Of a sample: divided by one less than there are. Lengths of cells are below 2^31, so that nothing overflows.
    fn deviation(&self) -> f64 {
        let count = u128::from(self.count);
        let squares = count.saturating_mul(self.squares).saturating_sub(self.sum.saturating_mul(self.sum));
        if count <= 1 { 0.0 } else { (squares as f64 / (count * (count - 1)) as f64).sqrt() }
    }

    pub(super) fn print(&self, shows_ranges: bool, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "               min = {}", self.min.unwrap_or_default())?;
        writeln!(out, "               max = {}", self.max)?;
        writeln!(out, "              mean = {}", two_decimals(self.mean()))?;
        writeln!(out, "            stddev = {}", two_decimals(self.deviation()))?;
        writeln!(out, "            median = {}", two_decimals(self.quantile(0.5)))?;
        for (label, quantile) in [
            ("              75%", 0.75),
            ("              95%", 0.95),
            ("              98%", 0.98),
            ("              99%", 0.99),
            ("            99.9%", 0.999),
        ] {
            writeln!(out, "{label} <= {}", two_decimals(self.quantile(quantile)))?;
        }
        writeln!(out, "             count = {}", self.count)?;
        if shows_ranges { self.print_ranges(out) } else { Ok(()) }
    }

    /// The ranges that have numbers, and the one before the first of them.
    fn print_ranges(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "           (range <= count):")?;
        let mut line = |range: String, count: u64| writeln!(out, "{range:>17} <= {count}");
        let first = self.ranges.iter().position(|&count| count > 0).unwrap_or_default();
        if let Some(range) = first.checked_sub(1).and_then(|before| RANGES.get(before)) {
            line(range.to_string(), 0)?;
        }
        for (number, &count) in self.ranges.iter().enumerate().filter(|&(_, &count)| count > 0) {
            line(RANGES.get(number).map_or("inf".to_owned(), u64::to_string), count)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: impl IntoIterator<Item = u64>) -> Distribution {
        let mut figures = Distribution::default();
        numbers.into_iter().for_each(|number| figures.add(number));
        figures
    }

    #[test]
    fn few_numbers_are_exact() {
        let figures = of([3, 1, 2, 4]);
        assert_eq!((figures.quantile(0.5), figures.quantile(0.75), figures.quantile(0.99)), (2.5, 3.75, 4.0));
        assert_eq!((figures.quantile(0.01), figures.mean()), (1.0, 2.5));
        assert_eq!(two_decimals(figures.deviation()), "1.29");
        assert_eq!(of([7]).deviation(), 0.0);
    }

    #[test]
    fn many_numbers_are_nearly_exact_and_take_bounded_memory() {
        // Each of a million numbers once, out of order.
        let figures = of((0..1_000_000).map(|number| number * 7919 % 1_000_003));
        assert!(figures.counts.len() <= MOST_NUMBERS);
        for (quantile, expected) in [(0.5, 500_000.0), (0.95, 950_000.0), (0.999, 999_000.0)] {
            let found = figures.quantile(quantile);
            assert!((found - expected).abs() < 100.0, "{quantile}: {found}");
        }
        assert!((figures.mean() - 500_001.0).abs() < 10.0, "{}", figures.mean());
    }

    #[test]
    fn numbers_beyond_all_ranges_are_counted() {
        let mut text = Vec::new();
        of([0, 7, 200_000_000]).print_ranges(&mut text).unwrap();
        let expected = "           (range <= count):\n                1 <= 1\n               10 <= 1\n              inf <= 1\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
