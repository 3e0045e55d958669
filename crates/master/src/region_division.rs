//! What of splits, merges and truncations of regions is to be found out before they begin: whether they make sense, and whether the region servers
//! are ready for them.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, RegionState, TableName};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, RpcException, exceptions};
use pb::table_state::State as TableState;

use crate::{
    core::Origin,
    driver::Driver,
    master_service::{MasterService, encoded_name},
    meta_row,
    operation::{Operation, find},
    state::{ClusterState, Region},
};

/// Whether a region is open, and its table enabled.
pub(crate) fn check_open<'a>(
    state: &'a ClusterState,
    table: &TableName,
    encoded: &str,
) -> Result<&'a RegionInfo, RpcException> {
    check_enabled(state, table)?;
    Ok(&open_region(state, encoded)?.info)
}

/// Whether a region can be split there; in HBase's words, why not.
pub(crate) fn check_split(
    state: &ClusterState,
    table: &TableName,
    encoded: &str,
    split_row: &Bytes,
) -> Result<(), RpcException> {
    let info = check_open(state, table, encoded)?;
    if *split_row == info.start_key {
        let message = format!("Split row is equal to startkey: {}", split_row.escape_ascii());
        return Err(exceptions::do_not_retry(message));
    }
    if split_row.is_empty() || !info.contains_row(split_row) {
        return Err(exceptions::do_not_retry(format!(
            "Split row is not inside region key range splitKey:{} region: {}",
            split_row.escape_ascii(),
            info.name().escape_ascii()
        )));
    }
    meta_row::check_start_key(table, split_row)
}

/// Whether regions can be merged; in HBase's words, why not. They come in order of their keys.
pub(crate) fn check_merge(
    state: &ClusterState,
    table: &TableName,
    regions: &[String],
) -> Result<(), RpcException> {
    if regions.len() < 2 {
        return Err(exceptions::merge_region("Need two Regions at least to run a Merge"));
    }
    check_enabled(state, table)?;
    for encoded in regions {
        if open_region(state, encoded)?.info.table != *table {
            return Err(exceptions::merge_region(format!(
                "Can't merge regions from two different tables: {encoded} is not of {table}"
            )));
        }
    }
    Ok(())
}

fn check_enabled(state: &ClusterState, table: &TableName) -> Result<(), RpcException> {
    match find(state, table)?.state {
        // As in HBase: what is on its way is waited for.
        TableState::Enabled | TableState::Enabling => Ok(()),
        _ => Err(exceptions::table_not_enabled(table.to_string())),
    }
}

fn open_region<'a>(state: &'a ClusterState, encoded: &str) -> Result<&'a Region, RpcException> {
    let region = state.regions.get(encoded).ok_or_else(|| exceptions::unknown_region(encoded))?;
    match region.state {
        RegionState::Open => Ok(region),
        other => {
            let message = format!("{encoded} is not OPEN; state={}", other.name());
            Err(exceptions::do_not_retry_region(message))
        }
    }
}

/// How a split or a merge ends that the table's descriptor forbids. HBase lets it in: its procedure fails.
pub(crate) fn forbidden(state: &ClusterState, operation: &Operation) -> Option<RpcException> {
    let (attribute, message) = match operation {
        Operation::SplitRegion { region, .. } => {
            let name = state.regions.get(region)?.info.name().escape_ascii().to_string();
            let message = format!("Split region {name} failed as region split is disabled for the table");
            ("SPLIT_ENABLED", message)
        }
        Operation::MergeRegions { regions, .. } => {
            let message =
                format!("Merge of {} failed as region merge is disabled for the table", regions.join(", "));
            ("MERGE_ENABLED", message)
        }
        _ => return None,
    };
    let table = state.tables.get(operation.table()?)?.descriptor.as_ref()?;
    let is_off = table.attribute(attribute)?.eq_ignore_ascii_case("false");
    is_off.then(|| exceptions::io(message))
}

impl MasterService {
    /// SplitRegion and MergeTableRegions: region servers are asked first.
    pub(crate) fn division_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        let driver = Arc::clone(&self.driver);
        let outcome = match method {
            "SplitRegion" => call.decode().map(|request: pb::SplitTableRegionRequest| {
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                Outcome::pending(split(driver, request, origin))
            }),
            "TruncateRegion" => call.decode().map(|request: pb::TruncateRegionRequest| {
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                Outcome::pending(truncate(driver, request, origin))
            }),
            "MergeTableRegions" => call.decode().map(|request: pb::MergeTableRegionsRequest| {
                let origin = Origin::of(call, request.nonce_group, request.nonce);
                Outcome::pending(merge(driver, request, origin))
            }),
            "RunCatalogScan" => Ok(Outcome::pending(async move {
                let collected = driver.collect_regions().await;
                let scan_result = i32::try_from(collected).ok();
                Ok(Reply::new(&pb::RunCatalogScanResponse { scan_result }))
            })),
            _ => return None,
        };
        Some(outcome.unwrap_or_else(Outcome::exception))
    }
}

