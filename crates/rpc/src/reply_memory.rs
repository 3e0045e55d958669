//! Memory of replies, from when they are built until their clients have them.
//!
//! Whoever builds a reply counts what it has, as it grows. When all replies together are at the limit, one after the
//! other still gets on: the one whose *turn* it is may go beyond the limit, so that none waits for ever for another that
//! waits as well. What is held is thus at most the limit, and one reply.

use crate::exception::RpcException;
use crate::exceptions;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Replies up to this size are not counted, so that they touch nothing shared: a thread builds one at a time.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// The longest wait for a turn of a call whose client says no time.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The memory of all replies of a process.
#[derive(Debug)]
pub struct ReplyMemory {
    bytes: AtomicUsize,
    limit: usize,
    turn: Arc<Semaphore>,
    /// How many wait for the turn.
    waiting: AtomicUsize,
}

impl ReplyMemory {
    /// Memory of so many bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes: AtomicUsize::new(0),
            limit,
            turn: Arc::new(Semaphore::new(1)),
            waiting: AtomicUsize::new(0),
        })
    }

    /// Bytes that replies may hold together. A single one may have as many, when it is its turn.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that replies hold now, as far as they are counted.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The share of a reply that is begun.
    pub fn share(self: &Arc<Self>) -> ReplyShare {
        ReplyShare { all: Arc::clone(self), bytes: 0, turn: None }
    }

    fn try_add(&self, more: usize) -> bool {
        let fits = |bytes: usize| bytes.checked_add(more).filter(|&bytes| bytes <= self.limit);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }
}

/// What one reply holds; given back when it is dropped.
#[derive(Debug)]
pub struct ReplyShare {
    all: Arc<ReplyMemory>,
    bytes: usize,
    turn: Option<OwnedSemaphorePermit>,
}

impl ReplyShare {
    /// Bytes that are counted for this reply.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The most that this reply may hold.
    pub fn most(&self) -> usize {
        self.all.limit
    }

    /// Whether others wait for memory.
    pub(crate) fn is_wanted(&self) -> bool {
        self.all.waiting.load(Ordering::Relaxed) > 0
    }

    /// Counts that the reply holds `bytes` now; false if there is no room for what is more than before.
    pub fn try_hold(&mut self, bytes: usize) -> bool {
        if self.bytes == 0 && bytes <= UNCOUNTED_BYTES {
            return true;
        }
        match bytes.checked_sub(self.bytes) {
            None => drop(self.all.bytes.fetch_sub(self.bytes - bytes, Ordering::Relaxed)),
            Some(more) if self.all.try_add(more) => {}
            Some(more) if self.turn.is_some() => drop(self.all.bytes.fetch_add(more, Ordering::Relaxed)),
            Some(_) => return false,
        }
        self.bytes = bytes;
        true
    }

    /// Counts that the reply holds `bytes`, if need be after a wait for its turn.
    ///
    /// # Errors
    /// The turn does not come before `deadline`: a CallQueueTooBigException, upon which clients come back.
    pub async fn hold(&mut self, bytes: usize, deadline: Option<Instant>) -> Result<(), RpcException> {
        if self.try_hold(bytes) {
            return Ok(());
        }
        let latest = Instant::now() + LONGEST_WAIT;
        let until = deadline.map_or(latest, |deadline| deadline.min(latest));
        let _waiting = Waiting::begin(&self.all);
        let turn = Arc::clone(&self.all.turn).acquire_owned();
        match tokio::time::timeout_at(until.into(), turn).await {
            Ok(Ok(turn)) => self.turn = Some(turn),
            // The semaphore is never closed.
            Ok(Err(_)) | Err(_) => return Err(no_room()),
        }
        self.try_hold(bytes);
        Ok(())
    }
}

impl Drop for ReplyShare {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.all.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// Somebody waits, until this is dropped.
struct Waiting(Arc<ReplyMemory>);

impl Waiting {
    fn begin(memory: &Arc<ReplyMemory>) -> Self {
        memory.waiting.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(memory))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What clients are told at the limit.
fn no_room() -> RpcException {
    exceptions::call_queue_too_big("too many bytes of replies are waiting in this server")
}

#[cfg(test)]
mod tests;
