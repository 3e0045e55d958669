//! What is done in which order.

use super::options::Options;
use super::workloads::{SEQUENTIAL_WRITE, WORKLOADS, Workload, Writes};
use crate::load::Client;
use crate::server::Product;

/// What is measured besides the workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// From the start on an empty directory to the first acknowledged put.
    Start,
    /// Memory of a server that nobody uses.
    IdleMemory,
    /// A mixed load, closed loop, and then at half of HBase's capacity, open loop, while files are flushed and compacted.
    Steady,
    /// Merging all files of the table.
    Compaction,
    /// Memory when all is done.
    MemoryAfter,
    /// From the start after SIGKILL, with much in no file yet, to the first acknowledged put.
    Restart,
}

/// All of them.
pub(crate) const CHECKS: [Check; 6] =
    [Check::Start, Check::IdleMemory, Check::Steady, Check::Compaction, Check::MemoryAfter, Check::Restart];

impl Check {
    /// On the command line and in the results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::IdleMemory => "idle-memory",
            Self::Steady => "steady",
            Self::Compaction => "compaction",
            Self::MemoryAfter => "memory-after",
            Self::Restart => "restart",
        }
    }
}

/// One thing that is done to a server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Check(Check),
    /// The code that the loads need is run for a while, so that what compiles code while it runs has done so.
    Rehearse,
    /// All blocks of a client's table come into the server's cache.
    Warm(Client),
    Load(Client, &'static Workload),
    /// The table of a client goes.
    Drop(Client),
}

impl Step {
    /// For whoever watches.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Check(check) => check.name().to_owned(),
            Self::Rehearse => "rehearsing".to_owned(),
            Self::Warm(client) => format!("warming the table of {}", client.title()),
            Self::Load(client, workload) => format!("{}, {}", workload.name, client.title()),
            Self::Drop(client) => format!("dropping the table of {}", client.title()),
        }
    }

    /// Whether it may be done again after a failure, and shows the same then.
    pub(super) fn can_be_repeated(&self) -> bool {
        matches!(self, Self::Rehearse | Self::Warm(_) | Self::Load(..))
    }
}

/// A server on a directory of its own, and what is done to it.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) round: u32,
    pub(super) product: Product,
    /// Settings besides the defaults.
    pub(super) settings: &'static [(&'static str, &'static str)],
    pub(super) steps: Vec<Step>,
}

/// A region is flushed when it has so much in memory: more than it ever gets here.
const NEVER_FLUSHED: &[(&str, &str)] = &[("hbase.hregion.memstore.flush.size", "1073741824")];
/// What is compared between servers that give the same guarantee. PerformanceEvaluation's puts cannot be: they ask for SYNC_WAL, and
/// `hbase.wal.hsync` is heeded where nothing is asked for.
const GUARANTEED: [&str; 4] = [SEQUENTIAL_WRITE.name, "default-put", "increment", "check-and-put"];

/// All sessions. The servers take turns, and which of them is first does too.
pub(super) fn plan(options: &Options) -> Vec<Session> {
    let mut all = Vec::new();
    for round in 1..=options.rounds {
        let mut of_round: Vec<Session> =
            options.products.iter().map(|&product| main(options, round, product)).collect();
        let restarted = options.products.iter().filter(|&&product| product != Product::HBaseHsync);
        of_round.extend(restarted.map(|&product| restart(round, product)));
        if round % 2 == 0 {
            of_round.reverse();
        }
        all.extend(of_round);
    }
    for session in &mut all {
        keep_wanted(options, session);
    }
    all.retain(|session| !session.steps.is_empty());
    all
}

fn main(options: &Options, round: u32, product: Product) -> Session {
    let only_writes = product == Product::HBaseHsync;
    let mut steps = vec![Step::Check(Check::Start)];
    if !only_writes {
        steps.push(Step::Check(Check::IdleMemory));
    }
    steps.push(Step::Rehearse);
    for (place, &client) in options.clients.iter().enumerate() {
        let is_last = place + 1 == options.clients.len();
        steps.extend(loads(client, only_writes));
        // The last table stays: memory after the run is that of a server that has data.
        match (is_last, only_writes) {
            (false, _) => steps.push(Step::Drop(client)),
            (true, true) => (),
            (true, false) => {
                steps.extend([Check::Compaction, Check::Steady, Check::MemoryAfter].map(Step::Check));
            }
        }
    }
    Session { round, product, settings: &[], steps }
}

/// The loads of a client, with the cache warm for the first that reads.
fn loads(client: Client, only_writes: bool) -> Vec<Step> {
    let is_wanted = |workload: &&Workload| {
        workload.is_for(client) && (!only_writes || GUARANTEED.contains(&workload.name))
    };
    let loads = WORKLOADS.iter().filter(is_wanted);
    let mut steps: Vec<Step> = loads.map(|workload| Step::Load(client, workload)).collect();
    if let Some(first) = steps.iter().position(reads) {
        steps.insert(first, Step::Warm(client));
    }
    steps
}

fn reads(step: &Step) -> bool {
    matches!(step, Step::Load(_, workload) if workload.writes == Writes::Nothing)
}

fn restart(round: u32, product: Product) -> Session {
    Session { round, product, settings: NEVER_FLUSHED, steps: vec![Step::Check(Check::Restart)] }
}

/// Takes out what is not wanted, and what that would have needed.
fn keep_wanted(options: &Options, session: &mut Session) {
    let is_wanted = |step: &Step| match step {
        Step::Check(check) => options.wants(check.name()),
        Step::Load(_, workload) => options.wants(workload.name),
        Step::Rehearse | Step::Warm(_) | Step::Drop(_) => false,
    };
    let uses_table = |step: &Step| match step {
        Step::Check(check) => matches!(check, Check::Compaction),
        Step::Load(..) => true,
        _ => false,
    };
    if !session.steps.iter().any(is_wanted) {
        session.steps.clear();
    }
    let needs_table = session.steps.iter().any(|step| is_wanted(step) && uses_table(step));
    let needs_cache = session.steps.iter().any(|step| is_wanted(step) && reads(step));
    session.steps.retain(|step| match step {
        Step::Check(Check::Start) => true,
        Step::Load(_, workload) if workload.name == SEQUENTIAL_WRITE.name => needs_table,
        Step::Warm(_) => needs_cache,
        Step::Rehearse | Step::Drop(_) => needs_table,
        step => is_wanted(step),
    });
}

#[cfg(test)]
mod tests;
