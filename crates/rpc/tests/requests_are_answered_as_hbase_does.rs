//! Preambles, headers and requests of real clients, byte for byte.

mod echo;

use echo::{CLUSTER_ID, LONG, Running, echo_of, header, key_values, opening, opening_compressed, request};
use finback_compression::StreamCodec;
use finback_proto::{convert, pb};
use finback_rpc::{
    Call, ChannelExt, ConnectOptions, Limits, Outcome, Reply, Server, Service, SocketChannel, bind,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

/// Answers every Get with the cell of HBase's worked example.
struct OneCell;

impl Service for OneCell {
    fn name(&self) -> &'static str {
        "ClientService"
    }

    fn call(&self, call: Call) -> Outcome {
        let get: pb::GetRequest = call.decode().unwrap();
        assert_eq!((call.method.as_str(), &get.get.row[..]), ("Get", &b"r1"[..]));
        let message = pb::GetResponse { result: Some(convert::result_in_block(1)) };
        let cell = unhex("0000001b 00000011 00000002 0002 7231 02 6366 71 000001a1fd78be27 04 7631");
        Outcome::Ready(Ok(Reply::with_cells(&message, cell)))
    }
}

/// Preamble and header as a 2.6.4 client sends them, shortened by the version's texts, then its Get.
const CONVERSATION: &str = "48426173 00 50
    0000004e
    0a06 0a04 726f6f74
    120d 436c69656e7453657276696365
    1a2b 6f72672e6170616368652e6861646f6f702e68626173652e636f6465632e4b657956616c7565436f646563
    2a08 0a02 3236 3802 4006
    00000067
    11 082e 1200 1a03476574 2001 3000 389f9c01
    54 0a38 0801 1234
    74312c6d2c313739353235333931303731322e3465363334336433343965373163386663353563636134373462393830643034 2e
    1218 0a027231 2a0c 0800 10ffffffffffffffff7f 3001 3801 7800";

#[tokio::test]
async fn the_get_of_a_real_client_gets_the_answer_of_a_real_server() {
    let server = Server::builder().service(Arc::new(OneCell)).build();
    let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    let address = listener.local_addr().unwrap();
    let task = tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let expected = unhex(
        "0000002d 06 082e 1a02081f 06 0a04 1001 2000
         0000001b 00000011 00000002 0002 7231 02 6366 71 000001a1fd78be27 04 7631",
    );
    let found = tokio::task::spawn_blocking(move || {
        use std::io::{Read, Write};
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.write_all(&unhex(CONVERSATION)).unwrap();
        let mut found = vec![0; expected.len()];
        stream.read_exact(&mut found).unwrap();
        (found, expected)
    });
    let (found, expected) = found.await.unwrap();
    assert_eq!(found, expected);
    task.abort();
}

#[tokio::test]
async fn the_cluster_id_is_told_to_who_asks_for_it() {
    let running = Running::start(Limits::default());
    let mut raw = running.raw().await;
    raw.send(b"Regist").await;
    let expected = unhex("0000002e 06 08ffffffff0f 26 0a24");
    assert_eq!(raw.bytes(50).await, [&expected[..], CLUSTER_ID.as_bytes()].concat());
    raw.closes().await;
}

#[tokio::test]
async fn a_server_without_cluster_id_answers_as_an_old_one() {
    let running = Running::start_with(Limits::default(), None);
    let mut raw = running.raw().await;
    raw.send(b"Regist").await;
    let (call_id, exception) = raw.exception().await;
    assert_eq!(call_id, u32::MAX);
    assert_eq!(exception.class, "org.apache.hadoop.hbase.ipc.FatalConnectionException");
    assert!(exception.message.starts_with("Expected HEADER="), "{exception}");
    raw.closes().await;
}

#[tokio::test]
async fn a_client_that_asks_for_the_principal_goes_on_without() {
    let running = Running::start(Limits::default());
    let mut raw = running.raw().await;
    raw.send(b"Securi").await;
    let (call_id, exception) = raw.exception().await;
    assert_eq!((call_id, exception.simple_class()), (u32::MAX, "SecurityNotEnabledException"));
    raw.send(&opening("EchoService", "")).await;
    raw.send(&request(header(1, "Echo"), b"x", b"")).await;
    assert_eq!(raw.response().await, echo_of(1, b"x"));
}

