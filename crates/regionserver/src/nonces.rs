//! Nonces: an increment or append that a client repeats is carried out once.
//!
//! The first call with a nonce goes on; one that comes while it runs waits for it; one that comes after it succeeded is
//! answered from what is stored. Nonces of replayed edits count as succeeded.

use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How long nonces are remembered (`hbase.server.hashNonce.gracePeriod`).
const RETENTION: Duration = Duration::from_secs(30 * 60);
/// What a nonce takes: its entry in the map, with room to grow, and in the queue.
const NONCE_BYTES: usize = 128;

type Key = (u64, u64);

#[derive(Debug)]
enum State {
    Running(watch::Receiver<bool>),
    /// The sequence id of the edit.
    Done(u64),
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
    /// How many are remembered at most; beyond it the oldest are forgotten earlier.
    capacity: usize,
}

#[derive(Debug, Default)]
struct Inner {
    states: HashMap<Key, State>,
    /// Done ones in order of completion.
    done: VecDeque<(Instant, Key)>,
}

impl Nonces {
    /// Nonces that take so many bytes at most.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { inner: Mutex::default(), capacity: (bytes / NONCE_BYTES).max(1) }
    }

    /// Admits a call; waits while another with the same nonce runs.
    pub(crate) async fn admit(self: &Arc<Self>, group: u64, nonce: u64) -> Admission {
        let key = (group, nonce);
        loop {
            let mut running = {
                let mut inner = self.inner.lock();
                match inner.states.get(&key) {
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
                    Some(State::Done(sequence_id)) => return Admission::AlreadyDone(*sequence_id),
                    Some(State::Running(receiver)) => receiver.clone(),
                }
            };
            // Ends when the other call does, whichever way: its sender is dropped then.
            let _ = running.wait_for(|finished| *finished).await;
        }
    }

    /// Notes a nonce of an edit that was replayed. Its sequence id is not known any more: 0 means "now".
    pub(crate) fn replayed(&self, group: u64, nonce: u64) {
        self.inner.lock().finish((group, nonce), 0, self.capacity);
    }
}

impl Inner {
    fn finish(&mut self, key: Key, sequence_id: u64, capacity: usize) {
        let now = Instant::now();
        self.states.insert(key, State::Done(sequence_id));
        self.done.push_back((now, key));
        while let Some(&(since, oldest)) = self.done.front() {
            if now.duration_since(since) < RETENTION && self.done.len() <= capacity {
                break;
            }
            self.done.pop_front();
            if matches!(self.states.get(&oldest), Some(State::Done(_))) {
                self.states.remove(&oldest);
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
            Some(sequence_id) => inner.finish(self.key, sequence_id, self.nonces.capacity),
            None => {
                inner.states.remove(&self.key);
            }
        }
        drop(inner);
        let _ = self.finished.send(true);
    }
}
