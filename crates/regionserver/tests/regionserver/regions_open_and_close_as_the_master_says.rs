//! OpenRegion, CloseRegion, their reports; FlushRegion; what a server says of itself.

use crate::world::{Answer, LONG, World, put, region_info, row_name};
use finback_cell::{Bytes, ColumnFamilyDescriptor, RegionInfo, TableDescriptor, schema::set_entry};
use finback_proto::{convert, pb};
use finback_rpc::ChannelExt;
use pb::get_region_info_response::CompactionState;
use pb::region_state_transition::TransitionCode;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[tokio::test]
async fn each_opening_and_closing_is_reported_with_its_procedure() {
    let world = World::new();
    let info = region_info("t", "", "");
    world.create_table(&info, vec![ColumnFamilyDescriptor::with_defaults(b"f")]);
    assert_eq!(world.open(&info, 11).await.unwrap().opening_state, [0]);
    let opened = world.reported(11).await;
    assert_eq!((opened.code, &opened.region), (TransitionCode::Opened, &info.encoded_name()));
    let first = opened.open_sequence_id.unwrap();
    assert!(first > 0);

    // Asked again: it is open already, and says so.
    world.open(&info, 12).await.unwrap();
    let again = world.reported(12).await;
    assert_eq!((again.code, again.open_sequence_id), (TransitionCode::Opened, Some(first)));

    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    assert!(world.close(&info, 13).await.unwrap().closed);
    assert_eq!(world.reported(13).await.code, TransitionCode::Closed);
    assert_not_served(table.put("r", b"w").await);
    assert_not_served(table.get("r").await);
    // A region that is not here: there is nothing to report.
    world.close(&info, 14).await.unwrap();

    world.open(&info, 15).await.unwrap();
    assert!(world.reported(15).await.open_sequence_id.unwrap() > first + 1);
    assert_eq!(table.get("r").await.unwrap()[0].1, b"v");
    let procedures: Vec<i64> = world.master.reports().iter().map(|report| report.procedure).collect();
    assert!(!procedures.contains(&14), "{procedures:?}");
}

/// Far fewer than the requests of these tests ask for.
const FEW_TASKS: usize = 1000;

fn alive_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[tokio::test]
async fn many_regions_in_one_request_are_opened_a_few_at_a_time_and_the_catalog_waits_for_none() {
    let world = World::new();
    let meta = RegionInfo::meta();
    world.create_table(&meta, vec![ColumnFamilyDescriptor::with_defaults(b"info")]);
    // Nobody hears what becomes of them.
    world.master.refusals.store(u32::MAX, Ordering::SeqCst);
    let made_up = |procedure: i64| pb::open_region_request::RegionOpenInfo {
        region: (&RegionInfo { region_id: procedure.unsigned_abs(), ..region_info("t", "a", "b") }).into(),
        open_proc_id: Some(procedure),
        ..Default::default()
    };
    let request =
        pb::OpenRegionRequest { open_info: (1..=5000).map(made_up).collect(), ..Default::default() };
    let answer: pb::OpenRegionResponse = world.ask_admin("OpenRegion", &request).await.unwrap();
    assert_eq!(answer.opening_state.len(), 5000);
    assert!(alive_tasks() < FEW_TASKS);
    world.open(&meta, 5001).await.unwrap();
    world.until_open(&meta).await;
    assert_eq!(world.master.reports(), []);
    world.master.refusals.store(0, Ordering::SeqCst);
    world.reported(5000).await;
}

#[tokio::test]
async fn many_closings_in_one_request_are_carried_out_a_few_at_a_time() {
    let world = World::new();
    let table = world.table("t").await;
    let close = |procedure| pb::CloseRegionRequest {
        region: table.region.clone(),
        close_proc_id: Some(procedure),
        ..Default::default()
    };
    let close_region = (1..=5000).map(close).collect();
    let request = pb::ExecuteProceduresRequest { close_region, ..Default::default() };
    let _: pb::ExecuteProceduresResponse = world.ask_admin("ExecuteProcedures", &request).await.unwrap();
    assert!(alive_tasks() < FEW_TASKS);
    assert_eq!(world.reported(5000).await.code, TransitionCode::Closed);
    assert_not_served(table.get("r").await);
}

