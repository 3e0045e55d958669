//! `compare`: Finback and HBase under the same load, in turn, and the report of it.

mod options;
mod plan;
mod progress;
mod running;
mod steady;
mod workloads;

#[cfg(test)]
pub(crate) use plan::CHECKS;
pub(crate) use plan::Check;
pub(crate) use steady::MIXED;
pub(crate) use workloads::WORKLOADS;

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::machine::{self, Others};
use crate::report;
use crate::results::Results;
use crate::server::Product;
use options::Options;
use progress::Progress;
use running::Running;
use std::process::Command;

/// Measures, unless only the report is to be made again, and writes the report.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let only_report = arguments.flag("report");
    let options = Options::take(&mut arguments)?;
    arguments.end()?;
    let environment = Environment::of_process()?;
    let kept = environment.work.join(if options.quick { "quick.json" } else { "results.json" });
    let results = match only_report {
        true => Results::read(&kept)?,
        false => measure(&environment, &options, |results| results.write(&kept))?,
    };
    let out = options.out.clone().unwrap_or_else(|| environment.work.join("report"));
    report::write(&results, &out)?;
    println!("{} is written", out.join(report::PAGE).display());
    Ok(())
}

/// Does all that is planned, and has what is known kept after each step.
fn measure(
    environment: &Environment,
    options: &Options,
    keep: impl Fn(&Results) -> Result<()>,
) -> Result<Results> {
    let sessions = plan::plan(options);
    if sessions.is_empty() {
        return Err(BenchError::Usage("nothing is left to be done".to_owned()));
    }
    let mut progress = Progress::new(&sessions);
    let mut before = conditions(environment, options);
    if !options.quick {
        before.push(machine::memory::touch());
    }
    let mut results = Results { conditions: before.clone(), ..Results::default() };
    let others = Others::watch();
    for session in &sessions {
        let mut running = Running::start(environment, options, session)?;
        for step in &session.steps {
            progress.begin(session, step);
            let measured = match running.perform(step, &results) {
                Err(error) if step.can_be_repeated() => {
                    let failed = format!("{}, {}", session.product.title(), step.title());
                    eprintln!("{failed}, has failed, and is run again: {error}");
                    before.push(("run again after a failure".to_owned(), failed));
                    running.perform(step, &results)?
                }
                done => done?,
            };
            before.append(&mut running.noticed);
            progress.done(&measured);
            results.measurements.extend(measured);
            keep(&results)?;
        }
        running.end()?;
        // Only what has ended is known not to be others'.
        results.conditions = before.iter().cloned().chain(meanwhile(&others)).collect();
        keep(&results)?;
    }
    Ok(results)
}

/// What else the machine was doing.
fn meanwhile(others: &Others) -> [(String, String); 2] {
    [
        ("used by others meanwhile".to_owned(), format!("{:.2} cores on average", others.cores())),
        ("load average at the end".to_owned(), machine::load_average()),
    ]
}

/// What a reader must know.
fn conditions(environment: &Environment, options: &Options) -> Vec<(String, String)> {
    let mut all = vec![
        ("Finback".to_owned(), finback(environment)),
        ("HBase".to_owned(), environment.hbase_version().unwrap_or("not here").to_owned()),
    ];
    all.extend(machine::description());
    all.push(("load average at the start".to_owned(), machine::load_average()));
    all.extend(options.told());
    all
}

fn finback(environment: &Environment) -> String {
    let version = machine::first_line(Command::new(&environment.finback).arg("version"));
    match &environment.commit {
        Some(commit) => format!("{version}, at {commit}"),
        None => version,
    }
}

/// The server whose capacity decides how much steady load there is: HBase, if it takes part.
fn pace_maker(products: &[Product]) -> Product {
    products.iter().copied().find(|product| *product == Product::HBase).unwrap_or(Product::Finback)
}
