//! What clients ask of all MOB files of a table (`CompactType.MOB`): they name a region that stands for these, and that no server
//! has. HBase's masters before 2.5 merged MOB files themselves. Since then that is part of the compactions of regions that
//! somebody asks for; masters do not know the region any more when they are asked for one (HBASE-23571), and tell of those that
//! they began themselves. Here they ask the servers for such compactions, and whether there is one.

use std::sync::Arc;

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableDescriptor, TableName};
use finback_proto::pb;
use finback_rpc::{Reply, RpcException, exceptions};
use pb::{get_region_info_response::CompactionState, table_state::State as TableState};
use tokio::task::JoinSet;

use crate::{
    driver::Driver,
    operation::find,
    options::Connect,
    region_service_calls as calls,
    state::{ClusterState, Region},
};

/// So many regions of a table are asked at a time.
const MAX_AT_ONCE: usize = 32;

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
    let (connect, families) = (driver.connect(), Arc::<[Bytes]>::from(families));
    ask(regions, |server, region| {
        compact_families(Arc::clone(connect), server, region, Arc::clone(&families))
    })
    .await?;
    Ok(Reply::new(&pb::CompactRegionResponse::default()))
}

async fn compact_families(
    connect: Connect,
    server: ServerName,
    region: RegionInfo,
    families: Arc<[Bytes]>,
) -> Result<(), RpcException> {
    for family in families.iter() {
        calls::compact_family(&connect, &server, &region, family.clone()).await?;
    }
    Ok(())
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
    let connect = driver.connect();
    let states = ask(regions, |server, region| state_of(Arc::clone(connect), server, region)).await?;
    let is_major =
        |state: &CompactionState| matches!(state, CompactionState::Major | CompactionState::MajorAndMinor);
    match states.iter().any(is_major) {
        true => Ok(CompactionState::MajorAndMinor),
        false => Ok(CompactionState::None),
    }
}

async fn state_of(
    connect: Connect,
    server: ServerName,
    region: RegionInfo,
) -> Result<CompactionState, RpcException> {
    calls::compaction_state(&connect, &server, &region).await
}

/// What regions answer, in any order; those that are elsewhere meanwhile answer nothing.
///
/// # Errors
/// The first: those that are being asked are not waited for, and no others are asked.
async fn ask<T, A>(
    regions: Vec<(ServerName, RegionInfo)>,
    question: impl Fn(ServerName, RegionInfo) -> A,
) -> Result<Vec<T>, RpcException>
where
    T: Send + 'static,
    A: Future<Output = Result<T, RpcException>> + Send + 'static,
{
    let mut regions = regions.into_iter();
    let (mut asked, mut answers) = (JoinSet::new(), Vec::new());
    loop {
        for (server, region) in regions.by_ref().take(MAX_AT_ONCE.saturating_sub(asked.len())) {
            asked.spawn(question(server, region));
        }
        let Some(ended) = asked.join_next().await else { return Ok(answers) };
        match ended.unwrap_or_else(|error| Err(exceptions::io(format!("asking a region: {error}")))) {
            Err(error) if is_not_serving(&error) => {}
            answer => answers.push(answer?),
        }
    }
}

/// Whether a server says that it does not have the region, or not yet.
fn is_not_serving(exception: &RpcException) -> bool {
    matches!(
        exception.simple_class(),
        "NotServingRegionException" | "RegionMovedException" | "RegionOpeningException"
    )
}

/// The regions of a table that are open, and the servers that have them.
fn located(state: &ClusterState, table: &TableName) -> Vec<(ServerName, RegionInfo)> {
    let located = |region: &Region| Some((region.location()?.clone(), region.info.clone()));
    let regions = state.assignable_regions_of(table);
    regions.iter().filter_map(|encoded| located(state.regions.get(encoded)?)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn regions(count: u64) -> Vec<(ServerName, RegionInfo)> {
        let (server, table) = (ServerName::parse("h,1,2").unwrap(), TableName::parse(b"t").unwrap());
        let region = |id| RegionInfo::new(table.clone(), Bytes::new(), Bytes::new(), id);
        (0..count).map(|id| (server.clone(), region(id))).collect()
    }

    #[tokio::test]
    async fn regions_that_are_elsewhere_meanwhile_answer_nothing() {
        let question = |_, region: RegionInfo| async move {
            match region.region_id % 4 {
                0 => Err(exceptions::not_serving_region("t")),
                1 => Err(exceptions::region_opening("t")),
                2 => Err(exceptions::region_moved("h", 1, 2, 3)),
                _ => Ok(region.region_id),
            }
        };
        let mut answers = ask(regions(400), question).await.unwrap();
        answers.sort_unstable();
        assert_eq!(answers, (3..400).step_by(4).collect::<Vec<u64>>());
        let refuses = |_, region: RegionInfo| async move {
            match region.region_id {
                7 => Err(exceptions::io("broken")),
                _ => Ok(()),
            }
        };
        assert_eq!(ask(regions(8), refuses).await.unwrap_err().simple_class(), "IOException");
    }

    #[tokio::test]
    async fn some_regions_are_asked_at_a_time() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let question = |_, _| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, RpcException>(())
            }
        };
        assert_eq!(ask(regions(200), question).await.unwrap().len(), 200);
        assert_eq!(most.load(Ordering::SeqCst), MAX_AT_ONCE);
    }

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
