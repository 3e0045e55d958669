//! A server, and a connection to it.
//!
//! Each test has a server of its own; unless `FINBACK_TEST_CLUSTER` names the ZooKeeper of one that runs, Apache HBase for
//! one: then the tests ask that, one after the other (`--test-threads=1`), and drop all that it has.

use crate::running_server::{Place, RunningServer};
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Table, TableDescriptor, TableName, TablePattern,
    TableState,
};
use std::time::Duration;

/// Nothing in these tests takes as long.
const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) struct Cluster {
    pub(crate) connection: Connection,
    /// `host:port` of its ZooKeeper.
    pub(crate) quorum: String,
    own: Option<(RunningServer, Place)>,
}

impl Cluster {
    pub(crate) async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// With these settings, if the server is one of our own.
    pub(crate) async fn start_with(settings: &[&str]) -> Self {
        if let Ok(quorum) = std::env::var("FINBACK_TEST_CLUSTER") {
            let connection = Connection::open(config(&quorum)).await.unwrap();
            drop_everything(&connection).await;
            return Self { connection, quorum, own: None };
        }
        let place = Place::new();
        let server = place.start_with(settings);
        let quorum = server.zookeeper().to_string();
        let connection = Connection::open(config(&quorum)).await.unwrap();
        Self { connection, quorum, own: Some((server, place)) }
    }

    /// Whether the server is a Finback that was started for this test.
    pub(crate) fn is_our_own(&self) -> bool {
        self.own.is_some()
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

pub(crate) fn config(quorum: &str) -> ClientConfig {
    ClientConfig::zookeeper(quorum).operation_timeout(PATIENCE).pause(Duration::from_millis(5))
}

async fn drop_everything(connection: &Connection) {
    let admin = connection.admin();
    for snapshot in admin.snapshots().await.unwrap() {
        admin.delete_snapshot(&snapshot.name).await.unwrap();
    }
    for table in admin.table_names(&TablePattern::all()).await.unwrap() {
        if admin.table_state(&table).await.unwrap() != TableState::Disabled {
            admin.disable_table(&table).await.unwrap();
        }
        admin.delete_table(&table).await.unwrap();
    }
    for namespace in admin.namespaces().await.unwrap() {
        if !["default", "hbase"].contains(&namespace.name.as_str()) {
            admin.delete_namespace(&namespace.name).await.unwrap();
        }
    }
}
