//! Calls of a connection that wait and have little left to do then, such as those whose change is on its way to the disk.
//!
//! The task of the connection carries them on itself. Another task for each would cost more than the call: it has to be made, other
//! threads are woken to take it, and it wakes the connection in the end.

use super::{Begun, CallMetrics, Finished, Share, count};
use crate::call_queue::QueuePlace;
use crate::run::Guarded;
use futures_util::stream::{FuturesUnordered, Stream};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::runtime::Handle;

/// A call under way. Its output is its result, which has been counted.
pub(super) struct WaitingCall {
    pub(super) call_id: u32,
    pub(super) begun: Begun,
    pub(super) future: Guarded,
    pub(super) metrics: Arc<CallMetrics>,
    /// What is counted for it until it ends.
    pub(super) _counted: (Arc<Share>, QueuePlace),
}

impl Future for WaitingCall {
    type Output = Finished;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Finished> {
        let Self { call_id, begun, future, metrics, .. } = &mut *self;
        Pin::new(future).poll(cx).map(|result| {
            count(metrics, *begun, &result);
            Finished { call_id: *call_id, result }
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

    /// Moves to `finished` what is; whether anything was.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, finished: &mut Vec<Finished>) -> bool {
        let before = finished.len();
        while let Poll::Ready(Some(call)) = Pin::new(&mut self.0).poll_next(cx) {
            finished.push(call);
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
