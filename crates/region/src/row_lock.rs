//! Row locks: shared for plain puts and deletes, exclusive for what reads before it writes.
//!
//! First come, first served: a shared request behind a waiting exclusive one waits too, so that writers of counters do
//! not starve. A waiter that is dropped leaves no trace; a lock nobody holds or awaits takes no memory.

use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};
use std::sync::{Arc, OnceLock};
use tokio::sync::oneshot;

/// How many independent tables the rows are spread over.
const SHARDS: usize = 32;

/// Kind of a row lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LockMode {
    /// Held by any number of writers that do not read.
    Shared,
    /// Held alone.
    Exclusive,
}

#[derive(Debug, Default)]
struct LockState {
    shared: usize,
    exclusive: bool,
    waiting: VecDeque<(LockMode, oneshot::Sender<()>)>,
}

impl LockState {
    fn admits(&self, mode: LockMode) -> bool {
        match mode {
            LockMode::Shared => !self.exclusive,
            LockMode::Exclusive => !self.exclusive && self.shared == 0,
        }
    }

    /// Whether the lock can be had without overtaking anybody.
    fn is_free(&self, mode: LockMode) -> bool {
        self.waiting.is_empty() && self.admits(mode)
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
        while let Some(&(mode, _)) = self.waiting.front() {
            if !self.admits(mode) {
                return;
            }
            if let Some((mode, waiter)) = self.waiting.pop_front() {
                self.take(mode);
                if waiter.send(()).is_err() {
                    // The waiter went away in the meantime.
                    self.give_back(mode);
                }
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.shared == 0 && !self.exclusive && self.waiting.is_empty()
    }
}

/// A row with its hash, which is computed once for a lock's taking and giving back.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HashedRow {
    hash: u64,
    row: Bytes,
}

impl Hash for HashedRow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Takes the hash that a [`HashedRow`] has.
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
        self.0 = hash;
    }
}

type Shard = Mutex<HashMap<HashedRow, LockState, BuildHasherDefault<HashKept>>>;

/// The row locks of one region.
#[derive(Debug)]
pub(crate) struct RowLocks {
    hasher: RandomState,
    /// Made for the first lock: a region that is not written to needs none.
    shards: OnceLock<Box<[Shard]>>,
}

impl RowLocks {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { hasher: RandomState::new(), shards: OnceLock::new() })
    }

    fn shard(&self, row: &HashedRow) -> &Shard {
        let shards = self.shards.get_or_init(|| (0..SHARDS).map(|_| Shard::default()).collect());
        // Not the bits that the tables go by.
        &shards[(row.hash >> 32) as usize % SHARDS]
    }

    /// Takes the lock of `row` if that can be had at once; gives the row back if not.
    pub(crate) fn try_lock(self: &Arc<Self>, row: Bytes, mode: LockMode) -> Result<RowLock, Bytes> {
        let row = self.hashed(row);
        let mut shard = self.shard(&row).lock();
        match shard.entry(row) {
            Entry::Vacant(place) => {
                let row = place.key().clone();
                place.insert(LockState::default()).take(mode);
                Ok(RowLock { locks: Arc::clone(self), row, mode })
            }
            Entry::Occupied(mut place) if place.get().is_free(mode) => {
                place.get_mut().take(mode);
                Ok(RowLock { locks: Arc::clone(self), row: place.key().clone(), mode })
            }
            Entry::Occupied(place) => Err(place.key().row.clone()),
        }
    }

    fn hashed(&self, row: Bytes) -> HashedRow {
        HashedRow { hash: self.hasher.hash_one(&row[..]), row }
    }

    /// Waits for the lock of `row`. Whoever takes several must take them in the order of the rows, each once.
    pub(crate) async fn lock(self: &Arc<Self>, row: Bytes, mode: LockMode) -> RowLock {
        let row = self.hashed(row);
        let granted = {
            let mut shard = self.shard(&row).lock();
            let state = shard.entry(row.clone()).or_default();
            if state.is_free(mode) {
                state.take(mode);
                None
            } else {
                let (sender, receiver) = oneshot::channel();
                state.waiting.push_back((mode, sender));
                Some(receiver)
            }
        };
        if let Some(receiver) = granted {
            let waiting = Waiting { locks: self, row: &row, receiver: Some(receiver), mode };
            waiting.granted().await;
        }
        RowLock { locks: Arc::clone(self), row, mode }
    }

    fn release(&self, row: &HashedRow, mode: Option<LockMode>) {
        let mut shard = self.shard(row).lock();
        let Some(state) = shard.get_mut(row) else { return };
        if let Some(mode) = mode {
            state.give_back(mode);
        }
        if !state.waiting.is_empty() {
            state.waiting.retain(|(_, waiter)| !waiter.is_closed());
            state.hand_over();
        }
        if state.is_idle() {
            shard.remove(row);
        }
    }
}

/// A place in the queue. Dropped before it was granted, it is given up.
struct Waiting<'a> {
    locks: &'a RowLocks,
    row: &'a HashedRow,
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
            self.locks.release(self.row, was_granted.then_some(self.mode));
        }
    }
}

/// A row lock, held until dropped.
#[derive(Debug)]
pub(crate) struct RowLock {
    locks: Arc<RowLocks>,
    row: HashedRow,
    mode: LockMode,
}

impl Drop for RowLock {
    fn drop(&mut self) {
        self.locks.release(&self.row, Some(self.mode));
    }
}

#[cfg(test)]
mod tests;
