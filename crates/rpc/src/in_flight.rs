//! The bytes of all requests that the server is busy with.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A count of bytes with a limit.
#[derive(Debug)]
pub(crate) struct InFlight {
    bytes: AtomicUsize,
    limit: usize,
}

impl InFlight {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { bytes: AtomicUsize::new(0), limit })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn is_full(&self) -> bool {
        self.bytes() >= self.limit
    }

    /// A share without bytes.
    pub(crate) fn share(self: &Arc<Self>) -> Share {
        Share { all: Arc::clone(self), bytes: 0 }
    }
}

/// Bytes counted for one request until it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    all: Arc<InFlight>,
    bytes: usize,
}

impl Share {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Counts `more` bytes if the limit allows.
    pub(crate) fn try_grow(&mut self, more: usize) -> bool {
        let grown = self.all.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |bytes| {
            bytes.checked_add(more).filter(|&bytes| bytes <= self.all.limit)
        });
        if grown.is_ok() {
            self.bytes += more;
        }
        grown.is_ok()
    }

    /// Counts at least `bytes`, whatever the limit: for a call that has begun already.
    pub(crate) fn raise_to(&mut self, bytes: usize) {
        if bytes > self.bytes {
            self.all.bytes.fetch_add(bytes - self.bytes, Ordering::Relaxed);
            self.bytes = bytes;
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.all.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}
