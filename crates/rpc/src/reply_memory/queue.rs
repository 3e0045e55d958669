//! Replies that wait for memory.
//!
//! Each client has a queue of its own, and their heads come one after the other: a client with many calls, or one that
//! does not read what it asked for, is not before all others.

use super::ReplyShare;
use std::collections::{HashMap, VecDeque};
use std::time::Instant;
use tokio::sync::oneshot;

/// Tells clients apart. The server's own reads are one client.
pub(super) type ClientKey = usize;

/// The right to go beyond the limit; no number is given twice.
pub(super) type Turn = u64;

/// A reply that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) number: u64,
    /// Bytes that it needs beside what it has.
    pub(super) more: usize,
    pub(super) since: Instant,
    /// Where to send a share of so many bytes.
    pub(super) granted: oneshot::Sender<ReplyShare>,
}

/// All that wait, and whose turn it is.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// None of these is empty.
    of_clients: HashMap<ClientKey, VecDeque<Waiter>>,
    /// The clients that have a queue, the next one first.
    next: VecDeque<ClientKey>,
    /// Who may go beyond the limit; nobody does, if there is none.
    pub(super) turn: Option<Turn>,
    numbers: u64,
}

impl Queue {
    /// A number for a turn or a waiter.
    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(super) fn push(&mut self, client: ClientKey, waiter: Waiter) {
        let waiters = self.of_clients.entry(client).or_default();
        if waiters.is_empty() {
            self.next.push_back(client);
        }
        waiters.push_back(waiter);
    }

    /// What the next one needs.
    pub(super) fn wanted(&self) -> Option<usize> {
        Some(self.of_clients.get(self.next.front()?)?.front()?.more)
    }

    /// Takes the next one off; after it comes another client.
    pub(super) fn pop(&mut self) -> Option<Waiter> {
        let client = self.next.pop_front()?;
        let waiters = self.of_clients.get_mut(&client)?;
        let waiter = waiters.pop_front();
        if waiters.is_empty() {
            self.of_clients.remove(&client);
        } else {
            self.next.push_back(client);
        }
        waiter
    }

    /// Takes off one that waits no more, if it is still there.
    pub(super) fn remove(&mut self, client: ClientKey, number: u64) {
        let Some(waiters) = self.of_clients.get_mut(&client) else { return };
        waiters.retain(|waiter| waiter.number != number);
        if waiters.is_empty() {
            self.of_clients.remove(&client);
            self.next.retain(|&other| other != client);
        }
    }

    /// Since when others than `client` wait.
    pub(super) fn others_wait_since(&self, client: ClientKey) -> Option<Instant> {
        let others = self.of_clients.iter().filter(|&(&other, _)| other != client);
        others.filter_map(|(_, waiters)| Some(waiters.front()?.since)).min()
    }
}
