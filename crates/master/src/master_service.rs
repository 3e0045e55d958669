//! What administrators ask.

use std::sync::Arc;

use finback_proto::{Message, pb};
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};

use crate::{
    absent, cluster_status, core::Core, driver::Driver, options::MasterOptions, procedure_message,
    switches::Switches,
};

/// `MasterService`.
pub(crate) struct MasterService {
    pub(crate) driver: Arc<Driver>,
    pub(crate) options: Arc<MasterOptions>,
}

pub(crate) type Answer = Result<Reply, RpcException>;

pub(crate) fn reply<M: Message>(message: &M) -> Answer {
    Ok(Reply::new(message))
}

impl MasterService {
    pub(crate) fn new(driver: Arc<Driver>, options: Arc<MasterOptions>) -> Self {
        Self { driver, options }
    }

    /// The answer to a call that started an operation: at once if it was let in or refused, later if it waits.
    pub(crate) fn when_admitted(&self, submitted: Result<(u64, Reply), RpcException>) -> Outcome {
        let (id, reply) = match submitted {
            Ok(submitted) => submitted,
            Err(e) => return Outcome::exception(e),
        };
        match self.driver.read(|core| core.admission(id)) {
            Some(admission) => admission.map(|()| reply).into(),
            None => {
                let driver = self.driver.clone();
                Outcome::pending(async move { driver.admitted(id).await.map(|()| reply) })
            }
        }
    }

    fn answer(&self, call: &Call) -> Result<Outcome, RpcException> {
        let method = call.method.as_str();
        match method {
            "IsMasterRunning" => {
                return Ok(Outcome::message(&pb::IsMasterRunningResponse { is_master_running: true }));
            }
            "Shutdown" => {
                (self.options.shutdown)(true);
                return Ok(Outcome::message(&pb::ShutdownResponse {}));
            }
            "StopMaster" => {
                (self.options.shutdown)(false);
                return Ok(Outcome::message(&pb::StopMasterResponse {}));
            }
            _ => self.driver.read(Core::check_initialized)?,
        }
        if let Some(outcome) = self.division_call(method, call) {
            return Ok(outcome);
        }
        if let Some(outcome) = self.region_call(method, call) {
            return Ok(outcome);
        }
        if let Some(outcome) = self.file_tracker_call(method, call) {
            return Ok(outcome);
        }
        if let Some(outcome) = self.snapshot_call(method, call) {
            return Ok(outcome);
        }
        if let Some(outcome) = self.operation_call(method, call) {
            return Ok(outcome);
        }
        if let Some(outcome) = self.kept_switch_call(method, call) {
            return Ok(outcome);
        }
        let answer = self.listing_call(method, call);
        let answer = answer.or_else(|| self.procedure_call(method, call));
        let answer = answer.or_else(|| self.switch_call(method, call));
        let answer = answer.or_else(|| self.status_call(method, call));
        let answer = answer.or_else(|| self.server_call(method, call));
        answer.unwrap_or_else(|| Err(absent::answer(method))).map(|reply| Ok(reply).into())
    }

    fn status_call(&self, method: &str, call: &Call) -> Option<Answer> {
        Some(match method {
            "GetClusterStatus" => self.cluster_status(call),
            "getLastMajorCompactionTimestamp" => self.major_compaction_of_table(call),
            "getLastMajorCompactionTimestampForRegion" => self.major_compaction_of_region(call),
            "IsMasterInMaintenanceMode" => {
                reply(&pb::IsInMaintenanceModeResponse { in_maintenance_mode: false })
            }
            "getSecurityCapabilities" => {
                let simple = pb::security_capabilities_response::Capability::SimpleAuthentication;
                reply(&pb::SecurityCapabilitiesResponse { capabilities: vec![simple.into()] })
            }
            // There are none: what would make some is refused.
            "ListReplicationPeers" => reply(&pb::ListReplicationPeersResponse { peer_desc: Vec::new() }),
            _ => return None,
        })
    }

    fn cluster_status(&self, call: &Call) -> Answer {
        let request: pb::GetClusterStatusRequest = call.decode()?;
        let config = &self.options.config;
        let cluster_status = self.driver.read(|core| {
            let mut status =
                cluster_status::build(&core.state, &request.options, &self.options.server_name, config);
            if cluster_status::wants(&request.options, pb::Option::Tasks) {
                let tasks = core.procedures.all().filter_map(|(id, one)| procedure_message::task(id, one));
                status.master_tasks = tasks.collect();
            }
            status
        });
        reply(&pb::GetClusterStatusResponse { cluster_status })
    }