#[track_caller]
fn assert_not_served<T: std::fmt::Debug>(answer: Answer<T>) {
    assert_eq!(answer.unwrap_err().simple_class(), "NotServingRegionException");
}

/// The next row of a scanner, or that there is none.
async fn next_row(world: &World, scanner_id: Option<u64>) -> Answer<usize> {
    let next = pb::ScanRequest { scanner_id, number_of_rows: Some(1), ..Default::default() };
    let (found, _): (pb::ScanResponse, _) = world.ask("Scan", &next).await?;
    Ok(found.cells_per_result.len())
}

#[tokio::test]
async fn a_region_is_read_while_it_closes() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    world.faults.pause();
    world.close(&table.info, 11).await.unwrap();
    while world.faults.waiting() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_not_served(table.put("r", b"w").await);
    assert_eq!(table.get("r").await.unwrap()[0].1, b"v");
    world.faults.resume();
    assert_eq!(world.reported(11).await.code, TransitionCode::Closed);
    assert_not_served(table.get("r").await);
}

#[tokio::test]
async fn rows_are_read_until_they_are_opened_here_again() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..3, b"v").await;
    let (opened, _): (pb::ScanResponse, _) = world.ask("Scan", &table.open_scan(1)).await.unwrap();
    world.close_to_open_here(&table.info, 11).await.unwrap();
    assert_eq!(world.reported(11).await.code, TransitionCode::Closed);
    assert_not_served(table.put("r", b"w").await);
    assert_eq!(table.get(&row_name(1)).await.unwrap()[0].1, b"v");
    assert_eq!(next_row(&world, opened.scanner_id).await.unwrap(), 1);
    let online: pb::GetOnlineRegionResponse =
        world.ask_admin("GetOnlineRegion", &pb::GetOnlineRegionRequest {}).await.unwrap();
    assert_eq!(online.region_info, []);

    // Not those of another table.
    world.region("u", "", "").await;
    assert_eq!(table.get(&row_name(1)).await.unwrap()[0].1, b"v");

    // By the same region, as after a split that failed.
    world.open(&table.info, 12).await.unwrap();
    assert_eq!(world.reported(12).await.code, TransitionCode::Opened);
    assert_not_served(next_row(&world, opened.scanner_id).await);
    assert_eq!(table.get(&row_name(1)).await.unwrap()[0].1, b"v");

    // By a daughter.
    world.close_to_open_here(&table.info, 13).await.unwrap();
    assert_eq!(world.reported(13).await.code, TransitionCode::Closed);
    assert_eq!(table.get(&row_name(1)).await.unwrap()[0].1, b"v");
    world.open(&region_info("t", "m", ""), 14).await.unwrap();
    assert_eq!(world.reported(14).await.code, TransitionCode::Opened);
    assert_not_served(table.get(&row_name(1)).await);
}

#[tokio::test]
async fn rows_are_not_read_where_they_could_not_be_opened_again() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    world.close_to_open_here(&table.info, 11).await.unwrap();
    assert_eq!(world.reported(11).await.code, TransitionCode::Closed);
    assert_eq!(table.get("r").await.unwrap()[0].1, b"v");
    // The master may have another server open them now.
    world.faults.fail_from(0);
    world.open(&table.info, 12).await.unwrap();
    assert_eq!(world.reported(12).await.code, TransitionCode::FailedOpen);
    assert_not_served(table.get("r").await);
}