async fn split(
    driver: Arc<Driver>,
    request: pb::SplitTableRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    // Sent again, it may find its region divided already.
    if let Some(id) = driver.started(&origin).await? {
        return Ok(Reply::new(&pb::SplitTableRegionResponse { proc_id: Some(id) }));
    }
    let info = RegionInfo::try_from(&request.region_info)
        .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    let (table, region) = (info.table.clone(), info.encoded_name());
    if !driver.read(|core| core.state.switches.kept.split) {
        let name = info.name().escape_ascii().to_string();
        return Err(exceptions::do_not_retry(format!("Split region {name} failed due to split switch off")));
    }
    driver.read(|core| {
        check_enabled(&core.state, &table)?;
        open_region(&core.state, &region).map(drop)
    })?;
    let wanted = request.split_row.clone().filter(|row| !row.is_empty());
    let wanted = wanted.map(|row| driver.read(|core| core.border(&table, row)));
    let found = driver.region_info(&region, wanted.is_none()).await;
    let answer = found.as_ref().ok().filter(|answer| answer.splittable());
    let Some(answer) = answer else {
        let why = found.as_ref().err().map(|error| format!(": {error}")).unwrap_or_default();
        return Err(exceptions::do_not_retry(format!("{region} NOT splittable{why}")));
    };
    let Some(split_row) = wanted.or_else(|| answer.best_split_row.clone()) else {
        return Err(exceptions::do_not_retry(
            "Region not splittable because bestSplitPoint = null, maybe table is too small for auto split. \
             For force split, try specifying split row",
        ));
    };
    let operation = Operation::SplitRegion { table, region, split_row };
    let proc_id = driver.run(operation, origin).await?;
    Ok(Reply::new(&pb::SplitTableRegionResponse { proc_id: Some(proc_id) }))
}

async fn truncate(
    driver: Arc<Driver>,
    request: pb::TruncateRegionRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    // Sent again, it may find another region in the place of its own.
    if let Some(id) = driver.started(&origin).await? {
        return Ok(Reply::new(&pb::TruncateRegionResponse { proc_id: Some(id) }));
    }
    let info = RegionInfo::try_from(&request.region_info)
        .map_err(|error| exceptions::do_not_retry(error.to_string()))?;
    if info.replica_id != 0 {
        return Err(exceptions::do_not_retry("Can't truncate replicas directly"));
    }
    let operation = Operation::TruncateRegion { table: info.table.clone(), region: info.encoded_name() };
    let proc_id = driver.run(operation, origin).await?;
    Ok(Reply::new(&pb::TruncateRegionResponse { proc_id: Some(proc_id) }))
}

async fn merge(
    driver: Arc<Driver>,
    request: pb::MergeTableRegionsRequest,
    origin: Origin,
) -> Result<Reply, RpcException> {
    if let Some(id) = driver.started(&origin).await? {
        return Ok(Reply::new(&pb::MergeTableRegionsResponse { proc_id: Some(id) }));
    }
    let names: Vec<String> = request.region.iter().map(encoded_name).collect::<Result<_, _>>()?;
    let mut infos = driver.read(|core| -> Result<Vec<RegionInfo>, RpcException> {
        let known = |name: &String| core.state.regions.get(name).map(|region| region.info.clone());
        names.iter().map(|name| known(name).ok_or_else(|| exceptions::unknown_region(name.clone()))).collect()
    })?;
    if !driver.read(|core| core.state.switches.kept.merge) {
        let message = format!("Merge of {} failed because merge switch is off", names.join(", "));
        return Err(exceptions::do_not_retry(message));
    }
    infos.sort_by(|a, b| (&a.table.to_bytes(), &a.start_key).cmp(&(&b.table.to_bytes(), &b.start_key)));
    check_neighbours(&infos, request.forcible())?;
    let Some(table) = infos.first().map(|info| info.table.clone()) else {
        return Err(exceptions::merge_region("Need two Regions at least to run a Merge"));
    };
    let regions: Vec<String> = infos.iter().map(RegionInfo::encoded_name).collect();
    driver.read(|core| check_merge(&core.state, &table, &regions))?;
    for region in &regions {
        if !driver.region_info(region, false).await?.mergeable() {
            return Err(exceptions::merge_region(format!(
                "Skip merging {}, because a parent, {region}, is not mergeable",
                regions.join(", ")
            )));
        }
    }
    let operation = Operation::MergeRegions { table, regions };
    let proc_id = driver.run(operation, origin).await?;
    Ok(Reply::new(&pb::MergeTableRegionsResponse { proc_id: Some(proc_id) }))
}

fn check_neighbours(infos: &[RegionInfo], forcible: bool) -> Result<(), RpcException> {
    for pair in infos.windows(2) {
        let [a, b] = pair else { continue };
        if a == b {
            return Err(exceptions::merge_region(format!(
                "Duplicate regions specified; cannot merge a region to itself. Passed in {} but only {} unique.",
                infos.len(),
                infos.iter().map(RegionInfo::encoded_name).collect::<std::collections::BTreeSet<_>>().len()
            )));
        }
        if a.table != b.table {
            return Err(exceptions::merge_region(format!(
                "Can't merge regions from two different tables: {}, and {}",
                a.encoded_name(),
                b.encoded_name()
            )));
        }
        let touch = a.end_key.is_empty() || a.end_key >= b.start_key;
        if !forcible && !touch {
            return Err(exceptions::merge_region(format!(
                "Unable to merge non-adjacent or non-overlapping regions {}, {} when force=false",
                a.encoded_name(),
                b.encoded_name()
            )));
        }
    }
    Ok(())
}
