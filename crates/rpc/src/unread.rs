//! Counts the replies that clients have not taken, in the whole server.
//!
//! A connection reports what it holds once per turn, and only what is more than a little: connections whose clients
//! read touch nothing shared.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of one connection's replies that are not worth counting.
const UNCOUNTED_BYTES: usize = 256 << 10;

/// Bytes of replies that wait for clients, of all connections.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    bytes: AtomicUsize,
}

impl Unread {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// One connection's part.
#[derive(Debug)]
pub(crate) struct UnreadPart {
    total: Arc<Unread>,
    counted: usize,
}

impl UnreadPart {
    pub(crate) fn new(total: &Arc<Unread>) -> Self {
        Self { total: Arc::clone(total), counted: 0 }
    }

    /// Notes how many bytes the connection holds now.
    pub(crate) fn set(&mut self, bytes: usize) {
        let counts = if bytes > UNCOUNTED_BYTES { bytes } else { 0 };
        if counts > self.counted {
            self.total.bytes.fetch_add(counts - self.counted, Ordering::Relaxed);
        } else if counts < self.counted {
            self.total.bytes.fetch_sub(self.counted - counts, Ordering::Relaxed);
        }
        self.counted = counts;
    }
}

impl Drop for UnreadPart {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests;
