//! Where the cluster is: its id, the server of hbase:meta, the active master.

mod rpc;
mod zookeeper;

use crate::config::{ClientConfig, ClusterAddress};
use crate::servers::Servers;
use finback_cell::ServerName;
use finback_rpc::RpcException;
use rpc::RpcRegistry;
use std::sync::Arc;
pub use zookeeper::ZooKeeperNode;
use zookeeper::ZooKeeperRegistry;

/// What can be asked without knowing where anything is.
pub(crate) enum Registry {
    ZooKeeper(ZooKeeperRegistry),
    Rpc(RpcRegistry),
}

/// The class of what a registry cannot tell, yet: retriable.
const NOT_KNOWN: &str = "org.apache.hadoop.hbase.HBaseIOException";

fn unknown(what: impl Into<String>) -> RpcException {
    RpcException::retriable(NOT_KNOWN, what)
}

impl Registry {
    pub(crate) fn new(config: &ClientConfig, servers: &Arc<Servers>) -> Self {
        match &config.cluster {
            ClusterAddress::ZooKeeper { quorum, parent } => {
                Self::ZooKeeper(ZooKeeperRegistry::new(quorum.clone(), parent, config.registry_timeout))
            }
            ClusterAddress::Masters(masters) => {
                Self::Rpc(RpcRegistry::new(masters.clone(), true, config, servers))
            }
            ClusterAddress::Bootstrap(nodes) => {
                Self::Rpc(RpcRegistry::new(nodes.clone(), false, config, servers))
            }
        }
    }

    /// The id of the cluster; none if it has none yet.
    pub(crate) async fn cluster_id(&self) -> Result<Option<String>, RpcException> {
        match self {
            Self::ZooKeeper(registry) => registry.cluster_id().await,
            Self::Rpc(registry) => registry.cluster_id().await,
        }
    }

    /// The server of hbase:meta.
    pub(crate) async fn meta_server(&self) -> Result<ServerName, RpcException> {
        match self {
            Self::ZooKeeper(registry) => registry.meta_server().await,
            Self::Rpc(registry) => registry.meta_server().await,
        }
    }

    /// The active master.
    pub(crate) async fn active_master(&self) -> Result<ServerName, RpcException> {
        match self {
            Self::ZooKeeper(registry) => registry.active_master().await,
            Self::Rpc(registry) => registry.active_master().await,
        }
    }
}
