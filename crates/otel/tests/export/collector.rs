//! A collector that keeps what it gets.

use finback_otel::{Endpoint, ExportOptions, Resource};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// Longer than anything takes.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A request: its target, and its body.
pub(crate) type Request = (String, Value);

pub(crate) struct Collector {
    pub(crate) options: ExportOptions,
    requests: mpsc::UnboundedReceiver<Request>,
}

impl Collector {
    /// One that answers the first requests so, and all others like the last of them. With nothing: it never answers.
    pub(crate) async fn answering(answers: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/otlp", listener.local_addr().unwrap());
        let (told, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut silent = Vec::new();
            for number in 0.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let _ = told.send(request(&mut stream).await);
                match answers.get(number).or(answers.last()) {
                    Some(answer) => stream.write_all(answer.as_bytes()).await.unwrap(),
                    None => silent.push(stream),
                }
            }
        });
        Self { options: options(&endpoint), requests }
    }

    /// The next request.
    pub(crate) async fn request(&mut self) -> Request {
        tokio::time::timeout(LONG, self.requests.recv()).await.expect("nothing comes").unwrap()
    }
}

/// Impatient ones.
pub(crate) fn options(endpoint: &str) -> ExportOptions {
    let resource =
        Resource { instance: "h,1,2".to_owned(), host: "h".to_owned(), version: "1.2.3".to_owned() };
    let endpoint: Endpoint = endpoint.parse().unwrap();
    ExportOptions {
        gather: Duration::from_millis(1),
        pauses: vec![Duration::from_millis(1); 2],
        ..ExportOptions::new(endpoint, resource)
    }
}

async fn request(stream: &mut TcpStream) -> Request {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let target = lines.next().unwrap().strip_prefix("POST ").unwrap().strip_suffix(" HTTP/1.1").unwrap();
    let header = |name: &str| {
        let fields = head.lines().filter_map(|line| line.split_once(": "));
        let mut values = fields.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value);
        let value = values.next().unwrap_or_else(|| panic!("no {name} in {head}"));
        assert!(values.next().is_none());
        value
    };
    assert_eq!(header("Content-Type"), "application/json");
    assert!(header("Host").starts_with("127.0.0.1:"));
    let mut body = vec![0; header("Content-Length").parse().unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    (target.to_owned(), serde_json::from_slice(&body).unwrap())
}
