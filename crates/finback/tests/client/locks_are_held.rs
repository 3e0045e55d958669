use crate::cluster::Cluster;
use finback_client::{LockKind, TableState};
use std::pin::pin;
use std::time::Duration;

/// What waits for nothing is done sooner.
const SHORT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn by_one_client_alone_or_by_many_until_they_let_go() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    cluster.table("t", &[]).await;

    let first = admin.lock_table("t", LockKind::Shared, "a backup").await.unwrap();
    let second = admin.lock_table("t", LockKind::Shared, "another").await.unwrap();
    assert!(first.is_held() && second.is_held() && first.proc_id() != second.proc_id());
    let hasty = admin.clone().with_operation_timeout(SHORT);
    assert!(hasty.lock_table("t", LockKind::Exclusive, "a repair").await.is_err());
    first.unlock().await;
    second.unlock().await;

    let alone = admin.lock_table("t", LockKind::Exclusive, "a repair").await.unwrap();
    let held = admin.locks().await.unwrap();
    assert!(held.iter().any(|lock| lock.resource_name() == "t"), "{held:?}");
    // What changes the table waits for it.
    let mut disabling = pin!(admin.disable_table("t"));
    assert!(tokio::time::timeout(SHORT, disabling.as_mut()).await.is_err());
    drop(alone);
    disabling.await.unwrap();
    assert_eq!(admin.table_state("t").await.unwrap(), TableState::Disabled);
    admin.lock_namespace("default", "all of it").await.unwrap().unlock().await;
    let regions = cluster.connection.table("t").unwrap().regions().await.unwrap();
    let regions: Vec<_> = regions.into_iter().map(|region| region.region).collect();
    admin.lock_regions(&regions, "one").await.unwrap().unlock().await;
    assert!(admin.lock_table("t", LockKind::Shared, "").await.is_err());
}