    fn major_compaction_of_table(&self, call: &Call) -> Answer {
        let request: pb::MajorCompactionTimestampRequest = call.decode()?;
        let table = table_name(&request.table_name)?;
        let compaction_timestamp = self.driver.read(|core| {
            let regions = core.state.regions_of(&table);
            let of_region = |encoded: &String| cluster_status::last_major_compaction(&core.state, encoded);
            regions.iter().filter_map(of_region).min().unwrap_or(0)
        });
        reply(&pb::MajorCompactionTimestampResponse { compaction_timestamp })
    }

    fn major_compaction_of_region(&self, call: &Call) -> Answer {
        let request: pb::MajorCompactionTimestampForRegionRequest = call.decode()?;
        let encoded = encoded_name(&request.region)?;
        let found = self.driver.read(|core| cluster_status::last_major_compaction(&core.state, &encoded));
        reply(&pb::MajorCompactionTimestampResponse { compaction_timestamp: found.unwrap_or(0) })
    }

    fn switch_call(&self, method: &str, call: &Call) -> Option<Answer> {
        let read = |get: fn(&Switches) -> bool| self.driver.read(|core| get(&core.state.switches));
        Some(match method {
            "IsBalancerEnabled" => {
                reply(&pb::IsBalancerEnabledResponse { enabled: read(|s| s.kept.balancer) })
            }
            // There is no balancer yet, so it did not run.
            "Balance" => reply(&pb::BalanceResponse {
                balancer_ran: false,
                moves_calculated: Some(0),
                moves_executed: Some(0),
            }),
            "IsNormalizerEnabled" => {
                reply(&pb::IsNormalizerEnabledResponse { enabled: read(|s| s.kept.normalizer) })
            }
            "Normalize" => reply(&pb::NormalizeResponse { normalizer_ran: false }),
            "IsSplitOrMergeEnabled" => call.decode().map(|request: pb::IsSplitOrMergeEnabledRequest| {
                let merge = request.switch_type() == pb::MasterSwitchType::Merge;
                let enabled = read(if merge { |s| s.kept.merge } else { |s| s.kept.split });
                Reply::new(&pb::IsSplitOrMergeEnabledResponse { enabled })
            }),
            "EnableCatalogJanitor" => call.decode().and_then(|request: pb::EnableCatalogJanitorRequest| {
                let previous = self.turn(|s| &mut s.catalog_janitor, request.enable);
                reply(&pb::EnableCatalogJanitorResponse { prev_value: Some(previous) })
            }),
            "IsCatalogJanitorEnabled" => {
                reply(&pb::IsCatalogJanitorEnabledResponse { value: read(|s| s.catalog_janitor) })
            }
            "SetCleanerChoreRunning" => {
                call.decode().and_then(|request: pb::SetCleanerChoreRunningRequest| {
                    let previous = self.turn(|s| &mut s.cleaner, request.on);
                    reply(&pb::SetCleanerChoreRunningResponse { prev_value: Some(previous) })
                })
            }
            "IsCleanerChoreEnabled" => {
                reply(&pb::IsCleanerChoreEnabledResponse { value: read(|s| s.cleaner) })
            }
            "IsSnapshotCleanupEnabled" => {
                reply(&pb::IsSnapshotCleanupEnabledResponse { enabled: read(|s| s.kept.snapshot_cleanup) })
            }
            _ => return None,
        })
    }

    /// Turns a switch that the next start forgets.
    fn turn(&self, switch: fn(&mut Switches) -> &mut bool, on: bool) -> bool {
        self.driver.event(|core, _| std::mem::replace(switch(&mut core.state.switches), on))
    }
}

impl Service for MasterService {
    fn name(&self) -> &'static str {
        "MasterService"
    }

    fn call(&self, call: Call) -> Outcome {
        self.answer(&call).unwrap_or_else(Outcome::exception)
    }
}

/// A table's name out of a request.
pub(crate) fn table_name(message: &pb::TableName) -> Result<finback_cell::TableName, RpcException> {
    finback_cell::TableName::try_from(message).map_err(|e| exceptions::do_not_retry(e.to_string()))
}

/// A region's encoded name out of a request.
pub(crate) fn encoded_name(specifier: &pb::RegionSpecifier) -> Result<String, RpcException> {
    let name = finback_proto::convert::encoded_name(specifier);
    let name = name.map_err(|e| exceptions::do_not_retry(e.to_string()))?;
    let text =
        std::str::from_utf8(name).map_err(|_| exceptions::unknown_region(name.escape_ascii().to_string()))?;
    Ok(text.to_owned())
}
