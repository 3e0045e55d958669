//! Counts the replies that clients have not taken, over all connections.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of one connection's replies that are not worth counting: those that ask for small nodes have nothing to do with it.
const UNCOUNTED_BYTES: usize = 64 << 10;

/// Bytes of replies that wait for clients.
#[derive(Debug, Default)]
pub(crate) struct Unread(AtomicUsize);

/// One connection's part, as long as it waits.
#[derive(Debug)]
pub(crate) struct UnreadPart<'a> {
    total: &'a Unread,
    bytes: usize,
}

impl Unread {
    /// Counts the replies of a connection; none if those of all were more than `limit` with them.
    pub(crate) fn add(&self, bytes: usize, limit: usize) -> Option<UnreadPart<'_>> {
        let bytes = if bytes > UNCOUNTED_BYTES { bytes } else { 0 };
        let part = UnreadPart { total: self, bytes };
        let others = self.0.fetch_add(bytes, Ordering::Relaxed);
        (bytes == 0 || others.saturating_add(bytes) <= limit).then_some(part)
    }
}

impl Drop for UnreadPart<'_> {
    fn drop(&mut self) {
        self.total.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
