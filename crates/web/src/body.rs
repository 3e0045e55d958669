//! Bodies of answers, and the memory that they take until they are sent.

use hyper::body::{Body, Bytes, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of all bodies that are on their way: those of a few large servers. A single one may be larger.
const MOST_BYTES: u32 = 32 << 20;
/// A body up to this size is always sent: there are no more of them than connections.
const UNCOUNTED_BYTES: usize = 256 << 10;

/// The memory of all bodies. Whoever reads slowly keeps one for as long as a connection lasts.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory(Arc<Semaphore>);

impl BodyMemory {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MOST_BYTES as usize)))
    }

    /// A body, which has its memory until it is sent, or its connection has ended; none if there is no room.
    pub(crate) fn hold(&self, body: String) -> Option<AnswerBody> {
        if body.capacity() <= UNCOUNTED_BYTES {
            return Some(body.into());
        }
        let bytes = u32::try_from(body.capacity()).unwrap_or(u32::MAX).min(MOST_BYTES);
        let permit = Arc::clone(&self.0).try_acquire_many_owned(bytes).ok()?;
        Some(AnswerBody(Bytes::from_owner(Counted { body, _permit: permit })))
    }
}

/// Hyper keeps it until the last byte is written.
struct Counted {
    body: String,
    _permit: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        self.body.as_bytes()
    }
}

/// A body in one piece; empty when it was given away.
pub(crate) struct AnswerBody(Bytes);

impl From<String> for AnswerBody {
    fn from(body: String) -> Self {
        Self(body.into())
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = std::mem::take(&mut self.0);
        Poll::Ready((!body.is_empty()).then(|| Ok(Frame::data(body))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}
