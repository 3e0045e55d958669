//! A client that leaves its replies unread keeps their memory until others wait for it in vain; then it has to connect
//! again, and nothing of it is left.

mod echo;

use echo::{MEMORY, Raw, Running, header, request, until};
use finback_rpc::Limits;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

const STALL: Duration = Duration::from_millis(200);
/// Within which a client that reads takes something, however busy the machine.
const LONG_STALL: Duration = Duration::from_secs(8);
/// Of a reply, as large as the memory for all: the kernel does not take it all.
const KIB: usize = MEMORY >> 10;

fn counted(id: u32, kib: usize) -> Vec<u8> {
    request(header(id, "Counted"), &vec![0; kib], b"")
}

async fn assert_answered(client: &mut Raw, id: u32, kib: usize) {
    let response = client.response().await;
    assert_eq!((response.call_id, response.result.unwrap().1.len()), (id, kib << 10));
}

/// A client that asked three times and reads nothing: one reply takes all memory, one goes beyond, one waits.
async fn deaf(running: &Running) -> Raw {
    let mut deaf = running.client().await;
    let memory = &running.echo.memory;
    for id in 0..3 {
        deaf.send(&counted(id, KIB)).await;
    }
    until("two replies, and one that waits", || memory.bytes() == 2 * MEMORY && memory.waiting() == 1).await;
    deaf
}

fn limits(crowded_stall_timeout: Duration) -> Limits {
    Limits { crowded_stall_timeout, max_outgoing_bytes: 4 * MEMORY, ..Limits::default() }
}

#[tokio::test]
async fn nobody_is_closed_for_what_only_it_waits_for_itself() {
    let running = Running::start(limits(STALL));
    let mut deaf = deaf(&running).await;
    tokio::time::sleep(4 * STALL).await;
    assert_eq!(running.server.connections(), 1);
    for id in 0..3 {
        assert_answered(&mut deaf, id, KIB).await;
    }
    until("nothing is held", || running.echo.memory.bytes() == 0).await;
}

// Making replies is not to keep the clients from reading.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_client_in_the_way_of_others_is_closed_and_may_come_back() {
    let running = Running::start(limits(LONG_STALL));
    let memory = &running.echo.memory;
    let mut deaf = deaf(&running).await;
    let mut others = Vec::new();
    for id in 0..4 {
        let mut other = running.client().await;
        other.send(&counted(id, KIB / 2)).await;
        others.push(other);
    }
    // All read at the same time: nobody is to be in the way of others but the deaf one.
    let answers = others.iter_mut().zip(0..).map(|(other, id)| assert_answered(other, id, KIB / 2));
    futures_util::future::join_all(answers).await;
    // Of the connection nothing is left: not what it had, nor what waited for memory, nor a turn.
    until("nothing is held", || memory.bytes() == 0 && memory.waiting() == 0).await;
    until("closed", || running.server.connections() == others.len()).await;
    let mut end = vec![0; 1 << 20];
    while let Ok(1..) = tokio::io::AsyncReadExt::read(&mut deaf.stream, &mut end).await {}
    let mut again = running.client().await;
    for id in 10..13 {
        again.send(&counted(id, KIB)).await;
        assert_answered(&mut again, id, KIB).await;
    }
}

/// A client that asks for more and more, and reads nothing. It ends when the server closes.
async fn insatiable(running: &Running) -> tokio::task::JoinHandle<()> {
    let mut deaf = running.client().await.sender();
    tokio::spawn(async move {
        for id in 0.. {
            let Ok(()) = deaf.write_all(&request(header(id, "Echo"), &[7; 20 << 10], b"")).await else {
                break;
            };
        }
    })
}

fn narrow() -> Limits {
    Limits {
        max_unread_bytes: 1 << 20,
        max_outgoing_bytes: 4 << 20,
        crowded_reply_timeout: STALL,
        ..limits(STALL)
    }
}

#[tokio::test]
async fn a_client_that_leaves_many_small_replies_unread_holds_nobody_up_for_long() {
    let running = Running::start(narrow());
    let asking = insatiable(&running).await;
    let mut other = running.client().await;
    // Others send their next call before the last one is answered.
    let calls: Vec<u8> = (0..100).flat_map(|id| request(header(id, "Echo"), b"x", b"")).collect();
    while !asking.is_finished() {
        other.send(&calls).await;
        for _ in 0..100 {
            other.response().await;
        }
    }
    until("it is closed", || running.server.connections() == 1).await;
}

#[tokio::test]
async fn nobody_is_closed_for_small_replies_in_nobodys_way() {
    let running = Running::start(narrow());
    let asking = insatiable(&running).await;
    tokio::time::sleep(8 * STALL).await;
    assert!(!asking.is_finished() && running.server.connections() == 1);
    asking.abort();
}