#[tokio::test]
async fn a_replica_is_the_region_but_takes_no_writes() {
    let world = World::new();
    let info = region_info("t", "", "");
    let mut described = TableDescriptor::new(info.table.clone());
    described.families = vec![ColumnFamilyDescriptor::with_defaults(b"f")];
    set_entry(&mut described.attributes, "REGION_REPLICATION", "2");
    world.root.create_table_dir(&described, std::slice::from_ref(&info)).unwrap();
    let table = world.region("t", "", "").await;
    table.put("r", b"v").await.unwrap();

    let region = convert::specifier_by_name(&info.replica(1));
    let get = pb::Get { row: "r".into(), ..Default::default() };
    let get = pb::GetRequest { region: region.clone(), get };
    let (found, _): (pb::GetResponse, _) = world.ask("Get", &get).await.unwrap();
    let found = found.result.unwrap();
    assert_eq!((found.associated_cell_count(), found.stale()), (1, true));
    let scan = pb::ScanRequest { region: Some(region.clone()), ..table.open_scan(10) };
    let (found, _): (pb::ScanResponse, _) = world.ask("Scan", &scan).await.unwrap();
    assert_eq!((found.cells_per_result.len(), found.stale()), (1, true));
    let (found, _): (pb::ScanResponse, _) = world.ask("Scan", &table.open_scan(10)).await.unwrap();
    assert!(!found.stale());

    let write = pb::MutateRequest { region, mutation: put("r", &[("q", b"w")]), ..Default::default() };
    let refused = world.ask::<_, pb::MutateResponse>("Mutate", &write).await.unwrap_err();
    assert_eq!((refused.do_not_retry, &refused.message[..]), (true, "region is read only"));
    let about = pb::GetRegionInfoRequest {
        region: convert::specifier_by_name(&info.replica(1)),
        compaction_state: Some(true),
        ..Default::default()
    };
    let told: pb::GetRegionInfoResponse = world.ask_admin("GetRegionInfo", &about).await.unwrap();
    assert_eq!((told.region_info.replica_id(), told.compaction_state()), (1, CompactionState::None));
    let compact = pb::CompactRegionRequest { region: about.region.clone(), ..Default::default() };
    world.ask_admin::<_, pb::CompactRegionResponse>("CompactRegion", &compact).await.unwrap();
    let third = pb::GetRequest { region: convert::specifier_by_name(&info.replica(2)), ..get };
    let refused = world.ask::<_, pb::GetResponse>("Get", &third).await.unwrap_err();
    assert_eq!(refused.simple_class(), "NotServingRegionException");
    let online: pb::GetOnlineRegionResponse =
        world.ask_admin("GetOnlineRegion", &pb::GetOnlineRegionRequest {}).await.unwrap();
    assert_eq!(online.region_info.iter().map(pb::RegionInfo::replica_id).collect::<Vec<_>>(), [0, 1]);
    let request = pb::GetRegionLoadRequest::default();
    let loads: pb::GetRegionLoadResponse = world.ask_admin("GetRegionLoad", &request).await.unwrap();
    let names: Vec<_> = loads.region_loads.iter().map(|load| load.region_specifier.clone()).collect();
    assert_eq!(names, [info.clone(), info.replica(1)].map(|info| convert::specifier_by_name(&info)));
    let reads: Vec<_> = loads.region_loads.iter().map(pb::RegionLoad::read_requests_count).collect();
    assert!(reads[0] > 0 && reads[1] == 0);
}

#[tokio::test]
async fn a_close_that_is_asked_for_twice_is_reported_twice() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    world.close(&table.info, 11).await.unwrap();
    world.close(&table.info, 12).await.unwrap();
    assert_eq!(world.reported(11).await.code, TransitionCode::Closed);
    assert_eq!(world.reported(12).await.code, TransitionCode::Closed);
    assert_eq!(world.table("t").await.get("r").await.unwrap()[0].1, b"v");
}

#[tokio::test]
async fn a_report_is_repeated_until_the_master_has_heard_it() {
    let world = World::new();
    let info = region_info("t", "", "");
    world.create_table(&info, vec![ColumnFamilyDescriptor::with_defaults(b"f")]);
    world.master.refusals.store(2, Ordering::SeqCst);
    world.open(&info, 11).await.unwrap();
    assert_eq!(world.reported(11).await.code, TransitionCode::Opened);
    assert_eq!(world.master.reports().len(), 1);
}

