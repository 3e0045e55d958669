//! Nonces: an increment or append that a client repeats is carried out once.
//!
//! The first call with a nonce goes on; one that comes while it runs waits for it; one that comes after it succeeded is
//! answered from what is stored. Nonces of replayed edits count as succeeded.
//!
//! Where memory is too small for all of their time, the oldest are forgotten earlier, and that is told: a call that is repeated later
//! than that is carried out twice.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::ops::{Index, IndexMut};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// What a nonce takes: its place in the queue, with room to grow, and in the table.
const NONCE_BYTES: usize = 128;

/// Nonces are kept in so many parts, each with its lock, if a part can have as many as the other constant says: a part
/// that grows is soon copied, and calls at the same time seldom want the same one.
const MAX_SHARDS: usize = 64;
const MIN_NONCES_OF_SHARD: usize = 1024;

/// How often it is told that nonces are forgotten early.
const TOLD_EVERY: Duration = Duration::from_secs(60);

type Key = (u64, u64);

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
    /// When it was last told that some are forgotten early.
    told: Mutex<Option<Instant>>,
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

/// Those under way are few, and apart from the many that are done: what most calls look at stays in the processor's cache.
#[derive(Debug, Default)]
struct Inner {
    /// Under way, and, if somebody waits for its end, what tells of it.
    running: HashTable<(Key, Option<Arc<Notify>>)>,
    done: Queue,
    /// The numbers of those in the queue, by their nonces.
    numbers: HashTable<u32>,
    /// The same in every shard; nobody outside can choose nonces that fall on one place.
    hasher: RandomState,
}

/// Those that are done, each with a number.
#[derive(Debug, Default)]
struct Queue {
    done: VecDeque<Done>,
    /// The number of the first. It goes round, as the others do.
    first: u32,
}

#[derive(Debug)]
struct Done {
    key: Key,
    /// Of the edit.
    sequence_id: u64,
    /// When it came to its place in the queue, which is in this order.
    since: Instant,
    /// When somebody last asked for it.
    used: Instant,
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
            // Numbers of one shard have 32 bits.
            limits: Limits { capacity: (capacity / shards).clamp(1, 1 << 30), retention },
            hasher,
            told: Mutex::new(None),
        }
    }

    /// Tells the operator, now and then, that memory is too small: `age` has the one that has just been forgotten.
    fn tell(&self, age: Duration, now: Instant) {
        // Somebody else is telling it.
        let Some(mut told) = self.told.try_lock() else { return };
        if told.is_none_or(|told| now.saturating_duration_since(told) >= TOLD_EVERY) {
            *told = Some(now);
            let Limits { capacity, retention } = self.limits;
            tracing::warn!(
                remembered = capacity * self.shards.len(),
                ?age,
                ?retention,
                "nonces are forgotten before their time, for want of memory (memory.limit): an increment or append that a client \
                 repeats after this age is carried out twice"
            );
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
                // No more than before: none is forgotten early.
                inner.forget_old(now, self.limits);
                if let Some(done) = inner.done(place) {
                    done.used = now;
                    return Admission::AlreadyDone(done.sequence_id);
                }
                match inner.running(place) {
                    Entry::Vacant(vacant) => {
                        vacant.insert((place.key, None));
                        return Admission::Proceed(NonceGuard {
                            nonces: Arc::clone(self),
                            place,
                            done: None,
                        });
                    }
                    // Hears of an end that comes before it is waited for.
                    Entry::Occupied(mut occupied) => {
                        Arc::clone(occupied.get_mut().1.get_or_insert_default()).notified_owned()
                    }
                }
            };
            // Whichever way the other call ends.
            ends.await;
        }
    }

    /// Notes a nonce of an edit that was replayed, and was written so long ago. Its sequence id is not known any more: 0 means "now".
    pub(crate) fn replayed(&self, group: u64, nonce: u64, age: Duration) {
        // As in HBase, with some slack for clocks. Nobody asks for it any more, and it could take the place of a later one.
        if age > self.limits.retention.saturating_mul(3) / 2 {
            return;
        }
        let place = self.place(group, nonce);
        // Of one that is forgotten for it nobody knows how old it is.
        let _ = self.shard(place).lock().finish(place, 0, self.limits);
    }
}

