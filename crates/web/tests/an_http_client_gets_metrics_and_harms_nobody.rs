//! The server over a real socket, spoken to in plain bytes.

use finback_metrics::{ServerFigures, Snapshot};
use finback_web::{Answer, MetricsPages, Pages, Request, WebServer};
use std::net::SocketAddr;
use std::sync::Arc;
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
async fn connections_beyond_the_limit_are_closed_and_places_come_back() {
    let address = start().await;
    let mut silent = Vec::new();
    let mut byte = [0];
    for _ in 0..64 {
        silent.push(TcpStream::connect(address).await.unwrap());
    }
    let mut refused = TcpStream::connect(address).await.unwrap();
    assert_eq!(refused.read(&mut byte).await.unwrap_or(0), 0);
    drop(silent);
    while !get(address, "/jmx").await.contains("regionCount") {
        tokio::task::yield_now().await;
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
