//! A region that is given up: a panic has ended a write between its sequence id and the moment at which readers see it.
//!
//! Half of the write may be in memory, and no later one may be seen before it. So nothing that memory has becomes visible or
//! comes into a file any more, and the log keeps all that it has of the region. Who reads, writes or waits is told that the
//! region is not served here; what the host does is up to it ([`Host::region_given_up`](crate::Host::region_given_up)). The
//! next opening, behind a split of the log, has all that was acknowledged, and the write that failed wholly or not at all. HBase
//! answers a state that it cannot vouch for likewise: it aborts the server, whose logs are split.

use crate::error::RegionError;
use crate::region::Region;
use std::sync::atomic::Ordering;

impl Region {
    /// Whether the region was given up. It cannot be closed then: its edits are in the log.
    pub fn is_given_up(&self) -> bool {
        self.mvcc.is_given_up()
    }

    /// Fails when what is in memory must not go into files, or be built upon, any more.
    pub(crate) fn check_kept(&self) -> Result<(), RegionError> {
        if self.closed.load(Ordering::Acquire) { Err(self.not_served()) } else { Ok(()) }
    }

    pub(crate) fn not_served(&self) -> RegionError {
        RegionError::Closing(self.encoded_name.to_string())
    }

    fn give_up(&self) {
        tracing::error!(region = %self.encoded_name, "a write has panicked: the region is given up");
        // Before its row locks, and the lock that keeps flushes away, are given back.
        self.abandon();
        self.mvcc.give_up();
        self.environment.host.region_given_up(&self.encoded_name);
    }
}

/// Gives the region up unless it is [disarmed](Self::disarm): a panic has come in between.
pub(crate) struct GivesUp<'a>(pub(crate) &'a Region);

impl GivesUp<'_> {
    pub(crate) fn disarm(self) {
        std::mem::forget(self);
    }
}

impl Drop for GivesUp<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.give_up();
    }
}
