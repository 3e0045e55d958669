//! What is to be done, and how: PerformanceEvaluation's options, with its defaults, and ours.

mod reading;
mod table;

use crate::command::{Kind, PeCommand};
use crate::distribution::Distribution;
use crate::error::{PeError, Result};
use crate::ycsb::Properties;
use finback_client::ReadType;
use std::time::Duration;
pub use table::{OPTIONS, Origin, PeOption};

/// Bytes of PerformanceEvaluation's "1 GB" (its `ONE_GB`).
const GB: u64 = 1024 * 1024 * 1000;
/// Rows of each client, and length of a value, unless told otherwise.
const DEFAULT_ROWS: u64 = GB / DEFAULT_VALUE_SIZE as u64;
const DEFAULT_VALUE_SIZE: u32 = 1000;
/// Clients that PerformanceEvaluation admits are 500; a task costs less than a thread.
const MAX_CLIENTS: u32 = 10_000;
/// Longest value and most cells of a row that are put together here: each client keeps such a row in memory.
const MAX_VALUE_SIZE: u32 = 64 << 20;
const MAX_COLUMNS: u32 = 100_000;
/// Tags of a cell: they have 64 KiB together, of which each takes 259 bytes.
const MAX_TAGS: u32 = 253;

/// How long values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueSize {
    Fixed,
    /// Any length below.
    Uniform,
    /// Any length below, short ones more often.
    Zipf,
}

/// When operations begin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// Operations a second, of all clients together.
    pub(crate) per_second: f64,
    /// Whether the gaps between them are exponentially distributed, instead of all the same.
    pub(crate) poisson: bool,
}

/// What is to be done, and how. Made of a command, then of [`set`](Options::set) for each option, then
/// [`check`](Options::check).
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) command: &'static PeCommand,
    pub(crate) clients: u32,
    pub(crate) rows: Option<u64>,
    pub(crate) size_gb: Option<f64>,
    pub(crate) start_row: u64,
    pub(crate) sample_rate: f64,
    pub(crate) cycles: Option<u64>,
    pub(crate) measure_after: u64,
    pub(crate) table: Option<String>,
    pub(crate) flush: bool,
    pub(crate) write_to_wal: bool,
    pub(crate) auto_flush: bool,
    pub(crate) one_connection: bool,
    pub(crate) connections: Option<u32>,
    pub(crate) tags: u32,
    pub(crate) use_tags: bool,
    pub(crate) multi_get: usize,
    pub(crate) multi_put: usize,
    pub(crate) random_sleep: Duration,
    pub(crate) in_memory: bool,
    pub(crate) presplit: u32,
    pub(crate) replicas: u32,
    pub(crate) split_policy: Option<String>,
    pub(crate) compression: String,
    pub(crate) encryption: Option<String>,
    pub(crate) bloom_filter: String,
    pub(crate) block_size: u32,
    pub(crate) block_encoding: String,
    pub(crate) in_memory_compaction: String,
    pub(crate) value_size: u32,
    pub(crate) value_sizes: ValueSize,
    pub(crate) columns: u32,
    pub(crate) families: u32,
    pub(crate) filter_all: bool,
    pub(crate) add_columns: bool,
    pub(crate) caching: u32,
    pub(crate) cache_blocks: bool,
    pub(crate) read_type: ReadType,
    pub(crate) buffer_size: usize,
    pub(crate) latency_threshold: Option<Duration>,
    pub(crate) rate: Option<Rate>,
    pub(crate) poisson: bool,
    pub(crate) duration: Option<Duration>,
    pub(crate) distribution: Option<Distribution>,
    pub(crate) seed: Option<u64>,
    pub(crate) workers: Option<u32>,
    pub(crate) recreate: bool,
    pub(crate) properties: Properties,
    /// Options that were taken and change nothing: for a note.
    pub(crate) ignored: Vec<&'static str>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new(&crate::command::COMMANDS[0])
    }
}

impl Options {
    /// The defaults, of one client.
    pub fn new(command: &'static PeCommand) -> Self {
        Self {
            command,
            clients: 1,
            rows: None,
            size_gb: None,
            start_row: 0,
            sample_rate: 1.0,
            cycles: None,
            measure_after: 0,
            table: None,
            flush: false,
            write_to_wal: true,
            auto_flush: false,
            one_connection: false,
            connections: None,
            tags: 1,
            use_tags: false,
            multi_get: 0,
            multi_put: 0,
            random_sleep: Duration::ZERO,
            in_memory: false,
            presplit: 0,
            replicas: 1,
            split_policy: None,
            compression: "NONE".to_owned(),
            encryption: None,
            bloom_filter: "ROW".to_owned(),
            block_size: 64 << 10,
            block_encoding: "NONE".to_owned(),
            in_memory_compaction: "NONE".to_owned(),
            value_size: DEFAULT_VALUE_SIZE,
            value_sizes: ValueSize::Fixed,
            columns: 1,
            families: 1,
            filter_all: false,
            add_columns: true,
            caching: 30,
            cache_blocks: true,
            read_type: ReadType::Default,
            buffer_size: 2 << 20,
            latency_threshold: None,
            rate: None,
            poisson: false,
            duration: None,
            distribution: None,
            seed: None,
            workers: None,
            recreate: false,
            properties: Properties::default(),
            ignored: Vec::new(),
        }
    }

