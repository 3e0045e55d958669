//! Calls of one kind that wait are bounded, in the whole server; beyond that they are refused, and calls of other kinds are
//! not.

mod echo;

use echo::{Running, echo_of, header, request, until};
use finback_proto::pb;
use finback_rpc::{CallKind, CallQueueLimits, Limits};

#[tokio::test]
async fn calls_beyond_a_queue_are_refused_and_others_served() {
    let call_queues = CallQueueLimits { priority: 1, general: 3 };
    let running = Running::start(Limits { call_queues, ..Limits::default() });
    let (mut one, mut other) = (running.client().await, running.client().await);
    for call_id in 1..=3 {
        one.send(&request(header(call_id, "Later"), b"waits", b"")).await;
    }
    until("three wait", || running.server.waiting_calls(CallKind::Scan) == 3).await;

    other.send(&request(header(4, "Later"), b"is refused", b"")).await;
    let (call_id, refused) = other.exception().await;
    assert_eq!((call_id, &*refused.class), (4, "org.apache.hadoop.hbase.CallQueueTooBigException"));
    assert_eq!(refused.message, "Call queue is full on here,1,2, too many items queued ?");
    assert!(!refused.do_not_retry && refused.server_overloaded);

    other.send(&request(header(5, "Echo"), b"of another kind", b"")).await;
    assert_eq!(other.response().await, echo_of(5, b"of another kind"));
    let own = |call_id| pb::RequestHeader { priority: Some(200), ..header(call_id, "Later") };
    other.send(&request(own(6), b"of the cluster", b"")).await;
    until("it waits", || running.server.waiting_calls(CallKind::Priority) == 1).await;
    other.send(&request(own(7), b"one too many", b"")).await;
    assert_eq!(other.exception().await.0, 7);

    for _ in 0..4 {
        running.echo.release.notify_one();
        tokio::task::yield_now().await;
    }
    running.echo.release.notify_waiters();
    let mut answered: Vec<u32> = Vec::new();
    for _ in 1..=3 {
        answered.push(one.response().await.call_id);
    }
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3]);
    assert_eq!(other.response().await, echo_of(6, b"of the cluster"));
    until("nothing waits", || running.server.waiting_calls(CallKind::Scan) == 0).await;
    // Now there is room again.
    other.send(&request(header(8, "Later"), b"is not refused", b"")).await;
    until("it waits", || running.server.waiting_calls(CallKind::Scan) == 1).await;
    running.echo.release.notify_waiters();
    assert_eq!(other.response().await, echo_of(8, b"is not refused"));
}
