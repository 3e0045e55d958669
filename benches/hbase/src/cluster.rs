//! What an administrator does to the server under test, and the first put.

use crate::error::{Asking, BenchError, Doing, Result};
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, CompactionState, Connection, Put, TableDescriptor, TableName,
};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// The family of the tables that are made here: PerformanceEvaluation's first.
pub(crate) const FAMILY: &str = "info0";
/// How long one step of a try to put may take: longer than any pause of a collector.
const TRY_LIMIT: Duration = Duration::from_secs(10);
/// How long all files of a table may take to be merged.
const COMPACTION_LIMIT: Duration = Duration::from_secs(600);
/// How often is asked whether they are.
const COMPACTION_POLL: Duration = Duration::from_millis(20);

/// A way to the server under test. Calls block; they are not made while something else is measured.
pub(crate) struct Cluster {
    runtime: Runtime,
    connection: Connection,
}

impl Cluster {
    /// The cluster whose ZooKeeper listens at this port of 127.0.0.1.
    pub(crate) fn open(zookeeper_port: u16) -> Result<Self> {
        Self::with(config(zookeeper_port))
    }

    fn with(config: ClientConfig) -> Result<Self> {
        let runtime =
            Builder::new_current_thread().enable_all().build().doing(|| "make a runtime".to_owned())?;
        let connection = Connection::open_lazily(config).asking(|| "find the cluster".to_owned())?;
        Ok(Self { runtime, connection })
    }

    /// Tries once to put a row, and to create the table if it is not there; whether the put was acknowledged. A server that is
    /// not there yet, or not ready, is no error.
    pub(crate) fn try_first_put(zookeeper_port: u16, table: &str, row: &[u8]) -> Result<bool> {
        let mut config =
            config(zookeeper_port).retries(0).operation_timeout(TRY_LIMIT).rpc_timeout(TRY_LIMIT);
        config.failed_server_expiry = Duration::ZERO;
        let cluster = Self::with(config)?;
        let name = table_name(table)?;
        let is_acknowledged = cluster.runtime.block_on(async {
            let admin = cluster.connection.admin();
            let exists = match admin.table_exists(name.clone()).await {
                Ok(true) => true,
                Ok(false) => admin.create_table(&descriptor(&name), NO_SPLITS).await.is_ok(),
                Err(_) => false,
            };
            if !exists {
                return false;
            }
            let Ok(table) = cluster.connection.table(name) else { return false };
            table.put(Put::new(row).column(FAMILY, "0", "first")).await.is_ok()
        });
        Ok(is_acknowledged)
    }

    /// Writes the memstores of a table to files, and returns when that is done.
    pub(crate) fn flush(&self, table: &str) -> Result<()> {
        let admin = self.connection.admin();
        self.runtime.block_on(admin.flush_table(table_name(table)?, None)).asking(|| format!("flush {table}"))
    }

    /// Merges all files of each store of a table, and returns when that is done.
    pub(crate) fn compact_major(&self, table: &str) -> Result<()> {
        let admin = self.connection.admin();
        let name = table_name(table)?;
        let asked = Instant::now();
        let before = self.last_major_compaction(&name)?;
        self.runtime
            .block_on(admin.compact_table(name.clone(), None, true))
            .asking(|| format!("compact {table}"))?;
        let state = || self.runtime.block_on(admin.compaction_state_of_table(name.clone()));
        loop {
            let is_idle = state().asking(|| format!("ask about {table}"))? == CompactionState::None;
            // A compaction that is only queued shows in no state: the time of the last one tells that it was done.
            if is_idle && self.last_major_compaction(&name)? != before {
                return Ok(());
            }
            if asked.elapsed() > COMPACTION_LIMIT {
                let what = format!("the major compaction of {table}");
                return Err(BenchError::TooLong { what, after: COMPACTION_LIMIT });
            }
            std::thread::sleep(COMPACTION_POLL);
        }
    }

    fn last_major_compaction(&self, table: &TableName) -> Result<Option<i64>> {
        let admin = self.connection.admin();
        self.runtime
            .block_on(admin.last_major_compaction(table.clone()))
            .asking(|| "ask for the last major compaction".to_owned())
    }

    /// Creates a table of [`FAMILY`] with regions that begin at these keys besides the first.
    pub(crate) fn create_table(&self, table: &str, split_keys: &[Vec<u8>]) -> Result<()> {
        let descriptor = descriptor(&table_name(table)?);
        self.runtime
            .block_on(self.connection.admin().create_table(&descriptor, split_keys))
            .asking(|| format!("create {table}"))
    }

    /// Disables and deletes a table.
    pub(crate) fn drop_table(&self, table: &str) -> Result<()> {
        let admin = self.connection.admin();
        let name = table_name(table)?;
        self.runtime
            .block_on(async {
                admin.disable_table(name.clone()).await?;
                admin.delete_table(name).await
            })
            .asking(|| format!("drop {table}"))
    }

    /// Runs what needs the client itself.
    pub(crate) fn run<T>(
        &self,
        what: impl AsyncFnOnce(&Connection) -> finback_client::Result<T>,
    ) -> Result<T> {
        self.runtime.block_on(what(&self.connection)).asking(|| "a call".to_owned())
    }
}

const NO_SPLITS: [&[u8]; 0] = [];

fn config(zookeeper_port: u16) -> ClientConfig {
    ClientConfig::zookeeper(&format!("127.0.0.1:{zookeeper_port}"))
}

fn table_name(table: &str) -> Result<TableName> {
    TableName::parse(table.as_bytes()).map_err(|error| BenchError::Usage(error.to_string()))
}

fn descriptor(name: &TableName) -> TableDescriptor {
    TableDescriptor::new(name.clone()).with_family(ColumnFamilyDescriptor::with_defaults(FAMILY.as_bytes()))
}
