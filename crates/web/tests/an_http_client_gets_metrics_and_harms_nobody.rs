//! The server over a real socket, spoken to in plain bytes.

use finback_metrics::{ServerFigures, Snapshot};
use finback_web::{Answer, MetricsPages, Pages, Request, WebServer};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let snapshot = || Snapshot {
        server: Some(ServerFigures { region_count: 7, ..Default::default() }),
        ..Default::default()
    };
    let server = WebServer::new(Arc::new(MetricsPages::new(snapshot)));
    tokio::spawn(server.serve(listener, std::future::pending()));
    address
}

/// Sends bytes, and reads until the server closes.
async fn talk(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may have refused before all of it was sent.
    let _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

async fn get(address: SocketAddr, target: &str) -> String {
    talk(address, format!("GET {target} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").as_bytes()).await
}

#[tokio::test]
async fn both_forms_are_served() {
    let address = start().await;
    let jmx = get(address, "/jmx").await;
    assert!(
        jmx.starts_with("HTTP/1.1 200 OK\r\n") && jmx.contains("content-type: application/json"),
        "{jmx}"
    );
    assert!(jmx.contains("\"regionCount\": 7"), "{jmx}");
    let one = get(address, "/jmx?qry=Hadoop%3Aservice%3DHBase,name=RegionServer,sub=Server").await;
    assert!(one.contains("\"regionCount\": 7") && !one.contains("sub=WAL"), "{one}");
    let metrics = get(address, "/metrics").await;
    assert!(
        metrics.contains("text/plain; version=0.0.4") && metrics.contains("\nfinback_regions 7\n"),
        "{metrics}"
    );
    assert!(get(address, "/").await.contains("href=\"/jmx\""));
}

#[tokio::test]
async fn what_cannot_be_answered_has_its_status() {
    let address = start().await;
    for (target, status) in [
        ("/none", "404"),
        ("/jmx?qry=x", "400"),
        ("/jmx?get=Hadoop:service=HBase,name=RegionServer,sub=Server", "400"),
        // As HBase's servlet.
        ("/jmx?get=Hadoop:service=HBase,name=RegionServer,sub=Server::none", "200"),
    ] {
        let answer = get(address, target).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{target}: {answer}");
    }
    let post =
        talk(address, b"POST /jmx HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc")
            .await;
    assert!(post.starts_with("HTTP/1.1 405 ") && post.contains("allow: GET, HEAD"), "{post}");
    let head = talk(address, b"HEAD /metrics HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").await;
    assert!(head.starts_with("HTTP/1.1 200 ") && head.ends_with("\r\n\r\n"), "{head}");
}

#[tokio::test]
async fn heads_that_are_too_long_or_nonsense_are_refused() {
    let address = start().await;
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(1 << 20));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(1000));
    for request in
        [long.as_bytes(), many.as_bytes(), b"\0\0\0\0\r\n\r\n", b"HBas\0\x50 not for this port\r\n\r\n"]
    {
        let answer = talk(address, request).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert!(get(address, "/jmx").await.contains("regionCount"));
}

