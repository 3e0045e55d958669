//! Compactions tell how far they are, end when they are told to, and begin again; flushes wait for stores that have too
//! many files.

use crate::world::{FAMILY, LONG, Table, World, region_info};
use finback_cell::schema::set_entry;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_proto::pb;
use finback_regionserver::{RegionServerOptions, ThroughputBounds};
use pb::get_region_info_response::CompactionState;
use std::time::{Duration, Instant};

const VALUE: [u8; 10_000] = [b'v'; 10_000];
/// What a slow compaction takes a minute for.
const ROWS: usize = 390;

/// Compactions write a block a second.
fn slowly(options: &mut RegionServerOptions) {
    let bytes = 64 << 10;
    let bounds = ThroughputBounds { lower: bytes, higher: bytes, off_peak: Some(bytes), tune_period: LONG };
    options.background.compaction_throughput = Some(bounds);
}

async fn ask<A: finback_proto::Message + Default>(
    world: &World,
    method: &'static str,
    request: &impl finback_proto::Message,
) -> A {
    world.ask_admin(method, request).await.unwrap()
}

async fn load(world: &World) -> pb::RegionLoad {
    let response: pb::GetRegionLoadResponse =
        ask(world, "GetRegionLoad", &pb::GetRegionLoadRequest::default()).await;
    response.region_loads.into_iter().next().unwrap()
}

pub(crate) async fn switch(world: &World, enabled: bool) -> bool {
    let response: pb::CompactionSwitchResponse =
        ask(world, "CompactionSwitch", &pb::CompactionSwitchRequest { enabled }).await;
    response.prev_state
}

async fn compact_all(table: &Table<'_>) {
    let request = pb::CompactRegionRequest { region: table.region.clone(), major: Some(true), family: None };
    let _: pb::CompactRegionResponse = ask(table.world, "CompactRegion", &request).await;
}

async fn two_files(table: &Table<'_>) {
    for half in [0..ROWS / 2, ROWS / 2..ROWS] {
        table.fill(half, &VALUE).await;
        table.flush().await.unwrap();
    }
}

