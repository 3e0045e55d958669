//! Whatever a client sends, others are served, and the server keeps nothing of it.

mod echo;

use echo::{LONG, Raw, Running, echo_of, framed, header, opening, request, until};
use finback_proto::{Message, pb};
use finback_rpc::Limits;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Checks that another client is served, that the connections of the test are gone, and that nothing is counted for them.
async fn all_is_well(running: &Running) {
    until("the connections end", || running.server.connections() == 0).await;
    assert_eq!(running.server.in_flight_bytes(), 0);
    let mut client = running.client().await;
    client.send(&request(header(77, "Echo"), b"well", b"")).await;
    assert_eq!(client.response().await, echo_of(77, b"well"));
}

async fn fatal(raw: &mut Raw, class: &str) {
    let (call_id, exception) = raw.exception().await;
    assert_eq!((call_id, exception.simple_class()), (u32::MAX, class));
}

#[tokio::test]
async fn a_wrong_preamble_is_answered_by_its_exception() {
    let running = Running::start(Limits::default());
    for (preamble, class) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "FatalConnectionException"),
        (&[0xff; 1000], "FatalConnectionException"),
        (b"HBas\x01\x50", "WrongVersionException"),
        (b"HBas\0\x00", "BadAuthException"),
    ] {
        let mut raw = running.raw().await;
        raw.send(preamble).await;
        fatal(&mut raw, class).await;
        raw.closes().await;
    }
    all_is_well(&running).await;
}

#[tokio::test]
async fn endless_questions_for_the_principal_come_to_an_end() {
    let running = Running::start(Limits::default());
    let mut raw = running.raw().await;
    raw.send(&b"Securi".repeat(5)).await;
    for _ in 0..4 {
        fatal(&mut raw, "SecurityNotEnabledException").await;
    }
    raw.closes().await;
    all_is_well(&running).await;
}

