//! A load on the server under test, made by a client that is a process of its own.

mod finback_pe;
mod java_pe;

use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::process::{Process, last_lines};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How long one load may take.
const LOAD_LIMIT: Duration = Duration::from_secs(3600);

/// Who makes the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// HBase's PerformanceEvaluation: a thread and a connection for each client.
    Java,
    /// `finback pe`: one thread and one connection for all of them on a small machine.
    Finback,
    /// The same with so many clients that the server is never without work.
    FinbackMany,
}

impl Client {
    /// All, the one whose makers have no interest in the outcome first.
    pub(crate) const ALL: [Self; 3] = [Self::Java, Self::Finback, Self::FinbackMany];

    /// One word, for options and results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Finback => "finback",
            Self::FinbackMany => "finback-many",
        }
    }

    /// As it stands in tables.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Java => "HBase's PerformanceEvaluation",
            Self::Finback => "finback pe",
            Self::FinbackMany => "finback pe, 64 clients",
        }
    }

    /// How many clients a load has, if nothing else decides that.
    pub(crate) const fn count(self) -> u32 {
        match self {
            Self::Java | Self::Finback => 4,
            Self::FinbackMany => 64,
        }
    }

    /// The client of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
}

/// What is to be done, in words that all clients understand.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    /// PerformanceEvaluation's command.
    pub(crate) command: &'static str,
    /// How many clients do it at the same time.
    pub(crate) clients: u32,
    /// PerformanceEvaluation's options.
    pub(crate) options: Vec<String>,
    /// Share of the rows that it is to work on, in (0, 1]: its `--sampleRate`.
    pub(crate) share: f64,
}

/// What a client has told of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Told {
    /// Rows that were written, read, or looked for.
    pub(crate) rows: u64,
    /// Of those that were looked for, how many are not there; none if the client does not tell.
    pub(crate) missing: Option<u64>,
    /// How long it took, in seconds.
    pub(crate) seconds: f64,
    /// Latencies of the operation; of reads, if there are several kinds.
    pub(crate) latency: Latency,
}

/// Latencies of a client's operations, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Latency {
    pub(crate) p50_us: f64,
    pub(crate) p99_us: f64,
    pub(crate) p999_us: f64,
    pub(crate) max_us: f64,
}

impl Load {
    /// Does it with `client` to the cluster whose ZooKeeper listens at this port of 127.0.0.1.
    ///
    /// # Errors
    /// The client fails, or tells that an operation has.
    pub(crate) fn run(&self, environment: &Environment, client: Client, zookeeper_port: u16) -> Result<Told> {
        match client {
            Client::Java => java_pe::run(environment, self, zookeeper_port),
            Client::Finback | Client::FinbackMany => {
                finback_pe::run(environment, self, client, zookeeper_port)
            }
        }
    }

    fn failed(&self, client: Client, why: impl Into<String>) -> BenchError {
        BenchError::Load { client: client.title(), command: self.command, why: why.into() }
    }

    /// Runs the client's program to its end.
    fn run_program(&self, client: Client, command: Command, log: PathBuf) -> Result<()> {
        let _ = std::fs::remove_file(&log);
        let mut process = Process::spawn(command, log.clone())?;
        match process.wait(LOAD_LIMIT)? {
            Some(status) if status.success() => Ok(()),
            Some(status) => Err(self.failed(client, format!("{status}\n{}", last_lines(&log)))),
            None => Err(self.failed(client, format!("is not done after {LOAD_LIMIT:?}"))),
        }
    }
}
