//! `LockService`: clients lock namespaces, tables and regions, against what procedures do with them.

use std::sync::Arc;

use finback_cell::{RegionInfo, TableName};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};

use crate::{
    core::{Core, Origin},
    driver::Driver,
    operation::{Held, Operation},
};

/// The longest request: what it locks is kept, and written down.
const MAX_REQUEST_BYTES: usize = 1 << 20;
/// The longest reason that is kept.
const MAX_DESCRIPTION_BYTES: usize = 64 << 10;

pub(crate) struct LockService {
    pub(crate) driver: Arc<Driver>,
}

impl LockService {
    fn answer(&self, call: &Call) -> Result<Outcome, RpcException> {
        self.driver.read(Core::check_initialized)?;
        match call.method.as_str() {
            "RequestLock" => {
                let request = lock_request(call)?;
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                let proc_id = self.driver.submit(operation(&request)?, origin)?;
                let driver = self.driver.clone();
                Ok(Outcome::pending(async move {
                    driver.recorded(proc_id).await?;
                    Ok(Reply::new(&pb::LockResponse { proc_id }))
                }))
            }
            "LockHeartbeat" => self.heartbeat(call).map(|response| Outcome::message(&response)),
            other => Err(exceptions::unsupported_operation(other)),
        }
    }

    fn heartbeat(&self, call: &Call) -> Result<pb::LockHeartbeatResponse, RpcException> {
        use pb::lock_heartbeat_response::LockStatus;
        let request: pb::LockHeartbeatRequest = call.decode()?;
        let (id, keep_alive) = (request.proc_id, request.keep_alive());
        let (locked, timeout) =
            self.driver.event(|core, now| (core.lock_heartbeat(id, keep_alive, now), core.lock_timeout_ms()));
        let lock_status = if locked { LockStatus::Locked } else { LockStatus::Unlocked };
        let timeout_ms = locked.then(|| u32::try_from(timeout).unwrap_or(u32::MAX));
        Ok(pb::LockHeartbeatResponse { lock_status: lock_status.into(), timeout_ms })
    }
}

impl Service for LockService {
    fn name(&self) -> &'static str {
        "LockService"
    }

    fn call(&self, call: Call) -> Outcome {
        self.answer(&call).unwrap_or_else(Outcome::exception)
    }
}

fn lock_request(call: &Call) -> Result<pb::LockRequest, RpcException> {
    let bytes = call.param.len();
    if bytes > MAX_REQUEST_BYTES {
        let message = format!("a lock of {bytes} bytes; the limit is {MAX_REQUEST_BYTES}");
        return Err(exceptions::request_too_big(message));
    }
    call.decode()
}

/// What a request asks for, or why that makes no sense, in HBase's words.
fn operation(request: &pb::LockRequest) -> Result<Operation, RpcException> {
    let description = request.description().to_owned();
    if description.is_empty() {
        return Err(illegal("Empty description"));
    }
    if description.len() > MAX_DESCRIPTION_BYTES {
        return Err(illegal(&format!("a description of more than {MAX_DESCRIPTION_BYTES} bytes")));
    }
    let exclusive = request.lock_type() == pb::LockType::Exclusive;
    let held = if !request.region_info.is_empty() {
        // Whatever kind is asked for: HBase's are exclusive.
        return Ok(Operation::HoldLock {
            held: regions(&request.region_info)?,
            exclusive: true,
            description,
        });
    } else if let Some(table) = &request.table_name {
        Held::Table(TableName::try_from(table).map_err(|e| exceptions::do_not_retry(e.to_string()))?)
    } else if let Some(namespace) = &request.namespace {
        match (namespace.is_empty(), exclusive) {
            (true, _) => return Err(illegal("Empty namespace")),
            (false, false) => return Err(illegal("Shared lock on namespace not supported")),
            (false, true) => Held::Namespace(namespace.clone()),
        }
    } else {
        return Err(illegal("one of table/namespace/region should be specified"));
    };
    Ok(Operation::HoldLock { held, exclusive, description })
}

fn regions(infos: &[pb::RegionInfo]) -> Result<Held, RpcException> {
    let infos = infos
        .iter()
        .map(|info| RegionInfo::try_from(info).map(RegionInfo::unshared))
        .collect::<Result<Vec<_>, _>>();
    let infos = infos.map_err(|e| exceptions::do_not_retry(e.to_string()))?;
    let table = infos.first().map(|info| info.table.clone());
    match table.filter(|table| infos.iter().all(|info| info.table == *table)) {
        Some(table) => Ok(Held::regions(table, infos)),
        None => Err(illegal("All regions should be from same table")),
    }
}

fn illegal(message: &str) -> RpcException {
    exceptions::do_not_retry(format!("java.lang.IllegalArgumentException: {message}"))
}
