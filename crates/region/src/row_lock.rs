//! Row locks: shared for plain puts and deletes, exclusive for what reads before it writes.
//!
//! First come, first served: a shared request behind a waiting exclusive one waits too, so that writers of counters do
//! not starve. A waiter that is dropped leaves no trace; a lock nobody holds or awaits takes no memory.
//!
//! What is locked is a row's hash, of 64 bits under a key of this process: to lock a row copies nothing of it. Two rows of
//! one hash would share a lock, which costs them time and nothing else.

use crate::unsettled::{Unsettled, UnsettledWrites};
use foldhash::quality::RandomState;
use parking_lot::Mutex;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::mem::ManuallyDrop;
use std::sync::OnceLock;
use tokio::sync::oneshot;

/// How many independent tables the rows are spread over: two to the power of this.
const SHARD_BITS: u32 = 5;

/// Kind of a row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockMode {
    /// Held by any number of writers that do not read.
    Shared,
    /// Held alone.
    Exclusive,
}

/// Small: a batch has thousands of them at a time, of which nobody wants another.
#[derive(Debug, Default)]
struct LockState {
    shared: u32,
    exclusive: bool,
    others: Option<Box<Others>>,
}

/// Who else wants the row, or has to do with it.
#[derive(Debug, Default)]
struct Others {
    waiting: VecDeque<(LockMode, oneshot::Sender<()>)>,
    /// Writes that let go of the lock before they were done.
    unsettled: UnsettledWrites,
}

impl LockState {
    fn admits(&self, mode: LockMode) -> bool {
        match mode {
            LockMode::Shared => !self.exclusive,
            LockMode::Exclusive => !self.exclusive && self.shared == 0,
        }
    }

    fn has_waiting(&self) -> bool {
        self.others.as_ref().is_some_and(|others| !others.waiting.is_empty())
    }

    fn unsettled(&self) -> &UnsettledWrites {
        self.others.as_ref().map_or(UnsettledWrites::none(), |others| &others.unsettled)
    }

    fn others(&mut self) -> &mut Others {
        self.others.get_or_insert_default()
    }

    /// Whether the lock can be had without overtaking anybody.
    fn is_free(&self, mode: LockMode) -> bool {
        !self.has_waiting() && self.admits(mode)
    }

    fn take(&mut self, mode: LockMode) {
        match mode {
            LockMode::Shared => self.shared += 1,
            LockMode::Exclusive => self.exclusive = true,
        }
    }

    fn give_back(&mut self, mode: LockMode) {
        match mode {
            LockMode::Shared => self.shared -= 1,
            LockMode::Exclusive => self.exclusive = false,
        }
    }

    /// Hands the lock to those in front of the queue whom it admits.
    fn hand_over(&mut self) {
        while let Some(mode) = self.others.as_ref().and_then(|others| Some(others.waiting.front()?.0))
            && self.admits(mode)
            && let Some((_, waiter)) = self.others().waiting.pop_front()
        {
            self.take(mode);
            if waiter.send(()).is_err() {
                // The waiter went away in the meantime.
                self.give_back(mode);
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.shared == 0 && !self.exclusive && !self.has_waiting() && self.unsettled().is_empty()
    }
}

/// What is locked of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RowKey(u64);

impl RowKey {
    /// The hash of the row.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        self.0
    }

    /// Which of so many groups of rows this one is in.
    pub(crate) fn group(self, groups: usize) -> usize {
        // Not the bits that the locks go by.
        (self.0 >> 16) as usize % groups
    }
}

/// Takes the hash that a [`RowKey`] is.
#[derive(Default)]
struct HashKept(u64);

impl Hasher for HashKept {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, hash: u64) {
        // The table goes by the first bits, too, which are the same in all of a shard.
        self.0 = hash.rotate_left(32);
    }
}

type Shard = Mutex<HashMap<RowKey, LockState, BuildHasherDefault<HashKept>>>;

/// The row locks of one region.
#[derive(Debug)]
pub(crate) struct RowLocks {
    hasher: RandomState,
    /// Made for the first lock: a region that is not written to needs none.
    shards: OnceLock<Box<[Shard]>>,
}

impl RowLocks {
    pub(crate) fn new() -> Self {
        Self { hasher: RandomState::default(), shards: OnceLock::new() }
    }

    /// What is to be locked for a row.
    pub(crate) fn key(&self, row: &[u8]) -> RowKey {
        RowKey(self.hasher.hash_one(row))
    }

    fn shard(&self, key: RowKey) -> &Shard {
        let shards = self.shards.get_or_init(|| (0..1 << SHARD_BITS).map(|_| Shard::default()).collect());
        // The first bits: of a batch, whose rows are locked in the order of their keys, one shard comes after the other.
        &shards[(key.0 >> (u64::BITS - SHARD_BITS)) as usize]
    }

