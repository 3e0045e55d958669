//! What of the comparison is wanted, and how much of it.

use super::plan::CHECKS;
use super::workloads::{REGIONS, ROW_BYTES, WORKLOADS};
use crate::arguments::Arguments;
use crate::error::{BenchError, Result};
use crate::load::Client;
use crate::server::Product;
use std::path::PathBuf;
use std::time::Duration;

/// What of the comparison is wanted, and how much of it.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) rounds: u32,
    /// Rows of the table.
    pub(super) rows: u64,
    /// Rows that are in no file when a server is killed.
    pub(super) unflushed_rows: u64,
    pub(super) products: Vec<Product>,
    pub(super) clients: Vec<Client>,
    /// Names of workloads and checks; all if there are none.
    pub(super) only: Vec<String>,
    /// How long a server that has just started is left alone.
    pub(super) idle: Duration,
    /// How long the mixed load goes on: to learn the capacity, and at half of it.
    pub(super) capacity: Duration,
    pub(super) steady: Duration,
    /// Whether this only shows that everything works.
    pub(super) quick: bool,
    /// Where the report goes; `docs` of the project.
    pub(super) out: Option<PathBuf>,
}

impl Options {
    /// Those of a command line.
    pub(super) fn take(arguments: &mut Arguments) -> Result<Self> {
        let mut options = if arguments.flag("quick") { Self::quick() } else { Self::whole() };
        let mut set = |name: &str, number: &mut u64| -> Result<()> {
            *number = arguments.value(name)?.unwrap_or(*number);
            Ok(())
        };
        set("rows", &mut options.rows)?;
        set("unflushed-rows", &mut options.unflushed_rows)?;
        let mut steady = options.steady.as_secs();
        set("steady-seconds", &mut steady)?;
        options.steady = Duration::from_secs(steady);
        options.rounds = arguments.value("rounds")?.unwrap_or(options.rounds);
        options.out = arguments.value("out")?.or(options.out);
        if let Some(names) = arguments.list("servers")? {
            options.products = known("server", &names, Product::named)?;
        }
        if let Some(names) = arguments.list("clients")? {
            options.clients = known("client", &names, Client::named)?;
        }
        if let Some(names) = arguments.list("only")? {
            options.only = known("row", &names, is_row)?;
        }
        Ok(options)
    }

    fn whole() -> Self {
        Self {
            rounds: 3,
            rows: 1_000_000,
            unflushed_rows: (1 << 30) / ROW_BYTES,
            products: Product::ALL.to_vec(),
            clients: Client::ALL.to_vec(),
            only: Vec::new(),
            idle: Duration::from_secs(20),
            capacity: Duration::from_secs(15),
            steady: Duration::from_secs(60),
            quick: false,
            out: Some(PathBuf::from("docs")),
        }
    }

    fn quick() -> Self {
        Self {
            rounds: 1,
            rows: 4000,
            unflushed_rows: 4000,
            idle: Duration::ZERO,
            capacity: Duration::from_secs(1),
            steady: Duration::from_secs(2),
            quick: true,
            out: None,
            ..Self::whole()
        }
    }

    /// Whether a workload or check of this name is wanted.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// For the reader of the report.
    pub(super) fn told(&self) -> Vec<(String, String)> {
        let gib = self.rows as f64 * ROW_BYTES as f64 / f64::from(1 << 30);
        let unflushed = self.unflushed_rows as f64 * ROW_BYTES as f64 / f64::from(1 << 30);
        vec![
            (
                "table".to_owned(),
                format!("{} rows with a value of 1000 bytes, {gib:.2} GiB, in {REGIONS} regions", self.rows),
            ),
            (
                "not flushed when killed".to_owned(),
                format!("{} rows, {unflushed:.2} GiB", self.unflushed_rows),
            ),
            ("steady load".to_owned(), format!("{} s", self.steady.as_secs())),
        ]
    }
}

fn is_row(name: &str) -> Option<String> {
    let known = WORKLOADS.iter().map(|workload| workload.name).chain(CHECKS.iter().map(|check| check.name()));
    known.into_iter().find(|known| *known == name).map(str::to_owned)
}

fn known<T>(kind: &str, names: &[String], named: impl Fn(&str) -> Option<T>) -> Result<Vec<T>> {
    let find =
        |name: &String| named(name).ok_or_else(|| BenchError::Usage(format!("there is no {kind} {name}")));
    names.iter().map(find).collect()
}

#[cfg(test)]
pub(super) mod tests;
