//! What Finback is to reach beside HBase, row by row.

use crate::load::Client;
use crate::results::{Figure, Results};
use crate::server::Product;
use crate::statistics::{Spread, times_ahead};

/// Who makes the load of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Nobody: a check.
    Nobody,
    /// All clients, a line for each.
    All,
    /// `finback pe`, with few clients and with many.
    Finback,
}

/// A goal: a figure of HBase's divided by Finback's, or the inverse of what is better when it is more, is to be so many times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    /// As it stands in the table.
    pub(crate) title: &'static str,
    /// Workload or check.
    what: &'static str,
    by: By,
    pub(crate) figure: Figure,
    against: Product,
    pub(crate) times: f64,
}

const fn goal(title: &'static str, what: &'static str, by: By, figure: Figure, times: f64) -> Goal {
    Goal { title, what, by, figure, against: Product::HBase, times }
}

impl Goal {
    /// The same against an HBase that syncs its log to disk, as Finback does.
    const fn of_same_guarantee(self, title: &'static str) -> Self {
        Self { title, against: Product::HBaseHsync, ..self }
    }
}

use By::{All, Finback, Nobody};
use Figure::{CpuMicros, CpuSeconds, Max, P999, PerSecond, ResidentMib, Seconds};

const DEFAULT_PUT: Goal = goal("single put", "default-put", Finback, CpuMicros, 8.0);
const DEFAULT_PUTS: Goal = goal("single puts a second", "default-put", Finback, PerSecond, 4.0);
const INCREMENT: Goal = goal("increment", "increment", All, CpuMicros, 8.0);
const CHECK_AND_PUT: Goal = goal("checkAndPut", "check-and-put", All, CpuMicros, 8.0);
const INCREMENTS: Goal = goal("increments a second", "increment", Finback, PerSecond, 4.0);
const CHECKS_AND_PUTS: Goal = goal("checkAndPuts a second", "check-and-put", Finback, PerSecond, 4.0);

/// All goals. Where HBase's guarantee is not said, it is its default, which is less than Finback's.
pub(crate) const GOALS: [Goal; 31] = [
    goal("start to first acknowledged put, empty directory", "start", Nobody, Seconds, 100.0),
    goal("the same after SIGKILL, with 1 GiB not flushed", "restart", Nobody, Seconds, 5.0),
    goal("resident memory, idle", "idle-memory", Nobody, ResidentMib, 15.0),
    goal("resident memory after the whole run", "memory-after", Nobody, ResidentMib, 4.0),
    goal("random get, cached", "get", All, CpuMicros, 8.0),
    DEFAULT_PUT.of_same_guarantee("single put, on disk before the answer"),
    goal("single put, HBase without hsync", "put", All, CpuMicros, 8.0),
    INCREMENT,
    INCREMENT.of_same_guarantee("increment, same guarantee"),
    CHECK_AND_PUT,
    CHECK_AND_PUT.of_same_guarantee("checkAndPut, same guarantee"),
    goal("multi-get of 10, by row", "multi-get", All, CpuMicros, 8.0),
    goal("buffered writes in order, with flush and compaction", "sequential-write", All, CpuMicros, 5.0),
    goal("buffered writes of random rows, with flush and compaction", "random-write", All, CpuMicros, 5.0),
    goal("scan, caching 1000, by row", "scan", All, CpuMicros, 6.0),
    goal("gets under steady mixed load, p99.9", "steady", Finback, P999, 5.0),
    goal("gets under steady mixed load, maximum", "steady", Finback, Max, 5.0),
    goal("random gets a second, cached", "get", Finback, PerSecond, 4.0),
    DEFAULT_PUTS.of_same_guarantee("single puts a second, same guarantee"),
    goal("single puts a second, HBase without hsync", "put", Finback, PerSecond, 4.0),
    INCREMENTS,
    INCREMENTS.of_same_guarantee("increments a second, same guarantee"),
    CHECKS_AND_PUTS,
    CHECKS_AND_PUTS.of_same_guarantee("checkAndPuts a second, same guarantee"),
    goal("multi-gets of 10, rows a second", "multi-get", Finback, PerSecond, 4.0),
    goal("buffered writes in order, rows a second", "sequential-write", Finback, PerSecond, 4.0),
    goal("buffered writes of random rows, rows a second", "random-write", Finback, PerSecond, 4.0),
    goal("scan, caching 1000, rows a second", "scan", Finback, PerSecond, 4.0),
    goal("mixed load, operations a second", "mixed", Finback, PerSecond, 4.0),
    goal("major compaction of the table, CPU", "compaction", Nobody, CpuSeconds, 5.0),
    goal("major compaction of the table, wall time", "compaction", Nobody, Seconds, 5.0),
];

/// How far a goal is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcome {
    pub(crate) goal: &'static Goal,
    pub(crate) client: Option<Client>,
    pub(crate) hbase: Spread,
    pub(crate) finback: Spread,
    /// How many times Finback is ahead, of the medians; none if that cannot be told.
    pub(crate) times: Option<f64>,
}

impl Outcome {
    /// Whether Finback is so far ahead.
    pub(crate) fn is_reached(&self) -> bool {
        self.times.is_some_and(|times| times >= self.goal.times)
    }
}

/// The outcomes of all goals for which both servers were measured.
pub(crate) fn outcomes(results: &Results) -> Vec<Outcome> {
    let lines = GOALS.iter().flat_map(|goal| goal.clients().into_iter().map(move |client| (goal, client)));
    lines.filter_map(|(goal, client)| outcome(results, goal, client)).collect()
}

impl Goal {
    fn clients(&self) -> Vec<Option<Client>> {
        match self.by {
            By::Nobody => vec![None],
            By::All => Client::ALL.map(Some).to_vec(),
            By::Finback => vec![Some(Client::Finback), Some(Client::FinbackMany)],
        }
    }
}

fn outcome(results: &Results, goal: &'static Goal, client: Option<Client>) -> Option<Outcome> {
    let spread = |product| results.spread(product, client, goal.what, goal.figure);
    let (finback, hbase) = (spread(Product::Finback)?, spread(goal.against)?);
    let times = times_ahead(finback.median, hbase.median, goal.figure.more_is_better());
    Some(Outcome { goal, client, hbase, finback, times })
}

#[cfg(test)]
mod tests;
