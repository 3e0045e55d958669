//! The way to a cluster.

use crate::admin::Admin;
use crate::config::{self, ClientConfig};
use crate::error::{Error, Result};
use crate::registry::{Registry, ZooKeeperNode};
use crate::shared::Shared;
use crate::table::Table;
use finback_cell::TableName;
use finback_cell::table_name::IllegalName;
use std::sync::Arc;

/// The way to a cluster: cheap to clone, to be shared by everything that uses the cluster. It keeps a connection to each server
/// that was called lately, and what it has learned of where regions are.
///
/// ```no_run
/// # use finback_client::{ClientConfig, Connection, Get};
/// # async fn example() -> finback_client::Result<()> {
/// let connection = Connection::open(ClientConfig::zookeeper("localhost:2181")).await?;
/// let flowers = connection.table("flowers")?;
/// let rose = flowers.get(Get::new("rose")).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

impl Connection {
    /// Finds the cluster. Servers are called when they are needed.
    ///
    /// # Errors
    /// Nobody of those that `config` names can be asked.
    pub async fn open(config: ClientConfig) -> Result<Self> {
        let connection = Self::open_lazily(config)?;
        connection.cluster_id().await?;
        Ok(connection)
    }

    /// The same, without asking anybody yet: a cluster that is not there is noticed by the first call.
    ///
    /// # Errors
    /// `config` makes no sense.
    pub fn open_lazily(config: ClientConfig) -> Result<Self> {
        match config::nothing_to_ask(&config.cluster) {
            Some(error) => Err(error),
            None => Ok(Self { shared: Arc::new(Shared::new(config)) }),
        }
    }

    /// A table, which may exist or not.
    ///
    /// # Errors
    /// [`Error::Argument`] if no table can have that name.
    pub fn table(&self, name: impl IntoTableName) -> Result<Table> {
        let name = name.into_table_name().map_err(|error| Error::Argument(error.to_string()))?;
        Ok(Table::new(Arc::clone(&self.shared), &name))
    }

    /// The operations of administrators.
    pub fn admin(&self) -> Admin {
        Admin::new(Arc::clone(&self.shared))
    }

    /// The cluster's id; none if it has none yet.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn cluster_id(&self) -> Result<Option<String>> {
        let mut retrying = self.shared.retrying("GetClusterId", self.shared.config.operation_timeout);
        loop {
            let asking = async {
                let asked = self.shared.registry.cluster_id().await;
                asked.map_err(|exception| crate::error::Attempt {
                    method: "GetClusterId",
                    server: None,
                    region: None,
                    number: 1,
                    exception,
                })
            };
            match retrying.within(asking).await? {
                Ok(id) => return Ok(id),
                Err(failed) => retrying.failed(failed).await?,
            }
        }
    }

    /// A node of the ZooKeeper that the cluster is found through; none if there is no such node.
    ///
    /// # Errors
    /// ZooKeeper does not answer, or the cluster is not found through it.
    pub async fn zookeeper_node(&self, path: &str) -> Result<Option<ZooKeeperNode>> {
        let found = match &*self.shared.registry {
            Registry::ZooKeeper(registry) => registry.node_at(path).await,
            Registry::Rpc(_) => {
                return Err(Error::Argument("the cluster is not found through a ZooKeeper".to_owned()));
            }
        };
        found.map_err(|exception| Error::refused("read ZooKeeper", exception))
    }

    /// The settings.
    pub fn config(&self) -> &ClientConfig {
        &self.shared.config
    }
}

/// What names a table: a [`TableName`], or text such as `flowers` or `garden:flowers`.
pub trait IntoTableName {
    /// The name.
    ///
    /// # Errors
    /// No table can have it.
    fn into_table_name(self) -> Result<TableName, IllegalName>;
}

impl IntoTableName for TableName {
    fn into_table_name(self) -> Result<TableName, IllegalName> {
        Ok(self)
    }
}

impl IntoTableName for &TableName {
    fn into_table_name(self) -> Result<TableName, IllegalName> {
        Ok(self.clone())
    }
}

impl IntoTableName for &str {
    fn into_table_name(self) -> Result<TableName, IllegalName> {
        TableName::parse(self.as_bytes())
    }
}

impl IntoTableName for &String {
    fn into_table_name(self) -> Result<TableName, IllegalName> {
        TableName::parse(self.as_bytes())
    }
}