fn files(table: &Table<'_>) -> usize {
    let (info, root) = (&table.info, &table.world.root);
    root.list_store_files(&info.table, &info.encoded_name(), FAMILY).unwrap().len()
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let since = Instant::now();
    while !holds().await {
        assert!(since.elapsed() < LONG, "not {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits for a compaction that is under way and has read some of its cells.
async fn until_half_way(world: &World) -> pb::RegionLoad {
    let since = Instant::now();
    loop {
        let load = load(world).await;
        if load.current_compacted_k_vs() > 0 {
            return load;
        }
        assert!(since.elapsed() < LONG, "{load:?}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_tells_how_far_it_is_and_ends_with_its_region() {
    let world = World::with(slowly);
    let table = world.table("t").await;
    two_files(&table).await;
    let before = load(&world).await;
    assert_eq!((before.total_compacting_k_vs(), before.current_compacted_k_vs()), (0, 0));
    assert_eq!(before.compaction_state(), pb::region_load::CompactionState::None);
    assert_eq!(before.last_major_compaction_ts(), 0);
    compact_all(&table).await;
    let half_way = until_half_way(&world).await;
    assert_eq!(half_way.total_compacting_k_vs(), ROWS as u64);
    assert!(half_way.current_compacted_k_vs() < ROWS as u64, "{half_way:?}");
    assert_eq!(half_way.compaction_state(), pb::region_load::CompactionState::Major);
    // It would take a minute.
    let since = Instant::now();
    world.close(&table.info, 7).await.unwrap();
    world.reported(7).await;
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
    assert_eq!(files(&table), 2);
    let temporary = world.root.family_temp_dir(&table.info.table, &table.info.encoded_name(), FAMILY);
    assert_eq!(world.root.fs().list(&temporary).map(|entries| entries.len()).unwrap_or(0), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_switch_cancels_compactions_and_lets_there_be_none() {
    let world = World::with(slowly);
    let table = world.table("t").await;
    two_files(&table).await;
    compact_all(&table).await;
    until_half_way(&world).await;
    assert!(switch(&world, false).await);
    assert!(!switch(&world, false).await);
    until("cancelled", async || {
        load(&world).await.compaction_state() == pb::region_load::CompactionState::None
    })
    .await;
    assert_eq!(files(&table), 2);
    compact_all(&table).await;
    assert_eq!(load(&world).await.compaction_state(), pb::region_load::CompactionState::None);
    assert!(!switch(&world, true).await);
    compact_all(&table).await;
    until_half_way(&world).await;
    // Those that wait are forgotten, those under way are not.
    let clear = |name: &str| pb::ClearCompactionQueuesRequest { queue_name: vec![name.to_owned()] };
    for name in ["long", "short"] {
        let _: pb::ClearCompactionQueuesResponse = ask(&world, "ClearCompactionQueues", &clear(name)).await;
    }
    assert_eq!(load(&world).await.compaction_state(), pb::region_load::CompactionState::Major);
    let refused: Result<pb::ClearCompactionQueuesResponse, _> =
        world.ask_admin("ClearCompactionQueues", &clear("none")).await;
    assert!(refused.is_err());
    world.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_does_not_wait_for_a_compaction() {
    let world = World::with(slowly);
    let table = world.table("t").await;
    two_files(&table).await;
    compact_all(&table).await;
    until_half_way(&world).await;
    let since = Instant::now();
    world.server.stop().await;
    assert!(since.elapsed() < LONG, "{:?}", since.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flush_waits_until_a_store_with_too_many_files_is_compacted() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 300_000;
        options.region.compaction.min_files = 3;
        options.region.compaction.blocking_files = 3;
        options.background.blocking_wait = LONG * 100;
        options.background.compactions_enabled = false;
    });
    let table = world.table("t").await;
    for row in 0..4 {
        table.fill(row..row + 1, &VALUE).await;
        table.flush().await.unwrap();
    }
    assert_eq!(files(&table), 4);
    // With compactions the flush waits for one, and comes when it is over.
    switch(&world, true).await;
    table.fill(100..140, &VALUE).await;
    let flushed = async || load(&world).await.mem_store_size_mb() == 0 && files(&table) < 4;
    until("flushed and compacted", flushed).await;
    assert_eq!(table.get(&crate::world::row_name(139)).await.unwrap()[0].1, VALUE);
    let request = pb::GetRegionInfoRequest {
        region: table.region.clone(),
        compaction_state: Some(true),
        ..Default::default()
    };
    until("calm", async || {
        let info: pb::GetRegionInfoResponse = ask(&world, "GetRegionInfo", &request).await;
        info.compaction_state() == CompactionState::None
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flush_waits_no_longer_than_the_blocking_wait() {
    let world = World::with(|options| {
        slowly(options);
        options.region.flush_size_bytes = 4 << 20;
        // Three files are too many, and with one more compactions are not in haste yet.
        options.region.compaction.min_files = 3;
        options.region.compaction.blocking_files = 2;
        options.background.blocking_wait = Duration::from_millis(300);
    });
    let table = world.table("t").await;
    switch(&world, false).await;
    for part in 0..3 {
        table.fill(part * ROWS / 3..(part + 1) * ROWS / 3, &VALUE).await;
        table.flush().await.unwrap();
    }
    switch(&world, true).await;
    table.fill(ROWS..ROWS + 600, &VALUE).await;
    until("flushed", async || files(&table) >= 4).await;
    world.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_forbids_compactions_gets_none_and_is_flushed_however_many_files_it_has() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 300_000;
        options.region.compaction.min_files = 3;
        options.region.compaction.blocking_files = 3;
        options.background.blocking_wait = LONG * 100;
    });
    let info = region_info("t", "", "");
    let families = vec![ColumnFamilyDescriptor::with_defaults(FAMILY)];
    let mut descriptor = TableDescriptor { families, ..TableDescriptor::new(info.table.clone()) };
    set_entry(&mut descriptor.attributes, "COMPACTION_ENABLED", "false");
    world.root.create_table_dir(&descriptor, std::slice::from_ref(&info)).unwrap();
    let table = world.table("t").await;
    for row in 0..4 {
        table.fill(row..row + 1, &VALUE).await;
        table.flush().await.unwrap();
    }
    assert_eq!(files(&table), 4);
    table.fill(100..140, &VALUE).await;
    until("flushed", async || files(&table) > 4).await;
    // Not even when somebody asks for it.
    compact_all(&table).await;
    assert_eq!(load(&world).await.compaction_state(), pb::region_load::CompactionState::None);
    assert!(files(&table) > 4);
}
