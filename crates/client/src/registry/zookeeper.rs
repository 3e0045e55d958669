//! The registry of HBase's 2.x clients: three nodes of ZooKeeper.

use super::unknown;
use finback_cell::ServerName;
use finback_proto::{Message, pb, pbuf};
use finback_rpc::RpcException;
use finback_zk::{Error, Reader};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A node of ZooKeeper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZooKeeperNode {
    /// Its value.
    pub value: Vec<u8>,
    /// The names of the nodes below it.
    pub children: Vec<String>,
}

/// Reads nodes, from one server of the quorum after the other until one answers. Each read has a session of its own: there
/// are few, and a session that is kept has to be kept alive.
pub(crate) struct ZooKeeperRegistry {
    quorum: Vec<String>,
    parent: String,
    timeout: Duration,
    /// Where to begin: the server that answered last.
    first: AtomicUsize,
}

impl ZooKeeperRegistry {
    pub(super) fn new(quorum: Vec<String>, parent: &str, timeout: Duration) -> Self {
        Self { quorum, parent: parent.trim_end_matches('/').to_owned(), timeout, first: AtomicUsize::new(0) }
    }

    pub(super) async fn cluster_id(&self) -> Result<Option<String>, RpcException> {
        let id: Option<pb::ClusterId> = self.node("hbaseid", "ClusterId").await?;
        Ok(id.map(|id| id.cluster_id))
    }

    pub(super) async fn meta_server(&self) -> Result<ServerName, RpcException> {
        let meta: Option<pb::MetaRegionServer> = self.node("meta-region-server", "MetaRegionServer").await?;
        let meta = meta.ok_or_else(|| unknown("ZooKeeper does not tell where hbase:meta is"))?;
        Ok(ServerName::try_from(&meta.server)?)
    }

    pub(super) async fn active_master(&self) -> Result<ServerName, RpcException> {
        let master: Option<pb::Master> = self.node("master", "Master").await?;
        let master = master
            .ok_or_else(|| finback_rpc::exceptions::master_not_running("ZooKeeper names no active master"))?;
        Ok(ServerName::try_from(&master.master)?)
    }

    /// The message of a node of HBase's; none where there is no node, or no value.
    async fn node<M: Message + Default>(
        &self,
        name: &str,
        message: &'static str,
    ) -> Result<Option<M>, RpcException> {
        let path = format!("{}/{name}", self.parent);
        let value = self.value(&path).await?.filter(|value| !value.is_empty());
        let malformed = |e| unknown(format!("{path} of ZooKeeper: {e}"));
        value.map(|value| pbuf::decode_node(&value, message)).transpose().map_err(malformed)
    }

    async fn value(&self, path: &str) -> Result<Option<Vec<u8>>, RpcException> {
        Ok(self.read(path, false).await?.map(|node| node.value))
    }

    /// A node with the names of its children; none if there is no such node.
    pub(crate) async fn node_at(&self, path: &str) -> Result<Option<ZooKeeperNode>, RpcException> {
        self.read(path, true).await
    }

    async fn read(&self, path: &str, with_children: bool) -> Result<Option<ZooKeeperNode>, RpcException> {
        let first = self.first.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for step in 0..self.quorum.len() {
            let index = (first + step) % self.quorum.len();
            match self.read_at(&self.quorum[index], path, with_children).await {
                Ok(node) => {
                    self.first.store(index, Ordering::Relaxed);
                    return Ok(node);
                }
                Err(error) => failures.push(format!("{}: {error}", self.quorum[index])),
            }
        }
        Err(unknown(format!("no ZooKeeper of hbase.zookeeper.quorum answers ({})", failures.join("; "))))
    }

    async fn read_at(
        &self,
        server: &str,
        path: &str,
        with_children: bool,
    ) -> Result<Option<ZooKeeperNode>, Error> {
        let mut last = None;
        for address in tokio::net::lookup_host(server).await? {
            match Reader::connect(address, self.timeout).await {
                Ok(mut reader) => {
                    let node = node(&mut reader, path, with_children).await;
                    reader.close().await;
                    return node;
                }
                Err(error) => last = Some(error),
            }
        }
        Err(last.unwrap_or_else(|| std::io::Error::other("the name has no address").into()))
    }
}

async fn node(reader: &mut Reader, path: &str, with_children: bool) -> Result<Option<ZooKeeperNode>, Error> {
    let Some(value) = reader.data(path).await? else { return Ok(None) };
    let children = match with_children {
        true => reader.children(path).await?.unwrap_or_default(),
        false => Vec::new(),
    };
    Ok(Some(ZooKeeperNode { value, children }))
}
