//! Measures the points of a curve.

use super::Options;
use super::curve::{Curve, Operation, Table};
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::load::{Client, Load, Told};
use crate::server::{Product, ServerUnderTest};
use crate::statistics::Spread;

/// An operation at a point.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) point: u64,
    pub(super) operation: &'static str,
    /// Operations a second.
    pub(super) rate: Spread,
    pub(super) p99_us: Spread,
    /// The server's, user and system, of an operation.
    pub(super) cpu_us: Spread,
}

/// All points, on a server that goes with its data.
pub(super) fn measure(
    environment: &Environment,
    options: &Options,
    curve: &'static Curve,
) -> Result<Vec<Measured>> {
    let directory = environment.fresh_directory(curve.name)?;
    let mut server = ServerUnderTest::start(environment, Product::Finback, directory.path(), curve.settings)?;
    server.first_put("first", b"row")?;
    let mut measured = Vec::new();
    for &point in curve.points.iter().filter(|point| **point <= options.most) {
        let mut at = Point { environment, options, server: &mut server, table: (curve.table)(point), point };
        at.fill()?;
        for operation in curve.operations {
            let shown = at.measure(operation)?;
            eprintln!(
                "{} {point}: {} {:.0}/s, p99 {:.0} µs, {:.1} µs of the server's processors",
                curve.name, shown.operation, shown.rate.median, shown.p99_us.median, shown.cpu_us.median
            );
            measured.push(shown);
        }
        server.cluster()?.drop_table(&name(point))?;
    }
    server.kill()?;
    Ok(measured)
}

fn name(point: u64) -> String {
    format!("growth{point}")
}

/// The table of a point.
struct Point<'a> {
    environment: &'a Environment,
    options: &'a Options,
    server: &'a mut ServerUnderTest,
    table: Table,
    point: u64,
}

impl Point<'_> {
    /// Writes the table's files, and brings their blocks into the cache.
    fn fill(&mut self) -> Result<()> {
        let files = self.table.files;
        for _ in 0..files {
            let (command, share) = match files {
                1 => ("sequentialWrite", 1.0),
                // Each file has some of all rows.
                _ => ("randomWrite", 1.0 / files as f64),
            };
            self.load(command, &[], 1, self.table.rows, share)?;
            self.server.cluster()?.flush(&name(self.point))?;
        }
        self.server.settle()?;
        self.load("scan", &["--caching=1000"], 1, self.table.rows, 1.0)?;
        self.server.settle().map(drop)
    }

    fn measure(&mut self, operation: &'static Operation) -> Result<Measured> {
        let (mut rates, mut p99s, mut cpus) = (Vec::new(), Vec::new(), Vec::new());
        let duration = format!("--duration={}", self.options.duration.as_secs());
        let connections = format!("--connCount={}", self.table.connections);
        let mut options = operation.options.to_vec();
        options.extend([&*duration, &*connections]);
        let clients = self.table.clients;
        for _ in 0..self.options.rounds {
            let before = self.server.usage()?;
            // Of each client; what all of them choose from is the table.
            let rows = self.table.rows.div_ceil(clients);
            let told = self.load(operation.command, &options, clients, rows, 1.0)?;
            let used = self.server.usage()?.since(&before);
            rates.push(told.rows as f64 / told.seconds);
            p99s.push(told.latency.p99_us);
            cpus.push(used.cpu.as_secs_f64() * 1e6 / told.rows as f64);
        }
        let spread = |values: Vec<f64>| {
            Spread::of(values).ok_or_else(|| BenchError::Usage("--rounds cannot be 0".to_owned()))
        };
        Ok(Measured {
            point: self.point,
            operation: operation.name,
            rate: spread(rates)?,
            p99_us: spread(p99s)?,
            cpu_us: spread(cpus)?,
        })
    }

    fn load(
        &mut self,
        command: &'static str,
        options: &[&str],
        clients: u64,
        rows: u64,
        share: f64,
    ) -> Result<Told> {
        let Table { value_bytes, columns, regions, .. } = self.table;
        let mut all = vec![
            format!("--table={}", name(self.point)),
            format!("--rows={rows}"),
            format!("--valueSize={value_bytes}"),
            format!("--columns={columns}"),
        ];
        if regions > 1 {
            all.push(format!("--presplit={regions}"));
        }
        all.extend(options.iter().map(|option| (*option).to_owned()));
        let clients = u32::try_from(clients).unwrap_or(u32::MAX);
        let load = Load { command, clients, options: all, share };
        load.run(self.environment, Client::Finback, self.server.zookeeper_port())
    }
}
