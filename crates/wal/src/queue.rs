//! What waits for the thread of a log.

use std::{mem, time::Instant};

use finback_cell::Durability;
use tokio::sync::oneshot;

use crate::{
    WalAppend, WalError, WalOptions,
    commit_here::committing_thread,
    log::{ENTRY_OVERHEAD_BYTES, Permit},
    queued_entries::QueuedEntries,
};

pub(crate) type Answer = Result<(), WalError>;

/// Something other than an entry that the thread should do.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) kind: RequestKind,
    pub(crate) answer: Option<oneshot::Sender<Answer>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    Roll,
    Close,
}

#[derive(Debug, Default)]
pub(crate) enum Availability {
    #[default]
    Open,
    Failed(WalError),
    Closed,
}

#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) position: u64,
    pub(crate) answer: oneshot::Sender<Answer>,
}

/// What waits for the thread. Entries are bounded by the room's permits, waiters by the entries.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    pub(crate) entries: QueuedEntries,
    pub(crate) queued_bytes: usize,
    pub(crate) appended: u64,
    pub(crate) waiters: Vec<Waiter>,
    /// Positions whose writers went away without an answer. Bounded by the entries, as waiters are.
    pub(crate) left: Vec<u64>,
    pub(crate) requests: Vec<Request>,
    /// Do not wait for more.
    pub(crate) urgent: bool,
    /// When the oldest entry came that nobody waits for.
    pub(crate) async_since: Option<Instant>,
    /// The thread sleeps and must be woken.
    pub(crate) parked: bool,
    /// As soon as so many wait.
    pub(crate) wake_at: usize,
    pub(crate) availability: Availability,
    /// Which thread the last ones that wait are of, and how many in a row.
    run: (usize, u32),
}

impl Queue {
    /// The position, and whether the thread must be woken.
    pub(crate) fn push(
        &mut self,
        permit: Permit,
        entry: &WalAppend,
        options: &WalOptions,
    ) -> Result<(u64, bool), WalError> {
        match &self.availability {
            Availability::Open => {}
            Availability::Failed(error) => return Err(error.clone()),
            Availability::Closed => return Err(WalError::Closed),
        }
        let mut wake = false;
        if entry.durability < Durability::SyncWal {
            wake = self.expects_nobody();
        }
        self.queued_bytes += entry.cells.len() + ENTRY_OVERHEAD_BYTES;
        if self.queued_bytes > options.group_bytes() && !self.urgent {
            self.urgent = true;
            wake = self.parked;
        }
        self.entries.push(entry.into(), permit.into_count());
        self.appended += 1;
        Ok((self.appended, wake))
    }

    /// There is an entry that nobody waits for; whether the thread must be woken, to set its alarm.
    pub(crate) fn expects_nobody(&mut self) -> bool {
        let is_first = self.async_since.is_none();
        self.async_since.get_or_insert_with(Instant::now);
        is_first && self.parked
    }

    /// Whether the thread must be woken.
    pub(crate) fn wait_for(&mut self, position: u64, answer: oneshot::Sender<Answer>) -> bool {
        let thread = committing_thread();
        self.run = if self.run.0 == thread { (thread, self.run.1.saturating_add(1)) } else { (thread, 1) };
        self.waiters.push(Waiter { position, answer });
        // Once per idle period: the others find it awake.
        self.waiters.len() >= self.wake_at && mem::take(&mut self.parked)
    }

    pub(crate) fn request(&mut self, request: Request) -> Answer {
        if self.is_closed() {
            return Err(WalError::Closed);
        }
        self.requests.push(request);
        Ok(())
    }

    pub(crate) fn hurry(&mut self) {
        self.urgent = true;
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.availability, Availability::Closed)
    }

    pub(crate) fn failure(&self) -> Option<WalError> {
        match &self.availability {
            Availability::Failed(error) => Some(error.clone()),
            _ => None,
        }
    }

    /// How many of the last ones that wait are of the calling thread; none if it does not commit.
    pub(crate) fn run(&self) -> u32 {
        if self.run.0 != 0 && self.run.0 == committing_thread() { self.run.1 } else { 0 }
    }

    /// Something is to be done at once.
    pub(crate) fn is_pressed(&self) -> bool {
        self.urgent || !self.requests.is_empty()
    }
}
