//! What a [`SocketChannel`] does when the other end does not do what it should.

use bytes::Bytes;
use finback_proto::{Message, delimited, pb};
use finback_rpc::{Channel, ConnectOptions, Request, RpcException, SocketChannel, SocketLimits};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const PATIENCE: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(30);
/// Much longer than a short call takes, however busy the machine.
const SILENCE: Duration = Duration::from_millis(4500);

/// A connection, and the server's end of it.
async fn pair(limits: SocketLimits) -> (Arc<SocketChannel>, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let options = ConnectOptions { service: "ClientService".into(), user: "tester".into() };
    let channel =
        SocketChannel::connect_within(listener.local_addr().unwrap(), &options, limits).await.unwrap();
    (Arc::new(channel), listener.accept().await.unwrap().0)
}

fn call(timeout: Option<Duration>, bytes: usize) -> Request {
    Request { method: "Get", cells: vec![0; bytes].into(), timeout, ..Request::default() }
}

/// A response with a message of so many bytes.
fn response(call_id: u32, bytes: usize) -> Vec<u8> {
    let header = pb::ResponseHeader { call_id: Some(call_id), ..Default::default() };
    let mut body = header.encode_length_delimited_to_vec();
    delimited::write_length(bytes, &mut body);
    body.resize(body.len() + bytes, 7);
    [&(body.len() as u32).to_be_bytes()[..], &body].concat()
}

async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .unwrap_or_else(|_| panic!("not within {PATIENCE:?}: {what}"));
}

fn class(answer: Result<(Bytes, Bytes), RpcException>) -> String {
    answer.unwrap_err().simple_class().to_owned()
}