#[tokio::test]
async fn a_connection_that_comes_takes_the_place_of_the_one_that_was_silent_longest() {
    let address = start().await;
    let mut byte = [0];
    let mut silent = Vec::new();
    for _ in 0..64 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    // Half a head is none.
    silent[0].write_all(b"GET /jmx HTTP/1.1\r\nHost:").await.unwrap();
    assert!(get(address, "/jmx").await.contains("regionCount"));
    assert_eq!(silent[0].read(&mut byte).await.unwrap_or(0), 0);
    let last = silent.last_mut().unwrap();
    last.write_all(b"GET /jmx HTTP/1.1\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    last.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("regionCount"), "{answer}");
}

#[tokio::test]
async fn an_address_that_holds_the_longest_row_key_is_answered() {
    let address = start().await;
    let target = format!("/jmx?{}", "a".repeat(65_000));
    let head = format!("GET {target} HTTP/1.1\r\nX: {}\r\nConnection: close\r\n\r\n", "b".repeat(12_000));
    let answer = talk(address, head.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

/// Waits, until it is dropped, for somebody who does not come.
struct Waiting(std::sync::Mutex<std::sync::mpsc::Receiver<()>>);

impl Pages for Waiting {
    fn answer(&self, request: &Request) -> Answer {
        if self.waits_for_others(&request.path) {
            let _ = self.0.lock().unwrap().recv();
        }
        Answer::ok("text/plain", request.path.clone())
    }

    fn waits_for_others(&self, path: &str) -> bool {
        path == "/waits"
    }
}

#[tokio::test]
async fn answers_that_wait_for_others_hold_up_none_that_do_not() {
    let (others, waits_for) = std::sync::mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = WebServer::new(Arc::new(Waiting(std::sync::Mutex::new(waits_for))));
    tokio::spawn(server.serve(listener, std::future::pending()));
    let ask = |path: &str| {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        async move { talk(address, head.as_bytes()).await }
    };
    let waiting: Vec<_> = (0..3).map(|_| tokio::spawn(ask("/waits"))).collect();
    for _ in 0..20 {
        assert!(ask("/").await.starts_with("HTTP/1.1 200 "));
    }
    // Two of the three have a turn; the third is told when it waited for one too long.
    let mut answers = Vec::new();
    let mut waiting = waiting.into_iter().collect::<std::collections::VecDeque<_>>();
    while answers.is_empty() {
        let mut one = waiting.pop_front().unwrap();
        match tokio::time::timeout(std::time::Duration::from_millis(100), &mut one).await {
            Ok(answer) => answers.push(answer.unwrap()),
            Err(_) => waiting.push_back(one),
        }
    }
    assert!(answers[0].starts_with("HTTP/1.1 503 ") && answers[0].contains("master"), "{answers:?}");
    drop(others);
    for one in waiting {
        assert!(one.await.unwrap().starts_with("HTTP/1.1 200 "));
    }
}

/// Takes forms at one path, and shows what it got.
struct Forms;

impl Pages for Forms {
    fn answer(&self, request: &Request) -> Answer {
        match &request.form {
            Some(form) => Answer::ok("text/plain", format!("{form:?}")),
            None => Answer::see("/there".to_owned()),
        }
    }

    fn takes_forms(&self, path: &str) -> bool {
        path == "/form"
    }
}

async fn post(target: &str, head: &str, body: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = WebServer::new(Arc::new(Forms)).known_as(["db1".to_owned()]);
    tokio::spawn(server.serve(listener, std::future::pending()));
    let length = body.len();
    let request = format!(
        "POST {target} HTTP/1.1\r\n{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    talk(address, request.as_bytes()).await
}

const FORM: &str = "Host: db1:1\r\nContent-Type: application/x-www-form-urlencoded\r\n";

#[tokio::test]
async fn a_form_is_taken_where_there_is_one() {
    let taken = post("/form", FORM, "a=b%20c&d=+").await;
    assert!(taken.contains("200 OK") && taken.ends_with(r#"[("a", "b c"), ("d", " ")]"#), "{taken}");
    let same =
        post("/form", &format!("{FORM}Origin: http://db1:1\r\nSec-Fetch-Site: same-origin\r\n"), "a=b").await;
    assert!(same.contains("200 OK"), "{same}");
    for policy in ["content-security-policy: default-src 'none';", "cache-control: no-store"] {
        assert!(same.contains(policy), "{same}");
    }
}

#[tokio::test]
async fn a_form_that_another_site_sends_is_refused() {
    for head in [
        format!("{FORM}Origin: http://evil.example\r\n"),
        format!("{FORM}Origin: null\r\n"),
        format!("{FORM}Sec-Fetch-Site: cross-site\r\n"),
        // A name that the site gave to the server's address.
        FORM.replace("db1:1", "evil.example:1")
            + "Origin: http://evil.example:1\r\nSec-Fetch-Site: same-origin\r\n",
    ] {
        let refused = post("/form", &head, "a=b").await;
        assert!(refused.starts_with("HTTP/1.1 403 "), "{head}: {refused}");
    }
}

#[tokio::test]
async fn a_body_that_is_no_form_or_too_long_is_refused() {
    let elsewhere = post("/", FORM, "a=b").await;
    assert!(
        elsewhere.starts_with("HTTP/1.1 405 ") && elsewhere.contains("allow: GET, HEAD\r\n"),
        "{elsewhere}"
    );
    let json = post("/form", "Host: db1\r\nContent-Type: application/json\r\n", "{}").await;
    assert!(json.starts_with("HTTP/1.1 415 "), "{json}");
    let long = post("/form", FORM, &"a".repeat(100_000)).await;
    assert!(long.starts_with("HTTP/1.1 413 "), "{long}");
}

#[tokio::test]
async fn who_calls_the_server_by_a_name_that_is_not_its_own_gets_nothing_but_metrics() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let ours = listener.local_addr().unwrap();
    let server = WebServer::new(Arc::new(Forms)).known_as(["db1".to_owned()]);
    tokio::spawn(server.serve(listener, std::future::pending()));
    for (host, status) in [
        ("evil.example", 403),
        ("db1.evil.example:1", 403),
        ("db1:1", 303),
        ("localhost", 303),
        ("[::1]:1", 303),
    ] {
        for path in ["/", "/form", "/none"] {
            let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
            let answer = talk(ours, head.as_bytes()).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}{path}: {answer}");
            // Nothing tells who the server is.
            assert!(!answer.contains("db1"), "{answer}");
        }
    }
    let head = b"GET /metrics HTTP/1.1\r\nHost: collector.example\r\nConnection: close\r\n\r\n";
    assert!(talk(start().await, head).await.contains("finback_regions 7"));
}

/// Has something that takes long to be read.
struct Large;

impl Pages for Large {
    fn answer(&self, request: &Request) -> Answer {
        let bytes = if request.path == "/large" { 16 << 20 } else { 1 };
        Answer::ok("text/plain", "x".repeat(bytes))
    }
}

#[tokio::test]
async fn answers_that_nobody_reads_take_so_much_memory_and_no_more() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(WebServer::new(Arc::new(Large)).serve(listener, std::future::pending()));
    let head = |path: &str| format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut slow = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head("/large").as_bytes()).await.unwrap();
        let mut begun = [0; 15];
        stream.read_exact(&mut begun).await.unwrap();
        assert_eq!(&begun, b"HTTP/1.1 200 OK");
        slow.push(stream);
    }
    for (path, status) in [("/large", 503), ("/small", 200)] {
        let answer = talk(address, head(path).as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path}: {:?}", answer.get(..100));
    }
    // Those who have gone, or have read everything, keep nothing.
    drop(slow);
    let since = Instant::now();
    while !talk(address, head("/large").as_bytes()).await.starts_with("HTTP/1.1 200 ") {
        assert!(since.elapsed() < Duration::from_secs(30), "the memory does not come back");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
