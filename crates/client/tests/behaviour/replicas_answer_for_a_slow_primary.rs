use crate::fake_cluster::{FakeCluster, there};
use finback_client::{Connection, Consistency, Get, Table};
use finback_proto::pb;
use finback_rpc::{Outcome, exceptions};
use std::time::Duration;

fn timeline() -> Get {
    Get::new("r").consistency(Consistency::Timeline)
}

/// One that knows its region and is connected to the primary, so that this is called before the replica.
async fn warm_table(cluster: &FakeCluster) -> Table {
    let table = cluster.table().await;
    table.get(Get::new("r")).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0]);
    table
}

#[tokio::test]
async fn only_if_that_is_allowed_and_the_primary_takes_its_time() {
    let cluster = FakeCluster::start(2).await;
    cluster.state.lock().unwrap().replica = Some(cluster.name(1));
    let mut patient = cluster.config();
    patient.primary_get_patience = Duration::from_secs(600);
    let table = Connection::open(patient).await.unwrap().table("t").unwrap();
    table.get(timeline()).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0]);

    let table = warm_table(&cluster).await;
    cluster.next(|_| Outcome::pending(std::future::pending()));
    cluster.next(|call| {
        let request: pb::GetRequest = call.decode().unwrap();
        assert!(request.region.value.windows(6).any(|part| part == b"_0001."), "{:?}", request.region.value);
        there("Get", call)
    });
    table.get(timeline()).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0, 1]);
}

#[tokio::test]
async fn who_looks_for_the_region_meanwhile_is_not_waited_for_in_vain() {
    let cluster = FakeCluster::start(2).await;
    {
        let mut state = cluster.state.lock().unwrap();
        state.replica = Some(cluster.name(1));
        state.look_up_takes = Duration::from_millis(100);
    }
    let table = cluster.table().await;
    let got = tokio::time::timeout(Duration::from_secs(20), table.get(timeline())).await;
    got.expect("an answer").unwrap().unwrap();
}

#[tokio::test]
async fn a_replica_that_fails_is_not_the_answer() {
    let cluster = FakeCluster::start(2).await;
    cluster.state.lock().unwrap().replica = Some(cluster.name(1));
    let table = warm_table(&cluster).await;
    let (fail, failed) = tokio::sync::oneshot::channel();
    cluster.next(|call| {
        let call = call.clone();
        Outcome::pending(async move {
            failed.await.unwrap();
            // In which the failure comes.
            tokio::time::sleep(Duration::from_millis(100)).await;
            there("Get", &call).wait().await
        })
    });
    cluster.next(|_| {
        fail.send(()).unwrap();
        Outcome::exception(exceptions::do_not_retry("no"))
    });
    table.get(timeline()).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0, 1]);
}
