//! Which connection a session has, and when it ends without one.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::tree::Tree;

/// Sessions that are remembered after they ended with their nodes, so that their clients are told when they come back.
const MAX_ENDED: usize = 4096;

/// The sessions that have a connection, and those without one whose nodes wait for it.
#[derive(Debug, Default)]
pub(crate) struct Attachments {
    state: Mutex<State>,
    /// Tells that a session waits.
    waits: Notify,
}

#[derive(Debug, Default)]
struct State {
    by_session: HashMap<i64, Attachment>,
    ended: VecDeque<i64>,
    last_number: u64,
}

#[derive(Debug)]
struct Attachment {
    /// Of the connection that came last.
    number: u64,
    /// When the session ends, if its connection is gone.
    until: Option<Instant>,
}

impl Attachments {
    /// A connection for a session, by its number; none if the session has ended, and its nodes with it.
    pub(crate) fn attach(&self, session: i64) -> Option<u64> {
        let mut state = self.lock();
        if state.ended.contains(&session) {
            return None;
        }
        state.last_number += 1;
        let number = state.last_number;
        state.by_session.insert(session, Attachment { number, until: None });
        Some(number)
    }

    /// A connection is gone. Its session waits for another one if it has nodes that go with it; `until` none: it does not wait.
    pub(crate) fn detach(&self, session: i64, number: u64, until: Option<Instant>, tree: &Tree) {
        let mut state = self.lock();
        if let Some(attachment) = state.by_session.get_mut(&session) {
            if attachment.number != number {
                return;
            }
            attachment.until = until.filter(|_| tree.has_ephemeral_nodes(session));
            if attachment.until.is_some() {
                self.waits.notify_one();
                return;
            }
        }
        // What a connection that was replaced has made after the other one closed the session goes as well. Not what comes with
        // the next connection: that one waits.
        state.by_session.remove(&session);
        tree.end_session(session);
    }

    /// Ends the sessions whose time is over; when the next one's is, if one waits.
    pub(crate) fn expire(&self, now: Instant, tree: &Tree) -> Option<Instant> {
        let mut state = self.lock();
        let is_over = |attachment: &Attachment| attachment.until.is_some_and(|until| until <= now);
        let over: Vec<i64> =
            state.by_session.iter().filter(|(_, a)| is_over(a)).map(|(session, _)| *session).collect();
        for session in &over {
            state.by_session.remove(session);
            if state.ended.len() >= MAX_ENDED {
                state.ended.pop_front();
            }
            state.ended.push_back(*session);
        }
        let next = state.by_session.values().filter_map(|attachment| attachment.until).min();
        drop(state);
        over.into_iter().for_each(|session| tree.end_session(session));
        next
    }

    /// Completes when a session has begun to wait.
    pub(crate) async fn changed(&self) {
        self.waits.notified().await;
    }

    // A panic cannot leave the map half changed in a way that matters, so poison is not passed on.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
