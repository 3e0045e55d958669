//! What a run has shown.

mod html;
mod json;
mod plot;
mod samples;
mod text;

use crate::command::{Kind, PeCommand};
use crate::error::PeError;
use crate::options::Options;
use crate::pace::NotBegun;
use crate::recorder::Measured;
use crate::schema::Prepared;
use crate::units;
use crate::work::OPERATIONS;
use hdrhistogram::Histogram;
pub(crate) use samples::{Sample, Samples};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Parts of all operations whose latencies are told.
pub(crate) const QUANTILES: [(&str, f64); 7] = [
    ("50 %", 0.5),
    ("75 %", 0.75),
    ("90 %", 0.9),
    ("95 %", 0.95),
    ("99 %", 0.99),
    ("99.9 %", 0.999),
    ("99.99 %", 0.9999),
];

/// What a run has shown.
#[derive(Debug)]
pub struct Report {
    pub(crate) options: Arc<Options>,
    pub(crate) seed: u64,
    pub(crate) began: SystemTime,
    pub(crate) took: Duration,
    /// Processor time of this process meanwhile.
    pub(crate) cpu: Duration,
    pub(crate) workers: u32,
    pub(crate) connections: u32,
    pub(crate) prepared: Prepared,
    /// Of each client that came to its end: rows, and time.
    pub(crate) clients: Vec<(u64, Duration)>,
    pub(crate) total: Measured,
    pub(crate) samples: Samples,
    pub(crate) not_begun: NotBegun,
    pub(crate) interrupted: bool,
    pub(crate) error: Option<PeError>,
}

/// Names of a command's operations, by their places in what is measured.
pub(crate) fn operations(command: &'static PeCommand) -> Vec<&'static str> {
    match command.kind {
        Kind::YcsbLoad | Kind::YcsbRun(_) => OPERATIONS.to_vec(),
        _ => vec![command.name],
    }
}

/// Latencies of one operation.
pub(crate) struct OperationLatencies<'a> {
    pub(crate) name: &'static str,
    pub(crate) from_due: &'a Histogram<u64>,
    pub(crate) from_begin: Option<&'a Histogram<u64>>,
}

impl Report {
    /// Why the run ended early, if something failed.
    pub fn error(&self) -> Option<&PeError> {
        self.error.as_ref()
    }

    /// Whether it was ended by whoever watched it.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Rows that were asked for and are not there.
    pub fn missing_rows(&self) -> u64 {
        self.total.missing
    }

    /// What was due and not begun, and how late it was; none if nothing was.
    pub(crate) fn lateness(&self) -> Option<String> {
        let NotBegun { operations, longest_wait } = self.not_begun;
        let waited = units::time(u64::try_from(longest_wait.as_nanos()).unwrap_or(u64::MAX));
        let due = self.total.operations.saturating_add(operations);
        let part = units::digits(operations as f64 / due.max(1) as f64 * 100.0);
        let plural = if operations == 1 { " was" } else { "s were" };
        (operations > 0).then(|| {
            format!(
                "{} operation{plural} due and not begun, {part} % of all; the first had waited for {waited}",
                units::count(operations)
            )
        })
    }

    /// The operations that were done at all.
    pub(crate) fn latencies(&self) -> impl Iterator<Item = OperationLatencies<'_>> {
        let names = operations(self.options.command);
        names
            .into_iter()
            .zip(&self.total.latencies)
            .filter(|(_, latencies)| !latencies.from_due.is_empty())
            .map(|(name, latencies)| OperationLatencies {
                name,
                from_due: &latencies.from_due,
                from_begin: latencies.from_begin.as_ref(),
            })
    }

    pub(crate) fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.took.as_secs_f64().max(1e-9)
    }

    pub(crate) fn cpu_of_operation(&self) -> Duration {
        Duration::from_secs_f64(self.cpu.as_secs_f64() / self.total.operations.max(1) as f64)
    }
}

#[cfg(test)]
pub(crate) mod tests;