#[tokio::test]
async fn a_client_that_would_authenticate_is_told_that_there_is_no_need() {
    let running = Running::start(Limits::default());
    for (auth, token) in [(0x51, &b"\0\0\0\x05token"[..]), (0x52, b"\0\0\0\0")] {
        let mut raw = running.raw().await;
        raw.send(&[&b"HBas\0"[..], &[auth], token].concat()).await;
        assert_eq!(raw.bytes(8).await, unhex("00000000 ffffffa8"));
        raw.send(&opening("EchoService", "")[6..]).await;
        raw.send(&request(header(1, "Echo"), b"x", b"")).await;
        assert_eq!(raw.response().await, echo_of(1, b"x"));
    }
}

#[tokio::test]
async fn a_service_learns_who_calls() {
    let running = Running::start(Limits::default());
    for (codec, expected) in
        [("", "root None (2, 6) false"), ("org.apache.hadoop.hbase.codec.CellCodec", "root None (2, 6) true")]
    {
        let mut raw = running.raw().await;
        raw.send(&opening("EchoService", codec)).await;
        raw.send(&request(header(1, "Who"), b"", b"")).await;
        assert_eq!(raw.response().await, echo_of(1, expected.as_bytes()));
    }
}

#[tokio::test]
async fn cells_are_translated_from_and_to_the_codec_of_the_client() {
    let running = Running::start(Limits::default());
    let cell =
        unhex("0000000000000001 72 00000001 66 00000001 71 0000000000000007 04 00000001 76 0000000000000000");
    let cell = &cell[4..];
    let mut raw = running.raw().await;
    raw.send(&opening("EchoService", "org.apache.hadoop.hbase.codec.CellCodec")).await;
    raw.send(&request(header(1, "Cells"), b"", cell)).await;
    let key_value = unhex("00000018 0000000f 00000001 0001 72 01 66 71 0000000000000007 04 76");
    assert_eq!(raw.response().await, echo_of(1, &key_value));
    raw.send(&request(header(2, "Echo"), b"", cell)).await;
    assert_eq!(&raw.response().await.result.unwrap().1[..], cell);
}

#[tokio::test]
async fn cell_blocks_are_compressed_where_the_client_does_so() {
    let running = Running::start(Limits { max_request_bytes: 8 << 20, ..Limits::default() });
    let cells = key_values(5000);
    let classes = ["GzipCodec", "DefaultCodec", "SnappyCodec"]
        .map(|name| format!("org.apache.hadoop.io.compress.{name}"));
    for class in classes {
        let codec = StreamCodec::of_class(&class).unwrap();
        let mut raw = running.raw().await;
        raw.send(&opening_compressed("EchoService", "org.apache.hadoop.hbase.codec.KeyValueCodec", &class))
            .await;
        raw.send(&request(header(1, "Echo"), b"x", &codec.compress(&cells).unwrap())).await;
        let back = raw.response().await.result.unwrap().1;
        assert!(back.len() < cells.len() / 2);
        assert_eq!(codec.decompress(&back, cells.len()).unwrap(), cells);
        raw.send(&request(header(2, "Echo"), b"x", b"")).await;
        assert_eq!(raw.response().await, echo_of(2, b"x"));
        raw.send(&request(header(3, "Echo"), b"x", b"no stream at all")).await;
        assert!(raw.exception().await.1.message.contains("a compressed cell block"));
        // It would be 64 MiB.
        raw.send(&request(header(4, "Echo"), b"x", &codec.compress(&vec![0; 64 << 20]).unwrap())).await;
        assert!(raw.exception().await.1.message.contains("a longer payload"));
    }
    assert_eq!(running.server.in_flight_bytes(), 0);
}

