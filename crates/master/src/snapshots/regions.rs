//! Regions that are served, as a snapshot gets them: flushed, then with the files that their servers say they have.

use std::{path::Path, sync::Arc};

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableDescriptor};
use finback_layout::RootDir;
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};
use pb::snapshot_description::Type;
use tokio::task::JoinSet;

use super::exception;
use crate::{
    action::{Outcome, Output},
    options::Connect,
    region_service_calls as calls,
};

/// Adds regions to a snapshot, all at the same time.
///
/// # Errors
/// The first failure; the others have ended by then.
pub(crate) async fn add_regions(
    connect: &Connect,
    root: &RootDir,
    snapshot: &pb::SnapshotDescription,
    table: &Arc<TableDescriptor>,
    regions: Vec<(ServerName, RegionInfo)>,
) -> Outcome {
    let mut at_work = JoinSet::new();
    for (server, region) in regions {
        let (connect, root) = (Arc::clone(connect), root.clone());
        let (snapshot, table) = (snapshot.clone(), Arc::clone(table));
        at_work.spawn(async move { add(connect, root, snapshot, table, server, region).await });
    }
    let mut result = Ok(Output::Done);
    while let Some(ended) = at_work.join_next().await {
        let ended = ended.unwrap_or_else(|error| Err(exceptions::io(format!("adding a region: {error}"))));
        if let Err(error) = ended
            && result.is_ok()
        {
            result = Err(error);
        }
    }
    result
}

async fn add(
    connect: Connect,
    root: RootDir,
    snapshot: pb::SnapshotDescription,
    table: Arc<TableDescriptor>,
    server: ServerName,
    region: RegionInfo,
) -> Result<(), RpcException> {
    if snapshot.r#type() == Type::Flush {
        calls::flush_region(&connect, &server, &region, None).await?;
    }
    let paths = calls::store_files(&connect, &server, &region).await?;
    let files = paths.iter().map(|path| family_and_name(path)).collect::<Result<Vec<_>, _>>()?;
    let work = move || {
        let add = root.add_region_to_snapshot(&snapshot.name, &table, &region, Some(&files));
        add.map_err(|error| exception(&error))
    };
    let joined = tokio::task::spawn_blocking(work).await;
    joined.unwrap_or_else(|error| Err(exceptions::io(format!("adding a region: {error}"))))
}

/// A store file's path ends in its family and its name.
fn family_and_name(path: &str) -> Result<(Bytes, Vec<String>), RpcException> {
    let mut parts = Path::new(path).components().rev().map(|part| part.as_os_str().to_str());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(name), Some(family)) => Ok((family.to_owned().into(), vec![name.to_owned()])),
        _ => Err(exceptions::io(format!("no store file: {path}"))),
    }
}
