//! What clients ask first: where is everything?

use std::sync::Arc;

use finback_cell::{RegionInfo, region_info::META_ENCODED_NAME};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Service, exceptions};

use crate::{driver::Driver, options::MasterOptions};

/// `ClientMetaService`.
pub(crate) struct ClientMetaService {
    driver: Arc<Driver>,
    options: Arc<MasterOptions>,
}

impl ClientMetaService {
    pub(crate) fn new(driver: Arc<Driver>, options: Arc<MasterOptions>) -> Self {
        Self { driver, options }
    }

    fn meta_locations(&self) -> pb::GetMetaRegionLocationsResponse {
        let location = |server: &finback_cell::ServerName, replica_id| pb::RegionLocation {
            region_info: (&RegionInfo::meta().replica(replica_id)).into(),
            server_name: Some(server.into()),
            seq_num: 0,
        };
        let meta_locations = self.driver.read(|core| {
            let replicas = 0..core.state.region_replication(META_ENCODED_NAME);
            let locate = |server| replicas.map(|id| location(server, id)).collect();
            core.state.meta_location().map(locate).unwrap_or_default()
        });
        pb::GetMetaRegionLocationsResponse { meta_locations }
    }

    fn bootstrap_nodes(&self) -> pb::GetBootstrapNodesResponse {
        let limit = self.options.config.bootstrap_node_limit;
        let server_name =
            self.driver.read(|core| core.state.servers.keys().take(limit).map(Into::into).collect());
        pb::GetBootstrapNodesResponse { server_name }
    }
}

impl Service for ClientMetaService {
    fn name(&self) -> &'static str {
        "ClientMetaService"
    }

    fn call(&self, call: Call) -> Outcome {
        let master = pb::ServerName::from(&self.options.server_name);
        match call.method.as_str() {
            "GetClusterId" => Outcome::message(&pb::GetClusterIdResponse {
                cluster_id: Some(self.driver.read(|core| core.state.cluster_id.clone())),
            }),
            "GetActiveMaster" => Outcome::message(&pb::GetActiveMasterResponse { server_name: Some(master) }),
            "GetMasters" => Outcome::message(&pb::GetMastersResponse {
                master_servers: vec![pb::GetMastersResponseEntry { server_name: master, is_active: true }],
            }),
            "GetMetaRegionLocations" => Outcome::message(&self.meta_locations()),
            "GetBootstrapNodes" => Outcome::message(&self.bootstrap_nodes()),
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}
