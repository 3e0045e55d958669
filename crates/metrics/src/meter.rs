//! How often something happens, lately: averages that forget, as those of HBase (and of Unix' load).

use std::time::Duration;

/// The minutes over which the averages are.
const MINUTES: [f64; 3] = [1.0, 5.0, 15.0];

/// Rates of a counter, told how it stands now and then.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Meter {
    /// How often since the start.
    pub count: u64,
    /// How long that is.
    age: Duration,
    /// A second, over 1, 5 and 15 minutes; none before the first time that was told.
    rates: Option<[f64; 3]>,
}

impl Meter {
    /// The counter stands at `count` after `elapsed`. A counter that has gone back, since regions were closed, counts as one
    /// that stands still.
    pub fn tick(&mut self, count: u64, elapsed: Duration) {
        let seconds = elapsed.as_secs_f64();
        if seconds <= 0.0 {
            return;
        }
        let now = count.saturating_sub(self.count) as f64 / seconds;
        let former = self.rates.unwrap_or([now; 3]);
        let next = |index: usize| {
            let weight = 1.0 - (-seconds / (MINUTES[index] * 60.0)).exp();
            former[index] + weight * (now - former[index])
        };
        self.rates = Some(std::array::from_fn(next));
        self.count = count;
        self.age += elapsed;
    }

    /// A second, over the last 1, 5 and 15 minutes.
    pub fn rates(&self) -> [f64; 3] {
        self.rates.unwrap_or_default()
    }

    /// A second, since the start.
    pub fn mean(&self) -> f64 {
        if self.age.is_zero() { 0.0 } else { self.count as f64 / self.age.as_secs_f64() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Duration = Duration::from_secs(5);

    #[test]
    fn a_steady_rate_is_told_as_it_is() {
        let mut meter = Meter::default();
        assert_eq!((meter.rates(), meter.mean()), ([0.0; 3], 0.0));
        (1..=100).for_each(|step| meter.tick(step * 50, STEP));
        assert!(meter.rates().iter().all(|rate| (rate - 10.0).abs() < 1e-9), "{meter:?}");
        assert!((meter.mean() - 10.0).abs() < 1e-9);
    }

    #[test]
    fn what_was_is_forgotten_in_so_many_minutes() {
        let mut meter = Meter::default();
        meter.tick(0, STEP);
        (1..=12).for_each(|step| meter.tick(step * 500, STEP));
        let [one, five, fifteen] = meter.rates();
        // 1 - 1/e of the way after the time of the average.
        assert!((one - 63.2).abs() < 0.1 && five < 20.0 && fifteen < five, "{meter:?}");
        (0..60).for_each(|_| meter.tick(6000, STEP));
        assert!(meter.rates()[0] < 0.5, "{meter:?}");
    }

    #[test]
    fn a_counter_that_goes_back_is_no_rate() {
        let mut meter = Meter::default();
        meter.tick(100, STEP);
        meter.tick(10, STEP);
        assert!(meter.rates().iter().all(|rate| *rate >= 0.0));
        meter.tick(10, Duration::ZERO);
        assert_eq!(meter.count, 10);
    }
}