#[tokio::test]
async fn long_headers_count_as_long_as_they_are_read_and_long_names_are_refused() {
    let running = Running::start(Limits { max_in_flight_bytes: 220 << 10, ..Limits::default() });
    // Nothing is counted for what is only said to come; a token before the header counts by itself.
    let begin = |length: u32| [&b"HBas\0\x50"[..], &length.to_be_bytes()].concat();
    let mut only_said = running.raw().await;
    only_said.send(&begin(128 << 10)).await;
    let part = [&begin(100 << 10)[..], &[0; 60 << 10]].concat();
    let token = [&b"HBas\0\x51"[..], &(20_u32 << 10).to_be_bytes(), &[0; 20 << 10]].concat();
    let mut slow = [running.raw().await, running.raw().await];
    slow[0].send(&part).await;
    slow[1].send(&[&token[..], &part[6..]].concat()).await;
    until("they count", || running.server.in_flight_bytes() > 160 << 10).await;
    let mut refused = running.raw().await;
    refused.send(&part).await;
    refused.closes().await;
    drop((only_said, slow));
    all_is_well(&running).await;

    let user = |name: usize| pb::UserInformation { effective_user: "u".repeat(name), real_user: None };
    let header = |name| pb::ConnectionHeader {
        service_name: Some("EchoService".into()),
        user_info: Some(user(name)),
        ..Default::default()
    };
    let opening = |name| [b"HBas\0\x50", &framed(header(name).encode_to_vec())[..]].concat();
    let mut long = running.raw().await;
    long.send(&opening(5000)).await;
    long.closes().await;
    let mut shorter = running.raw().await;
    shorter.send(&[opening(4000), request(echo::header(1, "Echo"), b"x", b"")].concat()).await;
    assert_eq!(shorter.response().await, echo_of(1, b"x"));
    drop(shorter);
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_header_that_asks_for_what_is_not_there_is_not_answered() {
    let running = Running::start(Limits::default());
    let compressed = pb::ConnectionHeader {
        service_name: Some("EchoService".into()),
        cell_block_compressor_class: Some("org.apache.hadoop.io.compress.BZip2Codec".into()),
        ..Default::default()
    };
    for bytes in [
        opening("NoSuchService", ""),
        opening("EchoService", "com.example.Codec"),
        [b"HBas\0\x50", &framed(compressed.encode_to_vec())[..]].concat(),
        [b"HBas\0\x50", &framed(vec![0xff; 50])[..]].concat(),
        b"HBas\0\x50\0\0\0\0".to_vec(),
        b"HBas\0\x50\xff\xff\xff\xff".to_vec(),
        b"HBas\0\x50\x7f\xff\xff\xff".to_vec(),
        b"HBas\0\x51\x7f\xff\xff\xff".to_vec(),
    ] {
        let mut raw = running.raw().await;
        raw.send(&bytes).await;
        if bytes[5] == 0x51 {
            raw.bytes(8).await;
        }
        raw.closes().await;
    }
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_header_that_does_not_come_is_not_waited_for() {
    let running = Running::start(Limits { header_timeout: Duration::from_millis(50), ..Limits::default() });
    for bytes in [&b""[..], b"HB", b"HBas\0\x50", b"HBas\0\x50\0\0\0\x20abc", b"HBas\0\x52"] {
        let mut raw = running.raw().await;
        raw.send(bytes).await;
        if bytes.ends_with(b"\x52") {
            raw.bytes(8).await;
        }
        raw.closes().await;
    }
    all_is_well(&running).await;
}

#[tokio::test]
async fn frames_without_a_header_that_makes_sense_end_the_connection() {
    let running = Running::start(Limits::default());
    let frames: [&[u8]; 5] = [
        b"\0\0\0\0",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x03\x7f\x08\x01",
        b"\0\0\0\x06\xff\xff\xff\xff\xff\xff",
        b"\0\0\0\x04\x03\xff\xff\xff",
    ];
    for bytes in frames {
        let mut client = running.client().await;
        client.send(bytes).await;
        client.closes().await;
    }
    all_is_well(&running).await;
}

#[tokio::test]
async fn lengths_that_lie_within_a_frame_fail_the_call_only() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    // Where cells follow, nobody knows where they begin.
    let mut lying_param = header(1, "Echo");
    lying_param.cell_block_meta = Some(pb::CellBlockMeta { length: Some(1) });
    let lying_param = [lying_param.encode_length_delimited_to_vec(), vec![0x7f, 0]].concat();
    let endless_param = [header(2, "Echo").encode_length_delimited_to_vec(), vec![0x80; 9]].concat();
    let no_param = header(3, "Echo").encode_length_delimited_to_vec();
    let mut lying_cells = header(4, "Echo");
    lying_cells.cell_block_meta = Some(pb::CellBlockMeta { length: Some(u32::MAX) });
    let lying_cells = [lying_cells.encode_length_delimited_to_vec(), vec![0, 1, 2]].concat();
    let unasked = pb::RequestHeader { request_param: None, ..header(5, "Echo") };
    let unasked = unasked.encode_length_delimited_to_vec();
    for (id, body) in (1u32..).zip([lying_param, endless_param, no_param, lying_cells, unasked]) {
        client.send(&framed(body)).await;
        let (call_id, exception) = client.exception().await;
        assert_eq!((call_id, exception.simple_class()), (id, "DoNotRetryIOException"));
    }
    client.send(&request(header(6, "Decode"), b"\xff\xff\xff", b"")).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.do_not_retry), (6, true));
    client.send(&request(header(7, "Echo"), b"x", b"")).await;
    assert_eq!(client.response().await, echo_of(7, b"x"));
}

#[tokio::test]
async fn a_name_without_end_is_not_sent_back_whole() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    client.send(&request(header(1, &"x".repeat(4 << 20)), b"", b"")).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.simple_class()), (1, "DoNotRetryIOException"));
    assert!(exception.message.starts_with("java.lang.UnsupportedOperationException: xxx"));
    assert!(exception.message.len() < 100_000, "{} bytes", exception.message.len());
}

#[tokio::test]
async fn an_unknown_method_is_unsupported() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    for method in ["Fly", ""] {
        client.send(&request(header(1, method), b"", b"")).await;
        let (_, exception) = client.exception().await;
        assert_eq!(exception.class, "org.apache.hadoop.hbase.DoNotRetryIOException");
        assert_eq!(exception.message, format!("java.lang.UnsupportedOperationException: {method}"));
    }
}

#[tokio::test]
async fn a_panic_in_a_service_is_an_exception_of_that_call() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    for (id, method) in [(1, "Panic"), (2, "PanicLater"), (4, "PanicLaterHere")] {
        client.send(&request(header(id, method), b"", b"")).await;
        let (call_id, exception) = client.exception().await;
        assert_eq!((call_id, exception.class.as_ref()), (id, "java.io.IOException"));
        assert!(exception.message.contains("oh no"), "{exception}");
    }
    client.send(&request(header(3, "Echo"), b"x", b"")).await;
    assert_eq!(client.response().await, echo_of(3, b"x"));
}

