//! `GetStoreFile`, `ClearRegionBlockCache` and `WarmupRegion`: the files of regions, and what of them is in memory.

use crate::exceptions::exception;
use crate::regions::ReadFrom;
use crate::server::RegionServer;
use finback_cell::RegionInfo;
use finback_proto::pb;
use finback_region::{Region, RegionError};
use finback_rpc::{Call, Reply, RpcException, exceptions};
use std::sync::Arc;

/// Where the files of a region are, or of some of its families.
pub(crate) fn store_files(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::GetStoreFileRequest = call.decode()?;
    let region = server.regions.find_or_replica(&request.region)?.region;
    let missing = |family: &&finback_cell::Bytes| region.table().family(family).is_none();
    if let Some(family) = request.family.iter().find(missing) {
        // HBase's IllegalArgumentException would have its clients ask again and again.
        let family = String::from_utf8_lossy(family);
        return Err(exceptions::do_not_retry(format!("No column family : {family} available")));
    }
    let paths = region.store_file_paths(&request.family).map_err(|error| exception(&error))?;
    let store_file = paths.iter().map(|path| format!("file:{}", path.display())).collect();
    Ok(Reply::new(&pb::GetStoreFileResponse { store_file }))
}

/// Drops what the block cache has of some regions; those that are not here are told, and keep nothing from the others.
pub(crate) fn clear_block_cache(server: &RegionServer, call: &Call) -> Result<Reply, RpcException> {
    let request: pb::ClearRegionBlockCacheRequest = call.decode()?;
    let (mut evicted, mut refused) = (0, Vec::new());
    for specifier in request.region {
        match server.regions.find_or_replica(&specifier) {
            Ok(ReadFrom { region, .. }) => evicted += region.clear_block_cache(),
            Err(error) => refused.push(pb::RegionExceptionMessage {
                region: specifier,
                exception: pb::NameBytesPair {
                    name: error.class.clone().into_owned(),
                    value: Some(error.message.into()),
                },
            }),
        }
    }
    let stats = pb::CacheEvictionStats {
        evicted_blocks: i64::try_from(evicted).ok(),
        bytes_evicted: None,
        max_cache_size: i64::try_from(server.block_cache_bytes()).ok(),
        exception: refused,
    };
    Ok(Reply::new(&pb::ClearRegionBlockCacheResponse { stats }))
}

/// Reads what an opening of a region would read first, so that the opening is fast. Does nothing for one that is here.
pub(crate) async fn warm_up(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::WarmupRegionRequest = call.decode()?;
    let info = RegionInfo::try_from(&request.region_info)?;
    if !server.regions.is_known(info.encoded_name().as_bytes()) {
        let _turn = server.open_turns.acquire().await;
        let root = server.root().clone();
        let warmed = tokio::task::spawn_blocking(move || {
            let table = root.read_table_descriptor(&info.table).map_err(RegionError::from)?;
            Region::warm_up(&root, &info, &table)
        });
        let warmed = warmed.await.map_err(|error| exceptions::io(format!("warming up panicked: {error}")))?;
        warmed.map_err(|error| exception(&error))?;
    }
    Ok(Reply::new(&pb::WarmupRegionResponse {}))
}
