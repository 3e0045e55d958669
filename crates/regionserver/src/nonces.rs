//! Nonces: an increment or append that a client repeats is carried out once.
//!
//! The first call with a nonce goes on; one that comes while it runs waits for it; one that comes after it succeeded is
//! answered from what is stored. Nonces of replayed edits count as succeeded.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// What a nonce takes: its place in the table, with room to grow, and in the queue.
const NONCE_BYTES: usize = 128;

/// Nonces are kept in so many parts, each with its lock, if a part can have as many as the other constant says: a part
/// that grows is soon copied, and calls at the same time seldom want the same one.
const MAX_SHARDS: usize = 64;
const MIN_NONCES_OF_SHARD: usize = 1024;

type Key = (u64, u64);

#[derive(Debug)]
enum State {
    /// Under way; who waits for its end makes what tells of it.
    Running(Option<Arc<Notify>>),
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
    shards: Box<[Shard]>,
    /// Of every shard.
    limits: Limits,
    hasher: RandomState,
}

#[derive(Debug)]
#[repr(align(64))]
struct Shard(Mutex<Inner>);

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// How many are remembered at most; beyond it the oldest are forgotten earlier.
    capacity: usize,
    /// How long after it was last asked for one is remembered.
    retention: Duration,
}

#[derive(Debug, Default)]
struct Inner {
    states: HashTable<(Key, State)>,
    /// Done ones in order of completion, or of the last look at them.
    done: VecDeque<(Instant, Key)>,
    /// The same in every shard; nobody outside can choose nonces that fall on one place.
    hasher: RandomState,
}

/// A nonce, and its hash: computed once for a call.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: Key,
    hash: u64,
}

impl Nonces {
    /// Nonces that take so many bytes at most, each for so long after it was last used.
    pub(crate) fn new(bytes: usize, retention: Duration) -> Self {
        let capacity = bytes / NONCE_BYTES;
        let shards = (capacity / MIN_NONCES_OF_SHARD).clamp(1, MAX_SHARDS);
        let hasher = RandomState::new();
        let shard = || Shard(Mutex::new(Inner { hasher: hasher.clone(), ..Inner::default() }));
        Self {
            shards: std::iter::repeat_with(shard).take(shards).collect(),
            limits: Limits { capacity: (capacity / shards).max(1), retention },
            hasher,
        }
    }

    fn place(&self, group: u64, nonce: u64) -> Place {
        Place::of((group, nonce), &self.hasher)
    }

    fn shard(&self, place: Place) -> &Mutex<Inner> {
        // The table goes by the lowest and the highest bits.
        &self.shards[(place.hash >> 32) as usize % self.shards.len()].0
    }

    /// Admits a call; waits while another with the same nonce runs.
    pub(crate) async fn admit(self: &Arc<Self>, group: u64, nonce: u64) -> Admission {
        let place = self.place(group, nonce);
        loop {
            let ends = {
                let mut inner = self.shard(place).lock();
                let now = Instant::now();
                inner.forget_old(now, self.limits);
                match inner.entry(place) {
                    Entry::Vacant(vacant) => {
                        vacant.insert((place.key, State::Running(None)));
                        return Admission::Proceed(NonceGuard {
                            nonces: Arc::clone(self),
                            place,
                            done: None,
                        });
                    }
                    Entry::Occupied(mut occupied) => match &mut occupied.get_mut().1 {
                        State::Done(sequence_id, used) => {
                            *used = now;
                            return Admission::AlreadyDone(*sequence_id);
                        }
                        // Hears of an end that comes before it is waited for.
                        State::Running(ends) => Arc::clone(ends.get_or_insert_default()).notified_owned(),
                    },
                }
            };
            // Whichever way the other call ends.
            ends.await;
        }
    }

    /// Notes a nonce of an edit that was replayed. Its sequence id is not known any more: 0 means "now".
    pub(crate) fn replayed(&self, group: u64, nonce: u64) {
        let place = self.place(group, nonce);
        self.shard(place).lock().finish(place, 0, self.limits);
    }
}

impl Place {
    fn of(key: Key, hasher: &RandomState) -> Self {
        Self { key, hash: hasher.hash_one(key) }
    }
}

impl Inner {
    fn entry(&mut self, Place { key, hash }: Place) -> Entry<'_, (Key, State)> {
        self.states.entry(hash, |(other, _)| *other == key, |(other, _)| self.hasher.hash_one(other))
    }

    /// Takes out a nonce, and says what its state was.
    fn remove(&mut self, Place { key, hash }: Place) -> Option<State> {
        let found = self.states.find_entry(hash, |(other, _)| *other == key);
        found.ok().map(|found| found.remove().0.1)
    }

    /// Notes that it was carried out, and says what its state was.
    fn finish(&mut self, place: Place, sequence_id: u64, limits: Limits) -> Option<State> {
        let now = Instant::now();
        let state = State::Done(sequence_id, now);
        let before = match self.entry(place) {
            Entry::Occupied(mut occupied) => Some(std::mem::replace(&mut occupied.get_mut().1, state)),
            Entry::Vacant(vacant) => {
                vacant.insert((place.key, state));
                None
            }
        };
        self.done.push_back((now, place.key));
        self.forget_old(now, limits);
        before
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
            let Entry::Occupied(found) = self.entry(Place::of(oldest, &self.hasher)) else { continue };
            match found.get().1 {
                // Used since: it stays as much longer.
                State::Done(_, used) if !too_many && !is_old(used) => self.done.push_back((used, oldest)),
                State::Done(..) => drop(found.remove()),
                State::Running(_) => {}
            }
        }
    }
}

/// A call that was admitted. Dropped without [`NonceGuard::succeeded`], the nonce may be used again.
pub(crate) struct NonceGuard {
    nonces: Arc<Nonces>,
    place: Place,
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
        let mut inner = self.nonces.shard(self.place).lock();
        let before = match self.done {
            Some(sequence_id) => inner.finish(self.place, sequence_id, self.nonces.limits),
            None => inner.remove(self.place),
        };
        drop(inner);
        if let Some(State::Running(Some(ends))) = before {
            ends.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;
