use crate::fake_cluster::{FakeCluster, group_fails, region, silent_address, there};
use finback_client::{Connection, Error, Get, Increment, Put, RowMutations};
use finback_proto::pb;
use finback_rpc::{Outcome, exceptions};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

#[tokio::test]
async fn what_is_refused_is_asked_once() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    cluster.next_fails(exceptions::no_such_column_family("no family g"));
    let error = table.get(Get::new("r")).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)) && error.is("NoSuchColumnFamilyException"), "{error}");
    assert_eq!(error.message(), Some("no family g"));
    assert_eq!(cluster.called().len(), 1);
}

#[tokio::test]
async fn tries_are_as_many_as_are_allowed() {
    let cluster = FakeCluster::start(1).await;
    let table = Connection::open(cluster.config().retries(3)).await.unwrap().table("t").unwrap();
    for number in 0..9 {
        cluster.next_fails(exceptions::region_too_busy(format!("busy {number}")));
    }
    let error = table.put(Put::new("r").column("f", "q", "v")).await.unwrap_err();
    assert!(matches!(error, Error::RetriesExhausted { attempts: 4, .. }), "{error}");
    assert_eq!(error.message(), Some("busy 3"));
    assert_eq!(cluster.called().len(), 4);
}

#[tokio::test]
async fn tries_of_an_atomic_change_count_wherever_they_fail() {
    let cluster = FakeCluster::start(1).await;
    let table = Connection::open(cluster.config().retries(3)).await.unwrap().table("t").unwrap();
    // By turns the call fails, and the change within its answer.
    for _ in 0..4 {
        cluster.next_fails(exceptions::call_queue_too_big("full"));
        cluster.next(group_fails(exceptions::region_too_busy("busy")));
    }
    let put = Put::new("r").column("f", "q", "v");
    let error = table.mutate_row(RowMutations::new([put.into()]).unwrap()).await.unwrap_err();
    assert!(matches!(error, Error::RetriesExhausted { attempts: 4, .. }), "{error}");
    assert_eq!(cluster.called().len(), 4);
}

#[tokio::test]
async fn a_repetition_has_the_nonce_of_what_it_repeats() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    for fails in [true, false, false] {
        let seen = Arc::clone(&seen);
        cluster.next(move |call| {
            let request: pb::MutateRequest = call.decode().unwrap();
            seen.lock().unwrap().push((request.nonce_group.unwrap(), request.mutation.nonce.unwrap()));
            if fails { Outcome::exception(exceptions::region_too_busy("")) } else { there("Mutate", call) }
        });
    }
    table.increment(Increment::new("r").column("f", "q", 1)).await.unwrap();
    table.increment(Increment::new("r").column("f", "q", 1)).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], seen[1]);
    assert_ne!(seen[1], seen[2]);
}

#[tokio::test]
async fn an_operation_ends_when_its_time_is_over() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await.with_operation_timeout(Duration::from_millis(100));
    for _ in 0..3 {
        cluster.next(|_| Outcome::pending(std::future::pending()));
    }
    let started = Instant::now();
    let error = table.get(Get::new("r")).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn an_operation_ends_while_nobody_says_whether_its_table_is_disabled() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await.with_operation_timeout(Duration::from_secs(3));
    cluster.state.lock().unwrap().silent_about_states = true;
    for _ in 0..3 {
        cluster.next_fails(exceptions::not_serving_region("gone"));
    }
    let getting = tokio::time::timeout(Duration::from_secs(20), table.get(Get::new("r")));
    let error = getting.await.expect("it goes on").unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }) && error.is("NotServingRegionException"), "{error}");
    let putting =
        tokio::time::timeout(Duration::from_secs(20), table.put_all([Put::new("r").column("f", "q", "v")]));
    let error = putting.await.expect("it goes on").unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }) && error.is("NotServingRegionException"), "{error}");
}

#[tokio::test]
async fn a_batch_ends_while_no_connection_is_made() {
    let cluster = FakeCluster::start(1).await;
    let (silent, _listening) = silent_address().await;
    cluster.state.lock().unwrap().regions = vec![(region("", ""), silent, 1)];
    let mut config = cluster.config();
    config.connect_timeout = Duration::from_secs(1000);
    let table = Connection::open(config).await.unwrap().table("t").unwrap();
    let table = table.with_operation_timeout(Duration::from_millis(300));
    let putting =
        tokio::time::timeout(Duration::from_secs(20), table.put_all([Put::new("r").column("f", "q", "v")]));
    let error = putting.await.expect("it goes on").unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn an_operation_may_take_for_ever() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await.with_operation_timeout(Duration::MAX).with_rpc_timeout(Duration::MAX);
    let put = || Put::new("r").column("f", "q", "v");
    cluster.next_fails(exceptions::region_too_busy("busy"));
    table.put(put()).await.unwrap();
    cluster.next_fails(exceptions::region_too_busy("busy"));
    table.put_all([put()]).await.unwrap();
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_tried_again() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await.with_rpc_timeout(Duration::from_millis(500));
    cluster.next(|_| Outcome::pending(std::future::pending()));
    assert!(table.get(Get::new("r")).await.unwrap().is_some());
    // On a busy machine the second may take too long as well.
    assert!(cluster.called().len() >= 2);
}

#[tokio::test]
async fn a_call_that_is_dropped_does_no_harm() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    table.get(Get::new("warm")).await.unwrap();
    let (release, released) = tokio::sync::oneshot::channel::<()>();
    cluster.next(|call| {
        let call = call.clone();
        Outcome::pending(async move {
            let _ = released.await;
            there("Get", &call).wait().await
        })
    });
    let dropped = tokio::time::timeout(Duration::from_millis(20), table.get(Get::new("slow"))).await;
    assert!(dropped.is_err());
    // The answer to what was dropped comes before the next one.
    release.send(()).unwrap();
    let row = table.get(Get::new("next")).await.unwrap().unwrap();
    assert_eq!(row.key(), b"next");
}
