//! LockService: what a client has locked nobody changes, until it lets go, or is not heard of for too long.

mod cluster;

use std::{sync::atomic::Ordering, time::Duration};

use cluster::{Cluster, pb_name, refusal, table_name};
use finback_cell::RegionInfo;
use finback_fs::CrashMode;
use finback_proto::{Message, pb};
use finback_rpc::RpcException;
use pb::{LockType, lock_heartbeat_response::LockStatus};

const TIMEOUT_MS: u64 = 30_000;

async fn request(cluster: &Cluster, lock: pb::LockRequest) -> Result<u64, RpcException> {
    let lock = pb::LockRequest { description: lock.description.or(Some("a test".into())), ..lock };
    let response: pb::LockResponse = cluster.call_service("LockService", "RequestLock", &lock).await?;
    Ok(response.proc_id)
}

async fn on_table(cluster: &Cluster, kind: LockType) -> u64 {
    let lock =
        pb::LockRequest { lock_type: kind.into(), table_name: Some(pb_name("t")), ..Default::default() };
    request(cluster, lock).await.unwrap()
}

async fn heartbeat(cluster: &Cluster, proc_id: u64, keep_alive: bool) -> bool {
    let beat = pb::LockHeartbeatRequest { proc_id, keep_alive: Some(keep_alive) };
    let answer: pb::LockHeartbeatResponse =
        cluster.call_service("LockService", "LockHeartbeat", &beat).await.unwrap();
    let locked = answer.lock_status() == LockStatus::Locked;
    assert_eq!(answer.timeout_ms, locked.then_some(TIMEOUT_MS as u32));
    locked
}

