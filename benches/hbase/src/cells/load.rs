//! One table: written, compacted, read.

use super::Case;
use super::values::{mixed, row};
use crate::cluster::FAMILY;
use crate::error::{Asking, BenchError, Doing, Result};
use crate::server::ServerUnderTest;
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Get, Put, Table, TableDescriptor, TableName,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

const TABLE: &str = "cells";
const ROWS_PER_BATCH: u64 = 100;
/// Batches in flight.
const WRITERS: usize = 4;
/// Gets in flight.
const READERS: usize = 16;

/// How much is done with each table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    pub(super) rows: u64,
    pub(super) gets: u64,
}

/// What it took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// Rows per second.
    pub(super) puts: f64,
    /// Microseconds of the server's CPU for each row written, what goes on behind it not included.
    pub(super) put_cpu: f64,
    /// Gets of whole rows per second.
    pub(super) gets: f64,
    /// Microseconds of the server's CPU for each.
    pub(super) get_cpu: f64,
    /// Microseconds from a request to its answer when there is no other: median.
    pub(super) get_time: f64,
    /// Bytes of the store file for each row, after a major compaction.
    pub(super) disk: f64,
}

impl Load {
    /// Makes a table, measures, and drops it.
    pub(super) fn measure(
        &self,
        server: &mut ServerUnderTest,
        directory: &Path,
        case: &Case,
    ) -> Result<Measured> {
        let cluster = server.cluster()?;
        let client = Client::open(server.zookeeper_port())?;
        let name =
            TableName::parse(TABLE.as_bytes()).map_err(|error| BenchError::Usage(error.to_string()))?;
        let family = ColumnFamilyDescriptor::with_defaults(FAMILY.as_bytes())
            .with("COMPRESSION", "SNAPPY")
            .with("DATA_BLOCK_ENCODING", &case.storage.encoding)
            .with("BLOCKSIZE", &(case.storage.block_kib << 10).to_string());
        let descriptor = TableDescriptor::new(name.clone()).with_family(family);
        let table = client.run(async {
            client.connection.admin().create_table(&descriptor, [b""; 0]).await?;
            client.connection.table(name)
        })?;
        let (puts, put_cpu) = self.timed(server, self.rows, || self.write(&client, &table, case))?;
        cluster.flush(TABLE)?;
        cluster.compact_major(TABLE)?;
        server.settle()?;
        let disk = newest_files(directory)? as f64 / self.rows as f64;
        // Each block comes into the cache, and what is read is what was written.
        self.read(&client, &table, case, self.rows, |number| number)?;
        let rows = self.rows;
        let random = move |number: u64| mixed(number) % rows;
        let (gets, get_cpu) =
            self.timed(server, self.gets, || self.read(&client, &table, case, self.gets, random))?;
        let get_time = self.read_alone(&client, &table)?;
        cluster.drop_table(TABLE)?;
        Ok(Measured { puts, put_cpu, gets, get_cpu, get_time, disk })
    }

