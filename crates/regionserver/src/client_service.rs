//! `ClientService`: the data plane.

use crate::handlers;
use crate::operation_counts::CallTimer;
use crate::run_inline::{run_inline, run_inline_and_wait, run_timed, run_timed_and_wait};
use crate::server::RegionServer;
use crate::{bulk_load, endpoints, get, multi, mutate, scan, slow_calls};
use finback_metrics::Operation;
use finback_rpc::{Call, CallKind, Outcome, Service, exceptions};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Serves reads and writes of regions.
pub struct ClientService {
    server: Arc<RegionServer>,
}

impl ClientService {
    /// The service of `server`.
    pub fn new(server: Arc<RegionServer>) -> Self {
        Self { server }
    }
}

impl Service for ClientService {
    fn name(&self) -> &'static str {
        "ClientService"
    }

    fn call(&self, call: Call) -> Outcome {
        self.server.requests.fetch_add(1, Ordering::Relaxed);
        slow_calls::watch(&self.server, call, |call| self.carry_out(call))
    }

    fn kind(&self, call: &Call) -> CallKind {
        handlers::kind_of(call)
    }
}

impl ClientService {
    fn carry_out(&self, call: Call) -> Outcome {
        let server = Arc::clone(&self.server);
        let begun = call.begun;
        let timer = |operation| CallTimer { counts: Arc::clone(&self.server.operations), operation, begun };
        let is_write = call.method.as_str() == "Mutate" || handlers::is_short_write(&call);
        if !is_write {
            finback_wal::others_are_served_here();
        }
        match call.method.as_str() {
            "Get" => run_inline(get::get(server, call)),
            "Scan" => run_inline(scan::scan(server, call)),
            "Mutate" => run_inline_and_wait(mutate::mutate(server, call)),
            "Multi" if is_write => run_timed_and_wait(timer(Operation::Multi), multi::multi(server, call)),
            "Multi" => run_timed(timer(Operation::Multi), multi::multi(server, call)),
            "PrepareBulkLoad" => run_inline(bulk_load::prepare(server, call)),
            "BulkLoadHFile" => run_timed(timer(Operation::BulkLoad), bulk_load::load(server, call)),
            "CleanupBulkLoad" => run_inline(bulk_load::clean_up(server, call)),
            "ExecService" => run_inline(endpoints::exec_service(server, call)),
            "ExecRegionServerService" => endpoints::exec_region_server_service(&call).into(),
            other => Outcome::exception(exceptions::unsupported_operation(other)),
        }
    }
}
