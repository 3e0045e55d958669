//! Snapshots as clients ask for them: what they have, what the client is told of them, and who may not have one.

mod cluster;

use cluster::{Cluster, pb_name, refusal, table_name};
use finback_cell::RegionInfo;
use finback_proto::pb;
use pb::snapshot_description::Type;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
const NOW_MS: i64 = 1_700_000_000_000;
/// As a region server calls a MOB file.
const MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

fn description(name: &str, table: &str) -> pb::SnapshotDescription {
    pb::SnapshotDescription { name: name.into(), table: Some(table.into()), ..Default::default() }
}

async fn ask(
    cluster: &Cluster,
    snapshot: pb::SnapshotDescription,
) -> Result<pb::SnapshotResponse, finback_rpc::RpcException> {
    cluster.call("Snapshot", &pb::SnapshotRequest { snapshot, ..Default::default() }).await
}

async fn is_done(cluster: &Cluster, name: &str, table: &str) -> Result<bool, finback_rpc::RpcException> {
    let request = pb::IsSnapshotDoneRequest { snapshot: Some(description(name, table)) };
    let response: pb::IsSnapshotDoneResponse = cluster.call("IsSnapshotDone", &request).await?;
    Ok(response.done())
}

async fn take(cluster: &Cluster, snapshot: pb::SnapshotDescription) {
    let (name, table) = (snapshot.name.clone(), snapshot.table().to_owned());
    let response = ask(cluster, snapshot).await.unwrap();
    assert_eq!((response.expected_timeout, response.proc_id), (300_000, None));
    while !is_done(cluster, &name, &table).await.unwrap() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

async fn listed(cluster: &Cluster) -> Vec<pb::SnapshotDescription> {
    let request = pb::GetCompletedSnapshotsRequest {};
    let response: pb::GetCompletedSnapshotsResponse =
        cluster.call("GetCompletedSnapshots", &request).await.unwrap();
    response.snapshots
}

async fn delete(cluster: &Cluster, name: &str) -> Result<(), finback_rpc::RpcException> {
    let request = pb::DeleteSnapshotRequest {
        snapshot: pb::SnapshotDescription { name: name.into(), ..Default::default() },
    };
    cluster.call::<_, pb::DeleteSnapshotResponse>("DeleteSnapshot", &request).await.map(drop)
}

/// A table of two regions, each with a file.
async fn with_table() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f", "g"], &["m"]).await.unwrap();
    cluster.put_store_files("t", "f", FILE);
    cluster
}

