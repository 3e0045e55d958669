//! A server under test: started, restarted, killed, and what it has used.
//!
//! ```text
//! let directory = environment.fresh_directory("data")?;
//! let mut server = ServerUnderTest::start(&environment, Product::HBase, directory.path(), &[])?;
//! let took = server.first_put("t", b"row")?;                  // from exec to an acknowledged put
//! let before = server.usage()?;
//! …a load against server.zookeeper_port()…
//! server.settle()?;                                           // flushes and compactions that the load has left over
//! let used = server.usage()?.since(&before);                  // used.cpu, used.written_bytes
//! server.kill()?;                                             // SIGKILL
//! server.restart(&environment)?;                              // the same directory, the same ports
//! ```
//!
//! A server listens on free ports of the loopback address. It is the caller's part to have no more than one running when
//! something is measured. One that goes out of scope is killed.

mod finback;
mod hbase;
mod ports;
mod usage;

pub(crate) use ports::Ports;
pub(crate) use usage::Usage;

use crate::cluster::Cluster;
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::process::{self, Process};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a server may take to its first acknowledged put.
const START_LIMIT: Duration = Duration::from_secs(300);
/// How long work in the background may go on.
const SETTLE_LIMIT: Duration = Duration::from_secs(300);
/// A server is at rest when it has used less than a twentieth of a processor for so long.
const REST: Duration = Duration::from_secs(2);
const REST_PART: u32 = 20;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Product {
    /// Finback with its defaults: an acknowledged put is on disk.
    Finback,
    /// Apache HBase with its defaults: an acknowledged put is in the system's page cache.
    HBase,
    /// The same with `hbase.wal.hsync=true`, on a local file system that heeds it: an acknowledged put is on disk.
    HBaseHsync,
}

impl Product {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::HBase, Self::HBaseHsync, Self::Finback];

    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|product| product.name() == name)
    }

    /// One word, for files, options and results.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Finback => "finback",
            Self::HBase => "hbase",
            Self::HBaseHsync => "hbase-hsync",
        }
    }

    /// As it stands in tables.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Finback => "Finback",
            Self::HBase => "HBase",
            Self::HBaseHsync => "HBase, hsync",
        }
    }
}

/// A server that was started, and may have ended since.
#[derive(Debug)]
pub(crate) struct ServerUnderTest {
    product: Product,
    directory: PathBuf,
    settings: Vec<(String, String)>,
    ports: Ports,
    process: Process,
}

impl ServerUnderTest {
    /// Starts a server on a directory, with settings by HBase's names besides its defaults, and returns at once.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn start(
        environment: &Environment,
        product: Product,
        directory: &Path,
        settings: &[(&str, &str)],
    ) -> Result<Self> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let ports = Ports::free()?;
        let process = launch(environment, product, directory, &settings, &ports)?;
        Ok(Self { product, directory: directory.to_owned(), settings, ports, process })
    }

    /// Starts it again after [`Self::kill`], and returns at once.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn restart(&mut self, environment: &Environment) -> Result<()> {
        self.process = launch(environment, self.product, &self.directory, &self.settings, &self.ports)?;
        Ok(())
    }

    /// Which it is.
    pub(crate) fn product(&self) -> Product {
        self.product
    }

    /// Where clients find it, at 127.0.0.1.
    pub(crate) fn zookeeper_port(&self) -> u16 {
        self.ports.zookeeper
    }

    /// The way to it for an administrator.
    pub(crate) fn cluster(&self) -> Result<Cluster> {
        Cluster::open(self.ports.zookeeper)
    }

    /// Waits until a put into `table` is acknowledged, creating the table if need be. Gives back the time since the program was
    /// started.
    ///
    /// # Errors
    /// The server has ended, or takes longer than [`START_LIMIT`].
    pub(crate) fn first_put(&mut self, table: &str, row: &[u8]) -> Result<Duration> {
        loop {
            if Cluster::try_first_put(self.ports.zookeeper, table, row)? {
                return Ok(self.process.age());
            }
            let age = self.process.age();
            if age > START_LIMIT {
                return Err(self.failed(format!("no put was acknowledged in {age:.0?}")));
            }
            self.check_is_running()?;
            // As often as a hundredth of the time asks for, so that a server that takes long is not kept busy with refusals.
            std::thread::sleep((age / 100).clamp(Duration::from_millis(1), Duration::from_millis(100)));
        }
    }

    /// What the process has used since it was started.
    ///
    /// # Errors
    /// It has ended.
    pub(crate) fn usage(&mut self) -> Result<Usage> {
        self.check_is_running()?;
        Usage::of(self.process.id())
    }

    /// Waits until the server is at rest, and gives back how long that took, without the rest itself.
    ///
    /// # Errors
    /// It has ended, or takes longer than [`SETTLE_LIMIT`].
    pub(crate) fn settle(&mut self) -> Result<Duration> {
        let began = Instant::now();
        let mut before = self.usage()?;
        let mut at = Instant::now();
        loop {
            std::thread::sleep(REST);
            let now = self.usage()?;
            if now.since(&before).cpu < at.elapsed() / REST_PART {
                return Ok(at.duration_since(began));
            }
            if began.elapsed() > SETTLE_LIMIT {
                return Err(self.failed(format!("is not at rest after {SETTLE_LIMIT:?}")));
            }
            (before, at) = (now, Instant::now());
        }
    }

    /// SIGKILL.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.process.kill()
    }

    fn check_is_running(&mut self) -> Result<()> {
        match self.process.ended()? {
            None => Ok(()),
            Some(status) => Err(self.failed(format!("has ended with {status}"))),
        }
    }

    fn failed(&self, what: String) -> BenchError {
        let log = self.process.log().to_owned();
        let log_end = process::last_lines(&log);
        BenchError::Server { server: self.product.title(), what, log, log_end }
    }
}

fn launch(
    environment: &Environment,
    product: Product,
    directory: &Path,
    settings: &[(String, String)],
    ports: &Ports,
) -> Result<Process> {
    let command = match product {
        Product::Finback => finback::command(environment, directory, settings, ports),
        Product::HBase | Product::HBaseHsync => {
            hbase::command(environment, directory, settings, ports, product == Product::HBaseHsync)?
        }
    };
    Process::spawn(command, environment.work.join(format!("{}.log", product.name())))
}