#[tokio::test]
async fn a_region_that_cannot_be_opened_is_reported_and_may_be_tried_again() {
    let world = World::new();
    // A table that nobody has made.
    let info = region_info("t", "", "");
    world.open(&info, 11).await.unwrap();
    let failed = world.reported(11).await;
    assert_eq!((failed.code, failed.open_sequence_id), (TransitionCode::FailedOpen, None));

    // A store file that is none.
    world.create_table(&info, vec![ColumnFamilyDescriptor::with_defaults(b"f")]);
    let directory = world.root.family_dir(&info.table, &info.encoded_name(), b"f");
    let file = directory.join("0123456789abcdef0123456789abcdef");
    world.root.fs().create_dir_all(&directory).unwrap();
    finback_fs::write_file_durably(&**world.root.fs(), &file, b"no store file").unwrap();
    world.open(&info, 12).await.unwrap();
    assert_eq!(world.reported(12).await.code, TransitionCode::FailedOpen);

    // A disk that fails.
    world.root.fs().remove_file(&file).unwrap();
    world.faults.fail_from(0);
    world.open(&info, 13).await.unwrap();
    assert_eq!(world.reported(13).await.code, TransitionCode::FailedOpen);
    world.faults.heal();
    world.open(&info, 14).await.unwrap();
    assert_eq!(world.reported(14).await.code, TransitionCode::Opened);
    world.table("t").await.put("r", b"v").await.unwrap();
}

#[tokio::test]
async fn a_region_that_cannot_be_flushed_is_not_reported_as_closed() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    world.faults.set_byte_budget(Some(0));
    world.close(&table.info, 11).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(world.master.reports().iter().all(|report| report.procedure != 11));
    // It is still readable here.
    assert_eq!(table.get("r").await.unwrap()[0].1, b"v");
    world.faults.set_byte_budget(None);
    assert_eq!(world.reported(11).await.code, TransitionCode::Closed);
    assert_eq!(world.table("t").await.get("r").await.unwrap()[0].1, b"v");
}

#[tokio::test]
async fn requests_for_an_earlier_life_of_the_server_are_refused() {
    let world = World::new();
    let info = region_info("t", "", "");
    let request = pb::OpenRegionRequest { server_start_code: Some(999), ..Default::default() };
    let opened: Result<pb::OpenRegionResponse, _> = world.ask_admin("OpenRegion", &request).await;
    assert!(opened.unwrap_err().message.contains("999"));
    let close = pb::CloseRegionRequest {
        region: convert::specifier_by_name(&info),
        server_start_code: Some(999),
        ..Default::default()
    };
    let request = pb::ExecuteProceduresRequest { close_region: vec![close], ..Default::default() };
    let closed: Result<pb::ExecuteProceduresResponse, _> =
        world.ask_admin("ExecuteProcedures", &request).await;
    assert!(closed.unwrap_err().do_not_retry);
}

#[tokio::test]
async fn a_flush_says_whether_there_was_something_to_flush() {
    let world = World::new();
    let table = world.table("t").await;
    assert_eq!(table.flush().await.unwrap().flushed, Some(false));
    table.put("r", b"v").await.unwrap();
    let flush = table.flush().await.unwrap();
    assert_eq!(flush.flushed, Some(true));
    table.put("r", b"w").await.unwrap();
    let request = |family: Option<&'static [u8]>, if_older_than_ts| pb::FlushRegionRequest {
        region: table.region.clone(),
        family: family.map(Bytes::from_static),
        if_older_than_ts,
        ..Default::default()
    };
    let older = request(None, Some(flush.last_flush_time));
    let skipped: pb::FlushRegionResponse = world.ask_admin("FlushRegion", &older).await.unwrap();
    assert_eq!((skipped.flushed, skipped.last_flush_time), (Some(false), flush.last_flush_time));
    let unknown: Result<pb::FlushRegionResponse, _> =
        world.ask_admin("FlushRegion", &request(Some(b"nope"), None)).await;
    assert_eq!(unknown.unwrap_err().simple_class(), "NoSuchColumnFamilyException");
    let one: pb::FlushRegionResponse =
        world.ask_admin("FlushRegion", &request(Some(b"f"), None)).await.unwrap();
    assert_eq!(one.flushed, Some(true));
    let files = world.root.list_store_files(&table.info.table, &table.info.encoded_name(), b"f").unwrap();
    assert_eq!(files.len(), 2);
}

