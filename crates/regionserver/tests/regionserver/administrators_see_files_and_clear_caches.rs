//! GetStoreFile, ClearRegionBlockCache, WarmupRegion, UpdateConfiguration; what of a region server has no endpoints.

use crate::world::{Answer, World, region_info, row_name};
use finback_cell::{Bytes, ColumnFamilyDescriptor, TableDescriptor};
use finback_proto::{Message, pb};
use finback_region::RegionConfig;
use finback_regionserver::{AdminService, BackgroundOptions, BootstrapNodeService, SlowCallOptions};
use finback_rpc::{ChannelExt, Loopback};
use std::sync::Arc;
use std::time::Duration;

async fn files_of(world: &World, region: &pb::RegionSpecifier, families: &[&str]) -> Answer<Vec<String>> {
    let family = families.iter().map(|family| Bytes::copy_from_slice(family.as_bytes())).collect();
    let request = pb::GetStoreFileRequest { region: region.clone(), family };
    let answer: pb::GetStoreFileResponse = world.ask_admin("GetStoreFile", &request).await?;
    Ok(answer.store_file)
}

#[tokio::test]
async fn store_files_are_told_by_their_paths() {
    let world = World::new();
    let table = world.table("t").await;
    assert!(files_of(&world, &table.region, &[]).await.unwrap().is_empty());
    for row in ["a", "b"] {
        table.put(row, b"v").await.unwrap();
        table.flush().await.unwrap();
    }
    let files = files_of(&world, &table.region, &["f"]).await.unwrap();
    assert_eq!(files.len(), 2);
    let directory = world.root.family_dir(&table.info.table, &table.info.encoded_name(), b"f");
    for file in &files {
        let path = std::path::Path::new(file.strip_prefix("file:").unwrap());
        assert_eq!(path.parent(), Some(&*directory));
        assert!(world.root.fs().exists(path).unwrap());
    }
    assert_eq!(files_of(&world, &table.region, &[]).await.unwrap(), files);
    let refused = files_of(&world, &table.region, &["g"]).await.unwrap_err();
    assert_eq!(refused.simple_class(), "DoNotRetryIOException");
    assert_eq!(refused.message, "No column family : g available");
}

#[tokio::test]
async fn cached_blocks_go_when_an_administrator_says_so() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..100, b"v").await;
    table.flush().await.unwrap();
    table.get("r000000").await.unwrap();
    let clear = async || -> pb::CacheEvictionStats {
        let elsewhere = finback_proto::convert::specifier_by_name(&region_info("u", "", ""));
        let region = vec![table.region.clone(), elsewhere];
        let request = pb::ClearRegionBlockCacheRequest { region };
        let answer: pb::ClearRegionBlockCacheResponse =
            world.ask_admin("ClearRegionBlockCache", &request).await.unwrap();
        answer.stats
    };
    let stats = clear().await;
    assert!(stats.evicted_blocks() > 0);
    assert!(stats.max_cache_size() > 0);
    let [refused] = &stats.exception[..] else { panic!("{stats:?}") };
    assert_eq!(refused.exception.name, "org.apache.hadoop.hbase.NotServingRegionException");
    assert_eq!(clear().await.evicted_blocks(), 0);
    assert_eq!(table.get("r000000").await.unwrap()[0].1, b"v");
    assert!(clear().await.evicted_blocks() > 0, "it was read again");
}

#[tokio::test]
async fn a_region_is_warmed_up_without_being_opened() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("r", b"v").await.unwrap();
    let warm_up = async |info| {
        let request = pb::WarmupRegionRequest { region_info: info };
        world.ask_admin::<_, pb::WarmupRegionResponse>("WarmupRegion", &request).await
    };
    warm_up((&table.info).into()).await.unwrap();
    world.close(&table.info, 5).await.unwrap();
    world.reported(5).await;
    warm_up((&table.info).into()).await.unwrap();
    assert_eq!(table.get("r").await.unwrap_err().simple_class(), "NotServingRegionException");
    assert!(warm_up((&region_info("u", "", "")).into()).await.is_err(), "no such table");
}

#[tokio::test]
async fn a_table_that_is_never_split_says_so() {
    let world = World::new();
    let info = region_info("t", "", "");
    let policy = "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy";
    let mut table = TableDescriptor::new(info.table.clone());
    table.families = vec![ColumnFamilyDescriptor::with_defaults(b"f")];
    finback_cell::schema::set_entry(&mut table.attributes, "SPLIT_POLICY", policy);
    world.root.create_table_dir(&table, std::slice::from_ref(&info)).unwrap();
    let never = world.table("t").await;
    let always = world.table("u").await;
    for (table, expected) in [(never, false), (always, true)] {
        let request = pb::GetRegionInfoRequest { region: table.region.clone(), ..Default::default() };
        let answer: pb::GetRegionInfoResponse = world.ask_admin("GetRegionInfo", &request).await.unwrap();
        assert_eq!((answer.splittable(), answer.mergeable()), (expected, true));
    }
}

