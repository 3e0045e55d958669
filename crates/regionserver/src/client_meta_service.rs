//! `ClientMetaService` of a region server: what a client needs to find the cluster, asked of the master.

use crate::server::RegionServer;
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, Request, Service, exceptions};
use std::sync::Arc;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);

/// Methods that the master answers.
const OF_THE_MASTER: [&str; 4] = ["GetClusterId", "GetActiveMaster", "GetMasters", "GetMetaRegionLocations"];

/// Serves clients that were given region servers to start from.
pub struct ClientMetaService {
    server: Arc<RegionServer>,
}

impl ClientMetaService {
    /// The service of `server`.
    pub fn new(server: Arc<RegionServer>) -> Self {
        Self { server }
    }
}

impl Service for ClientMetaService {
    fn name(&self) -> &'static str {
        "ClientMetaService"
    }

    fn call(&self, call: Call) -> Outcome {
        let method = call.method.as_str();
        if method == "GetBootstrapNodes" {
            let server_name = vec![self.server.name().into()];
            return Outcome::message(&pb::GetBootstrapNodesResponse { server_name });
        }
        let Some(method) = OF_THE_MASTER.into_iter().find(|known| *known == method) else {
            return Outcome::exception(exceptions::unsupported_operation(method));
        };
        let server = Arc::clone(&self.server);
        Outcome::pending(async move {
            let request = Request { method, param: call.param, timeout: Some(TIMEOUT), ..Request::default() };
            let (message, _) = server.master_meta().call_encoded(request).await?;
            Ok(Reply { message: message.to_vec(), ..Reply::default() })
        })
    }
}