    /// Takes a lock if it can be had at once.
    pub(crate) fn try_lock(&self, key: RowKey, mode: LockMode) -> Option<RowLock<'_>> {
        let mut shard = self.shard(key).lock();
        let state = shard.entry(key).or_default();
        state.is_free(mode).then(|| {
            state.take(mode);
            RowLock { locks: self, key, mode }
        })
    }

    /// Waits for a lock. Whoever takes several must take them in the order of the keys, each once.
    pub(crate) async fn lock(&self, key: RowKey, mode: LockMode) -> RowLock<'_> {
        let granted = {
            let mut shard = self.shard(key).lock();
            let state = shard.entry(key).or_default();
            if state.is_free(mode) {
                state.take(mode);
                None
            } else {
                let (sender, receiver) = oneshot::channel();
                state.others().waiting.push_back((mode, sender));
                Some(receiver)
            }
        };
        if let Some(receiver) = granted {
            let waiting = Waiting { locks: self, key, receiver: Some(receiver), mode };
            waiting.granted().await;
        }
        RowLock { locks: self, key, mode }
    }

    fn release(&self, key: RowKey, mode: Option<LockMode>) {
        self.change(key, |state| {
            if let Some(mode) = mode {
                state.give_back(mode);
            }
        });
    }

    /// Changes a lock that is there, and hands it over if it has become free.
    fn change(&self, key: RowKey, change: impl FnOnce(&mut LockState)) {
        let mut shard = self.shard(key).lock();
        let Entry::Occupied(mut entry) = shard.entry(key) else { return };
        let state = entry.get_mut();
        change(state);
        if state.has_waiting() {
            state.others().waiting.retain(|(_, waiter)| !waiter.is_closed());
            state.hand_over();
        }
        if state.is_idle() {
            entry.remove();
        }
    }
}

/// A place in the queue. Dropped before it was granted, it is given up.
struct Waiting<'a> {
    locks: &'a RowLocks,
    key: RowKey,
    receiver: Option<oneshot::Receiver<()>>,
    mode: LockMode,
}

impl Waiting<'_> {
    async fn granted(mut self) {
        if let Some(receiver) = self.receiver.as_mut() {
            // The sender is dropped only by a release that found this receiver closed, which cannot be.
            let _ = receiver.await;
        }
        self.receiver = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(mut receiver) = self.receiver.take() {
            receiver.close();
            let was_granted = receiver.try_recv().is_ok();
            self.locks.release(self.key, was_granted.then_some(self.mode));
        }
    }
}

/// A row lock, held until dropped.
#[derive(Debug)]
pub(crate) struct RowLock<'a> {
    locks: &'a RowLocks,
    key: RowKey,
    mode: LockMode,
}

impl<'a> RowLock<'a> {
    /// What is locked.
    pub(crate) fn key(&self) -> RowKey {
        self.key
    }

    /// What was written under this lock before and is not settled.
    pub(crate) fn unsettled(&self) -> UnsettledWrites {
        let shard = self.locks.shard(self.key).lock();
        shard.get(&self.key).map(|state| state.unsettled().clone()).unwrap_or_default()
    }

    /// Gives the lock back, and leaves what was written under it for who has it next, until it is settled.
    pub(crate) fn let_go(self, write: Unsettled) -> Settles<'a> {
        let this = ManuallyDrop::new(self);
        let (locks, key, sequence_id) = (this.locks, this.key, write.sequence_id);
        let mut settles = Settles { locks, key, sequence_id, has_successor: false };
        this.locks.change(this.key, |state| {
            settles.has_successor = state.has_waiting();
            state.others().unsettled.push(write);
            state.give_back(this.mode);
        });
        settles
    }
}

impl Drop for RowLock<'_> {
    fn drop(&mut self) {
        self.locks.release(self.key, Some(self.mode));
    }
}

/// Who let go of a row lock; when dropped, the write is settled: readers see it, or will never.
#[derive(Debug)]
pub(crate) struct Settles<'a> {
    locks: &'a RowLocks,
    key: RowKey,
    sequence_id: u64,
    has_successor: bool,
}

impl<'a> Settles<'a> {
    /// The lock again, if all other writers of the row are done and nobody has or awaits it.
    pub(crate) fn retake(&self) -> Option<RowLock<'a>> {
        let mut shard = self.locks.shard(self.key).lock();
        let state = shard.get_mut(&self.key)?;
        let is_alone = state.unsettled().len() == 1 && state.is_free(LockMode::Exclusive);
        is_alone.then(|| {
            state.take(LockMode::Exclusive);
            RowLock { locks: self.locks, key: self.key, mode: LockMode::Exclusive }
        })
    }

    /// Lets those run to whom the lock was handed over, one after the other, before more is done: they come into the same sync.
    pub(crate) async fn let_successors_run(&self) {
        if self.has_successor {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Settles<'_> {
    fn drop(&mut self) {
        self.locks.change(self.key, |state| state.others().unsettled.settle(self.sequence_id));
    }
}

#[cfg(test)]
mod tests;
