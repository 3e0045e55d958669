//! What its log has of it is in no file: a table is not disabled before that is replayed.

mod cluster;

use std::time::Duration;

use cluster::{Cluster, pb_name};
use finback_fs::CrashMode;
use finback_proto::pb;
use pb::table_state::State;

/// The power is cut when the table is DISABLING, and its region is to be closed.
async fn cut_while_disabling() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    cluster.server.silent.lock().unwrap().insert("t".into());
    let request = pb::DisableTableRequest { table_name: pb_name("t"), ..Default::default() };
    let _: pb::DisableTableResponse = cluster.call("DisableTable", &request).await.unwrap();
    arrives(&cluster, State::Disabling).await;
    cluster
}

async fn arrives(cluster: &Cluster, state: State) {
    while cluster.state("t").await != Some(state) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn region(cluster: &Cluster) -> String {
    cluster.root().list_regions(&cluster::table_name("t")).unwrap().remove(0)
}

#[tokio::test(start_paused = true)]
async fn where_it_opens() {
    let next = cut_while_disabling().await.crash_and_restart(CrashMode::Strict).await;
    arrives(&next, State::Disabled).await;
    let region = region(&next);
    assert!(next.server.opens.lock().unwrap().contains(&region));
    assert!(!next.server.online.lock().unwrap().contains(&region));
}

/// Takes one of the table.
async fn snapshot(cluster: &Cluster, name: &str) -> Result<(), (String, String)> {
    let snapshot =
        pb::SnapshotDescription { name: name.into(), table: Some("t".into()), ..Default::default() };
    let request = pb::SnapshotRequest { snapshot, nonce_group: Some(1), nonce: Some(name.len() as u64) };
    let response: pb::SnapshotResponse = cluster.call("Snapshot", &request).await.unwrap();
    cluster.wait(response.proc_id.map(i64::unsigned_abs)).await
}

#[tokio::test(start_paused = true)]
async fn where_it_does_not_open_there_is_no_snapshot_that_lacks_its_edits() {
    let cut = cut_while_disabling().await;
    let (memory, store) = (cut.memory.crash(CrashMode::Strict), cut.store.copy());
    cut.master.stop();
    let next = Cluster::on(memory, store, 1_700_000_001_000).await;
    next.server.refuse_to_open.lock().unwrap().insert("t".into(), 10);
    next.server.register().await.unwrap();
    next.initialized().await;
    arrives(&next, State::Disabled).await;
    let (root, table, region) = (next.root(), cluster::table_name("t"), region(&next));
    root.write_close_notes(&table, &region, 7).unwrap();
    let recovered = |highest: u64| {
        let file = root.recovered_edits_dir(&table, &region).join(format!("{highest:019}"));
        root.fs().create_new(&file).unwrap();
    };
    recovered(7);
    snapshot(&next, "of_all_that_there_was").await.unwrap();
    recovered(8);
    let (class, message) = snapshot(&next, "without_an_edit").await.unwrap_err();
    assert!(class.ends_with("SnapshotCreationException"), "{class}");
    assert!(message.contains(&region), "{message}");
    next.enable("t").await.unwrap();
    assert!(next.server.online.lock().unwrap().contains(&region));
}
