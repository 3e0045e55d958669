//! Calls about region servers: those that are dead, and those that an administrator takes out of service.

use std::{collections::BTreeSet, sync::Arc};

use finback_cell::ServerName;
use finback_proto::pb;
use finback_rpc::{Call, Reply, RpcException, exceptions};

use crate::{
    core::Origin,
    driver::Driver,
    master_service::{Answer, MasterService, reply},
    region_calls,
    state::Region,
};

impl MasterService {
    pub(crate) fn server_call(&self, method: &str, call: &Call) -> Option<Answer> {
        Some(match method {
            "ClearDeadServers" => self.clear_dead_servers(call),
            "ListDecommissionedRegionServers" => {
                let servers = self.driver.read(|core| core.state.decommissioned.clone());
                let server_name = servers.iter().map(Into::into).collect();
                reply(&pb::ListDecommissionedRegionServersResponse { server_name })
            }
            "RecommissionRegionServer" => self.recommission(call),
            // Its store is what it says in hbase:meta and in files that are written through.
            "FlushMasterStore" => reply(&pb::FlushMasterStoreResponse {}),
            "ExecMasterService" => exec_master_service(call),
            "GetLogEntries" => balancer_log(call),
            _ => return None,
        })
    }

    /// Forgets dead servers; answers with those that it does not know as dead.
    fn clear_dead_servers(&self, call: &Call) -> Answer {
        let request: pb::ClearDeadServersRequest = call.decode()?;
        let server_name = self.driver.event(|core, _| {
            let mut is_forgotten = |server: &pb::ServerName| {
                ServerName::try_from(server).is_ok_and(|server| core.state.dead_servers.remove(&server))
            };
            request.server_name.into_iter().filter(|server| !is_forgotten(server)).collect()
        });
        reply(&pb::ClearDeadServersResponse { server_name })
    }

    fn recommission(&self, call: &Call) -> Answer {
        let request: pb::RecommissionRegionServerRequest = call.decode()?;
        let servers = server_names(std::slice::from_ref(&request.server_name))?;
        self.driver.event(|core, _| {
            for server in &servers {
                core.state.decommissioned.remove(server);
            }
        });
        // Regions that are to come back: they are there, for there is no other server.
        reply(&pb::RecommissionRegionServerResponse {})
    }
}

/// Takes servers out of service. As in HBase those that are not alive are passed over; regions go to the servers that are left,
/// and if there is none that fails, with the servers taken out all the same. As long as there is no other, regions are opened on
/// them.
pub(crate) async fn decommission(
    driver: Arc<Driver>,
    request: pb::DecommissionRegionServersRequest,
) -> Result<Reply, RpcException> {
    let servers = server_names(&request.server_name)?;
    let (regions, is_any_left) = driver.event(|core, _| {
        let state = &mut core.state;
        let alive: BTreeSet<_> =
            servers.into_iter().filter(|server| state.servers.contains_key(server)).collect();
        let added: BTreeSet<_> = alive.difference(&state.decommissioned).cloned().collect();
        state.decommissioned.extend(alive);
        let is_on = |region: &&Region| region.location().is_some_and(|server| added.contains(server));
        let regions: Vec<_> = state.regions.values().filter(is_on).map(|r| r.info.clone()).collect();
        (regions, state.servers.keys().any(|server| !state.decommissioned.contains(server)))
    });
    for region in regions.into_iter().filter(|region| request.offload && !region.is_meta()) {
        if !is_any_left {
            let message = format!("Unable to determine a plan to move {}", region.name().escape_ascii());
            return Err(exceptions::hbase_io(message));
        }
        region_calls::reopen(&driver, region.table.clone(), region.encoded_name(), Origin::default()).await?;
    }
    Ok(Reply::new(&pb::DecommissionRegionServersResponse {}))
}

/// What a balancer has decided or refused: there is none that could have.
fn balancer_log(call: &Call) -> Answer {
    const MESSAGES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.MasterProtos$";
    let request: pb::LogRequest = call.decode()?;
    let class = request.log_class_name;
    let response = ["BalancerDecisions", "BalancerRejections"]
        .into_iter()
        .find(|log| class.contains(&format!("{log}Request")))
        .ok_or_else(|| exceptions::io("Invalid request params"))?;
    // Both have one field, a list.
    let (log_class_name, log_message) = (format!("{MESSAGES}{response}Response"), Default::default());
    reply(&pb::LogEntry { log_class_name, log_message })
}

/// Endpoints of a master, of which there is none.
fn exec_master_service(call: &Call) -> Answer {
    let request: pb::CoprocessorServiceRequest = call.decode()?;
    Err(exceptions::unknown_protocol(format!(
        "No registered Master Coprocessor Endpoint found for {}. Has it been enabled?",
        request.call.service_name
    )))
}

fn server_names(messages: &[pb::ServerName]) -> Result<Vec<ServerName>, RpcException> {
    let decoded = messages.iter().map(ServerName::try_from).collect::<Result<_, _>>();
    decoded.map_err(|error| exceptions::do_not_retry(error.to_string()))
}
