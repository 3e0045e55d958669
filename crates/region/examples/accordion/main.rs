//! What in-memory compaction is worth: every policy under every workload, in one run, on a real directory.
//!
//! `./dev bench accordion [NAME=NUMBER]...`, where the names are those of [`plan::Plan`]'s fields.
//!
//! The region is embedded; a thread flushes it when it asks for that, another compacts its files, as a server does. What
//! is printed is a table in Markdown; `docs/benchmarks/accordion.md` says what it means.
#![allow(clippy::print_stdout)]

mod host;
mod keys;
mod latency;
mod plan;
mod run;

use plan::{POLICIES, Plan, WORKLOADS};
use run::{Measured, measure};
use std::error::Error;

/// The server's allocator.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> Result<(), Box<dyn Error>> {
    let plan = Plan::from_arguments(std::env::args().skip(1))?;
    println!("{plan}\n");
    println!(
        "| workload | policy | thousand op/s | | CPU us/op | write amplification (of the rounds) | | of flushes | flushes | bytes of memory per cell | cells left out | p50 us | p99 us | p99.9 us | max ms |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let policies = chosen(&POLICIES, plan.policy);
    for workload in chosen(&WORKLOADS, plan.workload) {
        // Policies take turns, so that what else the machine does comes over all of them.
        let mut rounds: Vec<Vec<Measured>> = policies.iter().map(|_| Vec::new()).collect();
        for round in 1..=plan.rounds {
            for (policy, measured) in policies.iter().zip(&mut rounds) {
                eprintln!("{}, {policy:?}: round {round} of {}", workload.name, plan.rounds);
                measured.push(measure(&plan, workload, *policy)?);
            }
        }
        let medians: Vec<Measured> = rounds.into_iter().map(Measured::median).collect();
        for (policy, measured) in policies.iter().zip(&medians) {
            println!("| {} | {policy:?} | {} |", workload.name, measured.row(&medians[0]));
        }
    }
    Ok(())
}

/// All, or the one of that number, counted from 1.
fn chosen<T: Copy>(all: &[T], number: u64) -> Vec<T> {
    all.iter()
        .enumerate()
        .filter(|(at, _)| number == 0 || number == *at as u64 + 1)
        .map(|(_, one)| *one)
        .collect()
}
