//! A server, and a connection to it.

use crate::running_server::{Place, RunningServer};
use finback_client::{ClientConfig, ColumnFamilyDescriptor, Connection, Table, TableDescriptor, TableName};
use std::time::Duration;

/// Nothing in these tests takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Cluster {
    pub(crate) connection: Connection,
    pub(crate) server: RunningServer,
    _place: Place,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        let place = Place::new();
        let server = place.start();
        let connection = Connection::open(config(&server)).await.unwrap();
        Self { connection, server, _place: place }
    }

    /// A new table with families `f` and `g` and these borders between its regions.
    pub(crate) async fn table(&self, name: &str, splits: &[&str]) -> Table {
        let name = TableName::parse(name.as_bytes()).unwrap();
        let family =
            |name: &str| ColumnFamilyDescriptor::with_defaults(name.as_bytes()).with("VERSIONS", "3");
        // The servers of these tests split nothing by themselves, and what they are told only where the table allows it.
        let table = TableDescriptor::new(name.clone())
            .with("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy")
            .with_family(family("f"))
            .with_family(family("g"));
        self.connection.admin().create_table(&table, splits).await.unwrap();
        self.connection.table(name).unwrap()
    }
}

pub(crate) fn config(server: &RunningServer) -> ClientConfig {
    ClientConfig::zookeeper(&server.zookeeper().to_string())
        .operation_timeout(PATIENCE)
        .pause(Duration::from_millis(5))
}
