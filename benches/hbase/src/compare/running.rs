//! A server that is measured, step by step.

use super::options::Options;
use super::plan::{Check, Session, Step};
use super::steady;
use super::workloads::{ROW_BYTES, SCAN, SEQUENTIAL_WRITE, WORKLOADS, Workload, Writes};
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::load::{Client, Told};
use crate::machine::rest::{self, Rest};
use crate::results::{Figure, Measurement, Results};
use crate::server::{ServerUnderTest, Usage};
use std::collections::BTreeMap;
use std::time::Instant;
use tempfile::TempDir;

/// The table of the start, and of what is not flushed.
const FIRST_TABLE: &str = "first";
const UNFLUSHED_TABLE: &str = "unflushed";
/// Share of the rows that have to be in no file when a server is killed, for the rest of a byte here and there.
const UNFLUSHED_PART: f64 = 0.9;
/// The table of the rehearsal, and its part of the rows.
const REHEARSAL_TABLE: &str = "rehearsal";
const REHEARSAL_PART: u64 = 3;

/// A server that is measured, on a directory that goes when this does.
pub(super) struct Running<'a> {
    pub(super) environment: &'a Environment,
    pub(super) options: &'a Options,
    round: u32,
    pub(super) server: ServerUnderTest,
    /// What a reader has to know of the machine meanwhile.
    pub(super) noticed: Vec<(String, String)>,
    _directory: TempDir,
}

impl<'a> Running<'a> {
    /// Starts the server of a session.
    pub(super) fn start(
        environment: &'a Environment,
        options: &'a Options,
        session: &Session,
    ) -> Result<Self> {
        let directory = environment.fresh_directory(session.product.name())?;
        let server =
            ServerUnderTest::start(environment, session.product, directory.path(), session.settings)?;
        Ok(Self {
            environment,
            options,
            round: session.round,
            server,
            noticed: Vec::new(),
            _directory: directory,
        })
    }

    /// Does a step, and tells what it has shown. `before` is what is known already.
    pub(super) fn perform(&mut self, step: &Step, before: &Results) -> Result<Vec<Measurement>> {
        match step {
            Step::Check(Check::Start) => self.first_put().map(|measured| vec![measured]),
            Step::Check(Check::IdleMemory) => self.idle_memory().map(|measured| vec![measured]),
            Step::Check(Check::MemoryAfter) => self.memory(Check::MemoryAfter).map(|measured| vec![measured]),
            Step::Check(Check::Compaction) => self.compaction().map(|measured| vec![measured]),
            Step::Check(Check::Restart) => self.restart().map(|measured| vec![measured]),
            Step::Check(Check::Steady) => steady::measure(self, before),
            Step::Rehearse => self.rehearse().map(|()| Vec::new()),
            Step::Warm(client) => self.warm(*client).map(|()| Vec::new()),
            Step::Load(client, workload) => self.load(*client, workload).map(|measured| vec![measured]),
            Step::Drop(client) => self.server.cluster()?.drop_table(client.name()).map(|()| Vec::new()),
        }
    }

    /// Waits until the machine answers in time.
    pub(super) fn wait_for_rest(&mut self) {
        let told = match rest::wait() {
            Rest::After(waited) => format!("after {:.1} s", waited.as_secs_f64()),
            Rest::None => "did not come to rest".to_owned(),
        };
        let name = format!(
            "machine at rest for steady load, {}, round {}",
            self.server.product().title(),
            self.round
        );
        eprintln!("{name}: {told}");
        self.noticed.push((name, told));
    }

    /// Ends the server: what it has on disk is of no use any more.
    pub(super) fn end(mut self) -> Result<()> {
        self.server.kill()
    }

    pub(super) fn measured<const N: usize>(
        &self,
        client: Option<Client>,
        what: &str,
        figures: [(Figure, f64); N],
    ) -> Measurement {
        let product = self.server.product();
        Measurement {
            round: self.round,
            product,
            client,
            what: what.to_owned(),
            figures: BTreeMap::from(figures),
        }
    }

    fn first_put(&mut self) -> Result<Measurement> {
        let took = self.server.first_put(FIRST_TABLE, b"row")?;
        let cpu = self.server.usage()?.cpu;
        let figures = [(Figure::Seconds, took.as_secs_f64()), (Figure::CpuSeconds, cpu.as_secs_f64())];
        Ok(self.measured(None, Check::Start.name(), figures))
    }

    fn idle_memory(&mut self) -> Result<Measurement> {
        std::thread::sleep(self.options.idle);
        self.memory(Check::IdleMemory)
    }

    fn memory(&mut self, check: Check) -> Result<Measurement> {
        let usage = self.server.usage()?;
        Ok(self.measured(None, check.name(), memory_of(&usage)))
    }

    fn load(&mut self, client: Client, workload: &Workload) -> Result<Measurement> {
        let load = workload.load(client.name(), self.options.rows, client);
        let before = self.server.usage()?;
        let told = load.run(self.environment, client, self.server.zookeeper_port())?;
        if workload.writes == Writes::Many {
            self.server.cluster()?.flush(client.name())?;
            self.server.settle()?;
        }
        let usage = self.server.usage()?;
        self.check_rows(workload, &told)?;
        let used = usage.since(&before);
        let mut measured = self.measured(Some(client), workload.name, figures(&told, &used));
        measured.figures.extend(memory_of(&usage));
        if matches!(workload.writes, Writes::Many | Writes::Few) {
            let accepted = (told.rows * ROW_BYTES) as f64;
            measured.figures.insert(Figure::WrittenPerByte, used.written_bytes as f64 / accepted);
        }
        Ok(measured)
    }

