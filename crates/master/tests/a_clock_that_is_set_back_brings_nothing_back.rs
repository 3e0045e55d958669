//! What is deleted when a clock that was ahead is right again is gone; what is made is there, though something was deleted too early.

mod cluster;

use cluster::Cluster;
use finback_proto::pb;

const NOW: u64 = 1_700_000_000_000;
const DAY_MS: u64 = 24 * 3_600_000;

async fn names(cluster: &Cluster) -> Vec<String> {
    let names: pb::ListNamespacesResponse =
        cluster.call("ListNamespaces", &pb::ListNamespacesRequest {}).await.unwrap();
    names.namespace_name
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_was_made_too_early() {
    let cluster = Cluster::start().await;
    cluster.clock.store(NOW + DAY_MS, std::sync::atomic::Ordering::SeqCst);
    create(&cluster, "n").await;
    cluster.clock.store(NOW, std::sync::atomic::Ordering::SeqCst);
    let next = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(names(&next).await, ["default", "hbase", "n"]);
    let request = pb::DeleteNamespaceRequest { namespace_name: "n".into(), ..Default::default() };
    let response: pb::DeleteNamespaceResponse = next.call("DeleteNamespace", &request).await.unwrap();
    next.wait(response.proc_id).await.unwrap();
    let last = next.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(names(&last).await, ["default", "hbase"]);
}

async fn create(cluster: &Cluster, name: &str) {
    let request = pb::CreateNamespaceRequest {
        namespace_descriptor: pb::NamespaceDescriptor { name: name.to_owned().into(), ..Default::default() },
        ..Default::default()
    };
    let response: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_was_deleted_too_early_and_made_again() {
    let cluster = Cluster::start().await;
    create(&cluster, "n").await;
    cluster.clock.store(NOW + DAY_MS, std::sync::atomic::Ordering::SeqCst);
    let request = pb::DeleteNamespaceRequest { namespace_name: "n".into(), ..Default::default() };
    let response: pb::DeleteNamespaceResponse = cluster.call("DeleteNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    cluster.clock.store(NOW, std::sync::atomic::Ordering::SeqCst);
    let next = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    create(&next, "n").await;
    let last = next.crash_and_restart(finback_fs::CrashMode::Strict).await;
    assert_eq!(names(&last).await, ["default", "hbase", "n"]);
}
