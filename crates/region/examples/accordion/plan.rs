//! What is measured.

use finback_region::InMemoryCompaction;
use std::error::Error;

/// The policies, the first of which the others are compared with.
pub(crate) const POLICIES: [InMemoryCompaction; 4] = [
    InMemoryCompaction::None,
    InMemoryCompaction::Basic,
    InMemoryCompaction::Eager,
    InMemoryCompaction::Adaptive,
];

/// How keys are drawn, and what is done to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) keys: KeyChoice,
    /// Half of the operations are reads.
    pub(crate) reads: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyChoice {
    /// Each key once, in no order.
    Once,
    Uniform,
    Zipf,
}

pub(crate) const WORKLOADS: [Workload; 4] = [
    Workload { name: "write, uniform", keys: KeyChoice::Uniform, reads: false },
    Workload { name: "write, Zipf", keys: KeyChoice::Zipf, reads: false },
    Workload { name: "half read, half write, Zipf", keys: KeyChoice::Zipf, reads: true },
    Workload { name: "write, each key once", keys: KeyChoice::Once, reads: false },
];

/// Sizes of a run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Different keys.
    pub(crate) keys: u64,
    /// Operations of each run that only writes.
    pub(crate) operations: u64,
    /// Memory of the memstore at which it is flushed to a file.
    pub(crate) flush_mib: u64,
    /// Puts of one call.
    pub(crate) batch: u64,
    pub(crate) value_bytes: u64,
    /// Per cent of cells that no reader can see, from which on ADAPTIVE leaves them out.
    pub(crate) adaptive_percent: u64,
    /// Times that everything is run; the median counts.
    pub(crate) rounds: u64,
    /// Which workload alone, counted from 1; 0: all of them.
    pub(crate) workload: u64,
    /// Which policy alone, likewise; for a profile.
    pub(crate) policy: u64,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            keys: 4_000_000,
            operations: 20_000_000,
            flush_mib: 128,
            batch: 50,
            value_bytes: 100,
            adaptive_percent: 10,
            rounds: 3,
            workload: 0,
            policy: 0,
        }
    }
}

impl Plan {
    pub(crate) fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut plan = Self::default();
        for argument in arguments {
            let (name, number) = argument.split_once('=').ok_or("arguments are NAME=NUMBER")?;
            let field = match name {
                "keys" => &mut plan.keys,
                "operations" => &mut plan.operations,
                "flush_mib" => &mut plan.flush_mib,
                "batch" => &mut plan.batch,
                "value_bytes" => &mut plan.value_bytes,
                "adaptive_percent" => &mut plan.adaptive_percent,
                "rounds" => &mut plan.rounds,
                "workload" => &mut plan.workload,
                "policy" => &mut plan.policy,
                _ => return Err(format!("nothing is called {name} here").into()),
            };
            *field = number.parse::<u64>()?.max(1);
        }
        Ok(plan)
    }

    /// Operations of a run: fewer where each is a call of its own, which takes longer.
    pub(crate) fn operations_of(&self, workload: &Workload) -> u64 {
        if workload.reads { self.operations * 2 / 5 } else { self.operations }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { keys, operations, flush_mib, batch, value_bytes, rounds, .. } = self;
        write!(
            f,
            "{operations} operations (where half are reads, two fifths as many) on {keys} keys, values of {value_bytes} \
             bytes, {batch} puts a call, flushed at {flush_mib} MiB of memory, median of {rounds}."
        )
    }
}
