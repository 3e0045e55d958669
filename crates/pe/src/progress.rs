//! How far a run is.

use crate::report::Sample;
use crate::units;
use std::time::Duration;

/// Who watches a run.
pub trait Observer {
    /// Told about once a second, and at the end.
    fn told(&mut self, progress: &Progress);

    /// Whether the run is to end early.
    fn is_interrupted(&self) -> bool;

    /// Told when nothing more is told.
    fn over(&mut self) {}
}

/// How far a run is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    pub(crate) elapsed: Duration,
    pub(crate) operations: u64,
    /// Rows that clients have worked on.
    pub(crate) steps: u64,
    /// Those in all, if time does not end it.
    pub(crate) expected: Option<u64>,
    pub(crate) duration: Option<Duration>,
    pub(crate) last: Sample,
}

impl Progress {
    fn percent(&self) -> Option<u64> {
        let part = match (self.expected, self.duration) {
            (Some(expected), _) => self.steps as f64 / expected.max(1) as f64,
            (None, duration) => self.elapsed.as_secs_f64() / duration?.as_secs_f64(),
        };
        Some((part * 100.0).min(100.0) as u64)
    }
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:>4} s", self.elapsed.as_secs())?;
        if let Some(percent) = self.percent() {
            write!(f, " {percent:>3} %")?;
        }
        let Sample { per_second, latencies: [p50, p99, _, max], .. } = self.last;
        let [p50, p99, max] = [p50, p99, max].map(units::time);
        write!(
            f,
            "  {} operations, {} a second",
            units::count(self.operations),
            units::count(per_second as u64)
        )?;
        write!(f, ", 50 % in {p50}, 99 % in {p99}, slowest {max}")
    }
}
