use crate::fake_cluster::{FakeCluster, group_fails, region};
use finback_client::{CheckAndMutate, Error, Get, Put, RowMutations};
use finback_rpc::exceptions;

#[tokio::test]
async fn many_callers_look_a_region_up_once() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let mut asking = tokio::task::JoinSet::new();
    for number in 0..100 {
        let table = table.clone();
        asking.spawn(async move { table.get(Get::new(number.to_string())).await.unwrap().unwrap() });
    }
    assert_eq!(asking.join_all().await.len(), 100);
    assert_eq!(cluster.look_ups(), 1);
    assert_eq!(cluster.called().len(), 100);
}

#[tokio::test]
async fn a_region_that_has_moved_is_followed_without_a_look_up() {
    let cluster = FakeCluster::start(2).await;
    let table = cluster.table().await;
    table.get(Get::new("r")).await.unwrap();
    cluster.next_fails(exceptions::region_moved("127.0.0.1", cluster.addresses[1].port(), 1, 5));
    table.get(Get::new("r")).await.unwrap();
    table.get(Get::new("r")).await.unwrap();
    assert_eq!(cluster.called(), [0, 0, 1, 1]);
    assert_eq!(cluster.look_ups(), 1);
}

#[tokio::test]
async fn what_is_not_served_is_looked_up_again() {
    let cluster = FakeCluster::start(2).await;
    let table = cluster.table().await;
    for gone in [
        exceptions::not_serving_region("gone"),
        exceptions::region_opening("opens"),
        exceptions::wrong_region("elsewhere"),
        exceptions::region_server_stopped("stops"),
        exceptions::io("something"),
    ] {
        cluster.place(&[(region("", ""), 0)]);
        let before = cluster.look_ups();
        table.region_of("r", true).await.unwrap();
        cluster.next_fails(gone.clone());
        cluster.place(&[(region("", ""), 1)]);
        table.get(Get::new("r")).await.unwrap();
        assert_eq!(cluster.called(), [0, 1], "{gone}");
        assert_eq!(cluster.look_ups(), before + 2, "{gone}");
    }
}

#[tokio::test]
async fn a_server_that_is_only_busy_is_asked_again() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    for busy in [
        exceptions::region_too_busy("busy"),
        exceptions::call_queue_too_big("full"),
        exceptions::call_dropped("dropped"),
        exceptions::rpc_throttling("number of requests exceeded", std::time::Duration::from_millis(1)),
    ] {
        cluster.next_fails(busy.clone());
        table.get(Get::new("r")).await.unwrap();
        assert_eq!(cluster.called(), [0, 0], "{busy}");
    }
    assert_eq!(cluster.look_ups(), 1);
}

#[tokio::test]
async fn a_server_that_has_gone_is_looked_up_again() {
    let cluster = FakeCluster::start(2).await;
    let mut gone = cluster.name(1);
    gone.port = 1; // Nobody listens there.
    cluster.state.lock().unwrap().regions = vec![(region("", ""), gone, 1)];
    let table = cluster.table().await.with_operation_timeout(std::time::Duration::from_secs(20));
    let state = std::sync::Arc::clone(&cluster.state);
    let (info, there) = (region("", ""), cluster.name(1));
    tokio::spawn(async move {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        state.lock().unwrap().regions = vec![(info, there, 2)];
    });
    table.get(Get::new("r")).await.unwrap();
    assert_eq!(cluster.called(), [1]);
}

#[tokio::test]
async fn a_disabled_table_is_told_as_such_and_not_asked_again() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    cluster.state.lock().unwrap().disabled = true;
    cluster.next_fails(exceptions::not_serving_region("gone"));
    let error = table.get(Get::new("r")).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && error.is("TableNotEnabledException"), "{error}");
    assert_eq!(cluster.called(), [0]);
    // As one that was restored while it was disabled: hbase:meta names no servers.
    cluster.state.lock().unwrap().homeless = usize::MAX;
    let error = cluster.table().await.get(Get::new("r")).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && error.is("TableNotEnabledException"), "{error}");
}

#[tokio::test]
async fn a_disabled_table_is_told_as_such_within_an_answer_too() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    cluster.state.lock().unwrap().disabled = true;
    let puts = ["q", "r"].map(|qualifier| Put::new("r").column("f", qualifier, "v").into());
    let all = RowMutations::new(puts).unwrap();
    cluster.next(group_fails(exceptions::not_serving_region("gone")));
    let error = table.mutate_row(all.clone()).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && error.is("TableNotEnabledException"), "{error}");
    cluster.next(group_fails(exceptions::not_serving_region("gone")));
    let check = CheckAndMutate::if_equals("r", "f", "q", "v").then_all(all);
    let error = table.check_and_mutate(check).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && error.is("TableNotEnabledException"), "{error}");
    assert_eq!(cluster.called(), [0, 0]);
}

#[tokio::test]
async fn a_table_without_regions_does_not_exist() {
    let cluster = FakeCluster::start(1).await;
    cluster.state.lock().unwrap().regions.clear();
    let error = cluster.table().await.get(Get::new("r")).await.unwrap_err();
    assert!(error.is("TableNotFoundException"), "{error}");
    assert_eq!(cluster.look_ups(), 1);
}
