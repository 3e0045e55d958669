//! Calls of a connection that another thread carries out.
//!
//! Many callers may share a connection, and one thread is then not enough for it while others have nothing to do. Long reads that
//! queue in it are handed over several at a time: that wakes the other thread once for as much work as is worth it.

use super::{Begun, Finished, SENT_AFTER, Shared, count};
use crate::call_queue::QueuePlace;
use crate::connection_threads::Helper;
use crate::exceptions;
use crate::in_flight::Share;
use crate::outbox::Outbox;
use crate::run::{self, Guarded};
use crate::service::{Call, Outcome, PendingReply, Service};
use std::sync::Arc;
use std::time::Instant;

/// Batches of a connection that are under way at most: one that is carried out, and one for after it. A thread that falls behind
/// gets no more.
const MAX_BATCHES: usize = 2;

/// What is counted for a call until it ends.
pub(super) type Counted = (Arc<Share>, QueuePlace);

/// A call that has been counted, and not begun.
pub(super) struct HandedCall {
    pub(super) call: Call,
    pub(super) begun: Begun,
    pub(super) counted: Counted,
}

/// The batches of a connection.
#[derive(Default)]
pub(super) struct HandedOver {
    /// Each that is under way has one.
    under_way: Arc<()>,
}

impl HandedOver {
    /// Whether another batch may be made.
    pub(super) fn has_room(&self) -> bool {
        Arc::strong_count(&self.under_way) <= MAX_BATCHES
    }

    /// Lets `helper` carry out `calls`, one after the other; the results are left in the outbox.
    pub(super) fn send(
        &self,
        helper: Helper,
        calls: Vec<HandedCall>,
        service: &Arc<dyn Service>,
        (shared, outbox): (&Arc<Shared>, &Arc<Outbox>),
    ) {
        let batch = Batch {
            calls,
            service: Arc::clone(service),
            shared: Arc::clone(shared),
            outbox: Arc::clone(outbox),
            _under_way: Arc::clone(&self.under_way),
        };
        helper.carry_out(|| batch.carry_out());
    }
}

struct Batch {
    calls: Vec<HandedCall>,
    service: Arc<dyn Service>,
    shared: Arc<Shared>,
    outbox: Arc<Outbox>,
    _under_way: Arc<()>,
}

impl Batch {
    fn carry_out(self) {
        let mut finished = Vec::with_capacity(self.calls.len());
        let mut now = Instant::now();
        let mut left = now;
        for handed in self.calls {
            let HandedCall { mut call, mut begun, counted } = handed;
            let call_id = call.call_id;
            (call.begun, begun.begun) = (now, now);
            let outcome = if call.deadline.is_some_and(|deadline| deadline <= now) {
                Outcome::exception(exceptions::call_dropped("the client has stopped waiting"))
            } else {
                run::call(&*self.service, call)
            };
            match outcome {
                Outcome::Ready(result) => {
                    now = count(&self.shared.metrics, begun, &result);
                    finished.push(Finished { call_id, result });
                    drop(counted);
                }
                Outcome::Waiting(future) | Outcome::Pending(future) => {
                    spawn(call_id, future, counted, begun, (&self.shared, &self.outbox));
                    now = Instant::now();
                }
            }
            // As with answers that are made by the connection itself.
            if now.saturating_duration_since(left) >= SENT_AFTER && !finished.is_empty() {
                self.outbox.push(finished.drain(..));
                left = now;
            }
        }
        if !finished.is_empty() {
            self.outbox.push(finished);
        }
    }
}

/// Lets a pending call run in a task of its own, to its end, whatever becomes of the connection.
pub(super) fn spawn(
    call_id: u32,
    future: PendingReply,
    counted: Counted,
    begun: Begun,
    (shared, outbox): (&Arc<Shared>, &Arc<Outbox>),
) {
    let (outbox, metrics) = (Arc::clone(outbox), Arc::clone(&shared.metrics));
    tokio::spawn(async move {
        let result = Guarded(future).await;
        count(&metrics, begun, &result);
        outbox.push([Finished { call_id, result }]);
        drop(counted);
    });
}
