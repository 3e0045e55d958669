//! Memory that a call which reads takes: what it found so far, and the blocks that its scanner holds.

use crate::server::RegionServer;
use finback_region::{RegionScanner, ScanOutput};
use finback_rpc::{Call, ReplyShare, RpcException, exceptions};
use std::time::Instant;

/// Bytes found after which a reader counts what it has. What readers took since the last count is not seen by others:
/// as many of these as there are threads.
pub(crate) const TURN_BYTES: usize = 256 << 10;

/// Bytes that a get finds before they are counted. However many gets wait for memory, each has found at most that beside what is
/// counted for it.
pub(crate) const UNCOUNTED_BYTES: usize = 64 << 10;

/// Bytes found after which other work gets its turn. Calls that find less are answered one after the other, so that a
/// connection whose replies nobody takes does not begin many more.
const YIELD_BYTES: usize = 4 << 20;

/// What a reply with its cells inside the message takes: the cells, their parts of the message, the encoded message.
pub(crate) const INLINE_FACTOR: usize = 3;

/// One call's memory.
#[derive(Debug)]
pub(crate) struct ReadMemory {
    share: ReplyShare,
    deadline: Option<Instant>,
    /// Bytes of the results that are done.
    done: usize,
    /// Bytes of what the message has beside results.
    beside: usize,
    factor: usize,
    max_row_bytes: usize,
    /// Bytes found at the last turn, and at the last time that others had theirs.
    found: usize,
    yielded: usize,
}

impl ReadMemory {
    pub(crate) fn new(server: &RegionServer, call: &Call) -> Self {
        let factor = if call.connection.has_codec { 1 } else { INLINE_FACTOR };
        let share = server.reply_memory().share_of(call);
        let max_row_bytes = server.max_row_bytes().min(share.most() / factor);
        Self { share, deadline: call.deadline, factor, max_row_bytes, ..Self::within(server) }
    }

    /// For a read whose result does not go to a client as it is.
    pub(crate) fn within(server: &RegionServer) -> Self {
        let share = server.reply_memory().share();
        let max_row_bytes = server.max_row_bytes().min(share.most());
        Self { share, deadline: None, done: 0, beside: 0, factor: 1, max_row_bytes, found: 0, yielded: 0 }
    }

    /// Counts, from now on, for a reply with its cells inside the message.
    pub(crate) fn go_inside(&mut self) {
        self.factor = INLINE_FACTOR;
        self.max_row_bytes = self.max_row_bytes.min(self.most());
    }

    /// Notes how many bytes the results hold that are done.
    pub(crate) fn set_done(&mut self, bytes: usize) {
        self.done = bytes;
    }

    /// Notes that the message has so many bytes more beside results.
    pub(crate) fn add_beside(&mut self, bytes: usize) {
        self.beside += bytes;
    }

    /// Bytes of what the message has beside results.
    pub(crate) fn beside(&self) -> usize {
        self.beside
    }

    /// Notes until when it may wait.
    pub(crate) fn wait_until(&mut self, deadline: Instant) {
        self.deadline = Some(deadline);
    }

    /// The most bytes that a reply may hold.
    pub(crate) fn most(&self) -> usize {
        self.share.most() / self.factor
    }

    /// What a scan has now: what it found with the next cell, and the blocks that its scanner holds.
    pub(crate) fn of(&self, out: &ScanOutput, scanner: &RegionScanner) -> usize {
        let found = out.cells.capacity().max(out.cells.len() + scanner.next_cell_bytes());
        found.saturating_add(scanner.held_bytes())
    }

    /// Counts that reads under way have so many bytes; false if there is no room for them.
    pub(crate) fn try_hold(&mut self, bytes: usize) -> bool {
        let all = self.with_done(bytes);
        self.share.try_hold(all)
    }

    /// Counts that reads under way have so many bytes, after a wait if need be.
    ///
    /// # Errors
    /// A CallQueueTooBigException, when the wait was too long.
    pub(crate) async fn hold(&mut self, bytes: usize) -> Result<(), RpcException> {
        let all = self.with_done(bytes);
        self.share.hold(all, self.deadline).await
    }

    /// Bytes that are counted for the reads under way.
    pub(crate) fn counted(&self) -> usize {
        (self.share.bytes().saturating_sub(self.beside) / self.factor).saturating_sub(self.done)
    }

    /// Counts that reads under way have so many bytes, whether there is room for them or not.
    pub(crate) fn hold_beyond(&mut self, bytes: usize) {
        let all = self.with_done(bytes);
        self.share.hold_beyond(all);
    }

    fn with_done(&self, bytes: usize) -> usize {
        self.done.saturating_add(bytes).saturating_mul(self.factor).saturating_add(self.beside)
    }

    /// Lets others have their turn, if this one was long: many cells looked at, or many bytes found.
    pub(crate) async fn end_turn(&mut self, found: usize) {
        let ended_by_bytes = found.saturating_sub(self.found) >= TURN_BYTES;
        self.found = found;
        if !ended_by_bytes || found.saturating_sub(self.yielded) >= YIELD_BYTES {
            self.yielded = found;
            tokio::task::yield_now().await;
        }
    }

    /// The same after a turn that was long for certain.
    pub(crate) async fn end_long_turn(&mut self, found: usize) {
        (self.found, self.yielded) = (found, found);
        tokio::task::yield_now().await;
    }

    /// Refuses a row, read as a whole, of which so many bytes were found.
    pub(crate) fn check_row(&self, bytes: usize) -> Result<(), RpcException> {
        if bytes <= self.max_row_bytes {
            return Ok(());
        }
        Err(exceptions::row_too_big(format!(
            "Max row size allowed: {}, but the row is bigger than that.",
            self.max_row_bytes
        )))
    }

    /// Bytes of a row at most that is read as a whole.
    pub(crate) fn most_of_row(&self) -> usize {
        self.max_row_bytes
    }

    /// What goes with the reply.
    pub(crate) fn into_share(self) -> ReplyShare {
        self.share
    }
}
