//! A large request that comes slowly, while others are refused for want of the memory that is counted for it.
//!
//! It has what is counted until its end has come, and every byte of it would give its client as much time again. As long as nobody is
//! refused it may take that.

use super::patience::{Lack, Patience, until_in_a_crowd};
use super::{Connection, Reading};
use std::time::Instant;

/// Of one connection.
#[derive(Debug, Default)]
pub(super) struct SlowRequest {
    /// Since when something is counted for it.
    counted: Option<Instant>,
    /// Since when others have been refused, and more of it was wanted.
    wanted: Option<Instant>,
}

impl SlowRequest {
    /// One for which something is counted since then.
    pub(super) fn counted_since(since: Instant) -> Self {
        Self { counted: Some(since), wanted: None }
    }
}

impl Connection {
    /// Whether a large request is being received, or would be if its client took its replies. Looks whether others are refused
    /// meanwhile.
    pub(super) fn look_at_request(&mut self) -> bool {
        let is_received = !self.share.is_empty()
            && !matches!(self.reading, Reading::Ended)
            && (self.reads() || self.has_replies_to_take() && self.frames.whole_frames(1) == 0);
        // Who is refused comes back after a pause: while such clients go on coming, there is one within this time.
        let within = self.shared.limits.crowded_stall_timeout * 2;
        let is_wanted = is_received && self.shared.in_flight.has_refused_within(within);
        self.slow_request.wanted = is_wanted.then(|| self.slow_request.wanted.unwrap_or_else(Instant::now));
        is_received
    }

    /// Until when the rest of a large request must come, or some of it, if others are refused.
    pub(super) fn patience_with_request(&self) -> Option<Patience> {
        let SlowRequest { counted, wanted } = self.slow_request;
        let (since, wanted) = (counted?, wanted?);
        let limits = &self.shared.limits;
        // While nothing is read of it, it is by taking replies that its client gets on.
        let (progress, since) = match self.reads() {
            true => (self.received, since),
            false => (self.received.max(self.progress), since.max(self.unread.owed_since().unwrap_or(since))),
        };
        let until = if self.share.is_noticeable() {
            until_in_a_crowd(limits, progress, since, wanted)
        } else {
            // Alone it makes no room for anybody, but many together may have all of it.
            since.max(wanted) + limits.crowded_reply_timeout
        };
        Some(Patience { until, lack: Lack::MemoryOfRequest { wanted } })
    }
}
