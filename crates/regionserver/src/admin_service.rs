//! `AdminService`: what masters and administrators ask of a region server.

use crate::job::Pool;
use crate::reconfiguration::{self, UpdateConfiguration};
use crate::regions::ReadFrom;
use crate::run_inline::run_inline;
use crate::server::RegionServer;
use crate::{assignment, exceptions::exception, load, region_files, remote_procedure, slow_calls, splitter};
use finback_cell::{Bytes, RegionInfo, Shortened, TableName};
use finback_proto::{convert, pb};
use finback_region::Region;
use finback_rpc::{Call, Outcome, Reply, RpcException, Service, exceptions};
use std::sync::Arc;
use std::time::Instant;

/// Serves administration of regions.
pub struct AdminService {
    server: Arc<RegionServer>,
    configuration: Option<UpdateConfiguration>,
}

impl AdminService {
    /// The service of `server`.
    pub fn new(server: Arc<RegionServer>) -> Self {
        Self { server, configuration: None }
    }

    /// With what is to be done when an administrator has changed the configuration.
    #[must_use]
    pub fn on_update_configuration(self, update: UpdateConfiguration) -> Self {
        Self { configuration: Some(update), ..self }
    }
}

impl Service for AdminService {
    fn name(&self) -> &'static str {
        "AdminService"
    }

    fn call(&self, call: Call) -> Outcome {
        let server = Arc::clone(&self.server);
        let answer = match call.method.as_str() {
            "ExecuteProcedures" => return run_inline(execute_procedures(server, call)),
            "OpenRegion" => open_region(&server, &call),
            "CloseRegion" => close_region(&server, &call),
            "GetRegionInfo" => return run_inline(region_info(server, call)),
            "GetOnlineRegion" => Ok(online_regions(&server)),
            "GetRegionLoad" => region_load(&server, &call),
            "UpdateConfiguration" => return run_inline(reconfiguration::update(self.configuration.clone())),
            "GetSlowLogResponses" | "GetLargeLogResponses" => {
                slow_calls::get(server.slow_calls.kept(), &call)
            }
            "ClearSlowLogsResponses" => slow_calls::clear(server.slow_calls.kept(), &call),
            "GetLogEntries" => slow_calls::entries(server.slow_calls.kept(), &call),
            "GetStoreFile" => region_files::store_files(&server, &call),
            "ClearRegionBlockCache" => region_files::clear_block_cache(&server, &call),
            "WarmupRegion" => return run_inline(region_files::warm_up(server, call)),
            "GetServerInfo" => Ok(server_info(&server)),
            "StopServer" => stop(&server, &call),
            "CompactRegion" => compact_region(&server, &call),
            "CompactionSwitch" => compaction_switch(&server, &call),
            "ClearCompactionQueues" => clear_compaction_queues(&server, &call),
            "FlushRegion" => return run_inline(flush_region(server, call)),
            "RollWALWriter" => return run_inline(roll_wal(server)),
            other => Err(exceptions::unsupported_operation(other)),
        };
        Outcome::Ready(answer)
    }
}

async fn execute_procedures(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::ExecuteProceduresRequest = call.decode()?;
    for open in request.open_region {
        open_all(&server, open, &call)?;
    }
    for close in request.close_region {
        close_one(&server, &close, &call)?;
    }
    for procedure in request.proc {
        remote_procedure::carry_out(&server, procedure).await?;
    }
    Ok(Reply::new(&pb::ExecuteProceduresResponse::default()))
}

/// A request meant for an earlier life of this server is refused.
fn check_start_code(server: &RegionServer, start_code: Option<u64>) -> Result<(), RpcException> {
    match start_code {
        Some(code) if code != 0 && code != server.name().start_code => {
            Err(exceptions::do_not_retry(format!(
                "This RPC was intended for a different server with startcode: {code}, this server is: {}",
                server.name()
            )))
        }
        _ => Ok(()),
    }
}

