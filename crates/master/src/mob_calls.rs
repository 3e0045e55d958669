//! What clients ask of all MOB files of a table (`CompactType.MOB`): they name a region that stands for these, and that no server
//! has. HBase's masters before 2.3 merged MOB files themselves. Since then that is part of the compactions of regions that
//! somebody asks for, and masters tell no more than whether there is one. Here they ask the servers for such compactions, too.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableDescriptor, TableName};
use finback_proto::pb;
use finback_rpc::{Reply, RpcException, exceptions};
use pb::{get_region_info_response::CompactionState, table_state::State as TableState};

use crate::{
    driver::Driver,
    operation::find,
    region_service_calls as calls,
    state::{ClusterState, Region},
};

/// The region that stands for a table's MOB files, if that is its name.
pub(crate) fn mob_region(name: &[u8]) -> Option<RegionInfo> {
    let table = name.split(|byte| *byte == b',').next()?;
    let table = TableName::parse(table).ok()?;
    let region = RegionInfo::of_mob_files(table);
    (region.name() == name).then_some(region)
}

/// Has the values of a table's families, or of one, written anew that are in MOB files. Does not wait for it.
///
/// # Errors
/// In HBase's words why there is nothing to do; those of the servers.
pub(crate) async fn compact(
    driver: Arc<Driver>,
    table: TableName,
    family: Option<Bytes>,
) -> Result<Reply, RpcException> {
    let (families, regions) = driver.read(|core| -> Result<_, RpcException> {
        let known = find(&core.state, &table)?;
        if known.state != TableState::Enabled {
            return Err(exceptions::do_not_retry(format!("Table {table} is not enabled")));
        }
        let families = mob_families(known.descriptor.as_deref(), family.as_ref())?;
        Ok((families, located(&core.state, &table)))
    })?;
    for (server, region) in &regions {
        for family in &families {
            match calls::compact_family(driver.connect(), server, region, family.clone()).await {
                // Gone meanwhile.
                Err(error) if error.simple_class() == "NotServingRegionException" => {}
                asked => drop(asked?),
            }
        }
    }
    Ok(Reply::new(&pb::CompactRegionResponse::default()))
}

/// Those that have MOB files; of one that is named, whether it has.
fn mob_families(table: Option<&TableDescriptor>, wanted: Option<&Bytes>) -> Result<Vec<Bytes>, RpcException> {
    let families = table.map(|table| table.families.as_slice()).unwrap_or_default();
    let is_wanted = |name: &Bytes| wanted.is_none_or(|wanted| wanted == name);
    let mut found = Vec::new();
    for family in families.iter().filter(|family| is_wanted(&family.name)) {
        match (family.mob_threshold_bytes(), wanted) {
            (Some(_), _) => found.push(family.name.clone()),
            (None, None) => {}
            (None, Some(name)) => {
                let name = String::from_utf8_lossy(name);
                let message = format!("Column family {name} is not a mob column family");
                return Err(exceptions::do_not_retry(message));
            }
        }
    }
    match found.is_empty() {
        true => Err(exceptions::do_not_retry("No mob column families are assigned in the mob compaction")),
        false => Ok(found),
    }
}

/// Whether there is one. As in HBase it has both names then; what compactions there are of few files is nothing to MOB files.
pub(crate) async fn compaction_state(
    driver: &Driver,
    table: &TableName,
) -> Result<CompactionState, RpcException> {
    let regions = driver.read(|core| located(&core.state, table));
    for (server, region) in &regions {
        match calls::compaction_state(driver.connect(), server, region).await {
            // Gone meanwhile.
            Err(error) if error.simple_class() == "NotServingRegionException" => {}
            asked => {
                if matches!(asked?, CompactionState::Major | CompactionState::MajorAndMinor) {
                    return Ok(CompactionState::MajorAndMinor);
                }
            }
        }
    }
    Ok(CompactionState::None)
}

/// The regions of a table that are open, and the servers that have them.
fn located(state: &ClusterState, table: &TableName) -> Vec<(ServerName, RegionInfo)> {
    let located = |region: &Region| Some((region.location()?.clone(), region.info.clone()));
    let regions = state.assignable_regions_of(table);
    regions.iter().filter_map(|encoded| located(state.regions.get(encoded)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_of_mob_files_goes_by_the_name_that_clients_give_it() {
        let region = RegionInfo::of_mob_files(TableName::parse(b"t").unwrap());
        let name = region.name();
        assert!(name.starts_with(b"t,.mob,0."));
        assert_eq!(mob_region(&name), Some(region));
        for other in
            [&b"t,.mob,1.b0d5ee6d5b0ea4a7ac9a7d4ad4bd4c02."[..], b"t,,0.", b"", b",,", b"a:b:c,.mob,0."]
        {
            assert_eq!(mob_region(other), None);
        }
    }
}