    /// The command.
    pub fn command(&self) -> &'static PeCommand {
        self.command
    }

    /// Options that were given and have no effect here, or none in HBase either.
    pub fn ignored(&self) -> &[&'static str] {
        &self.ignored
    }

    /// How many clients work at the same time. YCSB calls them threads.
    ///
    /// # Errors
    /// None, or more than there can be.
    pub fn set_clients(&mut self, clients: u32) -> Result<()> {
        if !(1..=MAX_CLIENTS).contains(&clients) {
            return Err(PeError::usage(format!("there can be 1 to {MAX_CLIENTS} clients, not {clients}")));
        }
        self.clients = clients;
        Ok(())
    }

    /// Options that do not go together, and those that follow from others.
    ///
    /// # Errors
    /// What does not go together.
    pub fn check(&mut self) -> Result<()> {
        if self.multi_put > 0 && !self.auto_flush {
            return Err(PeError::usage("--multiPut needs --autoFlush=true"));
        }
        if self.one_connection && self.connections.is_some_and(|count| count > 1) {
            return Err(PeError::usage("--oneCon=true does not go with a --connCount of more than 1"));
        }
        if self.command.is_ycsb() {
            return self.check_ycsb();
        }
        if !self.properties.is_empty() {
            return Err(PeError::usage(format!(
                "-p and -P are for YCSB's commands, and {} is none of them",
                self.command.name
            )));
        }
        if self.distribution.is_some() && !self.command.kind.is_random() {
            return Err(PeError::usage(format!(
                "--distribution is for commands that choose rows by chance; {} does not",
                self.command.name
            )));
        }
        if self.row_bytes() == 0 && self.size_gb.is_some() {
            return Err(PeError::usage("--size needs values that are not empty"));
        }
        if matches!(self.command.kind, Kind::FilterScan) && self.rows.is_none() && self.duration.is_none() {
            return Err(PeError::usage(
                "filterScan scans the whole table for each row: say for how many, such as --rows=20",
            ));
        }
        Ok(())
    }

    /// Some of YCSB's properties are options as well; an option wins.
    fn check_ycsb(&mut self) -> Result<()> {
        self.properties.check()?;
        if let Some(threads) = self.properties.number::<u32>("threadcount")?
            && self.clients == 1
        {
            self.set_clients(threads)?;
        }
        if let Some(target) = self.properties.number::<f64>("target")?
            && self.rate.is_none()
            && target > 0.0
        {
            self.rate = Some(Rate { per_second: target, poisson: false });
        }
        if let Some(seconds) = self.properties.number::<u64>("maxexecutiontime")?
            && self.duration.is_none()
            && seconds > 0
        {
            self.duration = Some(Duration::from_secs(seconds));
        }
        Ok(())
    }

    /// The rate, with how its gaps are distributed.
    pub(crate) fn pace(&self) -> Option<Rate> {
        self.rate.map(|rate| Rate { poisson: self.poisson, ..rate })
    }

    /// The table's name.
    pub(crate) fn table(&self) -> &str {
        match &self.table {
            Some(name) => name,
            None if self.command.is_ycsb() => self.properties.text("table").unwrap_or("usertable"),
            None => "TestTable",
        }
    }

    fn row_bytes(&self) -> u64 {
        let value = match self.value_sizes {
            ValueSize::Uniform => self.value_size / 2,
            _ => self.value_size,
        };
        u64::from(value) * u64::from(self.families) * u64::from(self.columns)
    }

    /// Rows of one client, and of all, by PerformanceEvaluation's rules.
    pub(crate) fn extent(&self) -> Extent {
        let rows = self.rows.unwrap_or(DEFAULT_ROWS);
        let clients = u64::from(self.clients);
        let Some(size) = self.size_gb else {
            return Extent { of_client: rows, total: rows.saturating_mul(clients) };
        };
        let total = (size * (GB / self.row_bytes().max(1)) as f64) as u64;
        let both = self.rows.is_some() && matches!(self.command.name, "randomRead" | "randomSeekScan");
        Extent { of_client: if both { rows } else { total / clients }, total }
    }
}

/// How many rows there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    /// That one client works on.
    pub(crate) of_client: u64,
    /// From which random ones are chosen.
    pub(crate) total: u64,
}

#[cfg(test)]
mod tests;
