//! The registries that ask HBase's own servers: masters, or any.

use super::unknown;
use crate::config::ClientConfig;
use crate::servers::{Servers, ServiceName};
use finback_cell::ServerName;
use finback_proto::footprint::Measured;
use finback_proto::{Message, pb};
use finback_rpc::{ChannelExt, Request, RpcException};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// Between two looks for other servers to ask (HBase: `hbase.client.bootstrap.refresh_interval_secs`).
const REFRESH_INTERVAL: Duration = Duration::from_secs(300);
/// The same after a server did not answer (HBase: `..._min_secs_between_refreshes`).
const MIN_REFRESH_INTERVAL: Duration = Duration::from_secs(60);
/// Servers that are kept to ask; an answer may name any number.
const MAX_NODES: usize = 100;

/// Asks a few servers side by side; the first answer that says something counts.
pub(crate) struct RpcRegistry {
    servers: Arc<Servers>,
    /// Whether masters are asked, which know of each other; other servers name servers at large.
    masters: bool,
    configured: Vec<String>,
    known: Arc<Mutex<Known>>,
    fanout: usize,
    timeout: Duration,
}

struct Known {
    nodes: Vec<String>,
    refreshed: Instant,
    /// Where the next question begins.
    next: usize,
}

impl RpcRegistry {
    pub(super) fn new(
        nodes: Vec<String>,
        masters: bool,
        config: &ClientConfig,
        servers: &Arc<Servers>,
    ) -> Self {
        Self {
            servers: Arc::clone(servers),
            masters,
            configured: nodes.clone(),
            known: Arc::new(Mutex::new(Known { nodes, refreshed: Instant::now(), next: 0 })),
            fanout: config.registry_fanout.max(1),
            timeout: config.rpc_timeout.min(config.registry_timeout),
        }
    }

    pub(super) async fn cluster_id(&self) -> Result<Option<String>, RpcException> {
        let valid = |answer: &pb::GetClusterIdResponse| answer.cluster_id.is_some();
        self.ask("GetClusterId", pb::GetClusterIdRequest {}, valid).await.map(|answer| answer.cluster_id)
    }

    pub(super) async fn meta_server(&self) -> Result<ServerName, RpcException> {
        let valid = |answer: &pb::GetMetaRegionLocationsResponse| !answer.meta_locations.is_empty();
        let answer = self.ask("GetMetaRegionLocations", pb::GetMetaRegionLocationsRequest {}, valid).await?;
        let primary = answer.meta_locations.iter().find(|location| location.region_info.replica_id() == 0);
        let server = primary.and_then(|location| location.server_name.as_ref());
        let server = server.ok_or_else(|| unknown("the registry does not tell where hbase:meta is"))?;
        Ok(ServerName::try_from(server)?)
    }

    pub(super) async fn active_master(&self) -> Result<ServerName, RpcException> {
        let valid = |answer: &pb::GetActiveMasterResponse| answer.server_name.is_some();
        let answer = self.ask("GetActiveMaster", pb::GetActiveMasterRequest {}, valid).await?;
        let master = answer.server_name.ok_or_else(|| unknown("the registry names no active master"))?;
        Ok(ServerName::try_from(&master)?)
    }

    /// Asks as many servers at a time as the fan-out says, until one gives an answer that says something.
    async fn ask<Q, A>(
        &self,
        method: &'static str,
        question: Q,
        valid: impl Fn(&A) -> bool,
    ) -> Result<A, RpcException>
    where
        Q: Message + Clone + 'static,
        A: Measured + 'static,
    {
        self.refresh_if_due(false);
        let nodes = self.in_turn();
        let mut failures = Vec::new();
        for group in nodes.chunks(self.fanout) {
            let mut asking = JoinSet::new();
            for node in group {
                let (servers, node, question, timeout) =
                    (Arc::clone(&self.servers), node.clone(), question.clone(), self.timeout);
                asking.spawn(async move {
                    let answer = ask_one::<Q, A>(&servers, &node, method, &question, timeout).await;
                    (node, answer)
                });
            }
            while let Some(joined) = asking.join_next().await {
                match joined {
                    Ok((_, Ok(answer))) if valid(&answer) => return Ok(answer),
                    Ok((node, Ok(_))) => failures.push(format!("{node}: does not know yet")),
                    Ok((node, Err(error))) => failures.push(format!("{node}: {error}")),
                    Err(error) => failures.push(error.to_string()),
                }
            }
        }
        self.refresh_if_due(true);
        Err(unknown(format!("{method}: no server of the registry answers ({})", failures.join("; "))))
    }

    /// The servers, another one first each time; those of the configuration last, in case all others are gone.
    fn in_turn(&self) -> Vec<String> {
        let mut known = self.known.lock();
        let first = known.next % known.nodes.len().max(1);
        known.next = known.next.wrapping_add(1);
        let mut nodes: Vec<String> =
            known.nodes[first..].iter().chain(&known.nodes[..first]).cloned().collect();
        nodes.extend(self.configured.iter().filter(|node| !known.nodes.contains(node)).cloned());
        nodes
    }

    /// Looks for other servers to ask, in the background, if it is time to.
    fn refresh_if_due(&self, after_failure: bool) {
        let interval = if after_failure { MIN_REFRESH_INTERVAL } else { REFRESH_INTERVAL };
        {
            let mut known = self.known.lock();
            if known.refreshed.elapsed() < interval {
                return;
            }
            known.refreshed = Instant::now();
        }
        let (servers, nodes, known) = (Arc::clone(&self.servers), self.in_turn(), Arc::clone(&self.known));
        tokio::spawn(refresh(servers, nodes, known, self.masters, self.timeout));
    }
}

/// Asks one server after the other for the servers to ask from now on; the first answer takes the place of what is known.
async fn refresh(
    servers: Arc<Servers>,
    nodes: Vec<String>,
    known: Arc<Mutex<Known>>,
    masters: bool,
    timeout: Duration,
) {
    for node in nodes {
        let mut found = nodes_of(&servers, &node, masters, timeout).await.unwrap_or_default();
        if !found.is_empty() {
            found.truncate(MAX_NODES);
            known.lock().nodes = found;
            return;
        }
    }
}

/// The servers that a server names.
async fn nodes_of(
    servers: &Servers,
    node: &str,
    masters: bool,
    timeout: Duration,
) -> Result<Vec<String>, RpcException> {
    let address = |name: &pb::ServerName| ServerName::try_from(name).map(|name| name.address());
    if masters {
        let question = pb::GetMastersRequest {};
        let answer: pb::GetMastersResponse = ask_one(servers, node, "GetMasters", &question, timeout).await?;
        return Ok(answer.master_servers.iter().flat_map(|master| address(&master.server_name)).collect());
    }
    let question = pb::GetBootstrapNodesRequest {};
    let answer: pb::GetBootstrapNodesResponse =
        ask_one(servers, node, "GetBootstrapNodes", &question, timeout).await?;
    Ok(answer.server_name.iter().flat_map(address).collect())
}

async fn ask_one<Q: Message, A: Measured>(
    servers: &Servers,
    node: &str,
    method: &'static str,
    question: &Q,
    timeout: Duration,
) -> Result<A, RpcException> {
    let channel = servers.channel(node, ServiceName::ClientMeta).await?;
    let call = Request { method, timeout: Some(timeout), ..Request::default() };
    let (answer, _) = channel.call_measured(call, question).await?;
    Ok(answer)
}

#[cfg(test)]
mod tests;
