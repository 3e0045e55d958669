//! Calls that only ask: what is there, where, in what state.

mod cluster;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use cluster::{Cluster, create_request, pb_name, refusal, store::Store, table, table_name};
use finback_fs::{CrashMode, MemFileSystem};
use finback_master::MasterStatus;
use finback_proto::{convert, pb};

const NOW: u64 = 1_700_000_000_000;

async fn with_tables() -> Cluster {
    let cluster = Cluster::start().await;
    let request = pb::CreateNamespaceRequest {
        namespace_descriptor: convert::namespace_descriptor("ns", &[]),
        ..Default::default()
    };
    let response: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    for name in ["t1", "t2", "other", "ns:t1"] {
        cluster.create(name, &["f"], &[]).await.unwrap();
    }
    cluster.disable("other").await.unwrap();
    cluster
}

fn shown(names: &[pb::TableName]) -> Vec<String> {
    names.iter().map(|name| finback_cell::TableName::try_from(name).unwrap().to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn whoever_follows_knows_what_is_done_before_the_client_that_asked_for_it() {
    let cluster = with_tables().await;
    let followed = Arc::new(Mutex::new(MasterStatus::default()));
    let follower = Arc::clone(&followed);
    cluster.master.follow(move |status| follower.lock().unwrap().clone_from(status));
    assert!(followed.lock().unwrap().namespaces.contains_key("ns"), "what was before is told at once");

    cluster.enable("other").await.unwrap();
    assert_eq!(followed.lock().unwrap().table_states[&table_name("other")], pb::table_state::State::Enabled);
    cluster.disable("ns:t1").await.unwrap();
    cluster.delete("ns:t1").await.unwrap();
    let request = pb::DeleteNamespaceRequest { namespace_name: "ns".into(), ..Default::default() };
    let response: pb::DeleteNamespaceResponse = cluster.call("DeleteNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    assert!(!followed.lock().unwrap().namespaces.contains_key("ns"));
}

#[tokio::test(start_paused = true)]
async fn tables_are_listed_by_pattern_namespace_and_state() {
    let cluster = with_tables().await;
    let names = async |regex: Option<&str>, namespace: Option<&str>, system| {
        let request = pb::GetTableNamesRequest {
            regex: regex.map(str::to_owned),
            include_sys_tables: Some(system),
            namespace: namespace.map(str::to_owned),
        };
        let response: pb::GetTableNamesResponse = cluster.call("GetTableNames", &request).await.unwrap();
        shown(&response.table_names)
    };
    assert_eq!(names(None, None, false).await, ["other", "t1", "t2", "ns:t1"]);
    assert_eq!(
        names(None, None, true).await,
        ["other", "t1", "t2", "hbase:meta", "hbase:namespace", "ns:t1"]
    );
    assert_eq!(names(Some("t.*"), None, false).await, ["t1", "t2"]);
    assert_eq!(names(Some(".*t1"), None, false).await, ["t1", "ns:t1"]);
    assert_eq!(names(Some("default:t1"), None, false).await, ["t1"]);
    assert_eq!(names(None, Some("ns"), false).await, ["ns:t1"]);
    assert_eq!(names(None, Some("no"), false).await, [] as [&str; 0]);
    let bad = pb::GetTableNamesRequest { regex: Some("(".into()), ..Default::default() };
    assert_eq!(
        refusal(cluster.call::<_, pb::GetTableNamesResponse>("GetTableNames", &bad).await).0,
        "DoNotRetryIOException"
    );

    let by_namespace = pb::ListTableNamesByNamespaceRequest { namespace_name: "hbase".into() };
    let found: pb::ListTableNamesByNamespaceResponse =
        cluster.call("ListTableNamesByNamespace", &by_namespace).await.unwrap();
    assert_eq!(shown(&found.table_name), ["hbase:meta", "hbase:namespace"]);
    let unknown = pb::ListTableNamesByNamespaceRequest { namespace_name: "no".into() };
    let answer =
        cluster.call::<_, pb::ListTableNamesByNamespaceResponse>("ListTableNamesByNamespace", &unknown).await;
    assert_eq!(refusal(answer), ("NamespaceNotFoundException".into(), "no".into()));
    let by_namespace = pb::ListTableDescriptorsByNamespaceRequest { namespace_name: "ns".into() };
    let found: pb::ListTableDescriptorsByNamespaceResponse =
        cluster.call("ListTableDescriptorsByNamespace", &by_namespace).await.unwrap();
    assert_eq!(found.table_schema.len(), 1);

    let by_state = pb::ListTableNamesByStateRequest { is_enabled: false };
    let found: pb::ListTableNamesByStateResponse =
        cluster.call("ListTableNamesByState", &by_state).await.unwrap();
    assert_eq!(shown(&found.table_names), ["other"]);
    let by_state = pb::ListTableDescriptorsByStateRequest { is_enabled: true };
    let found: pb::ListTableDescriptorsByStateResponse =
        cluster.call("ListTableDescriptorsByState", &by_state).await.unwrap();
    assert_eq!(found.table_schema.len(), 5);
}

#[tokio::test(start_paused = true)]
async fn descriptors_are_found_by_name_or_pattern() {
    let cluster = with_tables().await;
    let descriptors = async |request: pb::GetTableDescriptorsRequest| {
        let found: pb::GetTableDescriptorsResponse =
            cluster.call("GetTableDescriptors", &request).await.unwrap();
        let names: Vec<_> = found.table_schema.into_iter().filter_map(|schema| schema.table_name).collect();
        shown(&names)
    };
    let named = |names: &[&str]| pb::GetTableDescriptorsRequest {
        table_names: names.iter().map(|name| pb_name(name)).collect(),
        ..Default::default()
    };
    assert_eq!(descriptors(named(&["t2", "no", "hbase:meta"])).await, ["t2", "hbase:meta"]);
    // However often a name is there: a descriptor is long, and a name short.
    assert_eq!(descriptors(named(&["t2", "t1", "t2", "t2", "t1"])).await, ["t2", "t1"]);
    assert_eq!(descriptors(named(&["no"])).await, [] as [&str; 0]);
    assert_eq!(descriptors(Default::default()).await, ["other", "t1", "t2", "ns:t1"]);
    let pattern = pb::GetTableDescriptorsRequest {
        regex: Some("hbase:.*".into()),
        include_sys_tables: Some(true),
        ..Default::default()
    };
    assert_eq!(descriptors(pattern).await, ["hbase:meta", "hbase:namespace"]);
    let state = pb::GetTableStateRequest { table_name: pb_name("no") };
    let answer = cluster.call::<_, pb::GetTableStateResponse>("GetTableState", &state).await;
    assert_eq!(refusal(answer), ("TableNotFoundException".into(), "no".into()));
}

#[tokio::test(start_paused = true)]
async fn the_cluster_status_has_what_was_asked_for() {
    let cluster = with_tables().await;
    let region = cluster.root().list_regions(&table_name("t1")).unwrap().remove(0);
    let info = cluster.root().read_region_info(&table_name("t1"), &region).unwrap();
    let load = pb::RegionLoad {
        region_specifier: convert::specifier_by_name(&info),
        complete_sequence_id: Some(42),
        last_major_compaction_ts: Some(77),
        ..Default::default()
    };
    let load = pb::ServerLoad { report_end_time: Some(NOW), region_loads: vec![load], ..Default::default() };
    cluster.server.report(Some(load.clone())).await.unwrap();
    let status = async |options: &[i32]| {
        let request = pb::GetClusterStatusRequest { options: options.to_vec() };
        let response: pb::GetClusterStatusResponse =
            cluster.call("GetClusterStatus", &request).await.unwrap();
        response.cluster_status
    };
    let all = status(&[]).await;
    assert_eq!(all.cluster_id.unwrap().cluster_id, cluster.root().cluster_id().unwrap());
    assert_eq!(all.live_servers.len(), 1);
    assert_eq!(all.live_servers[0].server_load, load);
    assert_eq!(all.master.unwrap().port, Some(16000));
    assert_eq!(all.balancer_on, Some(true));
    assert_eq!(all.servers_name.len(), 1);
    assert!(all.dead_servers.is_empty() && all.regions_in_transition.is_empty());
    let counts = |name: &str| {
        let found = all.table_region_states_count.iter().find(|count| count.table_name == pb_name(name));
        let counts = found.unwrap().region_states_count;
        (counts.open_regions, counts.closed_regions, counts.total_regions)
    };
    assert_eq!((counts("t1"), counts("other"), counts("hbase:meta")), ((1, 0, 1), (0, 1, 1), (1, 0, 1)));
    let some = status(&[pb::Option::ClusterId.into(), 13, 14, 99]).await;
    assert_eq!(some, pb::ClusterStatus { cluster_id: some.cluster_id.clone(), ..Default::default() });

    let flushed = pb::GetLastFlushedSequenceIdRequest { region_name: region.into() };
    let answer: pb::GetLastFlushedSequenceIdResponse = cluster
        .call_service("RegionServerStatusService", "GetLastFlushedSequenceId", &flushed)
        .await
        .unwrap();
    assert_eq!(answer.last_flushed_sequence_id, 42);
    let compaction = pb::MajorCompactionTimestampRequest { table_name: pb_name("t1") };
    let answer: pb::MajorCompactionTimestampResponse =
        cluster.call("getLastMajorCompactionTimestamp", &compaction).await.unwrap();
    assert_eq!(answer.compaction_timestamp, 77);
}

#[tokio::test(start_paused = true)]
async fn clients_find_the_cluster() {
    let cluster = Cluster::start().await;
    const SERVICE: &str = "ClientMetaService";
    let id: pb::GetClusterIdResponse =
        cluster.call_service(SERVICE, "GetClusterId", &pb::GetClusterIdRequest {}).await.unwrap();
    assert_eq!(id.cluster_id, Some(cluster.root().cluster_id().unwrap()));
    let active: pb::GetActiveMasterResponse =
        cluster.call_service(SERVICE, "GetActiveMaster", &pb::GetActiveMasterRequest {}).await.unwrap();
    let masters: pb::GetMastersResponse =
        cluster.call_service(SERVICE, "GetMasters", &pb::GetMastersRequest {}).await.unwrap();
    assert_eq!(masters.master_servers.len(), 1);
    assert!(masters.master_servers[0].is_active);
    assert_eq!(Some(&masters.master_servers[0].server_name), active.server_name.as_ref());
    let meta: pb::GetMetaRegionLocationsResponse = cluster
        .call_service(SERVICE, "GetMetaRegionLocations", &pb::GetMetaRegionLocationsRequest {})
        .await
        .unwrap();
    assert_eq!(meta.meta_locations[0].server_name.as_ref().unwrap().port, Some(16020));
    assert_eq!(meta.meta_locations[0].region_info.region_id, 1);
    let nodes: pb::GetBootstrapNodesResponse =
        cluster.call_service(SERVICE, "GetBootstrapNodes", &pb::GetBootstrapNodesRequest {}).await.unwrap();
    assert_eq!(nodes.server_name.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn before_the_start_is_complete_clients_are_asked_to_hold() {
    let cluster = Cluster::on(MemFileSystem::new(), Store::default(), NOW).await;
    let running: pb::IsMasterRunningResponse =
        cluster.call("IsMasterRunning", &pb::IsMasterRunningRequest {}).await.unwrap();
    assert!(running.is_master_running);
    let answer = cluster
        .call::<_, pb::CreateTableResponse>("CreateTable", &create_request(table("t", &["f"]), &[]))
        .await;
    assert_eq!(refusal(answer), ("PleaseHoldException".into(), "Master is initializing".into()));
    let meta: pb::GetMetaRegionLocationsResponse = cluster
        .call_service("ClientMetaService", "GetMetaRegionLocations", &pb::GetMetaRegionLocationsRequest {})
        .await
        .unwrap();
    assert!(meta.meta_locations.is_empty());
    let answer = cluster.server.register().await.unwrap();
    assert!(
        answer
            .map_entries
            .iter()
            .any(|e| e.name == "hbase.regionserver.hostname.seen.by.master" && e.value == "localhost")
    );
    cluster.initialized().await;
}

#[tokio::test(start_paused = true)]
async fn switches_remember_what_they_were_set_to() {
    let cluster = Cluster::start().await;
    let set = async |on| {
        let request = pb::SetBalancerRunningRequest { on, synchronous: None };
        let response: pb::SetBalancerRunningResponse =
            cluster.call("SetBalancerRunning", &request).await.unwrap();
        response.prev_balance_value()
    };
    assert!(set(false).await);
    assert!(!set(false).await);
    let enabled: pb::IsBalancerEnabledResponse =
        cluster.call("IsBalancerEnabled", &pb::IsBalancerEnabledRequest {}).await.unwrap();
    assert!(!enabled.enabled);
    let request = pb::SetSplitOrMergeEnabledRequest {
        enabled: false,
        synchronous: None,
        switch_types: vec![pb::MasterSwitchType::Merge.into(), pb::MasterSwitchType::Split.into()],
    };
    let previous: pb::SetSplitOrMergeEnabledResponse =
        cluster.call("SetSplitOrMergeEnabled", &request).await.unwrap();
    assert_eq!(previous.prev_value, [true, true]);
    let ask = pb::IsSplitOrMergeEnabledRequest { switch_type: pb::MasterSwitchType::Merge.into() };
    let answer: pb::IsSplitOrMergeEnabledResponse =
        cluster.call("IsSplitOrMergeEnabled", &ask).await.unwrap();
    assert!(!answer.enabled);
    let request = pb::EnableCatalogJanitorRequest { enable: false };
    let previous: pb::EnableCatalogJanitorResponse =
        cluster.call("EnableCatalogJanitor", &request).await.unwrap();
    assert_eq!(previous.prev_value, Some(true));
    let capabilities: pb::SecurityCapabilitiesResponse =
        cluster.call("getSecurityCapabilities", &pb::SecurityCapabilitiesRequest {}).await.unwrap();
    assert_eq!(capabilities.capabilities, [0]);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_yet_says_so_as_hbase_does() {
    let cluster = Cluster::start().await;
    let answer = cluster.call::<_, pb::EmptyMsg>("SetQuota", &pb::EmptyMsg {}).await;
    let (class, message) = refusal(answer);
    assert_eq!(class, "DoNotRetryIOException");
    assert!(
        message
            .starts_with("java.lang.UnsupportedOperationException: SetQuota: this server has no quotas yet")
    );
    for (service, method) in [
        ("MasterService", "NoSuchMethod"),
        ("RegionServerStatusService", "ReportProcedureDone"),
        ("ClientMetaService", "NoSuchMethod"),
    ] {
        let answer = cluster.call_service::<_, pb::EmptyMsg>(service, method, &pb::EmptyMsg {}).await;
        let expected = format!("java.lang.UnsupportedOperationException: {method}");
        assert_eq!(refusal(answer), ("DoNotRetryIOException".into(), expected));
    }
    let procedure = pb::ProcedureDescription { signature: "no-such-procedure".into(), ..Default::default() };
    let exec = pb::ExecProcedureRequest { procedure };
    assert_eq!(
        refusal(cluster.call::<_, pb::ExecProcedureResponse>("ExecProcedure", &exec).await).0,
        "DoNotRetryIOException"
    );
}

#[tokio::test(start_paused = true)]
async fn garbage_is_refused() {
    let cluster = Cluster::start().await;
    let garbage = pb::BigDecimalMsg { bigdecimal_msg: Bytes::from_static(b"\xff\xff\xff") };
    for method in ["CreateTable", "DeleteTable", "GetTableDescriptors", "AssignRegion", "ModifyColumn"] {
        let answer = cluster.call::<_, pb::EmptyMsg>(method, &garbage).await;
        assert_eq!(refusal(answer).0, "DoNotRetryIOException", "{method}");
    }
    // Empty messages too: all that is required is missing.
    for method in ["CreateTable", "DeleteTable", "GetTableState", "TruncateTable", "CreateNamespace"] {
        let answer = cluster.call::<_, pb::EmptyMsg>(method, &pb::EmptyMsg {}).await;
        assert_eq!(refusal(answer).0, "DoNotRetryIOException", "{method}");
    }
}

#[tokio::test(start_paused = true)]
async fn clients_may_stop_the_cluster() {
    let cluster = Cluster::start().await;
    let _: pb::StopMasterResponse = cluster.call("StopMaster", &pb::StopMasterRequest {}).await.unwrap();
    let _: pb::ShutdownResponse = cluster.call("Shutdown", &pb::ShutdownRequest {}).await.unwrap();
    assert_eq!(*cluster.shutdowns.lock().unwrap(), [false, true]);
}

#[tokio::test(start_paused = true)]
async fn everything_is_there_again_after_a_restart() {
    let mut cluster = with_tables().await;
    for _ in 0..3 {
        let before = cluster.descriptor("ns:t1").await;
        cluster = cluster.crash_and_restart(CrashMode::Strict).await;
        assert_eq!(cluster.descriptor("ns:t1").await, before);
        assert_eq!(cluster.state("t1").await, Some(pb::table_state::State::Enabled));
        assert_eq!(cluster.state("other").await, Some(pb::table_state::State::Disabled));
        // hbase:meta, hbase:namespace, and those of three enabled tables.
        assert_eq!(cluster.server.online.lock().unwrap().len(), 5);
        assert!(cluster.server.meta_writes.load(std::sync::atomic::Ordering::SeqCst) > 0);
    }
}
