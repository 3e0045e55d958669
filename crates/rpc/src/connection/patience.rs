//! How long a client may do nothing before its connection is closed.

use super::Connection;
use crate::limits::Limits;
use std::io;
use std::time::Instant;

/// Replies of a connection that are less than such a part of all that may wait are in nobody's way.
const NOTICEABLE_PART: usize = 64;

/// Until when a client may do nothing.
pub(super) struct Patience {
    pub(super) until: Instant,
    pub(super) lack: Lack,
}

/// What a client does not do.
#[derive(Clone, Copy)]
pub(super) enum Lack {
    /// It does not read its replies.
    Reading,
    /// It does not send the rest of a request.
    RestOfRequest,
    /// It does not read replies whose memory others wait for, since then.
    Memory { wanted: Instant },
    /// It does not send the rest of a request for whose memory others are refused, since then.
    MemoryOfRequest { wanted: Instant },
}

impl Connection {
    /// Until when the client must do something, and what: read replies, or send the rest of a request.
    pub(super) fn patience(&self) -> Option<Patience> {
        let limits = &self.shared.limits;
        let to_read = (!self.outgoing.is_empty())
            .then(|| Patience { until: self.progress + limits.write_stall_timeout, lack: Lack::Reading });
        let to_send = (self.reads() && self.is_within_request()).then(|| Patience {
            until: self.received + limits.read_stall_timeout,
            lack: Lack::RestOfRequest,
        });
        let all = [
            to_read,
            self.patience_in_a_crowd(),
            self.patience_with_unread(),
            to_send,
            self.patience_with_request(),
        ];
        all.into_iter().flatten().min_by_key(|it| it.until)
    }

    /// The same while other clients wait for the memory of this one's replies.
    fn patience_in_a_crowd(&self) -> Option<Patience> {
        let (since, wanted) = (self.outgoing.counted_since()?, self.outgoing.wanted_since()?);
        let until = until_in_a_crowd(&self.shared.limits, self.progress, since, wanted);
        Some(Patience { until, lack: Lack::Memory { wanted } })
    }

    /// Whether replies wait here that may be in the way of others. Looks whether they are: a noticeable part of too many, while somebody
    /// else has a call that cannot begin.
    pub(super) fn look_at_unread(&mut self) -> bool {
        let limits = &self.shared.limits;
        let is_counted = self.unread.owed_since().is_some();
        let is_crowded = self.unread.counted() > limits.max_unread_bytes / NOTICEABLE_PART
            && self.others_wait()
            && self.shared.unread.has_held_up_within(limits.crowded_stall_timeout * 2);
        self.crowded = is_crowded.then(|| self.crowded.unwrap_or_else(Instant::now));
        is_counted || self.outgoing.counted_since().is_some()
    }

    /// The same while no call begins anywhere, as there is too much that clients have not taken.
    fn patience_with_unread(&self) -> Option<Patience> {
        let (since, wanted) = (self.unread.owed_since()?, self.crowded?);
        let until = until_in_a_crowd(&self.shared.limits, self.progress, since, wanted);
        Some(Patience { until, lack: Lack::Memory { wanted } })
    }

    pub(super) fn out_of_patience(&self, lack: Lack) -> io::Error {
        let what = match lack {
            Lack::Reading => "the client does not read its replies",
            Lack::RestOfRequest => "the rest of a request does not come",
            Lack::Memory { wanted } => {
                let info = &self.session.info;
                tracing::warn!(
                    remote = %info.remote,
                    user = %info.user,
                    unread_bytes = self.outgoing.len(),
                    nothing_read_for = ?self.progress.elapsed(),
                    others_wait_for = ?wanted.elapsed(),
                    "a connection is closed: other clients need the memory of replies that it does not read"
                );
                "others need the memory of unread replies"
            }
            Lack::MemoryOfRequest { wanted } => {
                let info = &self.session.info;
                tracing::warn!(
                    remote = %info.remote,
                    user = %info.user,
                    received_bytes = self.frames.len(),
                    nothing_received_for = ?self.received.elapsed(),
                    others_refused_for = ?wanted.elapsed(),
                    "a connection is closed: other clients need the memory of a request of which the rest does not come"
                );
                "others need the memory of a request of which the rest does not come"
            }
        };
        io::Error::new(io::ErrorKind::TimedOut, what)
    }
}

/// Until when a client may leave replies unread, or the rest of a request unsent, whose memory others wait for: it took or sent bytes at
/// `progress`, has the memory `since`, and others wait since `wanted`. A client that did nothing for long is in nobody's way before
/// others have waited as long.
pub(super) fn until_in_a_crowd(
    limits: &Limits,
    progress: Instant,
    since: Instant,
    wanted: Instant,
) -> Instant {
    let waited = wanted + limits.crowded_stall_timeout;
    let stalled = progress + limits.crowded_stall_timeout;
    let slow = since + limits.crowded_reply_timeout;
    stalled.min(slow).max(waited)
}

#[cfg(test)]
mod tests;
