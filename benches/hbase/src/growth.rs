//! How throughput, latency and cost grow with one thing at a time: `./dev bench growth`.
//!
//! Each curve has a server of its own, and for each of its points a table of its own, which is filled, flushed, read once, measured,
//! and dropped again.

mod curve;
mod curves;
mod measuring;
mod page;

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::machine::Others;
use curve::Curve;
use measuring::Measured;
use std::path::PathBuf;
use std::time::Duration;

/// What is wanted of the curves.
#[derive(Debug)]
struct Options {
    /// How long each operation is measured in each round.
    duration: Duration,
    rounds: u32,
    /// Points beyond are left out, of every curve.
    most: u64,
    /// Where page and plots go.
    out: PathBuf,
}

/// A curve and what it has shown.
struct Grown {
    curve: &'static Curve,
    measured: Vec<Measured>,
    /// Processors that others used meanwhile.
    others: f64,
}

/// Measures the curves that the command line names, or all, and writes the page.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let options = Options {
        duration: Duration::from_secs(arguments.value("seconds")?.unwrap_or(5)),
        rounds: arguments.value("rounds")?.unwrap_or(3),
        most: arguments.value("most")?.unwrap_or(u64::MAX),
        out: arguments.value("out")?.unwrap_or_else(|| PathBuf::from("docs/benchmarks")),
    };
    let mut wanted = Vec::new();
    while let Some(name) = arguments.command() {
        wanted.push(curves::named(&name).ok_or_else(|| {
            let names: Vec<&str> = curves::ALL.iter().map(|curve| curve.name).collect();
            BenchError::Usage(format!("there is no curve {name}; there are {}", names.join(", ")))
        })?);
    }
    arguments.end()?;
    if wanted.is_empty() {
        wanted.extend(&curves::ALL);
    }
    let environment = Environment::of_process()?;
    for curve in wanted {
        let others = Others::watch();
        let measured = measuring::measure(&environment, &options, curve)?;
        page::write_curve(&Grown { curve, measured, others: others.cores() }, &options)?;
    }
    page::write(&environment, &options)
}
