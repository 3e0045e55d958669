//! `BootstrapNodeService`: what region servers ask each other for, to tell clients where to start from.

use crate::server::RegionServer;
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Service, exceptions};
use std::sync::Arc;

/// Serves other region servers.
pub struct BootstrapNodeService {
    server: Arc<RegionServer>,
}

impl BootstrapNodeService {
    /// The service of `server`.
    pub fn new(server: Arc<RegionServer>) -> Self {
        Self { server }
    }
}

impl Service for BootstrapNodeService {
    fn name(&self) -> &'static str {
        "BootstrapNodeService"
    }

    fn call(&self, call: Call) -> Outcome {
        match call.method.as_str() {
            "GetAllBootstrapNodes" => {
                let node = vec![self.server.name().into()];
                Outcome::message(&pb::GetAllBootstrapNodesResponse { node })
            }
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}
