//! One request to a collector: HTTP/1.1, on a connection of its own. There is one a second at most, to a neighbour.

use crate::endpoint::Endpoint;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Bytes of an answer that are looked at: its first line is wanted, and no more of what comes.
const LONGEST_STATUS_LINE: usize = 1024;

/// Why the collector has not taken what was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    #[error("the answer is not HTTP")]
    NotHttp,
    #[error("answered with status {0}")]
    Status(u16),
}

impl PostError {
    /// Whether it may go better later, with the same request: as OTLP has it.
    pub(crate) fn is_worth_another_try(&self) -> bool {
        match self {
            Self::Io(_) | Self::Timeout(_) => true,
            Self::NotHttp => false,
            Self::Status(status) => matches!(status, 429 | 502 | 503 | 504),
        }
    }
}

/// Sends one kind of data (such as `/v1/traces`).
///
/// # Errors
/// The collector has not said within `timeout` that it has them.
pub(crate) async fn post(
    endpoint: &Endpoint,
    kind: &str,
    body: &str,
    timeout: Duration,
) -> Result<(), PostError> {
    let status = tokio::time::timeout(timeout, exchange(endpoint, kind, body)).await;
    match status.map_err(|_| PostError::Timeout(timeout))?? {
        200..=299 => Ok(()),
        status => Err(PostError::Status(status)),
    }
}

async fn exchange(endpoint: &Endpoint, kind: &str, body: &str) -> Result<u16, PostError> {
    let mut stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: finback\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        endpoint.target(kind),
        endpoint.authority,
        body.len(),
    );
    let sent = send(&mut stream, &head, body).await;
    // Who refuses may answer, and close, before it has read everything.
    let line = status_line(&mut stream).await;
    match (sent, line) {
        (Err(error), Err(_)) => Err(error.into()),
        (_, line) => status(&line?).ok_or(PostError::NotHttp),
    }
}

async fn send(stream: &mut TcpStream, head: &str, body: &str) -> io::Result<()> {
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.flush().await
}

/// What the answer begins with: up to the end of a line, or as much as is looked at.
async fn status_line(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut part = [0; 256];
    while !line.contains(&b'\n') && line.len() < LONGEST_STATUS_LINE {
        match stream.read(&mut part).await? {
            0 if line.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
            0 => break,
            read => line.extend_from_slice(&part[..read]),
        }
    }
    Ok(line)
}

/// The number in `HTTP/1.1 200 OK`.
fn status(line: &[u8]) -> Option<u16> {
    let rest = line.strip_prefix(b"HTTP/1.")?;
    let [b'0' | b'1', b' ', digits @ ..] = rest else { return None };
    let (digits, rest) = digits.split_at_checked(3)?;
    let ends = matches!(rest.first(), None | Some(b' ' | b'\r' | b'\n'));
    let number = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|d| d.is_ascii_digit()));
    number.filter(|_| ends)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_number_in_the_first_line() {
        assert_eq!(status(b"HTTP/1.1 200 OK\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 503\n"), Some(503));
        for line in [
            &b""[..],
            b"HTTP/1.1",
            b"HTTP/1.1 20",
            b"HTTP/1.1 2000 ",
            b"HTTP/2 200 ",
            b"HTTP/1.1 +20 ",
            b"SSH-2.0",
            b"HTTP/1.1 \xff\xff\xff ",
        ] {
            assert_eq!(status(line), None, "{line:?}");
        }
    }

    #[test]
    fn another_try_is_worth_while_where_the_collector_is_busy_or_gone() {
        for status in [429, 502, 503, 504] {
            assert!(PostError::Status(status).is_worth_another_try());
        }
        for status in [100, 301, 400, 404, 413, 500] {
            assert!(!PostError::Status(status).is_worth_another_try());
        }
        assert!(PostError::Timeout(Duration::ZERO).is_worth_another_try());
        assert!(!PostError::NotHttp.is_worth_another_try());
    }
}
