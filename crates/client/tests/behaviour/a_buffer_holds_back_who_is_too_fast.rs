use crate::fake_cluster::{FakeCluster, multi};
use finback_client::{BufferedMutatorOptions, Put};
use finback_rpc::Outcome;
use std::time::Duration;
use tokio::sync::watch;

const SHORT: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(20);

fn put(number: usize) -> Put {
    Put::new(format!("{number:04}")).column("f", "q", [b'v'; 100])
}

fn options() -> BufferedMutatorOptions {
    BufferedMutatorOptions {
        buffer_bytes: 1000,
        max_pending_bytes: 3000,
        ..BufferedMutatorOptions::default()
    }
}

/// The next answers wait until they are released.
fn hold(cluster: &FakeCluster, answers: usize) -> watch::Sender<bool> {
    let (release, released) = watch::channel(false);
    for _ in 0..answers {
        let mut released = released.clone();
        cluster.next(move |call| {
            let call = call.clone();
            Outcome::pending(async move {
                released.wait_for(|released| *released).await.unwrap();
                multi(&call, |_| None).wait().await
            })
        });
    }
    release
}

#[tokio::test]
async fn until_what_is_on_its_way_has_arrived() {
    let cluster = FakeCluster::start(1).await;
    let buffer = cluster.table().await.buffered_mutator_with(options());
    let release = hold(&cluster, 100);
    let mut taken = 0;
    while tokio::time::timeout(SHORT, buffer.mutate(put(taken))).await.is_ok() {
        taken += 1;
        assert!(taken < 100, "nobody is held back");
    }
    assert!(taken >= 5, "{taken}");
    release.send(true).unwrap();
    for number in 0..100 {
        tokio::time::timeout(PATIENCE, buffer.mutate(put(number)))
            .await
            .expect("held back for ever")
            .unwrap();
    }
    buffer.flush().await.unwrap();
}

#[tokio::test]
async fn whose_attributes_are_large() {
    let cluster = FakeCluster::start(1).await;
    let options = BufferedMutatorOptions { buffer_bytes: 100_000, max_pending_bytes: 300_000, ..options() };
    let buffer = cluster.table().await.buffered_mutator_with(options);
    let release = hold(&cluster, 100);
    let large = |number| put(number).attribute("note", vec![b'n'; 60_000]);
    let mut taken = 0;
    while tokio::time::timeout(SHORT, buffer.mutate(large(taken))).await.is_ok() {
        taken += 1;
        assert!(taken < 10, "nobody is held back");
    }
    release.send(true).unwrap();
    buffer.flush().await.unwrap();
}

#[tokio::test]
async fn a_flush_that_is_dropped_takes_no_writes_with_it() {
    let cluster = FakeCluster::start(1).await;
    let buffer = cluster.table().await.buffered_mutator_with(options());
    let (arrived, mut arrives) = tokio::sync::mpsc::unbounded_channel();
    let (release, released) = tokio::sync::oneshot::channel::<()>();
    cluster.next(move |call| {
        let call = call.clone();
        Outcome::pending(async move {
            let _ = released.await;
            let answer = multi(&call, |_| None).wait().await;
            let _ = arrived.send(());
            answer
        })
    });
    buffer.mutate(put(1)).await.unwrap();
    assert!(tokio::time::timeout(SHORT, buffer.flush()).await.is_err());
    release.send(()).unwrap();
    tokio::time::timeout(PATIENCE, arrives.recv()).await.expect("lost").unwrap();
    buffer.flush().await.unwrap();
}

#[tokio::test]
async fn what_is_little_is_sent_after_a_while() {
    let cluster = FakeCluster::start(1).await;
    let options = BufferedMutatorOptions { flush_interval: Some(Duration::from_millis(5)), ..options() };
    let buffer = cluster.table().await.buffered_mutator_with(options);
    buffer.mutate(put(1)).await.unwrap();
    let waiting = async {
        while cluster.called().is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("not sent");
}