    /// Operations per second, and microseconds of the server's CPU for each.
    fn timed(
        &self,
        server: &mut ServerUnderTest,
        operations: u64,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<(f64, f64)> {
        let (before, began) = (server.usage()?, Instant::now());
        work()?;
        let took = began.elapsed();
        let used = server.usage()?.since(&before);
        let operations = operations as f64;
        Ok((operations / took.as_secs_f64(), used.cpu.as_secs_f64() * 1e6 / operations))
    }

    fn write(&self, client: &Client, table: &Table, case: &Case) -> Result<()> {
        let (shape, rows) = (case.shape, self.rows);
        let batches = rows.div_ceil(ROWS_PER_BATCH);
        each(client, table, batches, WRITERS, move |table, batch| async move {
            let from = batch * ROWS_PER_BATCH;
            let puts = (from..rows.min(from + ROWS_PER_BATCH)).map(|number| {
                let columns = shape.columns(number).into_iter();
                columns.fold(Put::new(row(number)), |put, (qualifier, value)| {
                    put.column(FAMILY, qualifier, value)
                })
            });
            table.put_all(puts).await
        })
    }

    /// Gets of so many rows, each of which must have all its cells.
    fn read(
        &self,
        client: &Client,
        table: &Table,
        case: &Case,
        gets: u64,
        number_of: impl Fn(u64) -> u64 + Copy + Send + 'static,
    ) -> Result<()> {
        let cells = case.shape.cells();
        let missing = Arc::new(AtomicU64::new(0));
        let found_missing = Arc::clone(&missing);
        each(client, table, gets, READERS, move |table, number| {
            let missing = Arc::clone(&missing);
            async move {
                let found = table.get(Get::new(row(number_of(number)))).await?;
                if found.map_or(0, |row| row.cells().count()) != cells {
                    missing.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            }
        })?;
        match found_missing.load(Ordering::Relaxed) {
            0 => Ok(()),
            rows => Err(BenchError::Missing(format!("{rows} rows of {case:?} have not all their cells"))),
        }
    }

    /// The median time of gets one after the other, in microseconds.
    fn read_alone(&self, client: &Client, table: &Table) -> Result<f64> {
        let mut times = client.run(async {
            let mut times = Vec::new();
            for number in 0..self.gets / 10 {
                let began = Instant::now();
                table.get(Get::new(row(mixed(number) % self.rows))).await?;
                times.push(began.elapsed());
            }
            Ok(times)
        })?;
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or(Duration::ZERO);
        Ok(median.as_secs_f64() * 1e6)
    }
}

/// A way to the server. It has one thread.
struct Client {
    runtime: Runtime,
    connection: Connection,
}

impl Client {
    fn open(zookeeper_port: u16) -> Result<Self> {
        let runtime =
            Builder::new_current_thread().enable_all().build().doing(|| "make a runtime".to_owned())?;
        let config = ClientConfig::zookeeper(&format!("127.0.0.1:{zookeeper_port}"));
        let connection = Connection::open_lazily(config).asking(|| "find the cluster".to_owned())?;
        Ok(Self { runtime, connection })
    }

    fn run<T>(&self, what: impl Future<Output = finback_client::Result<T>>) -> Result<T> {
        self.runtime.block_on(what).asking(|| format!("use {TABLE}"))
    }
}

/// Does something for each number below `count`, so many at a time.
fn each<F: Future<Output = finback_client::Result<()>> + Send + 'static>(
    client: &Client,
    table: &Table,
    count: u64,
    at_a_time: usize,
    what: impl Fn(Table, u64) -> F + Clone + Send + 'static,
) -> Result<()> {
    let next = Arc::new(AtomicU64::new(0));
    client.run(async {
        let mut workers = JoinSet::new();
        for _ in 0..at_a_time {
            let (table, next, what) = (table.clone(), Arc::clone(&next), what.clone());
            workers.spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return Ok(());
                    }
                    what(table.clone(), number).await?;
                }
            });
        }
        workers.join_all().await.into_iter().collect()
    })
}

/// Bytes of the newest file of each store of the table. HBase keeps those that were compacted away beside it for a while.
fn newest_files(directory: &Path) -> Result<u64> {
    let mut newest: Vec<(PathBuf, SystemTime, u64)> = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        let mut read = || -> std::io::Result<()> {
            for entry in std::fs::read_dir(&directory)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    directories.push(entry.path());
                } else if is_store(&directory) && !entry.file_name().to_string_lossy().starts_with('.') {
                    let metadata = entry.metadata()?;
                    newest.push((directory.clone(), metadata.modified()?, metadata.len()));
                }
            }
            Ok(())
        };
        read().doing(|| format!("read {}", directory.display()))?;
    }
    // Of each store the newest file comes first.
    newest.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
    newest.dedup_by(|a, b| a.0 == b.0);
    match newest.iter().map(|(.., bytes)| bytes).sum() {
        0 => Err(BenchError::Missing(format!("no store file of {TABLE} in {}", directory.display()))),
        bytes => Ok(bytes),
    }
}

/// Whether this is `data/NAMESPACE/TABLE/REGION/FAMILY` of the table, and not the archive's.
fn is_store(directory: &Path) -> bool {
    let mut names = directory.iter().rev().map(|name| name.to_string_lossy());
    let tail: Vec<_> = names.by_ref().take(6).collect();
    matches!(&tail[..], [family, _, table, namespace, data, root]
        if *family == FAMILY && *table == TABLE && *namespace == "default" && *data == "data" && *root != "archive")
}

#[cfg(test)]
mod tests;