#[tokio::test(start_paused = true)]
async fn one_of_a_table_in_use_has_what_was_flushed_for_it() {
    let cluster = with_table().await;
    take(&cluster, description("s", "t")).await;
    let flushes = cluster.server.flushes.lock().unwrap().clone();
    assert_eq!(flushes.len(), 2, "each region, whole");
    assert!(flushes.iter().all(|(_, family)| family.is_none()));
    let expected = pb::SnapshotDescription {
        creation_time: Some(NOW_MS),
        version: Some(2),
        ttl: Some(0),
        ..description("s", "t")
    };
    assert_eq!(listed(&cluster).await, [expected]);
    let manifest = cluster.root().read_snapshot_manifest("s").unwrap();
    assert_eq!(manifest.table, cluster.descriptor("t").await.unwrap());
    let mut regions: Vec<_> = manifest.regions.iter().map(|files| files.region.encoded_name()).collect();
    regions.sort();
    assert_eq!(regions, cluster.root().list_regions(&table_name("t")).unwrap());
    for files in &manifest.regions {
        let families: Vec<_> = files.families.iter().map(|f| (&f.name[..], f.files.len())).collect();
        assert_eq!(families, [(&b"f"[..], 1), (&b"g"[..], 0)]);
        let file = &files.families[0].files[0];
        assert_eq!((&*file.name, file.size, &file.reference), (FILE, Some(5), &None));
    }
    assert!(cluster.root().fs().list(&cluster.root().snapshots_dir().join(".tmp")).unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_without_a_flush_and_one_of_a_disabled_table_flush_nothing() {
    let cluster = with_table().await;
    let skip = pb::SnapshotDescription { r#type: Some(Type::Skipflush.into()), ..description("skip", "t") };
    take(&cluster, skip).await;
    cluster.disable("t").await.unwrap();
    take(&cluster, description("off", "t")).await;
    assert!(cluster.server.flushes.lock().unwrap().is_empty());
    let types: Vec<_> = listed(&cluster).await.iter().map(|s| (s.name.clone(), s.r#type())).collect();
    assert_eq!(types, [("off".to_owned(), Type::Disabled), ("skip".to_owned(), Type::Skipflush)]);
    for name in ["off", "skip"] {
        let manifest = cluster.root().read_snapshot_manifest(name).unwrap();
        assert!(manifest.regions.iter().all(|files| files.families[0].files.len() == 1));
    }
}

#[tokio::test(start_paused = true)]
async fn it_keeps_what_it_is_given() {
    let cluster = with_table().await;
    let given = pb::SnapshotDescription {
        creation_time: Some(7),
        ttl: Some(100),
        max_file_size: Some(1 << 30),
        owner: Some("me".to_owned()),
        version: Some(2),
        ..description("s", "t")
    };
    take(&cluster, given.clone()).await;
    assert_eq!(listed(&cluster).await, [given]);
    let manifest = cluster.root().read_snapshot_manifest("s").unwrap();
    assert_eq!(manifest.table.attribute("MAX_FILESIZE"), Some("1073741824"));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_is_refused_in_hbases_words() {
    let cluster = with_table().await;
    take(&cluster, description("s", "t")).await;
    let refused = async |snapshot| refusal(ask(&cluster, snapshot).await);
    let expected = "Snapshot 's' already stored on the filesystem.";
    assert_eq!(refused(description("s", "t")).await, ("SnapshotExistsException".into(), expected.into()));
    let boastful = pb::SnapshotDescription { owner: Some("x".repeat(64 << 10)), ..description("large", "t") };
    let (class, message) = refused(boastful).await;
    assert_eq!(class, "DoNotRetryIOException");
    assert!(message.contains("bytes, more than 65536"), "{message}");
    let expected = "Table 'none' doesn't exist, can't take snapshot.";
    assert_eq!(
        refused(description("x", "none")).await,
        ("SnapshotCreationException".into(), expected.into())
    );
    assert_eq!(refused(description("x", "hbase:namespace")).await.0, "SnapshotCreationException");
    for name in ["../x", ".tmp", "-x", "", "a/b"] {
        assert_eq!(refused(description(name, "t")).await.0, "DoNotRetryIOException", "{name}");
        assert_eq!(refusal(delete(&cluster, name).await).0, "DoNotRetryIOException", "{name}");
    }
    let expected = "Snapshot 'x' doesn't exist on the filesystem";
    assert_eq!(
        refusal(delete(&cluster, "x").await),
        ("SnapshotDoesNotExistException".into(), expected.into())
    );
    assert_eq!(refusal(is_done(&cluster, "x", "t").await).0, "UnknownSnapshotException");
    assert!(is_done(&cluster, "s", "").await.unwrap(), "whoever took it");
    delete(&cluster, "s").await.unwrap();
    assert!(listed(&cluster).await.is_empty());
    assert_eq!(refusal(is_done(&cluster, "s", "t").await).0, "UnknownSnapshotException");
}

#[tokio::test(start_paused = true)]
async fn there_is_one_at_a_time_of_a_table_and_of_a_name() {
    let cluster = with_table().await;
    cluster.create("u", &["f"], &[]).await.unwrap();
    // It is tried again, and so at work for a while.
    *cluster.server.refuse_flush.lock().unwrap() = Some(finback_rpc::exceptions::io("not yet"));
    ask(&cluster, description("s", "t")).await.unwrap();
    let second = ask(&cluster, description("s", "u")).await;
    let third = ask(&cluster, description("other", "t")).await;
    let (class, message) = refusal(second);
    assert_eq!(class, "SnapshotCreationException");
    assert!(message.ends_with("running another snapshot with the same name"), "{message}");
    let (class, message) = refusal(third);
    assert_eq!(class, "SnapshotCreationException");
    let expected = "Rejected taking { ss=other table=t type=FLUSH ttl=0 } because we are already running another \
                    snapshot on the same table { ss=s table=t type=FLUSH ttl=0 }";
    assert_eq!(message, expected);
    let (class, message) = refusal(restore(&cluster, "s", "t").await);
    assert_eq!((&*class, message.is_empty()), ("SnapshotDoesNotExistException", false));
    *cluster.server.refuse_flush.lock().unwrap() = None;
    while !is_done(&cluster, "s", "t").await.unwrap() {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_leaves_nothing_and_says_why() {
    let cluster = with_table().await;
    *cluster.server.refuse_flush.lock().unwrap() = Some(finback_rpc::exceptions::io("the disk is full"));
    ask(&cluster, description("s", "t")).await.unwrap();
    let failure = loop {
        match is_done(&cluster, "s", "t").await {
            Ok(done) => assert!(!done),
            Err(error) => break refusal::<()>(Err(error)),
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    let expected = "Snapshot { ss=s table=t type=FLUSH ttl=0 } had an error.  the disk is full";
    assert_eq!(failure, ("HBaseSnapshotException".into(), expected.into()));
    assert!(listed(&cluster).await.is_empty());
    let root = cluster.root();
    assert!(root.fs().list(&root.snapshots_dir().join(".tmp")).unwrap().is_empty());
    *cluster.server.refuse_flush.lock().unwrap() = None;
    take(&cluster, description("s", "t")).await;
}

#[tokio::test(start_paused = true)]
async fn a_procedure_called_by_name_takes_one_too() {
    let cluster = with_table().await;
    let procedure = pb::ProcedureDescription {
        signature: "online-snapshot".into(),
        instance: Some("s".into()),
        configuration: vec![pb::NameStringPair { name: "table".into(), value: "t".into() }],
        ..Default::default()
    };
    let exec = pb::ExecProcedureRequest { procedure: procedure.clone() };
    let _: pb::ExecProcedureResponse = cluster.call("ExecProcedure", &exec).await.unwrap();
    let ask = pb::IsProcedureDoneRequest { procedure: Some(procedure.clone()) };
    loop {
        let answer: pb::IsProcedureDoneResponse = cluster.call("IsProcedureDone", &ask).await.unwrap();
        if answer.done() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(listed(&cluster).await[0].name, "s");
    let exec = pb::ExecProcedureRequest {
        procedure: pb::ProcedureDescription { configuration: Vec::new(), ..procedure },
    };
    let answer = cluster.call::<_, pb::ExecProcedureResponse>("ExecProcedure", &exec).await;
    assert_eq!(refusal(answer).0, "IOException");
}

#[tokio::test(start_paused = true)]
async fn clients_that_send_a_nonce_get_the_procedure() {
    let cluster = with_table().await;
    let request =
        pb::SnapshotRequest { snapshot: description("s", "t"), nonce_group: Some(7), nonce: Some(11) };
    let first: pb::SnapshotResponse = cluster.call("Snapshot", &request).await.unwrap();
    let id = first.proc_id.map(|id| u64::try_from(id).unwrap());
    cluster.wait(id).await.unwrap();
    let again: pb::SnapshotResponse = cluster.call("Snapshot", &request).await.unwrap();
    assert_eq!(again.proc_id, first.proc_id);
    let list: pb::GetProceduresResponse =
        cluster.call("GetProcedures", &pb::GetProceduresRequest {}).await.unwrap();
    assert!(list.procedure.iter().any(|p| p.class_name.ends_with("procedure.SnapshotProcedure")));
}

/// The files of the one region of a table.
fn links(cluster: &Cluster, name: &str) -> Vec<(String, Vec<String>)> {
    let (root, table) = (cluster.root(), table_name(name));
    let regions = root.list_regions(&table).unwrap();
    let of = |region: String| {
        let files = root.list_store_files(&table, &region, b"f").unwrap();
        (region, files.into_iter().map(|file| file.name).collect())
    };
    regions.into_iter().map(of).collect()
}

async fn restore(
    cluster: &Cluster,
    snapshot: &str,
    table: &str,
) -> Result<Result<(), (String, String)>, finback_rpc::RpcException> {
    let request = pb::RestoreSnapshotRequest { snapshot: description(snapshot, table), ..Default::default() };
    let response: pb::RestoreSnapshotResponse = cluster.call("RestoreSnapshot", &request).await?;
    Ok(cluster.wait(Some(response.proc_id)).await)
}

#[tokio::test(start_paused = true)]
async fn a_clone_has_links_and_the_files_know_of_them() {
    let cluster = with_table().await;
    take(&cluster, description("s", "t")).await;
    let namespace = pb::NamespaceDescriptor { name: "ns".into(), ..Default::default() };
    let request = pb::CreateNamespaceRequest { namespace_descriptor: namespace, ..Default::default() };
    let created: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
    cluster.wait(created.proc_id).await.unwrap();
    restore(&cluster, "s", "ns:c").await.unwrap().unwrap();
    assert_eq!(cluster.state("ns:c").await, Some(pb::table_state::State::Enabled));
    let of_table = cluster.root().list_regions(&table_name("t")).unwrap();
    let cloned = links(&cluster, "ns:c");
    assert_eq!(cloned.len(), 2);
    for (region, files) in &cloned {
        let from = of_table.iter().find(|from| files == &[format!("t={from}-{FILE}")]).unwrap();
        let back = format!("/hbase/archive/data/default/t/{from}/f/.links-{FILE}/{region}.ns=c");
        assert!(cluster.root().fs().exists(back.as_ref()).unwrap(), "{back}");
    }
    // The table may go: its files stay in the archive, where the links find them.
    cluster.disable("t").await.unwrap();
    cluster.delete("t").await.unwrap();
    assert_eq!(links(&cluster, "ns:c"), cloned);
    take(&cluster, description("of-clone", "ns:c")).await;
    restore(&cluster, "of-clone", "d").await.unwrap().unwrap();
    let of_clone: Vec<_> = links(&cluster, "d").into_iter().flat_map(|(_, files)| files).collect();
    let mut expected: Vec<_> = cloned.into_iter().flat_map(|(_, files)| files).collect();
    assert!(of_clone.iter().all(|file| expected.contains(file)) && of_clone.len() == expected.len());
    expected.dedup();
    assert_eq!(expected.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_restore_brings_back_files_and_schema() {
    let cluster = with_table().await;
    take(&cluster, description("s", "t")).await;
    let old = cluster.descriptor("t").await.unwrap();
    let removed =
        pb::DeleteColumnRequest { table_name: pb_name("t"), column_name: "f".into(), ..Default::default() };
    let response: pb::DeleteColumnResponse = cluster.call("DeleteColumn", &removed).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    let (class, message) = refusal(restore(&cluster, "s", "t").await);
    assert_eq!(class, "DoNotRetryIOException");
    assert!(message.contains("must be disabled"), "{message}");
    cluster.disable("t").await.unwrap();
    let before = cluster.root().list_regions(&table_name("t")).unwrap();
    restore(&cluster, "s", "t").await.unwrap().unwrap();
    assert_eq!(cluster.state("t").await, Some(pb::table_state::State::Disabled));
    assert_eq!(cluster.descriptor("t").await.unwrap(), old);
    assert_eq!(cluster.root().read_table_descriptor(&table_name("t")).unwrap(), old);
    let restored = links(&cluster, "t");
    assert_eq!(restored.len(), 2);
    for (region, files) in &restored {
        assert!(!before.contains(region), "no log has edits of it");
        assert!(before.iter().any(|from| files == &[format!("t={from}-{FILE}")]));
        let info = cluster.root().read_region_info(&table_name("t"), region).unwrap();
        assert!(info.start_key.is_empty() != info.end_key.is_empty());
    }
    cluster.enable("t").await.unwrap();
    // What is known of it is what a start would find out.
    let cluster = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(links(&cluster, "t"), restored);
    assert_eq!(cluster.state("t").await, Some(pb::table_state::State::Enabled));
}

#[tokio::test(start_paused = true)]
async fn what_no_table_can_be_made_of_is_refused() {
    let cluster = with_table().await;
    assert_eq!(refusal(restore(&cluster, "s", "c").await).0, "SnapshotDoesNotExistException");
    take(&cluster, description("s", "t")).await;
    assert_eq!(refusal(restore(&cluster, "s", "none:c").await).0, "NamespaceNotFoundException");
    cluster.create("other", &["f"], &[]).await.unwrap();
    assert_eq!(refusal(restore(&cluster, "s", "other").await).0, "TableExistsException");
    let ttl = pb::SnapshotDescription { ttl: Some(1), ..description("short", "t") };
    take(&cluster, ttl).await;
    cluster.clock.fetch_add(1_001, std::sync::atomic::Ordering::SeqCst);
    let expected = "TTL for snapshot 'short' has already expired.";
    assert_eq!(
        refusal(restore(&cluster, "short", "c").await),
        ("SnapshotTTLExpiredException".into(), expected.into())
    );
    let lost = cluster.files_below("data").remove(0);
    cluster.root().fs().remove_file(&lost).unwrap();
    let (class, message) = refusal(restore(&cluster, "s", "c").await);
    assert_eq!(class, "CorruptedSnapshotException");
    assert!(message.contains(FILE), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_clone_may_have_another_store_file_tracker() {
    let cluster = with_table().await;
    take(&cluster, description("s", "t")).await;
    let clone = async |table, tracker: &str| {
        let request = pb::RestoreSnapshotRequest {
            snapshot: description("s", table),
            custom_sft: Some(tracker.to_owned()),
            ..Default::default()
        };
        let response: pb::RestoreSnapshotResponse = cluster.call("RestoreSnapshot", &request).await.unwrap();
        cluster.wait(Some(response.proc_id)).await
    };
    clone("c", "FILE").await.unwrap();
    assert_eq!(cluster.descriptor("c").await.unwrap().attribute(finback_layout::TRACKER), Some("FILE"));
    for (region, files) in links(&cluster, "c") {
        let listed = cluster.root().listed_store_files(&table_name("c"), &region, b"f").unwrap();
        assert_eq!(listed.into_iter().map(|file| file.name).collect::<Vec<_>>(), files);
    }
    let (class, message) = clone("d", "Mine").await.unwrap_err();
    let expected = "java.lang.RuntimeException: java.lang.RuntimeException: java.lang.ClassNotFoundException: Class \
                    Mine not found";
    assert_eq!((&*class, &*message), ("java.io.IOException", expected));
    assert_eq!(cluster.state("d").await, None);
}

#[tokio::test(start_paused = true)]
async fn a_split_region_is_cloned_with_those_that_refer_to_it() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    cluster.put_store_files("t", "f", FILE);
    let parent = cluster.root().list_regions(&table_name("t")).unwrap().remove(0);
    let info = cluster.root().read_region_info(&table_name("t"), &parent).unwrap();
    let request = pb::SplitTableRegionRequest {
        region_info: (&info).into(),
        split_row: Some("m".into()),
        ..Default::default()
    };
    let response: pb::SplitTableRegionResponse = cluster.call("SplitRegion", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    take(&cluster, description("s", "t")).await;
    let manifest = cluster.root().read_snapshot_manifest("s").unwrap();
    assert_eq!(manifest.regions.len(), 3);
    assert_eq!(manifest.regions.iter().filter(|files| files.region.split && files.region.offline).count(), 1);
    restore(&cluster, "s", "c").await.unwrap().unwrap();
    let cloned = links(&cluster, "c");
    assert_eq!(cloned.len(), 3);
    let link = format!("t={parent}-{FILE}");
    let (clone_of_parent, _) = cloned.iter().find(|(_, files)| *files == [link.clone()]).unwrap();
    let reference = format!("{link}.{clone_of_parent}");
    assert_eq!(cloned.iter().filter(|(_, files)| *files == [reference.clone()]).count(), 2);
    // It is as good as one that was split here: no longer served, and to be put away when nothing refers to it.
    let meta = cluster::meta_region().encoded_name();
    let info = cluster.root().read_region_info(&table_name("c"), clone_of_parent).unwrap();
    let daughter = |column| {
        let value = cluster.store.value(&meta, &info.name(), "info", column).unwrap();
        let info: pb::RegionInfo = finback_proto::pbuf::decode(&value, "RegionInfo").unwrap();
        RegionInfo::try_from(&info).unwrap()
    };
    let (a, b) = (daughter("splitA"), daughter("splitB"));
    assert_eq!((&a.end_key[..], &b.start_key[..]), (&b"m"[..], &b"m"[..]));
    assert!(a.region_id > info.region_id && b.region_id > info.region_id);
    let opens = cluster.server.opens.lock().unwrap().clone();
    assert!(!opens.contains(clone_of_parent));
    assert!(opens.contains(&a.encoded_name()) && opens.contains(&b.encoded_name()));
    let cluster = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(links(&cluster, "c"), cloned);
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_that_is_not_to_be_removed_is_not_after_a_restart() {
    let cluster = with_table().await;
    take(&cluster, pb::SnapshotDescription { ttl: Some(60), ..description("short", "t") }).await;
    let switch = pb::SetSnapshotCleanupRequest { enabled: false, synchronous: None };
    let _: pb::SetSnapshotCleanupResponse = cluster.call("SwitchSnapshotCleanup", &switch).await.unwrap();
    cluster.clock.fetch_add(61_000, std::sync::atomic::Ordering::SeqCst);
    let cluster = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert_eq!(listed(&cluster).await.len(), 1);
    let switch = pb::SetSnapshotCleanupRequest { enabled: true, synchronous: None };
    let _: pb::SetSnapshotCleanupResponse = cluster.call("SwitchSnapshotCleanup", &switch).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert!(listed(&cluster).await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_archive_is_cleaned_and_snapshots_outlive_no_more_than_their_time() {
    use std::time::Duration;
    let chores = finback_master::Chores { hfile_ttl: Duration::ZERO, ..Default::default() };
    let config = finback_master::MasterConfig { chores, ..Default::default() };
    let store = cluster::store::Store::default();
    let cluster = Cluster::with(finback_fs::MemFileSystem::new(), store, 1_700_000_000_000, config).await;
    cluster.server.register().await.unwrap();
    cluster.initialized().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    cluster.put_store_files("t", "f", FILE);
    let short = pb::SnapshotDescription { ttl: Some(60), ..description("short", "t") };
    take(&cluster, short).await;
    take(&cluster, description("long", "t")).await;
    cluster.disable("t").await.unwrap();
    cluster.delete("t").await.unwrap();
    let clean = async || {
        // The time of a file and that of its cleaning are the machine's.
        std::thread::sleep(Duration::from_millis(2));
        let request = pb::RunCleanerChoreRequest {};
        let answer: pb::RunCleanerChoreResponse = cluster.call("RunCleanerChore", &request).await.unwrap();
        (answer.cleaner_chore_ran, cluster.files_below("archive").len())
    };
    assert_eq!(clean().await, (true, 2));
    cluster.clock.fetch_add(61_000, std::sync::atomic::Ordering::SeqCst);
    let switch = pb::SetSnapshotCleanupRequest { enabled: false, synchronous: None };
    let _: pb::SetSnapshotCleanupResponse = cluster.call("SwitchSnapshotCleanup", &switch).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(listed(&cluster).await.len(), 2);
    let switch = pb::SetSnapshotCleanupRequest { enabled: true, synchronous: None };
    let _: pb::SetSnapshotCleanupResponse = cluster.call("SwitchSnapshotCleanup", &switch).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert_eq!(listed(&cluster).await.iter().map(|s| &*s.name).collect::<Vec<_>>(), ["long"]);
    restore(&cluster, "long", "c").await.unwrap().unwrap();
    delete(&cluster, "long").await.unwrap();
    assert_eq!(clean().await, (true, 2), "the clone needs them");
    cluster.disable("c").await.unwrap();
    cluster.delete("c").await.unwrap();
    let off = pb::SetCleanerChoreRunningRequest { on: false };
    let _: pb::SetCleanerChoreRunningResponse = cluster.call("SetCleanerChoreRunning", &off).await.unwrap();
    assert_eq!(clean().await, (false, 2));
    let on = pb::SetCleanerChoreRunningRequest { on: true };
    let _: pb::SetCleanerChoreRunningResponse = cluster.call("SetCleanerChoreRunning", &on).await.unwrap();
    assert_eq!(clean().await, (true, 0));
}

/// A table of two regions, each with a file, and with a MOB file.
async fn with_mob_table() -> Cluster {
    let cluster = Cluster::start().await;
    let request = cluster::create_request(cluster::mob_table("t", &["f"]), &["m"]);
    let created: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    cluster.wait(created.proc_id).await.unwrap();
    cluster.put_store_files("t", "f", FILE);
    cluster.put_mob_file("t", "f", MOB_FILE);
    cluster
}

#[tokio::test(start_paused = true)]
async fn mob_files_go_with_their_table() {
    let cluster = with_mob_table().await;
    take(&cluster, description("s", "t")).await;
    let manifest = cluster.root().read_snapshot_manifest("s").unwrap();
    let mob_files = manifest.mob_files().unwrap();
    assert_eq!(mob_files.region, RegionInfo::of_mob_files(table_name("t")));
    assert_eq!(
        (&*mob_files.families[0].files[0].name, mob_files.families[0].files[0].size),
        (MOB_FILE, Some(6))
    );
    assert_eq!(manifest.table_regions().count(), 2);

    restore(&cluster, "s", "c").await.unwrap().unwrap();
    let mob_region = finback_layout::mob_region(&table_name("t"));
    let link = format!("t={mob_region}-{MOB_FILE}");
    assert_eq!(cluster.mob_files("c", "f"), std::slice::from_ref(&link));
    assert_eq!(links(&cluster, "c").len(), 2, "the region of MOB files is none of the table's");
    // The table is dropped, its files are not.
    cluster.disable("t").await.unwrap();
    cluster.delete("t").await.unwrap();
    assert!(cluster.mob_files("t", "f").is_empty() && cluster.has_archived_mob_file("t", "f", MOB_FILE));
    delete(&cluster, "s").await.unwrap();
    take(&cluster, description("of-clone", "c")).await;
    let manifest = cluster.root().read_snapshot_manifest("of-clone").unwrap();
    let file = &manifest.mob_files().unwrap().families[0].files[0];
    assert_eq!((&file.name, file.size), (&link, Some(0)));
    // A lost one is no snapshot.
    let archived = cluster.root().archived_mob_family_dir(&table_name("t"), b"f").join(MOB_FILE);
    cluster.root().fs().remove_file(&archived).unwrap();
    let (class, message) = refusal(restore(&cluster, "of-clone", "d").await);
    assert_eq!(class, "CorruptedSnapshotException");
    assert!(message.contains(MOB_FILE), "{message}");
}

#[tokio::test(start_paused = true)]
async fn a_restored_table_has_the_mob_files_that_it_had() {
    let cluster = with_mob_table().await;
    let [archived, late] = ["02e5c125", "12e5c125"].map(|other| MOB_FILE.replace("92e5c125", other));
    cluster.put_mob_file("t", "f", &archived);
    take(&cluster, description("s", "t")).await;
    cluster.root().archive_mob_file(&table_name("t"), b"f", &archived).unwrap();
    cluster.put_mob_file("t", "f", &late);
    cluster.disable("t").await.unwrap();
    restore(&cluster, "s", "t").await.unwrap().unwrap();
    let mob_region = finback_layout::mob_region(&table_name("t"));
    let link = |file: &str| format!("t={mob_region}-{file}");
    let restored = [MOB_FILE.to_owned(), link(&archived), link(MOB_FILE)];
    assert_eq!(cluster.mob_files("t", "f"), restored);
    assert!(
        cluster.has_archived_mob_file("t", "f", &late) && cluster.has_archived_mob_file("t", "f", &archived)
    );
    // Once more it is as it was: nothing is linked twice.
    restore(&cluster, "s", "t").await.unwrap().unwrap();
    assert_eq!(cluster.mob_files("t", "f"), restored);
    cluster.enable("t").await.unwrap();
    let cluster = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(cluster.mob_files("t", "f"), restored);
}
