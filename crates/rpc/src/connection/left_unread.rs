//! Large requests that are left in the socket for a while when the memory for requests is short.
//!
//! A client of which many calls are under way, each as large as a buffer of mutations, would be told that there are too many, and would
//! send those again after a pause. But what its calls have is given back as they end, mostly within milliseconds: until then the next one
//! stays where it is, and the client waits to send it. Who has no call under way is told at once: nothing would be waited for.

use super::Connection;
use std::time::Instant;

/// Of one connection.
#[derive(Debug, Default)]
pub(super) struct LeftUnread {
    /// Since when memory has been short.
    since: Option<Instant>,
    /// One is left unread, until then at most.
    until: Option<Instant>,
}

impl LeftUnread {
    /// When to go on reading, at the latest, if a request is left unread.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// To be looked at again: something may have ended.
    pub(super) fn look_again(&mut self) {
        self.until = None;
    }
}

impl Connection {
    /// Whether the rest of a large request, for which nothing is counted yet, is left unread.
    pub(super) fn leaves_unread(&mut self) -> bool {
        let is_short = self.pending > 0 && self.share.is_empty() && self.shared.in_flight.is_crowded();
        if !is_short {
            self.left_unread = LeftUnread::default();
            return false;
        }
        let now = Instant::now();
        let since = *self.left_unread.since.get_or_insert(now);
        let until = since + self.shared.limits.max_left_unread;
        self.left_unread.until = (now < until).then_some(until);
        self.left_unread.until.is_some()
    }
}