impl Place {
    fn of(key: Key, hasher: &RandomState) -> Self {
        Self { key, hash: hasher.hash_one(key) }
    }
}

impl Inner {
    fn running(&mut self, Place { key, hash }: Place) -> Entry<'_, (Key, Option<Arc<Notify>>)> {
        self.running.entry(hash, |(other, _)| *other == key, |(other, _)| self.hasher.hash_one(other))
    }

    /// Takes one out that is under way, and says what tells of its end.
    fn end(&mut self, place: Place) -> Option<Arc<Notify>> {
        match self.running(place) {
            Entry::Occupied(occupied) => occupied.remove().0.1,
            Entry::Vacant(_) => None,
        }
    }

    fn done(&mut self, Place { key, hash }: Place) -> Option<&mut Done> {
        let number = *self.numbers.find(hash, |&number| self.done[number].key == key)?;
        Some(&mut self.done[number])
    }

    /// Notes that it was carried out. Gives the age of another that is forgotten early for that, and the time.
    fn finish(&mut self, place: Place, sequence_id: u64, limits: Limits) -> Option<(Duration, Instant)> {
        let now = Instant::now();
        if let Some(done) = self.done(place) {
            (done.sequence_id, done.used) = (sequence_id, now);
        } else {
            let number = self.done.push(Done { key: place.key, sequence_id, since: now, used: now });
            let hash_of = |&number: &u32| self.hasher.hash_one(self.done[number].key);
            self.numbers.insert_unique(place.hash, number, hash_of);
        }
        self.forget_old(now, limits).map(|age| (age, now))
    }

    /// Forgets those that nobody has used for long, and the oldest where there are too many. Gives the age of one that had not come to
    /// its time.
    fn forget_old(&mut self, now: Instant, limits: Limits) -> Option<Duration> {
        let mut early = None;
        let is_old = |since: Instant| now.saturating_duration_since(since) >= limits.retention;
        loop {
            let too_many = self.done.done.len() > limits.capacity;
            let Some((number, oldest)) = self.done.pop_if(|oldest| too_many || is_old(oldest.since)) else {
                return early;
            };
            if !is_old(oldest.used) && too_many {
                early = Some(now.saturating_duration_since(oldest.used));
            }
            let hash = self.hasher.hash_one(oldest.key);
            // Used since: it stays as much longer.
            let stays = !too_many && !is_old(oldest.used);
            let moved = stays.then(|| self.done.push(Done { since: oldest.used, ..oldest }));
            if let Ok(mut found) = self.numbers.find_entry(hash, |&other| other == number) {
                match moved {
                    Some(moved) => *found.get_mut() = moved,
                    None => drop(found.remove()),
                }
            }
        }
    }
}

impl Queue {
    /// Puts one at the end, and says its number.
    fn push(&mut self, done: Done) -> u32 {
        self.done.push_back(done);
        self.first.wrapping_add((self.done.len() - 1) as u32)
    }

    /// Takes out the first, if it is to go, with its number.
    fn pop_if(&mut self, is_to_go: impl FnOnce(&Done) -> bool) -> Option<(u32, Done)> {
        let done = self.done.pop_front_if(|done| is_to_go(done))?;
        let number = self.first;
        self.first = number.wrapping_add(1);
        Some((number, done))
    }
}

impl Index<u32> for Queue {
    type Output = Done;

    fn index(&self, number: u32) -> &Done {
        &self.done[number.wrapping_sub(self.first) as usize]
    }
}

impl IndexMut<u32> for Queue {
    fn index_mut(&mut self, number: u32) -> &mut Done {
        &mut self.done[number.wrapping_sub(self.first) as usize]
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
        let ends = inner.end(self.place);
        let early =
            self.done.and_then(|sequence_id| inner.finish(self.place, sequence_id, self.nonces.limits));
        drop(inner);
        if let Some((age, now)) = early {
            self.nonces.tell(age, now);
        }
        if let Some(ends) = ends {
            ends.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests;
