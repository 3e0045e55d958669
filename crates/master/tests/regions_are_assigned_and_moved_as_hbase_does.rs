//! AssignRegion, UnassignRegion, OfflineRegion and MoveRegion; servers out of service; endpoints and AdminService of a master.

mod cluster;

use bytes::Bytes;
use cluster::{Cluster, pb_name, refusal, table_name};
use finback_cell::{RegionInfo, ServerName, TableName};
use finback_proto::{convert, pb};
use finback_rpc::{ChannelExt, Loopback, RpcException};
use pb::get_region_info_response::CompactionState;
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

fn region_of(cluster: &Cluster, table: &str) -> RegionInfo {
    let table = table_name(table);
    let region = cluster.root().list_regions(&table).unwrap().remove(0);
    cluster.root().read_region_info(&table, &region).unwrap()
}

fn is_online(cluster: &Cluster, region: &RegionInfo) -> bool {
    cluster.server.online.lock().unwrap().contains(&region.encoded_name())
}

async fn assign(cluster: &Cluster, region: &RegionInfo) -> Result<pb::AssignRegionResponse, RpcException> {
    let region = convert::specifier_by_name(region);
    cluster.call("AssignRegion", &pb::AssignRegionRequest { region, ..Default::default() }).await
}

async fn unassign(
    cluster: &Cluster,
    region: &RegionInfo,
) -> Result<pb::UnassignRegionResponse, RpcException> {
    let region = convert::specifier_by_name(region);
    cluster.call("UnassignRegion", &pb::UnassignRegionRequest { region, ..Default::default() }).await
}

async fn move_to(
    cluster: &Cluster,
    region: &RegionInfo,
    server: Option<&ServerName>,
) -> Result<pb::MoveRegionResponse, RpcException> {
    let region = convert::specifier_by_encoded_name(region);
    let dest_server_name = server.map(Into::into);
    cluster.call("MoveRegion", &pb::MoveRegionRequest { region, dest_server_name }).await
}

fn elsewhere() -> ServerName {
    ServerName { host: "elsewhere".into(), port: 16020, start_code: 1 }
}

#[tokio::test(start_paused = true)]
async fn a_region_is_assigned_when_the_call_returns_and_only_if_it_is_opened() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let region = region_of(&cluster, "t");
    let (class, message) = refusal(assign(&cluster, &region).await);
    assert_eq!(class, "DoNotRetryRegionException");
    assert!(message.starts_with("Unexpected state for state=OPEN, location=localhost,16020,"), "{message}");

    unassign(&cluster, &region).await.unwrap();
    assert!(!is_online(&cluster, &region));
    assert_eq!(refusal(unassign(&cluster, &region).await).0, "DoNotRetryRegionException");
    assign(&cluster, &region).await.unwrap();
    assert!(is_online(&cluster, &region));

    let offline = pb::OfflineRegionRequest { region: convert::specifier_by_name(&region) };
    for _ in 0..2 {
        let _: pb::OfflineRegionResponse = cluster.call("OfflineRegion", &offline).await.unwrap();
        assert!(!is_online(&cluster, &region));
    }
    cluster.disable("t").await.unwrap();
    let (class, message) = refusal(assign(&cluster, &region).await);
    assert_eq!(class, "DoNotRetryIOException");
    assert!(message.starts_with("t is disabled for state=CLOSED"), "{message}");
    let unknown = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), 7);
    assert_eq!(refusal(assign(&cluster, &unknown).await).0, "UnknownRegionException");
}

#[tokio::test(start_paused = true)]
async fn a_region_that_has_nowhere_else_to_go_stays() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let region = region_of(&cluster, "t");
    let opened = || cluster.server.opens.lock().unwrap().len();
    let before = opened();
    move_to(&cluster, &region, None).await.unwrap();
    move_to(&cluster, &region, Some(&cluster.server.name)).await.unwrap();
    assert_eq!(opened(), before);
    // To a server that is not there: HBase closes it, and opens it where it can.
    move_to(&cluster, &region, Some(&elsewhere())).await.unwrap();
    assert_eq!(opened(), before + 1);
    assert!(is_online(&cluster, &region));
    cluster.disable("t").await.unwrap();
    let answer = move_to(&cluster, &region, Some(&elsewhere())).await;
    assert_eq!(refusal(answer).0, "DoNotRetryRegionException");
    let unknown = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), 7);
    assert_eq!(refusal(move_to(&cluster, &unknown, None).await).0, "UnknownRegionException");
}

#[tokio::test(start_paused = true)]
async fn a_region_that_does_not_open_for_a_while_is_open_in_the_end() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let region = region_of(&cluster, "t");
    let refuse = |times| cluster.server.refuse_to_open.lock().unwrap().insert("t".into(), times);
    refuse(u32::MAX);
    move_to(&cluster, &region, Some(&elsewhere())).await.unwrap_err();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!is_online(&cluster, &region));
    refuse(0);
    let opened = async {
        while unassign(&cluster, &region).await.is_err() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(600), opened).await.expect("open, so that it can be closed");
    tokio::time::sleep(Duration::from_secs(120)).await;
    assert!(!is_online(&cluster, &region), "closed by somebody who wanted it so");
}

