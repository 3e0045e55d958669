//! The bytes of all requests that the server is busy with.

use crate::exception::RpcException;
use crate::exceptions;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A count of bytes with a limit.
#[derive(Debug)]
pub(crate) struct InFlight {
    bytes: AtomicUsize,
    limit: usize,
    /// When a request was last refused.
    refused: Mutex<Option<Instant>>,
    /// As in messages.
    server_name: Arc<str>,
}

impl InFlight {
    pub(crate) fn new(limit: usize, server_name: Arc<str>) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicUsize::new(0), limit, refused: Mutex::default(), server_name })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes() >= self.limit
    }

    /// Whether most of what there may be is taken.
    pub(crate) fn is_crowded(&self) -> bool {
        self.bytes() >= self.limit / 4 * 3
    }

    /// Whether a request was refused for want of room within that time: its client may be about to come back.
    pub(crate) fn has_refused_within(&self, time: Duration) -> bool {
        self.refused.lock().is_some_and(|refused| refused.elapsed() < time)
    }

    /// Takes note that a request is refused for want of room, and says what its client is told.
    pub(crate) fn refusal(&self) -> RpcException {
        *self.refused.lock() = Some(Instant::now());
        let server = &self.server_name;
        exceptions::call_queue_too_big(format!(
            "Call queue is full on {server}, is hbase.ipc.server.max.callqueue.size too small?"
        ))
    }

    /// A share without bytes.
    pub(crate) fn share(self: &Arc<Self>) -> Share {
        Share { all: Arc::clone(self), bytes: AtomicUsize::new(0) }
    }
}

/// Bytes counted for one request until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    all: Arc<InFlight>,
    bytes: AtomicUsize,
}

impl Share {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) == 0
    }

    /// Whether others would have noticeably more room without it.
    pub(crate) fn is_noticeable(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) >= self.all.limit / 64
    }

    /// Counts `more` bytes if the limit allows.
    pub(crate) fn try_grow(&self, more: usize) -> bool {
        self.try_grow_within(more, self.all.limit)
    }

    /// The same for what is refused last: if twice the limit allows. Anybody may say of a call that it is so.
    pub(crate) fn try_grow_beyond(&self, more: usize) -> bool {
        self.try_grow_within(more, self.all.limit.saturating_mul(2))
    }

    fn try_grow_within(&self, more: usize, limit: usize) -> bool {
        let grown = self.all.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bytes| {
            bytes.checked_add(more).filter(|&bytes| bytes <= limit)
        });
        if grown.is_ok() {
            self.bytes.fetch_add(more, Ordering::Relaxed);
        }
        grown.is_ok()
    }

    /// The same when it cannot grow.
    pub(crate) fn refusal(&self) -> RpcException {
        self.all.refusal()
    }

    /// Gives back `less` of its bytes.
    pub(crate) fn shrink(&self, less: usize) {
        self.bytes.fetch_sub(less, Ordering::Relaxed);
        self.all.bytes.fetch_sub(less, Ordering::Relaxed);
    }

    /// Counts `more` bytes, whatever the limit.
    pub(crate) fn grow(&self, more: usize) {
        self.all.bytes.fetch_add(more, Ordering::Relaxed);
        self.bytes.fetch_add(more, Ordering::Relaxed);
    }

    /// Counts at least `bytes`, whatever the limit: for a call that has begun already.
    pub(crate) fn raise_to(&self, bytes: usize) {
        self.grow(bytes.saturating_sub(self.bytes.load(Ordering::Relaxed)));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let bytes = *self.bytes.get_mut();
        if bytes > 0 {
            self.all.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests;
