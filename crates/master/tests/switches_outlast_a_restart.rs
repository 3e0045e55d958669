//! What an administrator has turned stays so in the next life; what could not be written down is not turned.

mod cluster;

use cluster::{Cluster, refusal};
use finback_fs::{CrashMode, write_file_durably};
use finback_proto::pb;
use finback_rpc::RpcException;

const MODES: [CrashMode; 3] = [CrashMode::Strict, CrashMode::Torn { seed: 1 }, CrashMode::Torn { seed: 2 }];

async fn turn_balancer(cluster: &Cluster, on: bool) -> Result<bool, RpcException> {
    let request = pb::SetBalancerRunningRequest { on, synchronous: None };
    let response: pb::SetBalancerRunningResponse = cluster.call("SetBalancerRunning", &request).await?;
    Ok(response.prev_balance_value())
}

async fn turn_normalizer(cluster: &Cluster, on: bool) -> Result<bool, RpcException> {
    let request = pb::SetNormalizerRunningRequest { on };
    let response: pb::SetNormalizerRunningResponse = cluster.call("SetNormalizerRunning", &request).await?;
    Ok(response.prev_normalizer_value())
}

async fn turn_split_and_merge(cluster: &Cluster, enabled: bool) -> Result<Vec<bool>, RpcException> {
    let switch_types = vec![pb::MasterSwitchType::Split.into(), pb::MasterSwitchType::Merge.into()];
    let request = pb::SetSplitOrMergeEnabledRequest { enabled, synchronous: None, switch_types };
    let response: pb::SetSplitOrMergeEnabledResponse =
        cluster.call("SetSplitOrMergeEnabled", &request).await?;
    Ok(response.prev_value)
}

async fn turn_snapshot_cleanup(cluster: &Cluster, enabled: bool) -> Result<bool, RpcException> {
    let request = pb::SetSnapshotCleanupRequest { enabled, synchronous: None };
    let response: pb::SetSnapshotCleanupResponse = cluster.call("SwitchSnapshotCleanup", &request).await?;
    Ok(response.prev_snapshot_cleanup)
}

async fn is_enabled(cluster: &Cluster, switch: pb::MasterSwitchType) -> bool {
    let request = pb::IsSplitOrMergeEnabledRequest { switch_type: switch.into() };
    let response: pb::IsSplitOrMergeEnabledResponse =
        cluster.call("IsSplitOrMergeEnabled", &request).await.unwrap();
    response.enabled
}

/// Those of the balancer, the normalizer, splits, merges, and the removal of snapshots.
async fn switches(cluster: &Cluster) -> [bool; 5] {
    let balancer: pb::IsBalancerEnabledResponse =
        cluster.call("IsBalancerEnabled", &pb::IsBalancerEnabledRequest {}).await.unwrap();
    let normalizer: pb::IsNormalizerEnabledResponse =
        cluster.call("IsNormalizerEnabled", &pb::IsNormalizerEnabledRequest {}).await.unwrap();
    let cleanup: pb::IsSnapshotCleanupEnabledResponse =
        cluster.call("IsSnapshotCleanupEnabled", &pb::IsSnapshotCleanupEnabledRequest {}).await.unwrap();
    let split = is_enabled(cluster, pb::MasterSwitchType::Split).await;
    let merge = is_enabled(cluster, pb::MasterSwitchType::Merge).await;
    [balancer.enabled, normalizer.enabled, split, merge, cleanup.enabled]
}

/// Those of the catalog janitor and the cleaners.
async fn chores(cluster: &Cluster) -> [bool; 2] {
    let janitor: pb::IsCatalogJanitorEnabledResponse =
        cluster.call("IsCatalogJanitorEnabled", &pb::IsCatalogJanitorEnabledRequest {}).await.unwrap();
    let cleaner: pb::IsCleanerChoreEnabledResponse =
        cluster.call("IsCleanerChoreEnabled", &pb::IsCleanerChoreEnabledRequest {}).await.unwrap();
    [janitor.value, cleaner.value]
}

#[tokio::test(start_paused = true)]
async fn switches_that_are_turned_at_once_are_all_so_after_a_power_cut() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        let (balancer, normalizer, regions, cleanup) = tokio::join!(
            turn_balancer(&cluster, false),
            turn_normalizer(&cluster, false),
            turn_split_and_merge(&cluster, false),
            turn_snapshot_cleanup(&cluster, false),
        );
        assert!(balancer.unwrap() && normalizer.unwrap() && cleanup.unwrap());
        assert_eq!(regions.unwrap(), [true, true]);
        assert_eq!(switches(&cluster).await, [false; 5]);
        let cluster = cluster.crash_and_restart(mode).await;
        assert_eq!(switches(&cluster).await, [false; 5]);

        assert!(!turn_normalizer(&cluster, true).await.unwrap());
        let cluster = cluster.crash_and_restart(mode).await;
        assert_eq!(switches(&cluster).await, [false, true, false, false, false]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_start_forgets_what_hbase_forgets() {
    let cluster = Cluster::start().await;
    let off = pb::EnableCatalogJanitorRequest { enable: false };
    let _: pb::EnableCatalogJanitorResponse = cluster.call("EnableCatalogJanitor", &off).await.unwrap();
    let off = pb::SetCleanerChoreRunningRequest { on: false };
    let _: pb::SetCleanerChoreRunningResponse = cluster.call("SetCleanerChoreRunning", &off).await.unwrap();
    // A switch that is kept takes no other with it.
    turn_balancer(&cluster, false).await.unwrap();
    assert_eq!(chores(&cluster).await, [false, false]);
    let cluster = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(chores(&cluster).await, [true, true]);
}

#[tokio::test(start_paused = true)]
async fn a_switch_that_cannot_be_written_down_stays_as_it_was() {
    let cluster = Cluster::start().await;
    turn_snapshot_cleanup(&cluster, false).await.unwrap();
    let before = [true, true, true, true, false];

    cluster.faults.fail_syncs(true);
    assert_eq!(refusal(turn_snapshot_cleanup(&cluster, true).await).0, "IOException");
    assert_eq!(refusal(turn_split_and_merge(&cluster, false).await).0, "IOException");
    cluster.faults.heal();
    assert_eq!(switches(&cluster).await, before);
    // The file has its new name, and the sync of the directory fails.
    cluster.faults.fail_rename_syncs(true);
    assert_eq!(refusal(turn_snapshot_cleanup(&cluster, true).await).0, "IOException");
    cluster.faults.heal();
    assert_eq!(switches(&cluster).await, before);

    let cluster = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(switches(&cluster).await, before);
    assert!(!turn_snapshot_cleanup(&cluster, true).await.unwrap());
    assert_eq!(switches(&cluster).await, [true; 5]);
}

#[tokio::test(start_paused = true)]
async fn switches_that_cannot_be_read_are_off_until_they_are_turned_on() {
    let cluster = Cluster::start().await;
    turn_snapshot_cleanup(&cluster, false).await.unwrap();
    let root = cluster.root();
    write_file_durably(&**root.fs(), &root.switches_file(), b"").unwrap();
    let cluster = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(switches(&cluster).await, [false; 5]);
    turn_snapshot_cleanup(&cluster, true).await.unwrap();
    let cluster = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(switches(&cluster).await, [false, false, false, false, true]);
}