#[tokio::test(start_paused = true)]
async fn servers_are_taken_out_of_service_and_put_back() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let listed = async || {
        let request = pb::ListDecommissionedRegionServersRequest {};
        let answer: pb::ListDecommissionedRegionServersResponse =
            cluster.call("ListDecommissionedRegionServers", &request).await.unwrap();
        answer.server_name
    };
    let here: pb::ServerName = (&cluster.server.name).into();
    let decommission = async |server: pb::ServerName, offload| {
        let request = pb::DecommissionRegionServersRequest { server_name: vec![server], offload };
        cluster.call::<_, pb::DecommissionRegionServersResponse>("DecommissionRegionServers", &request).await
    };
    decommission((&elsewhere()).into(), true).await.unwrap();
    assert!(listed().await.is_empty());
    decommission(here.clone(), false).await.unwrap();
    assert_eq!(listed().await, std::slice::from_ref(&here));
    // There is no other server: what is new goes there all the same.
    cluster.create("u", &["f"], &[]).await.unwrap();
    assert!(is_online(&cluster, &region_of(&cluster, "u")));

    let back = pb::RecommissionRegionServerRequest { server_name: here.clone(), region: Vec::new() };
    let _: pb::RecommissionRegionServerResponse =
        cluster.call("RecommissionRegionServer", &back).await.unwrap();
    assert!(listed().await.is_empty());
    let (class, message) = refusal(decommission(here.clone(), true).await);
    assert_eq!(class, "HBaseIOException");
    assert!(message.starts_with("Unable to determine a plan to move "), "{message}");
    assert_eq!(listed().await, [here]);

    let dead = pb::ClearDeadServersRequest { server_name: vec![(&elsewhere()).into()] };
    let left: pb::ClearDeadServersResponse = cluster.call("ClearDeadServers", &dead).await.unwrap();
    assert_eq!(left.server_name, dead.server_name, "it was not dead");
}

#[tokio::test(start_paused = true)]
async fn endpoints_of_a_master_are_unknown() {
    let cluster = Cluster::start().await;
    let call = pb::CoprocessorServiceCall {
        row: Bytes::new(),
        service_name: "My".into(),
        method_name: "own".into(),
        request: Bytes::new(),
    };
    let request = pb::CoprocessorServiceRequest { region: Default::default(), call };
    let answer = cluster.call::<_, pb::CoprocessorServiceResponse>("ExecMasterService", &request).await;
    let expected = "No registered Master Coprocessor Endpoint found for My. Has it been enabled?";
    assert_eq!(refusal(answer), ("UnknownProtocolException".into(), expected.into()));
    let log = async |class: &str| -> Result<pb::LogEntry, RpcException> {
        let request = pb::LogRequest { log_class_name: class.to_owned(), log_message: Bytes::new() };
        cluster.call("GetLogEntries", &request).await
    };
    let entry = log("org.apache.X$BalancerDecisionsRequest").await.unwrap();
    assert!(entry.log_class_name.ends_with("MasterProtos$BalancerDecisionsResponse"));
    assert!(log("org.apache.X$Other").await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_master_answers_administrators_as_a_region_server_does() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let updates = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&updates);
    let update = Arc::new(move || match counted.fetch_add(1, Ordering::SeqCst) {
        0 => Ok(()),
        _ => Err("hbase-site.xml makes no sense".to_owned()),
    });
    let admin = Loopback::new(cluster.master.admin_service(update));
    let ask = async || -> Result<pb::UpdateConfigurationResponse, RpcException> {
        let request = pb::UpdateConfigurationRequest {};
        admin.call("UpdateConfiguration", &request, Bytes::new()).await.map(|(answer, _)| answer)
    };
    ask().await.unwrap();
    assert_eq!(updates.load(Ordering::SeqCst), 1);
    assert_eq!(
        refusal(ask().await),
        ("DoNotRetryIOException".into(), "hbase-site.xml makes no sense".into())
    );

    let info = async |region| -> Result<pb::GetRegionInfoResponse, RpcException> {
        let request = pb::GetRegionInfoRequest { region, compaction_state: Some(true), ..Default::default() };
        admin.call("GetRegionInfo", &request, Bytes::new()).await.map(|(answer, _)| answer)
    };
    // What stands for all MOB files of the table.
    let mob = RegionInfo::new(table_name("t"), Bytes::from_static(b".mob"), Bytes::new(), 0);
    let answer = info(convert::specifier_by_name(&mob)).await.unwrap();
    assert_eq!(answer.region_info.table_name, pb_name("t"));
    assert_eq!(answer.compaction_state, Some(0));
    assert!(info(convert::specifier_by_name(&region_of(&cluster, "t"))).await.is_ok());
    let unknown = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), 7);
    let answer = info(convert::specifier_by_name(&unknown)).await;
    assert_eq!(refusal(answer).0, "UnknownRegionException");
}