#[tokio::test]
async fn pipelined_requests_are_all_answered_and_the_slow_ones_do_not_hold_up_the_others() {
    for slow in ["Later", "LaterHere"] {
        let running = Running::start(Limits::default());
        let mut client = running.client().await;
        let mut bytes = request(header(1000, slow), b"slow", b"");
        for id in 0..500u32 {
            bytes.extend_from_slice(&request(header(id, "Echo"), &id.to_be_bytes(), b""));
        }
        client.send(&bytes).await;
        for id in 0..500u32 {
            assert_eq!(client.response().await, echo_of(id, &id.to_be_bytes()));
        }
        running.echo.release.notify_one();
        assert_eq!(client.response().await, echo_of(1000, b"slow"));
    }
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte() {
    let running = Running::start(Limits::default());
    let mut raw = running.raw().await;
    let mut bytes = opening("EchoService", "");
    bytes.extend_from_slice(&request(header(5, "Echo"), b"x", b""));
    for byte in bytes {
        raw.send(&[byte]).await;
    }
    assert_eq!(raw.response().await, echo_of(5, b"x"));
}

#[tokio::test]
async fn large_requests_and_replies_pass() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    let cells = key_values(5000);
    client.send(&request(header(5, "Echo"), b"x", &cells)).await;
    assert_eq!(client.response().await.result.unwrap().1, cells);
    assert_eq!(running.server.in_flight_bytes(), 0);
}

#[tokio::test]
async fn a_call_whose_client_has_given_up_is_not_begun() {
    let running = Running::start(Limits { max_pending_calls: 1, ..Limits::default() });
    let mut client = running.client().await;
    let impatient = pb::RequestHeader { timeout: Some(1), ..header(2, "Echo") };
    // The second waits in the server's buffer, because a call is pending already, until after its deadline.
    let requests = [
        request(header(1, "Later"), b"", b""),
        request(impatient, b"", b""),
        request(header(3, "Echo"), b"", b""),
    ];
    client.send(&requests.concat()).await;
    echo::until("begun", || running.echo.begun.load(Ordering::SeqCst) == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    running.echo.release.notify_one();
    assert_eq!(client.response().await.call_id, 1);
    assert_eq!(client.response().await.call_id, 3);
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn the_client_of_this_crate_gets_answers_exceptions_and_timeouts() {
    let running = Running::start(Limits::default());
    let options = ConnectOptions { service: "EchoService".into(), user: "me".into() };
    let channel = SocketChannel::connect(running.address, &options).await.unwrap();
    let message = pb::ClusterId { cluster_id: "id".into() };
    let cells = bytes::Bytes::from(key_values(100));
    let (answer, back): (pb::ClusterId, _) = channel.call("Echo", &message, cells.clone()).await.unwrap();
    assert_eq!((answer, back), (message.clone(), cells));

    type Answer = Result<(pb::ClusterId, bytes::Bytes), finback_rpc::RpcException>;
    let answer: Answer = channel.call("Nope", &message, bytes::Bytes::new()).await;
    assert_eq!(answer.unwrap_err(), finback_rpc::exceptions::unsupported_operation("Nope"));
    let late: Answer =
        channel.call_within(Duration::from_millis(30), "Later", &message, bytes::Bytes::new()).await;
    assert_eq!(late.unwrap_err().simple_class(), "CallTimeoutException");

    let many = (0..200).map(|_| channel.call("Echo", &message, bytes::Bytes::new()));
    for call in many {
        let (answer, _): (pb::ClusterId, _) = call.await.unwrap();
        assert_eq!(answer, message);
    }
}

#[tokio::test]
async fn calls_of_the_client_of_this_crate_fail_when_the_server_goes() {
    let mut running =
        Running::start(Limits { drain_timeout: Duration::from_millis(50), ..Limits::default() });
    let unknown = ConnectOptions { service: "Unknown".into(), user: "me".into() };
    let channel = SocketChannel::connect(running.address, &unknown).await.unwrap();
    let answer: Result<(pb::ClusterId, _), _> =
        channel.call("Echo", &pb::ClusterId::default(), bytes::Bytes::new()).await;
    assert_eq!(answer.unwrap_err().simple_class(), "ConnectionClosedException");
    running.stop();
    let address = running.address;
    running.stopped().await;
    assert!(SocketChannel::connect(address, &unknown).await.is_err());
}
