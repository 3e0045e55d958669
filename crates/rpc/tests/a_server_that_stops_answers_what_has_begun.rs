//! Shutdown: no new calls, all begun ones answered, within a limit.

mod echo;

use echo::{Running, echo_of, header, request, until};
use finback_rpc::Limits;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[tokio::test]
async fn pending_calls_are_answered_before_the_connection_closes() {
    let mut running = Running::start(Limits::default());
    let mut client = running.client().await;
    client.send(&request(header(1, "Later"), b"x", b"")).await;
    until("begun", || running.echo.begun.load(Ordering::SeqCst) == 1).await;
    running.stop();
    tokio::time::sleep(Duration::from_millis(50)).await;
    client.send(&request(header(2, "Echo"), b"y", b"")).await;
    running.echo.release.notify_one();
    assert_eq!(client.response().await, echo_of(1, b"x"));
    client.closes().await;
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 1);
    running.stopped().await;
}

#[tokio::test]
async fn idle_and_silent_connections_do_not_hold_it_up() {
    // Nothing but the stop ends them in time.
    let forever = Duration::from_secs(600);
    let mut running =
        Running::start(Limits { drain_timeout: forever, header_timeout: forever, ..Limits::default() });
    let idle = running.client().await;
    let silent = running.raw().await;
    until("both", || running.server.connections() == 2).await;
    running.stop();
    idle.closes().await;
    silent.closes().await;
    running.stopped().await;
}

#[tokio::test]
async fn a_call_that_does_not_end_is_not_waited_for_for_ever() {
    let mut running =
        Running::start(Limits { drain_timeout: Duration::from_millis(100), ..Limits::default() });
    let mut client = running.client().await;
    client.send(&request(header(1, "Later"), b"x", b"")).await;
    until("begun", || running.echo.begun.load(Ordering::SeqCst) == 1).await;
    running.stop();
    running.stopped().await;
}
