//! How many calls wait in the server, by kind.
//!
//! A call that is answered at once, on the task that read it, waits nowhere and is not counted. Calls that wait for memory,
//! a device, the log, or their turn are; beyond a limit of their kind further ones are refused, so that many of one kind
//! leave room for the others, as the queues of HBase's handlers do.

use crate::exception::RpcException;
use crate::exceptions;
use crate::service::Call;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a call is to the server's queues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// Of the cluster itself: on its own tables, by administrators, or marked by the client with a high priority.
    Priority,
    /// A read of rows that are named.
    Read,
    /// A read of a range.
    Scan,
    /// A change.
    Write,
}

/// How many calls of each kind may wait at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallQueueLimits {
    /// Of [`CallKind::Priority`]; `hbase.ipc.server.priority.max.callqueue.length`.
    pub priority: usize,
    /// Of each other kind; `hbase.ipc.server.max.callqueue.length`.
    pub general: usize,
}

impl Default for CallQueueLimits {
    /// HBase has ten for each of its handlers, thirty and twenty, each of which is a thread. Here a call that waits costs
    /// some memory, which has limits of its own.
    fn default() -> Self {
        Self { priority: 2000, general: 3000 }
    }
}

/// The calls of all connections of a server that wait.
#[derive(Debug)]
pub(crate) struct CallQueues {
    limits: CallQueueLimits,
    waiting: Arc<[AtomicUsize; 4]>,
    /// As in messages.
    server_name: Arc<str>,
}

impl CallQueues {
    pub(crate) fn new(limits: CallQueueLimits, server_name: Arc<str>) -> Self {
        Self { limits, waiting: Arc::default(), server_name }
    }

    /// Calls of a kind that wait now.
    pub(crate) fn waiting(&self, kind: CallKind) -> usize {
        self.waiting[kind as usize].load(Ordering::Relaxed)
    }

    /// Whether another call of this kind may begin. Threads that ask at the same time may each begin one.
    ///
    /// # Errors
    /// HBase's CallQueueTooBigException: the client backs off and comes back.
    pub(crate) fn check(&self, kind: CallKind) -> Result<(), RpcException> {
        if self.waiting(kind) < self.limit(kind) {
            return Ok(());
        }
        let server = &self.server_name;
        Err(exceptions::call_queue_too_big(format!(
            "Call queue is full on {server}, too many items queued ?"
        )))
    }

    /// Whether so few calls of a kind wait that some may that need not.
    pub(crate) fn has_ample_room(&self, kind: CallKind) -> bool {
        self.waiting(kind) < self.limit(kind) / 2
    }

    fn limit(&self, kind: CallKind) -> usize {
        match kind {
            CallKind::Priority => self.limits.priority,
            _ => self.limits.general,
        }
    }

    /// Counts a call that has begun to wait, until this is dropped.
    pub(crate) fn place(&self, kind: CallKind) -> QueuePlace {
        self.waiting[kind as usize].fetch_add(1, Ordering::Relaxed);
        QueuePlace { waiting: Arc::clone(&self.waiting), kind }
    }
}

/// One call that waits.
#[derive(Debug)]
pub(crate) struct QueuePlace {
    waiting: Arc<[AtomicUsize; 4]>,
    kind: CallKind,
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.waiting[self.kind as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

/// The kind of a call that its service takes for `kind`.
pub(crate) fn kind_of(call: &Call, kind: CallKind) -> CallKind {
    if call.is_of_the_cluster() { CallKind::Priority } else { kind }
}

#[cfg(test)]
mod tests;