#[tokio::test]
async fn a_cell_block_without_codec_fails_the_call() {
    let running = Running::start(Limits::default());
    let mut raw = running.raw().await;
    raw.send(&opening("EchoService", "")).await;
    raw.send(&request(header(1, "Echo"), b"", b"cells")).await;
    assert!(raw.exception().await.1.message.contains("no codec"));
    raw.send(&request(header(2, "Big"), b"x", b"")).await;
    assert!(raw.exception().await.1.message.contains("no codec"));
}

#[tokio::test]
async fn a_frame_that_is_too_long_is_refused_by_its_header_alone() {
    let running = Running::start(Limits { max_request_bytes: 1000, ..Limits::default() });
    let mut client = running.client().await;
    let header = header(9, "Echo").encode_length_delimited_to_vec();
    client.send(&0x7fff_ffffu32.to_be_bytes()).await;
    client.send(&header[..3]).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    client.send(&header[3..]).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.simple_class()), (9, "RequestTooBigException"));
    assert!(exception.do_not_retry);
    let words =
        "received from 127.0.0.1 is greater than max allowed 1000. Set \"hbase.ipc.max.request.size\"";
    assert!(exception.message.contains(words), "{exception}");
    client.closes().await;
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_long_frame_without_a_header_is_cut_short() {
    let running = Running::start(Limits { max_request_bytes: 1000, ..Limits::default() });
    let mut client = running.client().await;
    client.send(b"\x7f\xff\xff\xff\xff\xff\xff\xff\x07").await;
    client.send(&vec![0; 70 << 10]).await;
    client.closes().await;
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_long_frame_of_which_nothing_comes_costs_nothing() {
    let running = Running::start(Limits::default());
    let mut clients = Vec::new();
    for _ in 0..50 {
        let mut client = running.client().await;
        client.send(b"\x0f\xff\xff\xff").await;
        clients.push(client);
    }
    until("all are here", || running.server.connections() == 50).await;
    assert_eq!(running.server.in_flight_bytes(), 0);
    drop(clients);
    all_is_well(&running).await;
}

/// However it comes: room for more of it is made when the first chunk is nearly full, or when it is.
#[tokio::test]
async fn a_frame_that_is_longer_than_a_chunk_is_counted() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    let whole = request(header(1, "Echo"), &[7; 64 << 10], b"");
    client.send(&request(header(0, "Echo"), b"open", b"")).await;
    assert_eq!(client.response().await, echo_of(0, b"open"));
    let received = || running.server.figures().received_bytes;
    let before = received();
    client.send(&whole[..15 << 10]).await;
    until("the first chunk is nearly full", || received() - before >= 15 << 10).await;
    client.send(&whole[15 << 10..40 << 10]).await;
    until("more of it is counted", || running.server.in_flight_bytes() > 0).await;
    client.send(&whole[40 << 10..]).await;
    assert_eq!(client.response().await, echo_of(1, &[7; 64 << 10]));
    drop(client);
    all_is_well(&running).await;
}

#[tokio::test]
async fn too_many_bytes_in_flight_are_refused_and_the_connection_goes_on() {
    let running = Running::start(Limits { max_in_flight_bytes: 100 << 10, ..Limits::default() });
    let mut client = running.client().await;
    client.send(&request(header(1, "Echo"), &vec![7; 1 << 20], b"")).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.simple_class()), (1, "CallQueueTooBigException"));
    assert!(exception.server_overloaded && !exception.do_not_retry);
    client.send(&request(header(2, "Echo"), b"small", b"")).await;
    assert_eq!(client.response().await, echo_of(2, b"small"));
    drop(client);
    all_is_well(&running).await;
}

/// Two requests, each of more than half of what may be in flight, the first of which waits until it is released.
async fn two_large_requests(running: &Running) -> Raw {
    let mut client = running.client().await;
    client.send(&request(header(1, "LaterHere"), &vec![1; 800 << 10], b"")).await;
    until("begun", || running.echo.begun.load(Ordering::SeqCst) == 1).await;
    client.send(&request(header(2, "Echo"), &vec![2; 600 << 10], b"")).await;
    client
}

#[tokio::test]
async fn a_large_request_is_left_unread_until_one_before_it_has_given_its_memory_back() {
    let limits = Limits { max_left_unread: LONG, max_in_flight_bytes: 1 << 20, ..Limits::default() };
    let running = Running::start(limits);
    let mut client = two_large_requests(&running).await;
    // It is neither refused nor begun.
    assert!(tokio::time::timeout(Duration::from_millis(50), client.response()).await.is_err());
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 1);
    running.echo.release.notify_one();
    assert_eq!(client.response().await, echo_of(1, &vec![1; 800 << 10]));
    assert_eq!(client.response().await, echo_of(2, &vec![2; 600 << 10]));
    drop(client);
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_large_request_is_not_left_unread_for_ever() {
    let short = Duration::from_millis(10);
    let limits = Limits { max_left_unread: short, max_in_flight_bytes: 1 << 20, ..Limits::default() };
    let running = Running::start(limits);
    let mut client = two_large_requests(&running).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.simple_class()), (2, "CallQueueTooBigException"));
    running.echo.release.notify_one();
    assert_eq!(client.response().await, echo_of(1, &vec![1; 800 << 10]));
    drop(client);
    all_is_well(&running).await;
}

