//! Calls that open, close and move regions. As in HBase they answer when it is done.

use std::sync::Arc;

use finback_cell::{RegionState, ServerName, TableName};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, exceptions};
use pb::table_state::State as TableState;

use crate::{
    core::Origin,
    driver::Driver,
    master_service::{MasterService, encoded_name},
    operation::Operation,
    server_calls,
    state::{ClusterState, Region},
};

impl MasterService {
    pub(crate) fn region_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        let driver = Arc::clone(&self.driver);
        let origin = Origin::of(call, None, None);
        let outcome = match method {
            "AssignRegion" => call.decode().map(|request| Outcome::pending(assign(driver, request, origin))),
            "UnassignRegion" => {
                call.decode().map(|request| Outcome::pending(unassign(driver, request, origin)))
            }
            "OfflineRegion" => {
                call.decode().map(|request| Outcome::pending(offline(driver, request, origin)))
            }
            "MoveRegion" => {
                call.decode().map(|request| Outcome::pending(move_region(driver, request, origin)))
            }
            "DecommissionRegionServers" => {
                call.decode().map(|request| Outcome::pending(server_calls::decommission(driver, request)))
            }
            _ => return None,
        };
        Some(outcome.unwrap_or_else(Outcome::exception))
    }
}

async fn assign(
    driver: Arc<Driver>,
    request: pb::AssignRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    let (table, region) = find(&driver, &request.region)?;
    // HBase takes CLOSED and OFFLINE alone; what failed would then wait for a tool of its own to be repaired.
    const EXPECTED: &[RegionState] = &[
        RegionState::Closed,
        RegionState::Offline,
        RegionState::FailedOpen,
        RegionState::FailedClose,
        RegionState::AbnormallyClosed,
    ];
    driver.read(|core| check_transition(&core.state, &region, EXPECTED))?;
    carry_out(&driver, Operation::AssignRegion { table, region }, origin).await?;
    Ok(Reply::new(&pb::AssignRegionResponse {}))
}

async fn unassign(
    driver: Arc<Driver>,
    request: pb::UnassignRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    let (table, region) = find(&driver, &request.region)?;
    close(&driver, table, region, origin).await?;
    Ok(Reply::new(&pb::UnassignRegionResponse {}))
}

/// HBase's master forgets that the region is open, while its server goes on serving it. Here it is closed as well: what the
/// master says of it is true then.
async fn offline(
    driver: Arc<Driver>,
    request: pb::OfflineRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    let (table, region) = find(&driver, &request.region)?;
    if driver.read(|core| core.state.regions.get(&region).is_some_and(|r| r.location().is_some())) {
        close(&driver, table, region, origin).await?;
    }
    Ok(Reply::new(&pb::OfflineRegionResponse {}))
}

async fn close(
    driver: &Arc<Driver>,
    table: TableName,
    region: String,
    origin: Origin,
) -> Result<(), RpcException> {
    check_open(driver, &table, &region)?;
    carry_out(driver, Operation::UnassignRegion { table, region }, origin).await
}

fn check_open(driver: &Driver, table: &TableName, region: &str) -> Result<(), RpcException> {
    if table.is_meta() {
        return Err(exceptions::do_not_retry("hbase:meta must stay open"));
    }
    driver.read(|core| check_transition(&core.state, region, &[RegionState::Open]))
}

/// A region that is to go where it is, or anywhere while there is no other server, stays, as in HBase. One that is to go to a
/// server that is not there is, as in HBase, closed and opened where there is one.
async fn move_region(
    driver: Arc<Driver>,
    request: pb::MoveRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    let (table, region) = find(&driver, &request.region)?;
    let wanted = request.dest_server_name.as_ref().map(ServerName::try_from).transpose();
    let wanted = wanted.map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let stays = driver.read(|core| {
        let here = core.state.regions.get(&region).and_then(Region::location);
        match &wanted {
            Some(server) => here == Some(server),
            None => core.state.servers.keys().all(|server| here == Some(server)),
        }
    });
    if !stays {
        reopen(&driver, table, region, origin).await?;
    }
    Ok(Reply::new(&pb::MoveRegionResponse {}))
}

/// Closes a region, and opens it where it is best open.
pub(crate) async fn reopen(
    driver: &Arc<Driver>,
    table: TableName,
    region: String,
    origin: Origin,
) -> Result<(), RpcException> {
    check_open(driver, &table, &region)?;
    carry_out(driver, Operation::MoveRegion { table, region }, origin).await
}

async fn carry_out(driver: &Arc<Driver>, operation: Operation, origin: Origin) -> Result<(), RpcException> {
    let id = driver.run(operation, origin).await?;
    driver.finished(id).await
}

fn find(driver: &Driver, specifier: &pb::RegionSpecifier) -> Result<(TableName, String), RpcException> {
    let encoded = encoded_name(specifier)?;
    let table = driver.read(|core| core.state.regions.get(&encoded).map(|region| region.info.table.clone()));
    let unknown = || exceptions::unknown_region(specifier.value.escape_ascii().to_string());
    table.map(|table| (table, encoded)).ok_or_else(unknown)
}

/// HBase's checks before the state of a region changes, and its words.
fn check_transition(
    state: &ClusterState,
    encoded: &str,
    expected: &[RegionState],
) -> Result<(), RpcException> {
    let region = state.regions.get(encoded).ok_or_else(|| exceptions::unknown_region(encoded))?;
    let described = describe(region, encoded);
    if let Some(transition) = &region.transition {
        let message = format!("{described} is currently in transition; pid={}", transition.proc_id);
        return Err(exceptions::hbase_io(message));
    }
    if !expected.contains(&region.state) {
        return Err(exceptions::do_not_retry_region(format!("Unexpected state for {described}")));
    }
    check_table(state, encoded)
}

/// Whether a region's table lets it be open; in HBase's words, why not.
pub(crate) fn check_table(state: &ClusterState, encoded: &str) -> Result<(), RpcException> {
    let region = state.regions.get(encoded).ok_or_else(|| exceptions::unknown_region(encoded))?;
    let table = &region.info.table;
    match state.tables.get(table).map(|table| table.state) {
        Some(TableState::Disabled | TableState::Disabling) => {
            let described = describe(region, encoded);
            Err(exceptions::do_not_retry(format!("{table} is disabled for {described}")))
        }
        _ => Ok(()),
    }
}

/// As HBase's RegionStateNode prints itself.
fn describe(region: &Region, encoded: &str) -> String {
    let location = region.server.as_ref().map_or_else(|| "null".to_owned(), ToString::to_string);
    format!(
        "state={}, location={location}, table={}, region={encoded}",
        region.state.name(),
        region.info.table
    )
}
