use crate::fake_cluster::{FakeCluster, multi};
use finback_client::{BufferedMutatorOptions, Put};
use finback_rpc::Outcome;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

const SHORT: Duration = Duration::from_millis(50);
const PATIENCE: Duration = Duration::from_secs(20);

fn put(number: usize) -> Put {
    Put::new(format!("{number:04}")).column("f", "q", [b'v'; 100])
}

/// A put of that many bytes, as they are counted.
fn put_of(size: usize) -> Put {
    let of_value = |length| Put::new("r").column("f", "q", vec![b'v'; length]);
    let put = of_value(size - of_value(0).size());
    assert_eq!(put.size(), size);
    put
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
async fn but_not_for_what_nobody_sends() {
    let cluster = FakeCluster::start(1).await;
    let options = BufferedMutatorOptions { max_pending_bytes: 2000, ..options() };
    let buffer = Arc::new(cluster.table().await.buffered_mutator_with(options));
    let release = hold(&cluster, 10);
    for size in [990, 100, 900] {
        buffer.mutate(put_of(size)).await.unwrap();
    }
    // Of what the first leave for the last, the second has a part, which is not enough to be sent by itself.
    let mut writing = Vec::new();
    for size in [700, 1400] {
        let buffer = Arc::clone(&buffer);
        writing.push(tokio::spawn(async move { buffer.mutate(put_of(size)).await.unwrap() }));
        tokio::task::yield_now().await;
    }
    release.send(true).unwrap();
    for writing in writing {
        tokio::time::timeout(PATIENCE, writing).await.expect("held back for ever").unwrap();
    }
    buffer.flush().await.unwrap();
}

#[tokio::test]
async fn but_not_for_others_whom_nobody_polls() {
    let cluster = FakeCluster::start(1).await;
    let buffer = cluster.table().await.buffered_mutator_with(options());
    let release = hold(&cluster, 10);
    buffer.mutate(put_of(3000)).await.unwrap();
    let mut first = pin!(buffer.mutate(put_of(3000)));
    assert!(tokio::time::timeout(SHORT, &mut first).await.is_err());
    release.send(true).unwrap();
    let second = buffer.mutate(put_of(3000));
    tokio::time::timeout(PATIENCE, second).await.expect("held back for ever").unwrap();
    first.await.unwrap();
    buffer.flush().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn and_lets_go_on_whoever_writes_however_much() {
    let cluster = FakeCluster::start(1).await;
    let options = BufferedMutatorOptions { max_pending_bytes: 2000, ..options() };
    let buffer = Arc::new(cluster.table().await.buffered_mutator_with(options));
    for round in 0..300 {
        let mut writing = tokio::task::JoinSet::new();
        for writer in 0..3 {
            let buffer = Arc::clone(&buffer);
            // From little to more than may be pending.
            let put = put_of(100 + (writer * 617 + round * 331) % 2400);
            writing.spawn(async move { buffer.mutate(put).await.unwrap() });
        }
        tokio::time::timeout(PATIENCE, writing.join_all()).await.expect("held back for ever");
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
