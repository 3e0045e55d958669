//! Scanners that the server has closed by itself, at the end of their region: of these a late call is told that there is nothing more,
//! as in HBase for as long as a lease.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

/// Memory of one that is remembered, in bytes.
const BYTES: usize = 48;
/// So many are remembered, however little memory there is.
const LEAST: usize = 4096;
/// More than so many times the room that they take is given back.
const KEPT_ROOM: usize = 8;
/// A part of this size of the memory that scanners may keep.
const PART: usize = 16;

#[derive(Debug)]
pub(crate) struct EndedScanners {
    by_end: VecDeque<(Instant, u64)>,
    ids: HashSet<u64>,
    lease: Duration,
    most: usize,
}

impl EndedScanners {
    /// `bytes`: that scanners may keep, of which these have a small part.
    pub(crate) fn new(lease: Duration, bytes: usize) -> Self {
        Self { by_end: VecDeque::new(), ids: HashSet::new(), lease, most: (bytes / PART / BYTES).max(LEAST) }
    }

    /// Remembers one; forgets those that ended a lease ago, and if there are too many, the oldest.
    pub(crate) fn add(&mut self, id: u64, now: Instant) {
        while let Some((ended, oldest)) = self.by_end.front()
            && (self.by_end.len() >= self.most || now.saturating_duration_since(*ended) > self.lease)
        {
            self.ids.remove(oldest);
            self.by_end.pop_front();
        }
        if self.ids.insert(id) {
            self.by_end.push_back((now, id));
        }
        // What many took at a time is given back.
        if self.by_end.capacity() > (KEPT_ROOM * self.by_end.len()).max(LEAST) {
            let kept = KEPT_ROOM / 2 * self.by_end.len();
            self.by_end.shrink_to(kept);
            self.ids.shrink_to(kept);
        }
    }

    pub(crate) fn has(&self, id: u64) -> bool {
        self.ids.contains(&id)
    }
}

#[cfg(test)]
mod tests;
