use crate::fake_cluster::{FakeCluster, there};
use finback_client::{Connection, Consistency, Get};
use finback_proto::pb;
use finback_rpc::{Outcome, exceptions};
use std::time::Duration;

fn timeline() -> Get {
    Get::new("r").consistency(Consistency::Timeline)
}

#[tokio::test]
async fn only_if_that_is_allowed_and_the_primary_takes_its_time() {
    let cluster = FakeCluster::start(2).await;
    cluster.state.lock().unwrap().replica = Some(cluster.name(1));
    let table = cluster.table().await;
    table.get(timeline()).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0]);

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
    let table = Connection::open(cluster.config()).await.unwrap().table("t").unwrap();
    cluster.next(|call| {
        let call = call.clone();
        Outcome::pending(async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            there("Get", &call).wait().await
        })
    });
    cluster.next_fails(exceptions::do_not_retry("no"));
    table.get(timeline()).await.unwrap().unwrap();
    assert_eq!(cluster.called(), [0, 1]);
}
