//! The body of a request that changes something: a form.

use crate::request::parameters;
use crate::server::Answer;
use hyper::body::{Body, Incoming};
use hyper::header::CONTENT_TYPE;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

/// Bytes of a form.
const MAX_FORM_BYTES: usize = 8 << 10;
/// The time for it.
const FORM_TIMEOUT: Duration = Duration::from_secs(10);
/// Why a form is not taken.
pub(crate) const OF_OTHER_SITE: &str = "a page of another site asks for this change: it is not made\n";
const FORM: &str = "application/x-www-form-urlencoded";

/// Reads the fields of a form.
pub(crate) async fn read(request: hyper::Request<Incoming>) -> Result<Vec<(String, String)>, Answer> {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    if !media_type.split(';').next().unwrap_or("").trim().eq_ignore_ascii_case(FORM) {
        return Err(Answer::failed(415, "a form is wanted: application/x-www-form-urlencoded\n"));
    }
    match tokio::time::timeout(FORM_TIMEOUT, body(request.into_body())).await {
        Ok(bytes) => Ok(parameters(&String::from_utf8_lossy(&bytes?))),
        Err(_) => Err(Answer::failed(408, "the form did not come\n")),
    }
}

async fn body(mut body: Incoming) -> Result<Vec<u8>, Answer> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Answer::failed(400, "the form is torn\n"))?;
        let data = frame.into_data().unwrap_or_default();
        if bytes.len() + data.len() > MAX_FORM_BYTES {
            return Err(Answer::failed(413, "the form is too long\n"));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}
