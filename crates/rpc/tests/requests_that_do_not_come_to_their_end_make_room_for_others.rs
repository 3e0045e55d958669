//! A large request of which the rest does not come, or hardly, has its memory until others are refused for want of it.

mod echo;

use echo::{LONG, Raw, Running, echo_of, header, request, until};
use finback_rpc::Limits;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

const STALL: Duration = Duration::from_millis(200);
/// Within which a client that sends a byte now and then has sent one, however busy the machine.
const LONG_STALL: Duration = Duration::from_secs(3);
/// More than half of what may be in flight.
const LARGE: usize = 600 << 10;
/// What is withheld of it.
const REST: usize = 5000;

fn limits() -> Limits {
    Limits { max_in_flight_bytes: 1 << 20, ..Limits::default() }
}

/// A client that has sent a large request but for its end, which comes with it.
async fn withholding(running: &Running) -> (Raw, Vec<u8>) {
    withholding_of(running, LARGE).await
}

/// The same of a request of so many bytes.
async fn withholding_of(running: &Running, bytes: usize) -> (Raw, Vec<u8>) {
    let before = running.server.in_flight_bytes();
    let mut client = running.client().await;
    let mut sent = request(header(1, "Echo"), &vec![7; bytes], b"");
    let rest = sent.split_off(sent.len() - REST);
    client.send(&sent).await;
    until("most of it is counted", || running.server.in_flight_bytes() > before + bytes / 2).await;
    (client, rest)
}

/// Sends a large request until it is not refused.
async fn insist(running: &Running) {
    insist_of(running, LARGE).await;
}

/// The same of so many bytes.
async fn insist_of(running: &Running, bytes: usize) {
    let insisting = async {
        let mut client = running.client().await;
        for id in 2.. {
            client.send(&request(header(id, "Echo"), &vec![7; bytes], b"")).await;
            match client.response().await.result {
                Ok((echoed, _)) => return assert_eq!(echoed.len(), bytes),
                Err(refused) => assert_eq!(refused.simple_class(), "CallQueueTooBigException"),
            }
            tokio::time::sleep(STALL / 10).await;
        }
    };
    tokio::time::timeout(LONG, insisting).await.expect("refused for ever");
}

#[tokio::test]
async fn one_that_does_not_go_on() {
    let running = Running::start(Limits { crowded_stall_timeout: STALL, ..limits() });
    let (client, _) = withholding(&running).await;
    insist(&running).await;
    client.closes().await;
}

#[tokio::test]
async fn one_that_goes_on_byte_by_byte() {
    let running = Running::start(Limits {
        crowded_stall_timeout: LONG_STALL,
        crowded_reply_timeout: STALL,
        ..limits()
    });
    let (client, rest) = withholding(&running).await;
    let mut sender = client.sender();
    let trickling = tokio::spawn(async move {
        for byte in rest {
            // It fails when the server has closed.
            let Ok(()) = sender.write_all(&[byte]).await else { break };
            tokio::time::sleep(STALL / 4).await;
        }
    });
    insist(&running).await;
    trickling.abort();
}

#[tokio::test]
async fn one_whose_client_takes_no_replies_either() {
    const MIB: usize = 1 << 20;
    const CALLS: usize = 16;
    let running = Running::start(Limits {
        crowded_stall_timeout: STALL,
        crowded_reply_timeout: STALL,
        max_in_flight_bytes: 40 * MIB,
        max_outgoing_bytes: 64 << 10,
        ..Limits::default()
    });
    let mut client = running.client().await;
    for id in 0..CALLS {
        client.send(&request(header(id as u32, "Later"), &vec![7; MIB], b"")).await;
    }
    until("all have begun", || running.echo.begun.load(Ordering::SeqCst) == CALLS).await;
    let mut sent = request(header(CALLS as u32, "Echo"), &vec![7; 12 * MIB], b"");
    sent.truncate(sent.len() - REST);
    client.send(&sent).await;
    until("most of it is counted", || running.server.in_flight_bytes() > (CALLS + 10) * MIB).await;
    // More than the sockets take.
    running.echo.release.notify_waiters();
    until("all are answered", || running.server.in_flight_bytes() < CALLS * MIB).await;
    insist_of(&running, 30 * MIB).await;
    until("it is closed", || running.server.connections() == 0).await;
}

#[tokio::test]
async fn many_that_have_all_memory_together() {
    let running = Running::start(Limits {
        crowded_stall_timeout: STALL,
        crowded_reply_timeout: STALL,
        max_in_flight_bytes: 16 << 20,
        ..Limits::default()
    });
    // None of them has a 64th.
    let mut clients = Vec::new();
    while running.server.in_flight_bytes() < (16 << 20) - LARGE / 2 {
        clients.push(withholding_of(&running, 200 << 10).await);
    }
    insist(&running).await;
}

#[tokio::test]
async fn one_whose_memory_makes_no_room_for_others_may_take_its_time() {
    let running = Running::start(Limits {
        crowded_stall_timeout: STALL,
        max_in_flight_bytes: 64 << 20,
        ..Limits::default()
    });
    let (mut client, rest) = withholding_of(&running, 100 << 10).await;
    // Others are refused again and again.
    let mut other = running.client().await;
    for id in 0..8 {
        other.send(&request(header(id, "Echo"), &vec![7; 70 << 20], b"")).await;
        assert!(other.response().await.result.is_err());
        tokio::time::sleep(STALL).await;
    }
    client.send(&rest).await;
    assert_eq!(client.response().await, echo_of(1, &[7; 100 << 10]));
}

#[tokio::test]
async fn one_that_nobody_is_refused_for_may_take_its_time() {
    let running =
        Running::start(Limits { crowded_stall_timeout: STALL, crowded_reply_timeout: STALL, ..limits() });
    let (mut client, rest) = withholding(&running).await;
    tokio::time::sleep(4 * STALL).await;
    client.send(&rest).await;
    assert_eq!(client.response().await, echo_of(1, &vec![7; LARGE]));
}