#[tokio::test]
async fn a_connection_without_calls_is_closed() {
    let (channel, mut server) = pair(SocketLimits { idle: Some(SHORT), ..SocketLimits::default() }).await;
    until("closed", || channel.is_closed()).await;
    assert_eq!(class(channel.call_encoded(call(None, 0)).await), "ConnectionClosedException");
    drop(channel);
    // The server sees the end of it.
    tokio::time::timeout(PATIENCE, server.read_to_end(&mut Vec::new())).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_connection_with_a_call_is_not_idle() {
    // So long that the call begins before.
    let idle = SHORT * 50;
    let (channel, _server) = pair(SocketLimits { idle: Some(idle), ..SocketLimits::default() }).await;
    let answer = channel.call_encoded(call(Some(idle * 2), 0)).await;
    assert_eq!(class(answer), "CallTimeoutException");
}

#[tokio::test]
async fn a_call_without_an_answer_ends_a_connection_that_has_been_silent_for_long() {
    let (channel, _server) = pair(SocketLimits { silence: SHORT, ..SocketLimits::default() }).await;
    let other = Arc::clone(&channel);
    let other = tokio::spawn(async move { other.call_encoded(call(None, 0)).await });
    assert_eq!(class(channel.call_encoded(call(Some(SHORT * 2), 0)).await), "CallTimeoutException");
    assert!(channel.is_closed());
    assert_eq!(class(other.await.unwrap()), "ConnectionClosedException");
}

#[tokio::test]
async fn a_call_without_an_answer_leaves_a_connection_that_is_silent_for_a_moment() {
    let (channel, _server) = pair(SocketLimits::default()).await;
    assert_eq!(class(channel.call_encoded(call(Some(SHORT), 0)).await), "CallTimeoutException");
    assert!(!channel.is_closed());
}

#[tokio::test]
async fn calls_that_time_out_one_after_the_other_end_a_silent_connection() {
    let (channel, _server) = pair(SocketLimits { silence: SHORT * 3, ..SocketLimits::default() }).await;
    for _ in 0..5 {
        assert!(channel.call_encoded(call(Some(SHORT), 0)).await.is_err());
    }
    assert!(channel.is_closed());
}

#[tokio::test]
async fn while_nobody_waits_there_is_no_silence() {
    let (channel, _server) = pair(SocketLimits { silence: SILENCE, ..SocketLimits::default() }).await;
    for pause in [SILENCE, Duration::ZERO] {
        assert_eq!(class(channel.call_encoded(call(Some(SHORT), 0)).await), "CallTimeoutException");
        assert!(!channel.is_closed());
        tokio::time::sleep(pause).await;
    }
}

#[tokio::test]
async fn silence_begins_with_a_call_and_not_with_the_answer_before_it() {
    let (channel, mut server) = pair(SocketLimits { silence: SILENCE, ..SocketLimits::default() }).await;
    let answered = channel.call_encoded(call(Some(PATIENCE), 0));
    // The call is noted by then.
    let response = response(0, 0);
    let answering = server.write_all(&response);
    let (answer, written) = tokio::join!(answered, answering);
    written.unwrap();
    assert!(answer.is_ok());
    tokio::time::sleep(SILENCE).await;
    assert_eq!(class(channel.call_encoded(call(Some(SHORT), 0)).await), "CallTimeoutException");
    assert!(!channel.is_closed());
}

#[tokio::test]
async fn a_response_that_is_too_long_fails_its_call_alone() {
    let limits = SocketLimits { max_response_bytes: 1 << 20, ..SocketLimits::default() };
    let (channel, mut server) = pair(limits).await;
    let calls = futures_util::future::join(
        channel.call_encoded(call(Some(PATIENCE), 0)),
        channel.call_encoded(call(Some(PATIENCE), 0)),
    );
    // They are noted by then.
    let ((too_long, other), ()) = tokio::join!(calls, async {
        server.write_all(&response(0, 2 << 20)).await.unwrap();
        server.write_all(&response(1, 100)).await.unwrap();
    });
    let too_long = too_long.unwrap_err();
    assert_eq!(too_long.simple_class(), "DoNotRetryIOException");
    assert!(
        too_long.do_not_retry && too_long.message.contains("of which 1048576 are the most"),
        "{too_long}"
    );
    assert_eq!(other.unwrap().0, vec![7; 100]);
    assert!(!channel.is_closed());
}

#[tokio::test]
async fn a_response_that_is_too_long_and_has_no_header_ends_the_connection() {
    let limits = SocketLimits { max_response_bytes: 1 << 20, ..SocketLimits::default() };
    let (channel, mut server) = pair(limits).await;
    let call = channel.call_encoded(call(Some(PATIENCE), 0));
    let garbage = [&(2u32 << 20).to_be_bytes()[..], &vec![0xff; 100_000]].concat();
    let (answer, written) = tokio::join!(call, server.write_all(&garbage));
    written.unwrap();
    assert_eq!(class(answer), "ConnectionClosedException");
}

#[tokio::test]
async fn a_server_that_takes_nothing_is_given_up() {
    let (channel, _server) = pair(SocketLimits { write_stall: SHORT, ..SocketLimits::default() }).await;
    // More than the sockets hold.
    let answer = channel.call_encoded(call(Some(PATIENCE), 64 << 20)).await;
    assert_eq!(class(answer), "ConnectionClosedException");
}

#[tokio::test]
async fn what_waits_to_be_written_and_what_is_in_flight_is_bounded() {
    let limits = SocketLimits { max_in_flight: 3, max_queued_bytes: 1 << 20, ..SocketLimits::default() };
    let (channel, mut server) = pair(limits).await;
    for _ in 0..10 {
        let channel = Arc::clone(&channel);
        tokio::spawn(async move { channel.call_encoded(call(None, 0)).await });
    }
    // Preamble, header and three requests arrive; no more as long as these are not answered.
    let mut received: Vec<u8> = Vec::new();
    let requests = |received: &[u8]| received.windows(3).filter(|part| part == b"Get").count();
    let arriving = async {
        while requests(&received) < 3 {
            server.read_buf(&mut received).await.unwrap();
        }
    };
    tokio::time::timeout(PATIENCE, arriving).await.expect("three requests");
    let reading = async {
        loop {
            server.read_buf(&mut received).await.unwrap();
        }
    };
    assert!(tokio::time::timeout(SHORT * 10, reading).await.is_err());
    assert_eq!(requests(&received), 3);
    // Whoever is not waited for any more makes room.
    assert_eq!(class(channel.call_encoded(call(Some(SHORT), 0)).await), "CallTimeoutException");
}

#[tokio::test]
async fn a_header_says_who_calls_what_and_in_which_codec() {
    for (cell_tags, codec) in [(true, "KeyValueCodecWithTags"), (false, "KeyValueCodec")] {
        let (_channel, mut server) = pair(SocketLimits { cell_tags, ..SocketLimits::default() }).await;
        let mut preamble = [0; 6];
        server.read_exact(&mut preamble).await.unwrap();
        assert_eq!(&preamble, b"HBas\0\x50");
        let mut header = vec![0; server.read_u32().await.unwrap() as usize];
        server.read_exact(&mut header).await.unwrap();
        let header: pb::ConnectionHeader = finback_proto::Message::decode(&header[..]).unwrap();
        assert_eq!(header.service_name(), "ClientService");
        assert_eq!(header.user_info.as_ref().unwrap().effective_user, "tester");
        assert!(header.cell_block_codec_class().ends_with(&format!(".{codec}")));
    }
}