/// Time passes, for the cluster and for its timers.
async fn pass(cluster: &Cluster, milliseconds: u64) {
    for _ in 0..milliseconds / 100 {
        cluster.clock.fetch_add(100, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn cluster_with_table() -> Cluster {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    cluster
}

#[tokio::test(start_paused = true)]
async fn what_changes_the_table_waits_until_the_lock_is_let_go() {
    let cluster = cluster_with_table().await;
    let lock = on_table(&cluster, LockType::Exclusive).await;
    pass(&cluster, 100).await;
    assert!(heartbeat(&cluster, lock, true).await);
    let second = on_table(&cluster, LockType::Shared).await;
    let (disabled, ()) = tokio::join!(cluster.disable("t"), async {
        for _ in 0..8 {
            pass(&cluster, TIMEOUT_MS / 2).await;
            assert!(heartbeat(&cluster, lock, true).await);
            assert!(!heartbeat(&cluster, second, true).await, "it waits");
        }
        assert_eq!(cluster.state("t").await, Some(pb::table_state::State::Enabled));
        let locks: pb::GetLocksResponse = cluster.call("GetLocks", &pb::GetLocksRequest {}).await.unwrap();
        let [_, locked] = &locks.lock[..] else { panic!("{locks:?}") };
        let owner = locked.exclusive_lock_owner_procedure.as_ref().unwrap();
        assert_eq!(owner.class_name, "org.apache.hadoop.hbase.master.locking.LockProcedure");
        assert_eq!((owner.proc_id, owner.state()), (lock, pb::ProcedureState::WaitingTimeout));
        let data = pb::LockProcedureData::decode(owner.state_message[0].value.clone()).unwrap();
        assert_eq!((data.lock_type(), data.description()), (LockType::Exclusive, "a test"));
        let waiting: Vec<_> = locked.waiting_procedures.iter().map(|waiting| waiting.proc_id).collect();
        assert_eq!((waiting.len(), waiting[0]), (2, second), "in order");
        assert!(!heartbeat(&cluster, lock, false).await);
        pass(&cluster, 100).await;
        assert!(heartbeat(&cluster, second, true).await, "its turn");
        assert!(!heartbeat(&cluster, second, false).await);
    });
    disabled.unwrap();
    assert!(!heartbeat(&cluster, lock, true).await, "it is over");
}

#[tokio::test(start_paused = true)]
async fn the_catalog_janitor_waits_for_no_lock() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let parent = RegionInfo::new(table_name("t"), "".into(), "".into(), 1_700_000_000_000);
    let split = pb::SplitTableRegionRequest {
        region_info: (&parent).into(),
        split_row: Some("m".into()),
        ..Default::default()
    };
    let response: pb::SplitTableRegionResponse = cluster.call("SplitRegion", &split).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    let lock = on_table(&cluster, LockType::Exclusive).await;
    pass(&cluster, 100).await;
    let scan = async || -> Option<i32> {
        let request = pb::RunCatalogScanRequest {};
        let answer = cluster.call::<_, pb::RunCatalogScanResponse>("RunCatalogScan", &request);
        let answer = tokio::time::timeout(Duration::from_secs(60), answer).await;
        answer.expect("it waits for the lock").unwrap().scan_result
    };
    assert_eq!(scan().await, Some(0));
    assert!(!heartbeat(&cluster, lock, false).await);
    pass(&cluster, 100).await;
    assert_eq!(scan().await, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_not_heard_of_loses_its_lock() {
    let cluster = cluster_with_table().await;
    let lock = on_table(&cluster, LockType::Exclusive).await;
    pass(&cluster, TIMEOUT_MS - 1000).await;
    assert!(heartbeat(&cluster, lock, true).await);
    pass(&cluster, TIMEOUT_MS - 1000).await;
    assert!(heartbeat(&cluster, lock, true).await);
    pass(&cluster, TIMEOUT_MS + 200).await;
    assert!(!heartbeat(&cluster, lock, true).await);
    cluster.disable("t").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_client_that_waits_for_a_lock_and_is_not_heard_of_waits_no_longer() {
    let cluster = cluster_with_table().await;
    let lock = on_table(&cluster, LockType::Exclusive).await;
    let [gone, waiting] =
        [on_table(&cluster, LockType::Exclusive).await, on_table(&cluster, LockType::Exclusive).await];
    for _ in 0..3 {
        pass(&cluster, TIMEOUT_MS / 2).await;
        assert!(heartbeat(&cluster, lock, true).await);
        assert!(!heartbeat(&cluster, waiting, true).await);
    }
    let result = cluster.call("getProcedureResult", &pb::GetProcedureResultRequest { proc_id: gone }).await;
    let result: pb::GetProcedureResultResponse = result.unwrap();
    assert_eq!(result.state(), pb::get_procedure_result_response::State::Finished);
    assert!(!heartbeat(&cluster, lock, false).await);
    pass(&cluster, 100).await;
    assert!(heartbeat(&cluster, waiting, true).await, "its turn");
}

#[tokio::test(start_paused = true)]
async fn locks_are_there_after_a_restart_and_the_nonce_is_known() {
    let cluster = cluster_with_table().await;
    let nonced = pb::LockRequest {
        lock_type: LockType::Exclusive.into(),
        table_name: Some(pb_name("t")),
        nonce_group: Some(3),
        nonce: Some(4),
        ..Default::default()
    };
    let lock = request(&cluster, nonced.clone()).await.unwrap();
    let next = cluster.crash_and_restart(CrashMode::Strict).await;
    assert_eq!(request(&next, nonced).await.unwrap(), lock);
    pass(&next, 100).await;
    assert!(heartbeat(&next, lock, true).await);
    assert!(!heartbeat(&next, lock, false).await);
    next.disable("t").await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_locked_region_is_not_split_while_its_neighbour_is() {
    let cluster = cluster_with_table().await;
    let region = |start: &'static str, end: &'static str| {
        let names = cluster.root().list_regions(&table_name("t")).unwrap();
        let mut infos =
            names.iter().map(|name| cluster.root().read_region_info(&table_name("t"), name).unwrap());
        infos.find(|info| info.start_key == start && info.end_key == end).unwrap()
    };
    let lock = pb::LockRequest {
        lock_type: LockType::Exclusive.into(),
        region_info: vec![(&region("", "m")).into()],
        ..Default::default()
    };
    let lock = request(&cluster, lock).await.unwrap();
    let split = async |info: RegionInfo, row: &'static str| {
        let request = pb::SplitTableRegionRequest {
            region_info: (&info).into(),
            split_row: Some(row.into()),
            ..Default::default()
        };
        let answer: pb::SplitTableRegionResponse = cluster.call("SplitRegion", &request).await.unwrap();
        cluster.wait(answer.proc_id).await.unwrap();
    };
    split(region("m", ""), "t").await;
    let locked = region("", "m");
    let ((), ()) = tokio::join!(split(locked.clone(), "c"), async {
        pass(&cluster, 1000).await;
        assert_eq!(region("", "m"), locked);
        assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap().len(), 4);
        heartbeat(&cluster, lock, false).await;
    });
    region("c", "m");
}

#[tokio::test(start_paused = true)]
async fn requests_that_make_no_sense_are_refused_in_hbases_words() {
    let cluster = cluster_with_table().await;
    let region = |table: &str| (&RegionInfo::new(table_name(table), "".into(), "".into(), 1)).into();
    let shared = pb::LockRequest { lock_type: LockType::Shared.into(), ..Default::default() };
    let cases = [
        (pb::LockRequest { description: Some(String::new()), ..shared.clone() }, "Empty description"),
        (shared.clone(), "one of table/namespace/region should be specified"),
        (pb::LockRequest { namespace: Some(String::new()), ..shared.clone() }, "Empty namespace"),
        (
            pb::LockRequest { namespace: Some("default".into()), ..shared.clone() },
            "Shared lock on namespace not supported",
        ),
        (
            pb::LockRequest { region_info: vec![region("t"), region("u")], ..shared },
            "All regions should be from same table",
        ),
    ];
    for (lock, message) in cases {
        let expected = format!("java.lang.IllegalArgumentException: {message}");
        assert_eq!(refusal(request(&cluster, lock).await), ("DoNotRetryIOException".into(), expected));
    }
    let end_key = Some(vec![b'x'; 1 << 20].into());
    let large = pb::LockRequest {
        lock_type: LockType::Exclusive.into(),
        region_info: vec![pb::RegionInfo { end_key, ..region("t") }],
        ..Default::default()
    };
    assert_eq!(refusal(request(&cluster, large).await).0, "RequestTooBigException");
    assert!(!heartbeat(&cluster, 4711, true).await);
}
