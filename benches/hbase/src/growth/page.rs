//! The page of the curves: `growth.md`, which puts together what each curve's own part says.
//!
//! A curve that is measured again exchanges its part, and leaves the others. What is found out about a curve is written by hand,
//! in `growth/NAME.notes.md`.

use super::curve::Curve;
use super::{Grown, Options, curves};
use crate::environment::Environment;
use crate::error::{Doing, Result};
use crate::machine;
use crate::plot::lines::{Line, lines};
use crate::statistics::Spread;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Where parts and plots are, from where the page is.
const PARTS: &str = "growth";

const INTRODUCTION: &str = "\
# How Finback grows

Curves, not points: one thing grows, all else stays as it is. `./dev bench growth [CURVE]... [--seconds N] [--rounds N]` measures and
writes this page; of the curves that it is told to measure, or of all.

A standalone server with its defaults, on an empty directory, is loaded by `finback pe`, a process of its own on the same machine. For each
point a table is filled, flushed, and scanned once, so that its blocks are in the cache if they fit; then each operation goes on for
some seconds, several times, one row a call. A put is on disk before it is answered. Where nothing else is said a table has 100,000 rows of a
value of 100 bytes in one region and one file, and 16 clients on one connection.

Throughput and p99 depend on who else uses the machine, client included. The processor time of the server, user and system, from
`/proc/PID/stat`, does so much less: it is the curve to look at. Dots are medians, lines through them go from the least to the most.

";

/// Writes plots and part of a curve.
pub(super) fn write_curve(grown: &Grown, options: &Options) -> Result<()> {
    let directory = options.out.join(PARTS);
    fs::create_dir_all(&directory).doing(|| format!("make {}", directory.display()))?;
    let curve = grown.curve;
    for (figure, axis, of) in FIGURES {
        if let Some(svg) = plot(grown, axis, of) {
            write_file(&directory.join(format!("{}-{figure}.svg", curve.name)), &svg)?;
        }
    }
    write_file(&directory.join(format!("{}.md", curve.name)), &part(grown, options))
}

/// Puts the page together.
pub(super) fn write(environment: &Environment, options: &Options) -> Result<()> {
    let directory = options.out.join(PARTS);
    let mut page = INTRODUCTION.to_owned();
    for (name, value) in machine::description() {
        if name != "Java" {
            let _ = writeln!(page, "- {name}: {value}");
        }
    }
    if let Some(commit) = &environment.commit {
        let _ = writeln!(page, "- Finback: {commit}");
    }
    for curve in &curves::ALL {
        let Ok(part) = fs::read_to_string(directory.join(format!("{}.md", curve.name))) else { continue };
        let notes =
            fs::read_to_string(directory.join(format!("{}.notes.md", curve.name))).unwrap_or_default();
        let _ = write!(page, "\n{part}");
        if !notes.is_empty() {
            let _ = write!(page, "\n{}\n", notes.trim_end());
        }
    }
    write_file(&options.out.join("growth.md"), &page)
}

/// A figure of a point: part of the plot's file name, axis, and value.
type Figure = (&'static str, &'static str, fn(&super::Measured) -> Spread);

const FIGURES: [Figure; 3] = [
    ("cpu", "server CPU, µs an operation", |measured| measured.cpu_us),
    ("throughput", "operations a second", |measured| measured.rate),
    ("p99", "p99, µs", |measured| measured.p99_us),
];

fn plot(grown: &Grown, axis: &str, of: fn(&super::Measured) -> Spread) -> Option<String> {
    let line = |operation: &super::curve::Operation| {
        let points = grown.measured.iter().filter(|measured| measured.operation == operation.name);
        Line {
            name: operation.name,
            colour: operation.colour,
            points: points.map(|measured| (measured.point as f64, of(measured))).collect(),
        }
    };
    let drawn: Vec<Line> = grown.curve.operations.iter().map(line).collect();
    lines(grown.curve.title, grown.curve.axis, axis, &drawn)
}

/// What is said of a curve: theory, plots, figures.
fn part(grown: &Grown, options: &Options) -> String {
    let Curve { name, title, axis, theory, .. } = grown.curve;
    let mut part = format!("## {title}\n\nExpected: {theory}\n\n");
    for (figure, ..) in FIGURES {
        let _ = writeln!(part, "![{title}, {figure}]({PARTS}/{name}-{figure}.svg)");
    }
    let _ = write!(
        part,
        "\n| {axis} | operation | a second | p99 µs | server CPU µs an operation |\n|---:|---|---:|---:|---:|\n"
    );
    for measured in &grown.measured {
        let (rate, p99, cpu) = (measured.rate.median, measured.p99_us.median, measured.cpu_us);
        let _ = writeln!(
            part,
            "| {} | {} | {rate:.0} | {p99:.0} | {:.1} ({:.1} to {:.1}) |",
            measured.point, measured.operation, cpu.median, cpu.min, cpu.max
        );
    }
    let _ = writeln!(
        part,
        "\nRounds: {}, of {} s each. Others used {:.1} processors meanwhile.",
        options.rounds,
        options.duration.as_secs(),
        grown.others
    );
    part
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).doing(|| format!("write {}", path.display()))
}