#[tokio::test]
async fn other_settings_of_compactions_count_at_once() {
    let world = World::with(|options| options.region.compaction.min_files = 100);
    let table = world.table("t").await;
    for row in ["a", "b", "c"] {
        table.put(row, b"v").await.unwrap();
        table.flush().await.unwrap();
    }
    assert_eq!(files_of(&world, &table.region, &[]).await.unwrap().len(), 3);
    let server = Arc::clone(&world.server);
    let update = Arc::new(move || {
        let mut region = RegionConfig::default();
        region.compaction.min_files = 2;
        server.reconfigure(region, BackgroundOptions::default());
        Ok(())
    });
    let service = AdminService::new(Arc::clone(&world.server)).on_update_configuration(update);
    let admin = Loopback::new(Arc::new(service));
    let request = pb::UpdateConfigurationRequest {};
    let _: (pb::UpdateConfigurationResponse, _) =
        admin.call("UpdateConfiguration", &request, Bytes::new()).await.unwrap();
    let since = std::time::Instant::now();
    while files_of(&world, &table.region, &[]).await.unwrap().len() > 1 {
        assert!(since.elapsed() < crate::world::LONG, "not compacted");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn endpoints_of_a_server_are_unknown_and_it_is_a_node_to_start_from() {
    let world = World::new();
    let call = pb::CoprocessorServiceCall {
        row: Bytes::new(),
        service_name: "My".into(),
        method_name: "own".into(),
        request: Bytes::new(),
    };
    let request = pb::CoprocessorServiceRequest { region: Default::default(), call };
    let answer = world
        .ask::<_, pb::CoprocessorServiceResponse>("ExecRegionServerService", &request)
        .await
        .unwrap_err();
    assert_eq!(answer.simple_class(), "UnknownProtocolException");
    assert_eq!(answer.message, "No registered coprocessor executorService found for My");

    let nodes = Loopback::new(Arc::new(BootstrapNodeService::new(Arc::clone(&world.server))));
    let request = pb::GetAllBootstrapNodesRequest {};
    let (answer, _): (pb::GetAllBootstrapNodesResponse, _) =
        nodes.call("GetAllBootstrapNodes", &request, Bytes::new()).await.unwrap();
    assert_eq!(answer.node, [world.server.name().into()]);
}

#[tokio::test]
async fn the_flush_of_a_table_asks_for_no_compaction_and_the_master_hears_of_one_at_once() {
    let world = World::with(|options| options.report_interval = crate::world::LONG * 2);
    let table = world.table("t").await;
    let procedure = |class: &str, region: &finback_cell::RegionInfo, family: &[&'static str]| {
        let parameter = pb::FlushRegionParameter {
            region: region.into(),
            column_family: family.iter().map(|family| Bytes::from_static(family.as_bytes())).collect(),
        };
        let proc_data = Some(parameter.encode_to_vec().into());
        let proc =
            pb::RemoteProcedureRequest { proc_class: class.to_owned(), proc_data, ..Default::default() };
        pb::ExecuteProceduresRequest { proc: vec![proc], ..Default::default() }
    };
    let execute = async |request: pb::ExecuteProceduresRequest| {
        world.ask_admin::<_, pb::ExecuteProceduresResponse>("ExecuteProcedures", &request).await
    };
    let flush = "org.apache.hadoop.hbase.regionserver.FlushRegionCallable";
    for row in ["a", "b", "c", "d"] {
        table.put(row, b"v").await.unwrap();
        execute(procedure(flush, &table.info, &["f"])).await.unwrap();
    }
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(files_of(&world, &table.region, &[]).await.unwrap().len(), 4);
    let nowhere = execute(procedure(flush, &region_info("u", "", ""), &[])).await.unwrap_err();
    assert_eq!(nowhere.simple_class(), "NotServingRegionException");
    let unknown = execute(procedure("NoCallable", &table.info, &[])).await.unwrap_err();
    assert_eq!(unknown.simple_class(), "DoNotRetryIOException");

    let request =
        pb::CompactRegionRequest { region: table.region.clone(), major: Some(true), ..Default::default() };
    let _: pb::CompactRegionResponse = world.ask_admin("CompactRegion", &request).await.unwrap();
    let is_told =
        |load: &pb::ServerLoad| load.region_loads.iter().any(|region| region.last_major_compaction_ts() > 0);
    let since = std::time::Instant::now();
    while !world.master.loads.lock().unwrap().iter().any(is_told) {
        assert!(since.elapsed() < crate::world::LONG, "not told");
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn loads_tell_what_files_take() {
    let world = World::new();
    let table = world.table("t").await;
    let load = async || -> pb::RegionLoad {
        let request = pb::GetRegionLoadRequest::default();
        let answer: pb::GetRegionLoadResponse = world.ask_admin("GetRegionLoad", &request).await.unwrap();
        answer.region_loads[0].clone()
    };
    let sizes = |load: &pb::RegionLoad| {
        (load.mem_store_size_mb(), load.storefile_size_mb(), load.store_uncompressed_size_mb())
    };
    assert_eq!(sizes(&load().await), (0, 0, 0));
    table.fill(0..100, b"v").await;
    let unflushed = load().await;
    assert_eq!(sizes(&unflushed), (1, 0, 0), "something is not nothing");
    table.flush().await.unwrap();
    let load = load().await;
    let ids = [&unflushed, &load].map(|load| load.store_complete_sequence_id[0].sequence_id);
    assert!(ids[0] < ids[1], "{ids:?}");
    assert_eq!(load.store_complete_sequence_id.len(), 1);
    assert_eq!(ids[1], load.complete_sequence_id());
    assert_eq!(sizes(&load), (0, 1, 1));
    assert!(load.root_index_size_kb() > 0 && load.total_static_index_size_kb() > 0, "{load:?}");
    assert!(load.total_static_bloom_size_kb() > 0 && load.blocks_total_weight() > 0, "{load:?}");
    assert_eq!(load.blocks_local_weight(), load.blocks_total_weight());
}

#[tokio::test]
async fn logs_of_slow_calls_are_empty_by_default() {
    let world = World::new();
    let request = pb::SlowLogResponseRequest::default();
    let slow: pb::SlowLogResponses = world.ask_admin("GetSlowLogResponses", &request).await.unwrap();
    assert!(slow.slow_log_payloads.is_empty());
    let clear = pb::ClearSlowLogResponseRequest {};
    let cleared: pb::ClearSlowLogResponses = world.ask_admin("ClearSlowLogsResponses", &clear).await.unwrap();
    assert!(!cleared.is_cleaned);
    let entries = async |class: &str| -> Answer<pb::LogEntry> {
        let log_message = request.encode_to_vec().into();
        let request = pb::LogRequest { log_class_name: class.to_owned(), log_message };
        world.ask_admin("GetLogEntries", &request).await
    };
    let entry = entries("org.apache.X$SlowLogResponseRequest").await.unwrap();
    assert!(entry.log_class_name.ends_with("AdminProtos$SlowLogResponses") && entry.log_message.is_empty());
    assert_eq!(entries("org.apache.X$Other").await.unwrap_err().message, "Invalid request params");
}

#[tokio::test]
async fn slow_and_large_calls_are_kept_where_that_is_wanted() {
    let options = SlowCallOptions { slow: Some(Duration::ZERO), large_bytes: Some(1000), kept: Some(5) };
    let world = World::with(|of| of.slow_calls = options);
    let table = world.table("t").await;
    table.fill(0..3, &[b'x'; 600]).await;
    table.get(&row_name(1)).await.unwrap();
    let all = table.open_scan(3);
    let _: (pb::ScanResponse, _) = world.ask("Scan", &all).await.unwrap();
    let log = async |request: pb::SlowLogResponseRequest| -> Vec<pb::SlowLogPayload> {
        let answer: pb::SlowLogResponses = world.ask_admin("GetSlowLogResponses", &request).await.unwrap();
        answer.slow_log_payloads
    };
    let methods = |calls: &[pb::SlowLogPayload]| -> Vec<String> {
        calls.iter().map(|call| call.method_name.clone()).collect()
    };
    let slow = log(pb::SlowLogResponseRequest::default()).await;
    assert_eq!(methods(&slow[..2]), ["Scan", "Get"], "the newest first");
    assert!(slow.iter().all(|call| call.region_name().starts_with("t,")), "{slow:?}");
    assert!(slow[1].param().ends_with(&format!("row= {}", row_name(1))), "{}", slow[1].param());
    assert_eq!(slow[1].server_class, "HRegionServer");
    let large = pb::SlowLogResponseRequest { log_type: Some(1), ..Default::default() };
    assert_eq!(methods(&log(large).await), ["Scan"]);
    let limited = pb::SlowLogResponseRequest { limit: Some(1), ..Default::default() };
    assert_eq!(methods(&log(limited).await), ["Scan"]);
    let filters = |table: &str, user: &str, operator| pb::SlowLogResponseRequest {
        table_name: Some(table.to_owned()),
        user_name: Some(user.to_owned()),
        filter_by_operator: operator,
        ..Default::default()
    };
    assert_eq!(log(filters("other", "nobody", None)).await, []);
    assert_eq!(log(filters("t", "nobody", None)).await, slow, "one of the filters is enough");
    assert_eq!(log(filters("t", "nobody", Some(0))).await, [], "unless all must pass");
    assert_eq!(log(filters("t", &slow[0].user_name, Some(0))).await, slow);
    for _ in 0..10 {
        table.get(&row_name(1)).await.unwrap();
    }
    let kept = pb::SlowLogResponseRequest { limit: Some(1000), ..Default::default() };
    assert_eq!(log(kept.clone()).await.len(), 5);
    let cleared: pb::ClearSlowLogResponses =
        world.ask_admin("ClearSlowLogsResponses", &pb::ClearSlowLogResponseRequest {}).await.unwrap();
    assert!(cleared.is_cleaned);
    assert_eq!(log(kept).await, []);
}
