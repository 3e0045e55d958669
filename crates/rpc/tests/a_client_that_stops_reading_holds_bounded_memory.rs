//! Replies that nobody reads pile up to a limit; then no more of that client's requests are begun.

mod echo;

use echo::{Running, header, request, until};
use finback_rpc::Limits;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// Replies of 64 KiB to requests of about 100 bytes.
fn big(id: u32) -> Vec<u8> {
    request(header(id, "Big"), &[0; 64], b"")
}

#[tokio::test]
async fn replies_are_bounded_and_come_when_the_client_reads_again() {
    let running = Running::start(Limits { max_outgoing_bytes: 1 << 20, ..Limits::default() });
    let mut client = running.client().await;
    // 128 MB of replies are asked for, while nobody reads.
    let requests: Vec<u8> = (0..2000).flat_map(big).collect();
    let mut sender = client.sender();
    let sending = tokio::spawn(async move { sender.write_all(&requests).await.unwrap() });
    let mut begun = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = running.echo.begun.load(Ordering::SeqCst);
        if now == begun && now > 0 {
            break;
        }
        begun = now;
    }
    // What the kernel buffers for the socket is not ours: some MB.
    assert!(begun < 1000, "{begun} replies of 64 KiB, the limit is 1 MiB");
    for id in 0..2000 {
        let response = client.response().await;
        assert_eq!((response.call_id, response.result.unwrap().1.len()), (id, 64 << 10));
    }
    sending.await.unwrap();
}

#[tokio::test]
async fn a_client_that_never_reads_again_is_closed() {
    let limits = Limits {
        max_outgoing_bytes: 1 << 20,
        write_stall_timeout: Duration::from_millis(600),
        ..Limits::default()
    };
    let running = Running::start(limits);
    let mut client = running.client().await;
    for id in 0..400 {
        let Ok(sent) =
            tokio::time::timeout(Duration::from_millis(100), client.stream.write_all(&big(id))).await
        else {
            break;
        };
        if sent.is_err() {
            break;
        }
    }
    until("closed", || running.server.connections() == 0).await;
    assert!(running.echo.begun.load(Ordering::SeqCst) > 0);
}

#[tokio::test]
async fn pending_calls_of_one_client_are_bounded() {
    let running = Running::start(Limits { max_pending_calls: 3, ..Limits::default() });
    let mut client = running.client().await;
    for id in 0..10 {
        client.send(&request(header(id, "Later"), b"", b"")).await;
    }
    until("three", || running.echo.begun.load(Ordering::SeqCst) == 3).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 3);
    for _ in 0..10 {
        running.echo.release.notify_one();
        client.response().await;
    }
}

#[tokio::test]
async fn what_replies_of_pending_calls_hold_is_bounded() {
    let running = Running::start(Limits { max_outgoing_bytes: 1 << 20, ..Limits::default() });
    let mut client = running.client().await;
    for id in 0..12 {
        client.send(&request(header(id, "CountedLater"), &[0; 256], b"")).await;
    }
    // Four hold 1 MiB.
    until("four", || running.echo.begun.load(Ordering::SeqCst) == 4).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 4);
    for _ in 0..12 {
        running.echo.release.notify_one();
        client.response().await;
    }
    assert_eq!(running.echo.memory.bytes(), 0);
}

#[tokio::test]
async fn replies_for_all_clients_together_are_bounded() {
    const CLIENTS: usize = 8;
    let limits = Limits { max_outgoing_bytes: 16 << 20, max_unread_bytes: 2 << 20, ..Limits::default() };
    let running = Running::start(limits);
    let requests: Vec<u8> = (0..400).flat_map(big).collect();
    let mut silent = Vec::new();
    for _ in 0..CLIENTS {
        let mut client = running.client().await;
        client.send(&requests).await;
        silent.push(client);
    }
    let mut begun = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = running.echo.begun.load(Ordering::SeqCst);
        if now == begun && now > 0 {
            break;
        }
        begun = now;
    }
    // Alone each client could have 16 MB waiting, 256 replies beyond what the kernel takes.
    let mut other = running.client().await;
    other.send(&big(7)).await;
    assert_eq!(other.response().await.call_id, 7, "a client that reads is served");
    for client in &mut silent {
        for id in 0..400 {
            assert_eq!(client.response().await.call_id, id);
        }
    }
    assert!(
        begun < CLIENTS * 200,
        "{begun} replies of 64 KiB, of which the limit allows 32 and the kernel takes some"
    );
}
