//! What the master counts: procedures and transitions of regions, under HBase's names for them.

use super::Core;
use crate::operation::Operation;
use crate::state::Goal;
use finback_metrics::{Histogram, HistogramSnapshot, ProcedureFigures};
use std::collections::BTreeMap;
use std::time::Duration;

/// What is counted by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Assign,
    Unassign,
    Move,
    Open,
    Close,
    Split,
    Merge,
    ServerCrash,
    Snapshot,
    SnapshotRestore,
    SnapshotClone,
}

/// Their names, in their order.
const NAMES: [&str; 11] = [
    "Assign",
    "Unassign",
    "Move",
    "Open",
    "Close",
    "Split",
    "Merge",
    "ServerCrash",
    "Snapshot",
    "SnapshotRestore",
    "SnapshotClone",
];

#[derive(Debug, Default)]
struct Counts {
    submitted: u64,
    failed: u64,
    time: Histogram,
}

/// The counts since the start.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    counts: [Counts; NAMES.len()],
    transition_time: Histogram,
    /// Regions on their way, by encoded name: since when, and as what they count. As many as there are regions.
    on_the_way: BTreeMap<String, (u64, [Option<Counted>; 2])>,
    /// Dead servers whose logs are not split yet: since when.
    crashed: BTreeMap<String, u64>,
}

impl Statistics {
    fn submitted(&mut self, what: Counted) {
        self.counts[what as usize].submitted += 1;
    }

    fn ended(&mut self, what: Counted, succeeded: bool, took_ms: u64) {
        let counts = &mut self.counts[what as usize];
        if succeeded {
            counts.time.record(Duration::from_millis(took_ms));
        } else {
            counts.failed += 1;
        }
    }

    /// A server is taken for dead.
    pub(super) fn crashed(&mut self, server: &str, now: u64) {
        if !self.crashed.contains_key(server) {
            self.crashed.insert(server.to_owned(), now);
            self.submitted(Counted::ServerCrash);
        }
    }

    /// Its logs are split.
    pub(super) fn recovered(&mut self, server: &str, now: u64) {
        if let Some(since) = self.crashed.remove(server) {
            self.ended(Counted::ServerCrash, true, now.saturating_sub(since));
        }
    }

    /// What is counted of procedures.
    pub(crate) fn procedures(&self) -> Vec<(&'static str, ProcedureFigures)> {
        let figures = |counts: &Counts| ProcedureFigures {
            submitted: counts.submitted,
            failed: counts.failed,
            time: counts.time.snapshot(),
        };
        NAMES.into_iter().zip(self.counts.iter().map(figures)).collect()
    }

    /// How long regions were in transition.
    pub(crate) fn transition_time(&self) -> HistogramSnapshot {
        self.transition_time.snapshot()
    }
}

/// As what a procedure counts. Those that open and close regions count as the transitions that they begin.
fn counted(operation: &Operation) -> Option<Counted> {
    match operation {
        Operation::MoveRegion { .. } => Some(Counted::Move),
        Operation::SplitRegion { .. } => Some(Counted::Split),
        Operation::MergeRegions { .. } => Some(Counted::Merge),
        Operation::TakeSnapshot { .. } => Some(Counted::Snapshot),
        Operation::RestoreSnapshot(_) => Some(Counted::SnapshotRestore),
        Operation::CloneSnapshot(_) => Some(Counted::SnapshotClone),
        _ => None,
    }
}

impl Core {
    pub(super) fn count_submitted(&mut self, operation: &Operation) {
        if let Some(what) = counted(operation) {
            self.statistics.submitted(what);
        }
    }

    pub(super) fn count_finished(&mut self, id: u64, succeeded: bool) {
        let Some(procedure) = self.procedures.get(id) else { return };
        if let Some(what) = counted(&procedure.operation) {
            let took = self.now.saturating_sub(procedure.submitted_ms);
            self.statistics.ended(what, succeeded, took);
        }
    }

    /// A region is to be opened or closed. Another attempt counts as the same.
    pub(super) fn count_transition(&mut self, encoded: &str, goal: Goal) {
        if self.statistics.on_the_way.contains_key(encoded) {
            return;
        }
        let is_move = |operation: &Operation| match operation {
            Operation::MoveRegion { region, .. } => region == encoded,
            _ => false,
        };
        let moves = self.procedures.active().any(|(_, procedure)| is_move(&procedure.operation));
        let (step, whole) = match goal {
            Goal::Open => (Counted::Open, Counted::Assign),
            Goal::Close => (Counted::Close, Counted::Unassign),
        };
        let counts = [Some(step), (!moves).then_some(whole)];
        counts.into_iter().flatten().for_each(|what| self.statistics.submitted(what));
        self.statistics.on_the_way.insert(encoded.to_owned(), (self.now, counts));
    }

    /// A region has arrived, or was given up.
    pub(super) fn count_settled(&mut self, encoded: &str, succeeded: bool) {
        let Some((since, counts)) = self.statistics.on_the_way.remove(encoded) else { return };
        let took = self.now.saturating_sub(since);
        self.statistics.transition_time.record(Duration::from_millis(took));
        counts.into_iter().flatten().for_each(|what| self.statistics.ended(what, succeeded, took));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_counts_once_until_its_logs_are_split() {
        let mut statistics = Statistics::default();
        statistics.crashed("s", 10);
        statistics.crashed("s", 20);
        statistics.recovered("s", 1010);
        statistics.recovered("s", 2000);
        let procedures = statistics.procedures();
        let (_, crash) = procedures.iter().find(|(name, _)| *name == "ServerCrash").unwrap();
        assert_eq!((crash.submitted, crash.failed, crash.time.count()), (1, 0, 1));
        assert_eq!(crash.time.max(), 1_000_000_000);
    }
}
