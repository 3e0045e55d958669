//! What an administrator does to the server under test, and the first put.

use crate::error::{Asking, BenchError, Doing, Result};
use finback_client::messages::RegionLoad;
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Get, Put, TableDescriptor, TableName,
};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// The family of the tables that are made here: PerformanceEvaluation's first.
pub(crate) const FAMILY: &str = "info0";
/// How long one step of a try to put may take: longer than any pause of a collector.
const TRY_LIMIT: Duration = Duration::from_secs(10);
/// How long all files of a table may take to be merged.
const COMPACTION_LIMIT: Duration = Duration::from_secs(600);
/// How often is asked whether they are: seldom enough to cost the server nothing.
const COMPACTION_POLL: Duration = Duration::from_millis(25);

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
        let name = table_name(table)?;
        let before = self.region_loads(table)?;
        self.runtime
            .block_on(self.connection.admin().compact_table(name, None, true))
            .asking(|| format!("compact {table}"))?;
        let asked = Instant::now();
        while !all_compacted(&before, &self.region_loads(table)?) {
            if asked.elapsed() > COMPACTION_LIMIT {
                let what = format!("the major compaction of {table}");
                return Err(BenchError::TooLong { what, after: COMPACTION_LIMIT });
            }
            std::thread::sleep(COMPACTION_POLL);
        }
        Ok(())
    }

    /// Cells of a table that are in no file yet, in MiB.
    pub(crate) fn memstore_mib(&self, table: &str) -> Result<u64> {
        let loads = self.region_loads(table)?;
        Ok(loads.iter().map(|load| u64::from(load.mem_store_size_mb())).sum())
    }

    /// What the server tells of a table's regions.
    fn region_loads(&self, table: &str) -> Result<Vec<RegionLoad>> {
        let name = table_name(table)?;
        let asking = async {
            let admin = self.connection.admin();
            let mut loads = Vec::new();
            for server in admin.region_servers().await? {
                loads.extend(admin.region_loads(&server, Some(&name)).await?);
            }
            Ok(loads)
        };
        self.runtime.block_on(asking).asking(|| format!("ask for the regions of {table}"))
    }

    /// Whether a table has a row.
    pub(crate) fn has_row(&self, table: &str, row: &[u8]) -> Result<bool> {
        let getting = async { self.connection.table(table)?.get(Get::new(row)).await };
        Ok(self.runtime.block_on(getting).asking(|| format!("get a row of {table}"))?.is_some())
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
}

/// Whether each region has no more than a file in each store, written since `before`.
fn all_compacted(before: &[RegionLoad], now: &[RegionLoad]) -> bool {
    now.iter().all(|load| {
        let is_new = |old: &RegionLoad| {
            old.region_specifier == load.region_specifier
                && old.last_major_compaction_ts() != load.last_major_compaction_ts()
        };
        load.storefiles() <= load.stores() && before.iter().any(is_new)
    })
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
