use crate::fake_cluster::FakeCluster;
use finback_client::{Connection, EntityLock, Error, LockKind};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, exceptions};
use pb::lock_heartbeat_response::LockStatus;
use std::time::Duration;

/// Ends a hang.
const LONG: Duration = Duration::from_secs(60);

async fn lock(cluster: &FakeCluster) -> Result<EntityLock, Error> {
    let connection = Connection::open(cluster.config()).await.unwrap();
    let locking = async { connection.admin().lock_table("t", LockKind::Exclusive, "a test").await };
    tokio::time::timeout(LONG, locking).await.expect("neither a lock nor an error")
}

fn next_gives_a_procedure(cluster: &FakeCluster) {
    cluster.next(|_| Outcome::message(&pb::LockResponse { proc_id: 5 }));
}

fn is(status: LockStatus, timeout_ms: u32) -> Outcome {
    let (lock_status, timeout_ms) = (status.into(), Some(timeout_ms));
    Outcome::message(&pb::LockHeartbeatResponse { lock_status, timeout_ms })
}

fn next_is_locked(cluster: &FakeCluster, timeout_ms: u32) {
    cluster.next(move |_| is(LockStatus::Locked, timeout_ms));
}

/// When the next answer comes, what it says has run out.
fn next_is_locked_too_late(cluster: &FakeCluster) {
    cluster.next(|_| {
        Outcome::pending(async {
            tokio::time::sleep(Duration::from_millis(2100)).await;
            is(LockStatus::Locked, 2000).wait().await
        })
    });
}

fn silence(_: &Call) -> Outcome {
    Outcome::pending(std::future::pending())
}

#[tokio::test]
async fn it_is_lost_when_the_master_is_silent_for_as_long() {
    let cluster = FakeCluster::start(1).await;
    next_gives_a_procedure(&cluster);
    next_is_locked(&cluster, 6000);
    (0..20).for_each(|_| cluster.next(silence));
    let lock = lock(&cluster).await.unwrap();
    let lost = async {
        while lock.is_held() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, lost).await.expect("it is held for ever");
    tokio::time::timeout(LONG, lock.unlock()).await.expect("what is lost is not given back");
}

#[tokio::test]
async fn it_is_had_with_the_first_prompt_answer() {
    let cluster = FakeCluster::start(1).await;
    next_gives_a_procedure(&cluster);
    next_is_locked_too_late(&cluster);
    next_is_locked(&cluster, 60_000);
    let lock = lock(&cluster).await.unwrap();
    assert_eq!(cluster.called().len(), 3);
    assert!(lock.is_held());
}

#[tokio::test]
async fn what_was_taken_away_before_anybody_had_it_is_an_error() {
    let cluster = FakeCluster::start(1).await;
    next_gives_a_procedure(&cluster);
    next_is_locked_too_late(&cluster);
    cluster.next(|_| is(LockStatus::Unlocked, 2000));
    let error = lock(&cluster).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn it_is_given_back_while_a_heartbeat_is_not_answered() {
    let cluster = FakeCluster::start(1).await;
    next_gives_a_procedure(&cluster);
    next_is_locked(&cluster, 6000);
    let (asked, mut asking) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..20 {
        let asked = asked.clone();
        cluster.next(move |call| {
            let keep_alive = call.decode::<pb::LockHeartbeatRequest>().unwrap().keep_alive();
            let _ = asked.send(keep_alive);
            silence(call)
        });
    }
    let lock = lock(&cluster).await.unwrap();
    assert_eq!(tokio::time::timeout(LONG, asking.recv()).await, Ok(Some(true)));
    tokio::time::timeout(LONG, lock.unlock()).await.expect("it waits for the heartbeat");
    let told = async { while asking.recv().await != Some(false) {} };
    tokio::time::timeout(LONG, told).await.expect("the master is not told");
}

#[tokio::test]
async fn what_goes_wrong_with_it_is_told_to_who_waits_for_it() {
    let cluster = FakeCluster::start(1).await;
    next_gives_a_procedure(&cluster);
    cluster.next_fails(exceptions::do_not_retry("no such procedure"));
    let error = lock(&cluster).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
    assert_eq!(error.message(), Some("no such procedure"));
}
