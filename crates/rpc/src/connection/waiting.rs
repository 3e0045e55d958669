//! Calls of a connection that wait and have little left to do then, such as those whose change is on its way to the disk.
//!
//! The task of the connection carries them on itself. Another task for each would cost more than the call: it has to be made, other
//! threads are woken to take it, and it wakes the connection in the end.

use super::{Begun, CallMetrics, Finished, SENT_AFTER, Share, count};
use crate::call_queue::QueuePlace;
use crate::run::Guarded;
use futures_util::stream::{FuturesUnordered, Stream};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::runtime::Handle;

/// A call under way. Its output is its result, which has been counted, and when it ended.
pub(super) struct WaitingCall {
    pub(super) call_id: u32,
    pub(super) begun: Begun,
    pub(super) future: Guarded,
    pub(super) metrics: Arc<CallMetrics>,
    /// What is counted for it until it ends.
    pub(super) _counted: (Arc<Share>, QueuePlace),
}

impl Future for WaitingCall {
    type Output = (Finished, Instant);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { call_id, begun, future, metrics, .. } = &mut *self;
        Pin::new(future).poll(cx).map(|result| {
            let ended = count(metrics, *begun, &result);
            (Finished { call_id: *call_id, result }, ended)
        })
    }
}

/// All of a connection. What is left of them when it ends goes on in tasks, to its end: a change that has begun is not left
/// half done.
#[derive(Default)]
pub(super) struct WaitingCalls(FuturesUnordered<WaitingCall>);

impl WaitingCalls {
    pub(super) fn push(&mut self, call: WaitingCall) {
        self.0.push(call);
    }

    /// Moves to `finished` what is, but for what comes after [`SENT_AFTER`]; whether anything was.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, finished: &mut Vec<Finished>) -> bool {
        let before = finished.len();
        let mut first = None;
        while let Poll::Ready(Some((call, ended))) = Pin::new(&mut self.0).poll_next(cx) {
            finished.push(call);
            if ended.saturating_duration_since(*first.get_or_insert(ended)) >= SENT_AFTER {
                break;
            }
        }
        finished.len() > before
    }
}

impl Drop for WaitingCalls {
    fn drop(&mut self) {
        // Without a runtime the process ends.
        if let Ok(runtime) = Handle::try_current() {
            std::mem::take(&mut self.0).into_iter().for_each(|call| drop(runtime.spawn(call)));
        }
    }
}
