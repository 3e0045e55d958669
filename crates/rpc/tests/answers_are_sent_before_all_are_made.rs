//! A client that has sent several requests has the first answers while the server works on the others.

mod echo;

use echo::{Running, echo_of, header, request, until};
use finback_rpc::{CallKind, Limits};
use tokio::runtime::{Builder, Runtime};

/// A server, and a runtime for its client: calls of these tests keep the threads that carry them out.
fn server() -> (Runtime, Running, Runtime) {
    let runtime = Runtime::new().unwrap();
    let running = runtime.block_on(async { Running::start(Limits::default()) });
    (runtime, running, Builder::new_current_thread().enable_all().build().unwrap())
}

#[test]
fn answers_are_sent_before_calls_behind_them_are_carried_out() {
    let (_runtime, running, here) = server();
    here.block_on(async {
        let mut client = running.client().await;
        // In one piece, so that they are there together.
        let calls = [request(header(1, "Slow"), b"first", b""), request(header(2, "Answered"), b"", b"")];
        client.send(&calls.concat()).await;
        assert_eq!(client.response().await, echo_of(1, b"first"));
        running.echo.has_answer.send(()).unwrap();
        assert_eq!(client.response().await, echo_of(2, b"has an answer"));
    });
}

#[test]
fn answers_are_sent_before_calls_that_waited_with_theirs_go_on() {
    let (_runtime, running, here) = server();
    here.block_on(async {
        let mut client = running.client().await;
        let calls = [(1, "SlowHere"), (2, "SlowHere"), (3, "AnsweredHere")];
        client
            .send(&calls.map(|(call_id, method)| request(header(call_id, method), b"", b"")).concat())
            .await;
        until("all wait", || running.server.waiting_calls(CallKind::Read) == 3).await;
        running.echo.release.notify_waiters();
        for call_id in 1..=2 {
            assert_eq!(client.response().await, echo_of(call_id, b""));
        }
        running.echo.has_answer.send(()).unwrap();
        assert_eq!(client.response().await, echo_of(3, b"has an answer"));
    });
}