fn open_all(
    server: &Arc<RegionServer>,
    request: pb::OpenRegionRequest,
    call: &Call,
) -> Result<(), RpcException> {
    check_start_code(server, request.server_start_code)?;
    for open in request.open_info {
        let info = RegionInfo::try_from(&open.region)?;
        assignment::open(server, info, open.open_proc_id(), call.connection.is_of_this_process())?;
    }
    Ok(())
}

fn close_one(
    server: &Arc<RegionServer>,
    request: &pb::CloseRegionRequest,
    call: &Call,
) -> Result<(), RpcException> {
    check_start_code(server, request.server_start_code)?;
    let encoded = convert::encoded_name(&request.region)?;
    let opened_here = request.destination_server.as_ref().is_some_and(|named| *named == server.name().into());
    let of_this_process = call.connection.is_of_this_process();
    assignment::close(server, encoded, opened_here, request.close_proc_id(), of_this_process)
}

fn open_region(server: &Arc<RegionServer>, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::OpenRegionRequest = call.decode()?;
    let opened = pb::open_region_response::RegionOpeningState::Opened as i32;
    let opening_state = vec![opened; request.open_info.len()];
    open_all(server, request, call)?;
    Ok(Reply::new(&pb::OpenRegionResponse { opening_state }))
}

fn close_region(server: &Arc<RegionServer>, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::CloseRegionRequest = call.decode()?;
    close_one(server, &request, call)?;
    Ok(Reply::new(&pb::CloseRegionResponse { closed: true }))
}

async fn region_info(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::GetRegionInfoRequest = call.decode()?;
    let ReadFrom { region, stale } = server.regions.find_or_replica(&request.region)?;
    let best_split_row = if request.best_split_row() { split_row(Arc::clone(&region)).await? } else { None };
    let replica = convert::primary_of_replica(&request.region.value).filter(|_| stale);
    let region_info = match replica {
        Some((_, replica_id)) => (&region.info().replica(replica_id)).into(),
        None => region.info().into(),
    };
    Ok(Reply::new(&pb::GetRegionInfoResponse {
        region_info,
        compaction_state: request.compaction_state().then(|| load::compaction_state(&server, &region) as i32),
        splittable: Some(region.is_splittable()),
        mergeable: Some(region.is_mergeable()),
        best_split_row,
    }))
}

/// Where a region is best split. As in HBase, one that has it all in memory is flushed first.
async fn split_row(region: Arc<Region>) -> Result<Option<Bytes>, RpcException> {
    let find = move || match region.split_row()? {
        None if region.is_splittable() => {
            region.flush(None)?;
            region.split_row()
        }
        found => Ok(found),
    };
    let found = tokio::task::spawn_blocking(find).await;
    let found = found.map_err(|error| exceptions::io(format!("looking for a row to split at: {error}")))?;
    found.map_err(|error| exception(&error))
}

/// Asks for compactions, and does not wait for them.
fn compact_region(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::CompactRegionRequest = call.decode()?;
    let ReadFrom { region, stale } = server.regions.find_or_replica(&request.region)?;
    let families: Vec<_> = region.table().families.iter().map(|family| family.name.clone()).collect();
    let major = request.major();
    let chosen = match request.family.filter(|family| !family.is_empty()) {
        Some(family) if !families.contains(&family) => return Err(no_such_family(&region, &family)),
        Some(family) => vec![family],
        None => families,
    };
    // A replica has no files of its own: its region is asked, too.
    for family in chosen.into_iter().filter(|_| !stale) {
        server.scheduler.ask_for_compaction(&region, family, major, true);
    }
    Ok(Reply::new(&pb::CompactRegionResponse::default()))
}

/// Lets there be compactions, or cancels them all and lets there be none.
fn compaction_switch(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::CompactionSwitchRequest = call.decode()?;
    let prev_state = server.scheduler.switch_compactions(request.enabled);
    tracing::info!(enabled = request.enabled, before = prev_state, user = %call.connection.user, "compaction switch");
    if request.enabled && !prev_state {
        // What was cancelled is asked for again.
        server.regions.all().iter().for_each(|region| server.scheduler.look_at(region));
    }
    Ok(Reply::new(&pb::CompactionSwitchResponse { prev_state }))
}

