//! What the ZooKeeper responder shows: where clients find the cluster, who serves, which namespaces there are, and which tables are
//! enabled.

use std::collections::BTreeMap;
use std::sync::Arc;

use finback_cell::{ServerName, TableName};
use finback_master::{MasterConfig, MasterStatus};
use finback_proto::{Message, convert, pb, pbuf};
use finback_zk::Tree;
use pb::table_state::State as TableState;

use crate::server::now_ms;

/// The node of hbase:meta; its replicas' have a number behind it.
const META: &str = "meta-region-server";

/// The tree, and what it was told last.
pub(crate) struct Publication {
    tree: Arc<Tree>,
    parent: String,
    master: ServerName,
    /// Where hbase:meta is going to be.
    region_server: ServerName,
    /// The master's, 0 for none.
    info_port: u16,
    /// The region server's.
    region_server_info_port: Option<u16>,
    /// Where hbase:meta is, and how many replicas it has.
    meta: Option<(ServerName, u32)>,
    namespaces: BTreeMap<String, Vec<(String, String)>>,
    table_states: Arc<BTreeMap<TableName, TableState>>,
}

impl Publication {
    /// Below the node `parent`.
    pub(crate) fn new(
        tree: Arc<Tree>,
        parent: &str,
        (master, region_server): (&ServerName, &ServerName),
        (info_port, region_server_info_port): (u16, Option<u16>),
    ) -> Self {
        Self {
            tree,
            parent: parent.to_owned(),
            master: master.clone(),
            region_server: region_server.clone(),
            info_port,
            region_server_info_port,
            meta: None,
            namespaces: BTreeMap::new(),
            table_states: Arc::default(),
        }
    }

    /// Puts into the tree what clients look for.
    pub(crate) fn publish(&mut self, status: &MasterStatus) -> Result<(), String> {
        self.set("hbaseid", &pbuf::encode(&pb::ClusterId { cluster_id: status.cluster_id.clone() }))?;
        let info_port = Some(self.info_port.into());
        let master = pb::Master { master: (&self.master).into(), rpc_version: Some(0), info_port };
        self.set("master", &pbuf::encode(&master))?;
        self.publish_servers()?;
        self.publish_meta(status)
    }

    /// Who serves, and since when: HBase's scripts and those of others go by these, clients do not.
    fn publish_servers(&self) -> Result<(), String> {
        let start_date = finback_inspect::java_date(self.master.start_code);
        self.set("running", &pbuf::encode(&pb::ClusterUp { start_date }))?;
        self.set_raw("backup-masters", Vec::new())?;
        let version_info = pb::VersionInfo {
            version: MasterConfig::default().version,
            url: "finback".to_owned(),
            ..Default::default()
        };
        let info = pb::RegionServerInfo {
            info_port: Some(self.region_server_info_port.map_or(-1, i32::from)),
            version_info: Some(version_info),
        };
        let writer = format!("regionserver:{}", self.region_server.port);
        let value = pbuf::with_metadata(&writer, now_ms(), &pbuf::encode(&info));
        self.set_raw(&format!("rs/{}", self.region_server), value.map_err(|error| error.to_string())?)
    }

    /// Where hbase:meta and its replicas are. As long as it is not open, where it will be, as HBase leaves what was there before
    /// a restart: a client tries again where a region is not served yet, but not always where the node is missing.
    fn publish_meta(&mut self, status: &MasterStatus) -> Result<(), String> {
        let server = status.meta_location.as_ref().unwrap_or(&self.region_server);
        let now = Some((server.clone(), status.meta_replicas));
        if self.meta == now {
            return Ok(());
        }
        let location = pb::MetaRegionServer {
            server: server.into(),
            rpc_version: Some(0),
            state: Some(pb::region_state::State::Open.into()),
        };
        self.set(META, &pbuf::encode(&location))?;
        for replica_id in 1..status.meta_replicas {
            self.set(&format!("{META}-{replica_id}"), &pbuf::encode(&location))?;
        }
        let is_left = |replica_id: &u32| self.tree.remove(&format!("{}/{META}-{replica_id}", self.parent));
        (status.meta_replicas.max(1)..).find(|replica_id| !is_left(replica_id));
        self.meta = now;
        Ok(())
    }

    /// Shows also which namespaces and tables there are now.
    pub(crate) fn publish_changes(&mut self, now: &MasterStatus) {
        let published = self
            .publish_meta(now)
            .and_then(|()| self.publish_namespaces(&now.namespaces))
            .and_then(|()| self.publish_table_states(Arc::clone(&now.table_states)));
        if let Err(error) = published {
            tracing::error!(%error, "ZooKeeper clients do not see the cluster as it is");
        }
    }

    fn publish_namespaces(&mut self, now: &BTreeMap<String, Vec<(String, String)>>) -> Result<(), String> {
        for name in self.namespaces.keys().filter(|name| !now.contains_key(*name)) {
            self.tree.remove(&format!("{}/namespace/{name}", self.parent));
        }
        for (name, configuration) in now.iter().filter(|(name, new)| self.namespaces.get(*name) != Some(new))
        {
            // Of all nodes only these are without HBase's magic.
            let descriptor = convert::namespace_descriptor(name, configuration).encode_to_vec();
            self.set(&format!("namespace/{name}"), &descriptor)?;
        }
        self.namespaces.clone_from(now);
        Ok(())
    }

    /// Clients of HBase 1.x know from here alone whether a table is enabled (HBase's `MirroringTableStateManager`).
    fn publish_table_states(&mut self, now: Arc<BTreeMap<TableName, TableState>>) -> Result<(), String> {
        if Arc::ptr_eq(&self.table_states, &now) {
            return Ok(());
        }
        let before = std::mem::replace(&mut self.table_states, now);
        for table in before.keys().filter(|table| !self.table_states.contains_key(*table)) {
            self.tree.remove(&format!("{}/table/{table}", self.parent));
        }
        for (table, state) in self.table_states.iter().filter(|(table, new)| before.get(*table) != Some(new))
        {
            self.set(&format!("table/{table}"), &pbuf::encode(&as_node(*state)))?;
        }
        Ok(())
    }

    /// The metadata are what clients other than HBase's own look for first.
    fn set(&self, node: &str, value: &[u8]) -> Result<(), String> {
        let writer = format!("master:{}", self.master.port);
        let value = pbuf::with_metadata(&writer, now_ms(), value).map_err(|error| error.to_string())?;
        self.set_raw(node, value)
    }

    fn set_raw(&self, node: &str, value: Vec<u8>) -> Result<(), String> {
        let now = i64::try_from(now_ms()).unwrap_or(i64::MAX);
        self.tree.set(&format!("{}/{node}", self.parent), value, now).map_err(|error| error.to_string())
    }
}

/// The value of a table's node.
fn as_node(state: TableState) -> pb::DeprecatedTableState {
    use pb::deprecated_table_state::State as NodeState;
    let state = match state {
        TableState::Enabled => NodeState::Enabled,
        TableState::Disabled => NodeState::Disabled,
        TableState::Disabling => NodeState::Disabling,
        TableState::Enabling => NodeState::Enabling,
    };
    pb::DeprecatedTableState { state: state.into() }
}