#[tokio::test]
async fn too_many_pending_calls_are_refused_except_those_of_the_cluster() {
    let running = Running::start(Limits { max_in_flight_bytes: 10 << 10, ..Limits::default() });
    let mut client = running.client().await;
    for id in 0..10 {
        client.send(&request(header(id, "Later"), &[0; 100], b"")).await;
    }
    until("ten pending", || running.echo.begun.load(Ordering::SeqCst) == 10).await;
    client.send(&request(header(10, "Echo"), b"x", b"")).await;
    assert_eq!(client.exception().await.1.simple_class(), "CallQueueTooBigException");
    let urgent = pb::RequestHeader { priority: Some(200), ..header(11, "Echo") };
    client.send(&request(urgent, b"x", b"")).await;
    assert_eq!(client.response().await, echo_of(11, b"x"));
    for _ in 0..10 {
        running.echo.release.notify_one();
        client.response().await;
    }
    drop(client);
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_client_that_goes_in_mid_request_is_forgotten() {
    let running = Running::start(Limits::default());
    let whole = request(header(1, "Echo"), &[7; 100], b"");
    for end in [1, 4, 5, 20, whole.len() - 1] {
        let mut client = running.client().await;
        client.send(&whole[..end]).await;
        drop(client);
    }
    all_is_well(&running).await;
    assert_eq!(running.echo.begun.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_request_whose_rest_does_not_come_is_not_waited_for() {
    let limits = Limits { read_stall_timeout: Duration::from_millis(50), ..Limits::default() };
    let running = Running::start(Limits { max_in_flight_bytes: 1 << 20, ..limits });
    let mut idle = running.client().await;
    for start in [&b"\0"[..], b"\0\0\x01\0half", &[&b"\0\x01\0\0"[..], &[0; 40_000]].concat()] {
        let mut client = running.client().await;
        client.send(start).await;
        client.closes().await;
    }
    // Between requests a client may be silent as long as it likes.
    idle.send(&request(header(1, "Echo"), b"x", b"")).await;
    assert_eq!(idle.response().await, echo_of(1, b"x"));
    drop(idle);
    all_is_well(&running).await;
}

#[tokio::test]
async fn a_call_that_is_pending_when_its_client_goes_runs_to_its_end() {
    for method in ["Later", "LaterHere"] {
        let running = Running::start(Limits::default());
        let client = pending(&running, method).await;
        drop(client);
        running.echo.release.notify_one();
        until("ended", || running.server.in_flight_bytes() == 0).await;
        assert_eq!(running.echo.carried_on.load(Ordering::SeqCst), 1);
        all_is_well(&running).await;
    }
}

#[tokio::test]
async fn a_call_that_is_pending_when_its_connection_breaks_runs_to_its_end() {
    for method in ["Later", "LaterHere"] {
        let running = Running::start(Limits::default());
        let client = pending(&running, method).await;
        client.stream.set_zero_linger().unwrap();
        drop(client);
        until("gone", || running.server.connections() == 0).await;
        assert!(running.server.in_flight_bytes() > 0);
        running.echo.release.notify_one();
        until("ended", || running.server.in_flight_bytes() == 0).await;
        assert_eq!(running.echo.carried_on.load(Ordering::SeqCst), 1);
        all_is_well(&running).await;
    }
}

/// A client with one call that waits.
async fn pending(running: &Running, method: &str) -> Raw {
    let mut client = running.client().await;
    client.send(&request(header(1, method), b"", b"")).await;
    until("begun", || running.echo.begun.load(Ordering::SeqCst) == 1).await;
    assert!(running.server.in_flight_bytes() > 0);
    client
}

#[tokio::test]
async fn connections_beyond_the_limit_are_closed() {
    let running = Running::start(Limits { max_connections: 2, ..Limits::default() });
    let (one, two) = (running.client().await, running.client().await);
    until("two", || running.server.connections() == 2).await;
    running.raw().await.closes().await;
    drop((one, two));
    all_is_well(&running).await;
}
