//! Counts the replies that clients have not taken, in the whole server.
//!
//! A connection reports what it holds once per turn, and only what is more than a little: connections whose clients
//! read touch nothing shared.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Bytes of one connection's replies that are not worth counting.
const UNCOUNTED_BYTES: usize = 64 << 10;

/// Bytes of replies that wait for clients, of all connections.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    bytes: AtomicUsize,
    /// When a client was last held up by replies of others.
    held_up: Mutex<Option<Instant>>,
}

impl Unread {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes note that a client whose own replies are not worth counting is held up.
    pub(crate) fn note_held_up(&self) {
        *self.held_up.lock() = Some(Instant::now());
    }

    /// Whether that was so within this time.
    pub(crate) fn has_held_up_within(&self, time: Duration) -> bool {
        self.held_up.lock().is_some_and(|held_up| held_up.elapsed() < time)
    }
}

/// One connection's part.
#[derive(Debug)]
pub(crate) struct UnreadPart {
    total: Arc<Unread>,
    counted: usize,
    /// Since when the client has not taken all that there was for it then, and how much of that is left.
    owed: Option<(Instant, usize)>,
}

impl UnreadPart {
    pub(crate) fn new(total: &Arc<Unread>) -> Self {
        Self { total: Arc::clone(total), counted: 0, owed: None }
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
        if counts == 0 {
            self.owed = None;
        } else if self.owed.is_none_or(|(_, left)| left == 0) {
            self.owed = Some((Instant::now(), counts));
        }
    }

    /// Takes note that the client took so many bytes.
    pub(crate) fn taken(&mut self, bytes: usize) {
        if let Some((_, left)) = &mut self.owed {
            *left = left.saturating_sub(bytes);
        }
    }

    /// Bytes that are counted.
    pub(crate) fn counted(&self) -> usize {
        self.counted
    }

    /// Since when there has been, all the time, something for the client that it has not taken; none while that is too little to
    /// count. A client that takes its replies, be there ever more of them, is not behind for long.
    pub(crate) fn owed_since(&self) -> Option<Instant> {
        Some(self.owed?.0)
    }
}

impl Drop for UnreadPart {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests;
