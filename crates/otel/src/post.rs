//! One request to a collector: HTTP/1.1, on a connection of its own. There is one a second at most, to a neighbour.

use crate::endpoint::Endpoint;
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::time::Duration;
use tokio::net::TcpStream;

/// Bytes of an answer that are looked at: an empty one is usual, a few words what a collector has to say.
const LONGEST_ANSWER: usize = 16 << 10;

/// Why the collector has not taken what was sent.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Http(#[from] hyper::Error),
    #[error("cannot be asked for: {0}")]
    Request(#[from] hyper::http::Error),
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    #[error("answered with status {status}")]
    Status {
        status: u16,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
}

impl PostError {
    /// Whether it may go better later, with the same request: as OTLP has it.
    pub(crate) fn is_worth_another_try(&self) -> bool {
        match self {
            Self::Io(_) | Self::Timeout(_) => true,
            Self::Http(error) => !error.is_parse(),
            Self::Request(_) => false,
            Self::Status { status, .. } => matches!(status, 429 | 502 | 503 | 504),
        }
    }

    /// When the collector wants to be asked again, if it has said so.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// What a collector has made of a request that it took.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Taken {
    /// Spans, or points of metrics, that it does not want.
    pub(crate) rejected: u64,
    /// Why, or what it has to say otherwise; empty if nothing.
    pub(crate) message: String,
}

/// Sends one kind of data (such as `/v1/traces`).
///
/// # Errors
/// The collector has not said within `timeout` that it has them.
pub(crate) async fn post(
    endpoint: &Endpoint,
    kind: &str,
    body: String,
    timeout: Duration,
) -> Result<Taken, PostError> {
    tokio::time::timeout(timeout, exchange(endpoint, kind, body))
        .await
        .map_err(|_| PostError::Timeout(timeout))?
}

async fn exchange(endpoint: &Endpoint, kind: &str, body: String) -> Result<Taken, PostError> {
    let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let request = Request::post(endpoint.target(kind))
        .header(HOST, &endpoint.authority)
        .header(USER_AGENT, concat!("finback/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, "application/json")
        .header(CONNECTION, "close")
        .body(body)?;
    let answer = async { understood(sender.send_request(request).await?).await };
    tokio::pin!(answer, connection);
    tokio::select! {
        answer = &mut answer => answer,
        // It has been read to its end; or has failed, which the answer tells as well.
        _ = &mut connection => answer.await,
    }
}

async fn understood(response: Response<Incoming>) -> Result<Taken, PostError> {
    let status = response.status();
    if !status.is_success() {
        return Err(refused(status, response.headers()));
    }
    // Whether it says more or not, it has them.
    Ok(taken(&beginning(response.into_body()).await.unwrap_or_default()))
}

fn refused(status: StatusCode, headers: &HeaderMap) -> PostError {
    // The other form, a date, is of clocks that differ.
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    PostError::Status { status: status.as_u16(), retry_after: seconds.map(Duration::from_secs) }
}

/// The body, or as much of it as is looked at.
async fn beginning(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        bytes.extend_from_slice(&frame?.into_data().unwrap_or_default());
        if bytes.len() > LONGEST_ANSWER {
            break;
        }
    }
    Ok(bytes)
}

/// OTLP's partial success.
fn taken(answer: &[u8]) -> Taken {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    let partial = &answer["partialSuccess"];
    let rejected =
        ["rejectedSpans", "rejectedDataPoints"].into_iter().find_map(|name| match &partial[name] {
            // 64 bits are a text in this JSON; not everybody knows that.
            Value::String(text) => text.parse().ok(),
            number => number.as_u64(),
        });
    let message = partial["errorMessage"].as_str().unwrap_or_default().to_owned();
    Taken { rejected: rejected.unwrap_or(0), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_try_is_worth_while_where_the_collector_is_busy_or_gone() {
        let status = |status| PostError::Status { status, retry_after: None };
        for busy in [429, 502, 503, 504] {
            assert!(status(busy).is_worth_another_try());
        }
        for refused in [100, 301, 400, 404, 413, 500] {
            assert!(!status(refused).is_worth_another_try());
        }
        assert!(PostError::Timeout(Duration::ZERO).is_worth_another_try());
    }

    #[test]
    fn a_collector_may_say_when() {
        let said = |value: &'static str| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            refused(StatusCode::SERVICE_UNAVAILABLE, &headers).retry_after()
        };
        assert_eq!(said("7"), Some(Duration::from_secs(7)));
        assert_eq!(said("Fri, 31 Dec 1999 23:59:59 GMT"), None);
        assert_eq!(said("-1"), None);
    }

    #[test]
    fn what_a_collector_does_not_want_is_counted() {
        let rejected = |answer: &str| taken(answer.as_bytes());
        let some = Taken { rejected: 3, message: "too old".to_owned() };
        assert_eq!(rejected(r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#), some);
        assert_eq!(rejected(r#"{"partialSuccess":{"rejectedDataPoints":3}}"#).rejected, 3);
        for all in ["", "{}", "[]", "\u{1}", r#"{"partialSuccess":{"rejectedSpans":"-3"}}"#] {
            assert_eq!(rejected(all), Taken::default(), "{all}");
        }
    }
}
