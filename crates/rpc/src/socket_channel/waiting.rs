//! The calls of a connection that wait for their answers.

use crate::channel::RawReply;
use crate::exception::RpcException;
use crate::exceptions;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

type Answer = Result<RawReply, RpcException>;

#[derive(Default)]
pub(super) struct Waiting {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: HashMap<u32, oneshot::Sender<Answer>>,
    /// Since when the server has owed answers without sending a byte.
    silent_since: Option<Instant>,
    /// When the last call went without an answer, and nobody waited any more.
    left_at: Option<Instant>,
    /// Why the connection is gone.
    gone: Option<RpcException>,
}

impl Waiting {
    /// Takes note of a call; it is forgotten when what is given back is dropped.
    pub(super) fn register(&self, call_id: u32) -> Result<WaitingCall<'_>, RpcException> {
        let mut state = self.state.lock();
        if let Some(reason) = &state.gone {
            return Err(reason.clone());
        }
        let now = Instant::now();
        // While nobody waited the server may have had nothing to say.
        let unwatched = state.left_at.take().map_or(Duration::ZERO, |left_at| now - left_at);
        state.silent_since = Some(state.silent_since.map_or(now, |since| since + unwatched));
        let (sender, answer) = oneshot::channel();
        state.calls.insert(call_id, sender);
        Ok(WaitingCall { waiting: self, call_id, answer, is_answered: false })
    }

    /// Hands an answer to its call. Nobody waits any more for a call that has timed out, nor for one that never was.
    pub(super) fn answer(&self, call_id: u32, answer: Answer) {
        let sender = {
            let mut state = self.state.lock();
            let sender = state.calls.remove(&call_id);
            // After its last answer the server owes nothing; to those who have gone without one it still does.
            if sender.is_some() && state.calls.is_empty() {
                state.silent_since = None;
            }
            sender
        };
        if let Some(sender) = sender {
            let _ = sender.send(answer);
        }
    }

    /// The server has sent something.
    pub(super) fn heard(&self) {
        let mut state = self.state.lock();
        state.silent_since = (!state.calls.is_empty()).then(Instant::now);
    }

    /// For how long the server has owed answers and sent nothing.
    pub(super) fn silence(&self) -> Duration {
        self.state.lock().silent_since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.state.lock().calls.is_empty()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().gone.is_some()
    }

    /// Fails all calls, and those to come.
    pub(super) fn close(&self, reason: RpcException) {
        let calls = {
            let mut state = self.state.lock();
            state.gone.get_or_insert(reason.clone());
            std::mem::take(&mut state.calls)
        };
        for sender in calls.into_values() {
            let _ = sender.send(Err(reason.clone()));
        }
    }

    /// Why the connection is gone.
    pub(super) fn reason(&self) -> RpcException {
        let gone = self.state.lock().gone.clone();
        gone.unwrap_or_else(|| exceptions::connection_closed("the connection is gone"))
    }
}

/// A call that waits; taken off the waiting ones when its caller has gone.
pub(super) struct WaitingCall<'a> {
    waiting: &'a Waiting,
    call_id: u32,
    answer: oneshot::Receiver<Answer>,
    /// Whoever answers has taken it off.
    is_answered: bool,
}

impl WaitingCall<'_> {
    pub(super) async fn answer(mut self) -> Answer {
        let answer = (&mut self.answer).await;
        self.is_answered = true;
        answer.unwrap_or_else(|_| Err(self.waiting.reason()))
    }
}

impl Drop for WaitingCall<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            let mut state = self.waiting.state.lock();
            state.calls.remove(&self.call_id);
            if state.calls.is_empty() {
                state.left_at = Some(Instant::now());
            }
        }
    }
}
