//! Nonces: an increment or append that a client repeats is carried out once.
//!
//! The first call with a nonce goes on; one that comes while it runs waits for it; one that comes after it succeeded is
//! answered from what is stored. Nonces of replayed edits count as succeeded.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What a nonce takes: its entry in the map, with room to grow, and in the queue.
const NONCE_BYTES: usize = 128;

type Key = (u64, u64);

#[derive(Debug)]
enum State {
    Running(watch::Receiver<bool>),
    /// The sequence id of the edit, and when somebody last asked for it.
    Done(u64, Instant),
}

/// What a call with a nonce is to do.
pub(crate) enum Admission {
    /// Carry it out.
    Proceed(NonceGuard),
    /// It was carried out, as the edit with this sequence id.
    AlreadyDone(u64),
}

/// The nonces of one server.
#[derive(Debug)]
pub(crate) struct Nonces {
    inner: Mutex<Inner>,
    limits: Limits,
}

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// How many are remembered at most; beyond it the oldest are forgotten earlier.
    capacity: usize,
    /// How long after it was last asked for one is remembered.
    retention: Duration,
}

#[derive(Debug, Default)]
struct Inner {
    states: HashMap<Key, State>,
    /// Done ones in order of completion, or of the last look at them.
    done: VecDeque<(Instant, Key)>,
}

impl Nonces {
    /// Nonces that take so many bytes at most, each for so long after it was last used.
    pub(crate) fn new(bytes: usize, retention: Duration) -> Self {
        let limits = Limits { capacity: (bytes / NONCE_BYTES).max(1), retention };
        Self { inner: Mutex::default(), limits }
    }

    /// Admits a call; waits while another with the same nonce runs.
    pub(crate) async fn admit(self: &Arc<Self>, group: u64, nonce: u64) -> Admission {
        let key = (group, nonce);
        loop {
            let mut running = {
                let mut inner = self.inner.lock();
                let now = Instant::now();
                inner.forget_old(now, self.limits);
                match inner.states.get_mut(&key) {
                    None => {
                        let (finished, receiver) = watch::channel(false);
                        inner.states.insert(key, State::Running(receiver));
                        return Admission::Proceed(NonceGuard {
                            nonces: Arc::clone(self),
                            key,
                            finished,
                            done: None,
                        });
                    }
                    Some(State::Done(sequence_id, used)) => {
                        *used = now;
                        return Admission::AlreadyDone(*sequence_id);
                    }
                    Some(State::Running(receiver)) => receiver.clone(),
                }
            };
            // Ends when the other call does, whichever way: its sender is dropped then.
            let _ = running.wait_for(|finished| *finished).await;
        }
    }

    /// Notes a nonce of an edit that was replayed. Its sequence id is not known any more: 0 means "now".
    pub(crate) fn replayed(&self, group: u64, nonce: u64) {
        self.inner.lock().finish((group, nonce), 0, self.limits);
    }
}

impl Inner {
    fn finish(&mut self, key: Key, sequence_id: u64, limits: Limits) {
        let now = Instant::now();
        self.states.insert(key, State::Done(sequence_id, now));
        self.done.push_back((now, key));
        self.forget_old(now, limits);
    }

    /// Forgets those that nobody has used for long, and the oldest where there are too many.
    fn forget_old(&mut self, now: Instant, limits: Limits) {
        let is_old = |since: Instant| now.saturating_duration_since(since) >= limits.retention;
        while let Some(&(since, oldest)) = self.done.front() {
            let too_many = self.done.len() > limits.capacity;
            if !is_old(since) && !too_many {
                break;
            }
            self.done.pop_front();
            match self.states.get(&oldest) {
                // Used since: it stays as much longer.
                Some(&State::Done(_, used)) if !too_many && !is_old(used) => {
                    self.done.push_back((used, oldest));
                }
                Some(State::Done(..)) => {
                    self.states.remove(&oldest);
                }
                _ => {}
            }
        }
    }
}

/// A call that was admitted. Dropped without [`NonceGuard::succeeded`], the nonce may be used again.
pub(crate) struct NonceGuard {
    nonces: Arc<Nonces>,
    key: Key,
    finished: watch::Sender<bool>,
    done: Option<u64>,
}

impl NonceGuard {
    /// Notes that the call was carried out as the edit with this sequence id.
    pub(crate) fn succeeded(mut self, sequence_id: u64) {
        self.done = Some(sequence_id);
    }
}

impl Drop for NonceGuard {
    fn drop(&mut self) {
        let mut inner = self.nonces.inner.lock();
        match self.done {
            Some(sequence_id) => inner.finish(self.key, sequence_id, self.nonces.limits),
            None => {
                inner.states.remove(&self.key);
            }
        }
        drop(inner);
        let _ = self.finished.send(true);
    }
}

#[cfg(test)]
mod tests;