#[tokio::test(start_paused = true)]
async fn mob_files_of_a_table_are_compacted_with_its_regions() {
    let cluster = Cluster::start().await;
    let mut descriptor = cluster::mob_table("t", &["f", "g"]);
    descriptor.families.extend(cluster::table("t", &["h"]).families);
    for (table, splits) in [(descriptor, &["m"][..]), (cluster::table("u", &["f"]), &[][..])] {
        let request = cluster::create_request(table, splits);
        let made: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
        cluster.wait(made.proc_id).await.unwrap();
    }
    let admin = Loopback::new(cluster.master.admin_service(Arc::new(|| Ok(()))));
    let of_mob_files = |table: &str| convert::specifier_by_name(&RegionInfo::of_mob_files(table_name(table)));
    let compact = async |table: &'static str, family: Option<&'static str>| {
        let (region, family) = (of_mob_files(table), family.map(Bytes::from));
        let request = pb::CompactRegionRequest { region, major: Some(false), family };
        let answer: Result<(pb::CompactRegionResponse, _), RpcException> =
            admin.call("CompactRegion", &request, Bytes::new()).await;
        answer.map(drop)
    };
    let state = async || {
        let request = pb::GetRegionInfoRequest {
            region: of_mob_files("t"),
            compaction_state: Some(true),
            ..Default::default()
        };
        let (answer, _): (pb::GetRegionInfoResponse, _) =
            admin.call("GetRegionInfo", &request, Bytes::new()).await.unwrap();
        answer.compaction_state()
    };
    assert_eq!(state().await, CompactionState::None);
    compact("t", None).await.unwrap();
    assert_eq!(state().await, CompactionState::MajorAndMinor);
    let mut asked = std::mem::take(&mut *cluster.server.compactions.lock().unwrap());
    asked.sort();
    let mut expected = Vec::new();
    for region in cluster.root().list_regions(&table_name("t")).unwrap() {
        // All files, whatever was asked for: other compactions leave MOB files alone.
        expected.extend(["f", "g"].map(|family| (region.clone(), Some(Bytes::from(family)), true)));
    }
    assert_eq!(asked, expected);
    assert_eq!(state().await, CompactionState::None);
    compact("t", Some("g")).await.unwrap();
    let mut asked = cluster.server.compactions.lock().unwrap().clone();
    assert!(asked.len() == 2 && asked.iter().all(|(_, family, _)| family.as_deref() == Some(&b"g"[..])));
    asked.iter_mut().for_each(|(.., major)| *major = false);
    *cluster.server.compactions.lock().unwrap() = asked;
    assert_eq!(state().await, CompactionState::None, "one of few files is nothing to MOB files");

    let refused = async |table: &'static str, family: Option<&'static str>| {
        let (class, message) = refusal(compact(table, family).await);
        assert_eq!(class, "DoNotRetryIOException");
        message
    };
    let none = "No mob column families are assigned in the mob compaction";
    assert_eq!(refused("u", None).await, none);
    assert_eq!(refused("t", Some("x")).await, none);
    assert_eq!(refused("t", Some("h")).await, "Column family h is not a mob column family");
    assert_eq!(refusal(compact("none", None).await).0, "TableNotFoundException");
    cluster.disable("t").await.unwrap();
    assert_eq!(refused("t", None).await, "Table t is not enabled");
    assert_eq!(state().await, CompactionState::None);
}

#[tokio::test(start_paused = true)]
async fn namespaces_are_found_in_every_region_of_their_table() {
    let cluster = Cluster::start().await;
    let table = TableName::namespace_table();
    let regions = |cluster: &Cluster| -> Vec<RegionInfo> {
        let root = cluster.root();
        let regions = root.list_regions(&table).unwrap();
        regions.iter().map(|region| root.read_region_info(&table, region).unwrap()).collect()
    };
    let parent = regions(&cluster).remove(0);
    let split = pb::SplitTableRegionRequest {
        region_info: (&parent).into(),
        split_row: Some("e".into()),
        ..Default::default()
    };
    let split: pb::SplitTableRegionResponse = cluster.call("SplitRegion", &split).await.unwrap();
    cluster.wait(split.proc_id).await.unwrap();
    let mut daughters = regions(&cluster);
    daughters.retain(|region| *region != parent);
    assert_eq!(daughters.len(), 2);
    cluster.store.divide(&parent.encoded_name(), &daughters);

    for name in ["a", "n"] {
        let request = pb::CreateNamespaceRequest {
            namespace_descriptor: pb::NamespaceDescriptor { name: name.into(), ..Default::default() },
            ..Default::default()
        };
        let made: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
        cluster.wait(made.proc_id).await.unwrap();
    }
    for daughter in &daughters {
        let rows = cluster.store.row_keys(&daughter.encoded_name());
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| daughter.contains_row(row)), "{rows:?} in {daughter:?}");
    }
    let next = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    let names: pb::ListNamespacesResponse =
        next.call("ListNamespaces", &pb::ListNamespacesRequest {}).await.unwrap();
    assert_eq!(names.namespace_name, ["a", "default", "hbase", "n"]);
}
