//! Where the tasks of pending calls leave their results for the connection.

use crate::exception::RpcException;
use crate::service::Reply;
use parking_lot::Mutex;
use std::task::{Context, Poll, Waker};

/// The result of a call that was pending.
pub(crate) struct Finished {
    pub(crate) call_id: u32,
    pub(crate) result: Result<Reply, RpcException>,
}

/// One connection's; its calls share the lock with it, and nobody else.
#[derive(Default)]
pub(crate) struct Outbox {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    finished: Vec<Finished>,
    waker: Option<Waker>,
    /// Whether somebody wants the connection to look around, though nothing is finished.
    nudged: bool,
    /// Whether the connection has gone: nobody will look again.
    closed: bool,
}

impl Outbox {
    /// Leaves results.
    pub(crate) fn push(&self, finished: impl IntoIterator<Item = Finished>) {
        let waker = {
            let mut state = self.state.lock();
            if state.closed {
                return;
            }
            state.finished.extend(finished);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Makes the connection look around.
    pub(crate) fn nudge(&self) {
        let waker = {
            let mut state = self.state.lock();
            state.nudged = true;
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Appends what is finished.
    pub(crate) fn take(&self, to: &mut Vec<Finished>) {
        to.append(&mut self.state.lock().finished);
    }

    /// Ready when something is finished, or after a nudge.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state.lock();
        if std::mem::take(&mut state.nudged) || !state.finished.is_empty() {
            return Poll::Ready(());
        }
        if !state.waker.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            state.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// Takes no more.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.finished = Vec::new();
    }
}