/// Forgets compactions that wait; those under way go on.
fn clear_compaction_queues(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::ClearCompactionQueuesRequest = call.decode()?;
    for name in &request.queue_name {
        match name.as_str() {
            "long" => server.scheduler.clear_compactions(Pool::LargeCompactions),
            "short" => server.scheduler.clear_compactions(Pool::SmallCompactions),
            other => return Err(exceptions::io(format!("Unknown queue name {other}"))),
        }
    }
    Ok(Reply::new(&pb::ClearCompactionQueuesResponse {}))
}

fn no_such_family(region: &Region, family: &[u8]) -> RpcException {
    exceptions::no_such_column_family(format!(
        "Column family {} does not exist in region {}",
        Shortened(family),
        region.name().escape_ascii()
    ))
}

fn online_regions(server: &RegionServer) -> Reply {
    let regions = server.regions.all();
    let replicas = regions.iter().flat_map(|region| {
        (0..region.table().region_replication()).map(|replica_id| region.info().replica(replica_id))
    });
    let region_info = replicas.map(|info| (&info).into()).collect();
    Reply::new(&pb::GetOnlineRegionResponse { region_info })
}

fn region_load(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::GetRegionLoadRequest = call.decode()?;
    let table = request.table_name.as_ref().map(TableName::try_from).transpose()?;
    let regions = server.regions.all();
    let wanted: Vec<_> = regions
        .into_iter()
        .filter(|region| table.as_ref().is_none_or(|table| *table == region.info().table))
        .collect();
    let region_loads = load::region_loads(server, &wanted);
    Ok(Reply::new(&pb::GetRegionLoadResponse { region_loads }))
}

fn server_info(server: &RegionServer) -> Reply {
    // 0 stands for none.
    let webui_port = Some(server.info_port()).filter(|port| *port > 0);
    let server_info = pb::ServerInfo { server_name: server.name().into(), webui_port };
    Reply::new(&pb::GetServerInfoResponse { server_info })
}

fn stop(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::StopServerRequest = call.decode()?;
    tracing::info!(reason = %request.reason, user = %call.connection.user, "asked to stop");
    server.ask_to_stop();
    Ok(Reply::new(&pb::StopServerResponse::default()))
}

async fn flush_region(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::FlushRegionRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    if let Some(only_older) = request.if_older_than_ts
        && region.earliest_flush_ms() >= only_older
    {
        return Ok(flushed(&region, false));
    }
    let families = request.family.map(|family| vec![family.to_vec()]);
    if let Some(family) = families.iter().flatten().find(|family| region.table().family(family).is_none()) {
        return Err(no_such_family(&region, family));
    }
    let flushing = Arc::clone(&region);
    let (memory_bytes, begun) = (region.memstore_bytes(), Instant::now());
    let outcome = tokio::task::spawn_blocking(move || flushing.flush(families.as_deref())).await;
    let outcome = outcome.map_err(|error| exceptions::io(format!("flush panicked: {error}")))?;
    let outcome = outcome.map_err(|error| exception(&error))?;
    server.flushed(&region, memory_bytes, &outcome, begun.elapsed());
    server.scheduler.look_at(&region);
    let reply = flushed(&region, outcome.flushed);
    // Nobody waits for that.
    tokio::spawn(async move { splitter::look_at(&server, &region).await });
    Ok(reply)
}

fn flushed(region: &Region, flushed: bool) -> Reply {
    Reply::new(&pb::FlushRegionResponse {
        last_flush_time: region.earliest_flush_ms(),
        flushed: Some(flushed),
        ..Default::default()
    })
}

async fn roll_wal(server: Arc<RegionServer>) -> Result<Reply, RpcException> {
    server.roll_logs().await.map_err(|error| exceptions::io(error.to_string()))?;
    Ok(Reply::new(&pb::RollWalWriterResponse::default()))
}