#[tokio::test]
async fn whether_a_region_was_flushed_lately_its_family_says_that_was_not_for_longest() {
    let world = World::new();
    let families =
        vec![ColumnFamilyDescriptor::with_defaults(b"f"), ColumnFamilyDescriptor::with_defaults(b"g")];
    world.create_table(&region_info("t", "", ""), families);
    let table = world.table("t").await;
    let request = |family: Option<&'static [u8]>, if_older_than_ts| pb::FlushRegionRequest {
        region: table.region.clone(),
        family: family.map(Bytes::from_static),
        if_older_than_ts,
        ..Default::default()
    };
    let skipped: pb::FlushRegionResponse =
        world.ask_admin("FlushRegion", &request(None, Some(0))).await.unwrap();
    let opened = skipped.last_flush_time;
    tokio::time::sleep(Duration::from_millis(10)).await;
    table.put("r", b"v").await.unwrap();
    let one: pb::FlushRegionResponse =
        world.ask_admin("FlushRegion", &request(Some(b"f"), None)).await.unwrap();
    assert_eq!((one.flushed, one.last_flush_time), (Some(true), opened));
    table.put("r", b"w").await.unwrap();
    let all: pb::FlushRegionResponse =
        world.ask_admin("FlushRegion", &request(None, Some(opened + 1))).await.unwrap();
    assert_eq!((all.flushed, all.last_flush_time > opened), (Some(true), true));
}

#[tokio::test]
async fn a_stop_leaves_nothing_to_replay() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..100, b"v").await;
    world.server.stop().await;
    assert_eq!(table.put("r", b"v").await.unwrap_err().simple_class(), "NotServingRegionException");
    let world = world.crash();
    let info = region_info("t", "", "");
    let region = world.root.region_dir(&info.table, &info.encoded_name());
    let left = finback_wal::recovered_edits(&**world.root.fs(), &region).unwrap();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(world.table("t").await.get("r000050").await.unwrap()[0].1, b"v");
}

#[tokio::test]
async fn a_server_registers_reports_its_load_and_asks_the_master_for_its_clients() {
    let world = World::new();
    let table = world.table("t").await;
    let since = Instant::now();
    while world.master.loads.lock().unwrap().is_empty() {
        assert!(since.elapsed() < LONG);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(world.master.registrations.load(Ordering::SeqCst), 1);
    table.put("r", b"v").await.unwrap();
    let request = pb::GetRegionLoadRequest::default();
    let load: pb::GetRegionLoadResponse = world.ask_admin("GetRegionLoad", &request).await.unwrap();
    assert_eq!(load.region_loads[0].write_requests_count(), 1);

    let (id, _): (pb::GetClusterIdResponse, _) =
        world.meta.call("GetClusterId", &pb::GetClusterIdRequest::default(), Bytes::new()).await.unwrap();
    assert_eq!(id.cluster_id(), "the cluster");
    let (nodes, _): (pb::GetBootstrapNodesResponse, _) = world
        .meta
        .call("GetBootstrapNodes", &pb::GetBootstrapNodesRequest::default(), Bytes::new())
        .await
        .unwrap();
    assert_eq!(nodes.server_name[0].host_name, "localhost");
}

#[tokio::test]
async fn what_was_asked_of_a_region_counts_when_it_is_closed() {
    let world = World::with(|options| options.report_interval = Duration::from_millis(10));
    world.table("t").await;
    let table = world.table("u").await;
    for _ in 0..100 {
        table.put("r", b"v").await.unwrap();
    }
    world.close(&table.info, 11).await.unwrap();
    world.reported(11).await;
    world.master.loads.lock().unwrap().clear();
    let since = Instant::now();
    let load = loop {
        assert!(since.elapsed() < LONG);
        let told = world.master.loads.lock().unwrap().pop();
        match told {
            Some(load) if load.region_loads.len() == 1 => break load,
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    assert!(load.total_number_of_requests() >= 100, "{load:?}");
}

#[tokio::test]
async fn a_server_tells_the_port_of_its_web_page() {
    for (info_port, told) in [(16030, Some(16030)), (0, None)] {
        let world = World::with(|options| options.info_port = info_port);
        let answer: pb::GetServerInfoResponse =
            world.ask_admin("GetServerInfo", &pb::GetServerInfoRequest {}).await.unwrap();
        assert_eq!(answer.server_info.webui_port, told);
    }
}