    /// All rows were written before: reads that miss some, or scans that see fewer, measure something else.
    fn check_rows(&self, workload: &Workload, told: &Told) -> Result<()> {
        let is_whole = workload.writes != Writes::Nothing || told.missing.unwrap_or(0) == 0;
        match is_whole && told.rows > 0 {
            true => Ok(()),
            false => Err(BenchError::Missing(format!(
                "{}, {}: {:?} of {} rows are not there",
                self.server.product().title(),
                workload.name,
                told.missing,
                told.rows
            ))),
        }
    }

    /// Every load, by the lighter client, on a table that goes again.
    fn rehearse(&mut self) -> Result<()> {
        for workload in &WORKLOADS {
            let rows = self.options.rows / REHEARSAL_PART;
            let load = workload.load(REHEARSAL_TABLE, rows, Client::Finback);
            load.run(self.environment, Client::Finback, self.server.zookeeper_port())?;
        }
        let cluster = self.server.cluster()?;
        cluster.drop_table(REHEARSAL_TABLE)?;
        cluster.drop_table(&format!("{REHEARSAL_TABLE}-ycsb"))?;
        self.server.settle().map(drop)
    }

    /// A scan reads each block, and so brings it into the cache.
    fn warm(&mut self, client: Client) -> Result<()> {
        let scan = SCAN.load(client.name(), self.options.rows, Client::Finback);
        scan.run(self.environment, Client::Finback, self.server.zookeeper_port())?;
        self.server.settle().map(drop)
    }

    fn compaction(&mut self) -> Result<Measurement> {
        let Some(client) = self.options.clients.last() else {
            return Err(BenchError::Usage("no client has made a table".to_owned()));
        };
        let cluster = self.server.cluster()?;
        cluster.flush(client.name())?;
        self.server.settle()?;
        let before = self.server.usage()?;
        let began = Instant::now();
        cluster.compact_major(client.name())?;
        let took = began.elapsed();
        let used = self.server.usage()?.since(&before);
        let figures = [(Figure::CpuSeconds, used.cpu.as_secs_f64()), (Figure::Seconds, took.as_secs_f64())];
        Ok(self.measured(None, Check::Compaction.name(), figures))
    }

    fn restart(&mut self) -> Result<Measurement> {
        self.server.first_put(FIRST_TABLE, b"row")?;
        let rows = self.options.unflushed_rows;
        let load = SEQUENTIAL_WRITE.load(UNFLUSHED_TABLE, rows, Client::Finback);
        let written = load.run(self.environment, Client::Finback, self.server.zookeeper_port())?.rows;
        self.check_is_unflushed(written)?;
        self.server.kill()?;
        self.server.restart(self.environment)?;
        let took = self.server.first_put(UNFLUSHED_TABLE, &row_key(0))?;
        let usage = self.server.usage()?;
        if !self.server.cluster()?.has_row(UNFLUSHED_TABLE, &row_key(written - 1))? {
            let what = format!("{} has lost an acknowledged row", self.server.product().title());
            return Err(BenchError::Missing(what));
        }
        let figures = [(Figure::Seconds, took.as_secs_f64()), (Figure::CpuSeconds, usage.cpu.as_secs_f64())];
        Ok(self.measured(None, Check::Restart.name(), figures))
    }

    /// If the server has written files nevertheless, its restart is not what is to be measured.
    fn check_is_unflushed(&self, rows: u64) -> Result<()> {
        let (is, least) = (self.server.cluster()?.memstore_mib(UNFLUSHED_TABLE)?, (rows * ROW_BYTES) >> 20);
        match is as f64 >= least as f64 * UNFLUSHED_PART {
            true => Ok(()),
            false => Err(BenchError::Missing(format!(
                "{} has {is} of {least} MiB in memory, the rest in files",
                self.server.product().title()
            ))),
        }
    }
}

/// PerformanceEvaluation's key of a row.
fn row_key(number: u64) -> Vec<u8> {
    format!("{number:026}").into_bytes()
}

fn memory_of(usage: &Usage) -> [(Figure, f64); 2] {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    [(Figure::ResidentMib, mib(usage.resident_bytes)), (Figure::PeakMib, mib(usage.peak_resident_bytes))]
}

/// What a load has shown.
pub(super) fn figures(told: &Told, used: &Usage) -> [(Figure, f64); 6] {
    [
        (Figure::CpuMicros, used.cpu.as_secs_f64() * 1e6 / told.rows as f64),
        (Figure::PerSecond, told.rows as f64 / told.seconds),
        (Figure::P50, told.latency.p50_us),
        (Figure::P99, told.latency.p99_us),
        (Figure::P999, told.latency.p999_us),
        (Figure::Max, told.latency.max_us),
    ]
}

#[cfg(test)]
mod tests;
