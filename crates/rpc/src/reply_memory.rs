//! Memory of replies, from when they are built until their clients have them.
//!
//! Whoever builds a reply counts what it has, as it grows. When all replies together are at the limit, those that need
//! more wait in a [queue](queue) until others give some back. One reply at a time has the *turn* to go beyond the limit,
//! so that none waits for ever for another that waits as well. What is held is thus at most the limit, and one reply.
//!
//! The turn is given back with the reply, and before that as soon as all are within the limit again: a client that does
//! not take the reply whose turn it was is in nobody's way while there is room.

mod queue;

use crate::exception::RpcException;
use crate::exceptions;
use crate::service::{Call, ConnectionInfo};
use parking_lot::Mutex;
use queue::{ClientKey, Queue, Turn, Waiter};
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Replies up to this size are not counted, so that they touch nothing shared: a thread builds one at a time.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// The longest wait for memory of a call whose client says no time.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// The memory of all replies of a process.
#[derive(Debug)]
pub struct ReplyMemory {
    /// Changed, and compared with `waiting`, in one order for all threads: whoever gives back sees who waits, or who
    /// waits sees what was given back.
    bytes: AtomicUsize,
    limit: usize,
    /// How many wait, or are about to.
    waiting: AtomicUsize,
    /// Not touched while there is room for all.
    queue: Mutex<Queue>,
}

impl ReplyMemory {
    /// Memory of so many bytes.
    pub fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            bytes: AtomicUsize::new(0),
            limit,
            waiting: AtomicUsize::new(0),
            queue: Mutex::default(),
        })
    }

    /// Bytes that replies may hold together. A single one may have as many, when it is its turn.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes that replies hold now, as far as they are counted.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::SeqCst)
    }

    /// How many replies wait for memory now.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// The share of a reply that is begun, and that is the server's own.
    pub fn share(self: &Arc<Self>) -> ReplyShare {
        self.share_for(None)
    }

    /// The share of the reply to a call.
    pub fn share_of(self: &Arc<Self>, call: &Call) -> ReplyShare {
        self.share_for(Some(Arc::clone(&call.connection)))
    }

    fn share_for(self: &Arc<Self>, client: Option<Arc<ConnectionInfo>>) -> ReplyShare {
        ReplyShare { all: Arc::clone(self), client, bytes: 0, turn: None }
    }

    fn try_add(&self, more: usize) -> bool {
        let fits = |bytes: usize| bytes.checked_add(more).filter(|&bytes| bytes <= self.limit);
        self.bytes.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fits).is_ok()
    }

    /// Adds, whatever the limit, if it is still that turn.
    fn try_add_in_turn(&self, more: usize, turn: Turn) -> bool {
        let queue = self.queue.lock();
        let is_its_turn = queue.turn == Some(turn);
        if is_its_turn {
            self.bytes.fetch_add(more, Ordering::SeqCst);
        }
        is_its_turn
    }

    fn take_back(&self, bytes: usize, turn: Option<Turn>) {
        self.bytes.fetch_sub(bytes, Ordering::SeqCst);
        if turn.is_some() {
            let mut queue = self.queue.lock();
            if queue.turn == turn {
                queue.turn = None;
            }
        }
    }

    /// Gives those that wait what there is.
    fn admit(self: &Arc<Self>) {
        while self.waiting() > 0 {
            let Some((waiter, share)) = self.next_admitted() else { return };
            if let Err(mut unwanted) = waiter.granted.send(share) {
                // It has just stopped waiting.
                unwanted.give_up();
            }
        }
    }

    fn next_admitted(self: &Arc<Self>) -> Option<(Waiter, ReplyShare)> {
        let mut queue = self.queue.lock();
        if self.bytes() <= self.limit {
            queue.turn = None;
        }
        let more = queue.wanted()?;
        let mut turn = None;
        if !self.try_add(more) {
            if queue.turn.is_some() {
                return None;
            }
            turn = Some(queue.number());
            queue.turn = turn;
            self.bytes.fetch_add(more, Ordering::SeqCst);
        }
        let waiter = queue.pop()?;
        Some((waiter, ReplyShare { all: Arc::clone(self), client: None, bytes: more, turn }))
    }
}

/// What one reply holds; given back when it is dropped.
#[derive(Debug)]
pub struct ReplyShare {
    all: Arc<ReplyMemory>,
    /// Who gets the reply; none is the server itself.
    client: Option<Arc<ConnectionInfo>>,
    bytes: usize,
    /// The last turn it had; it may be over.
    turn: Option<Turn>,
}

impl ReplyShare {
    /// Bytes that are counted for this reply.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The most that this reply may hold.
    pub fn most(&self) -> usize {
        self.all.limit
    }

    /// Since when other clients wait for memory.
    pub(crate) fn wanted_since(&self) -> Option<Instant> {
        if self.all.waiting() == 0 {
            return None;
        }
        self.all.queue.lock().others_wait_since(self.client_key())
    }

    /// The address, which nobody else has as long as this is there.
    fn client_key(&self) -> ClientKey {
        self.client.as_ref().map_or(0, |client| Arc::as_ptr(client) as ClientKey)
    }

    /// Counts that the reply holds `bytes` now; false if there is no room for what is more than before.
    pub fn try_hold(&mut self, bytes: usize) -> bool {
        if self.bytes == 0 && bytes <= UNCOUNTED_BYTES {
            return true;
        }
        match bytes.checked_sub(self.bytes) {
            Some(0) => {}
            Some(more) => {
                let is_there = self.all.try_add(more)
                    || self.turn.is_some_and(|turn| self.all.try_add_in_turn(more, turn));
                if !is_there {
                    return false;
                }
            }
            None => {
                self.all.take_back(self.bytes - bytes, None);
                self.all.admit();
            }
        }
        self.set(bytes);
        true
    }

    fn set(&mut self, bytes: usize) {
        if let Some(client) = &self.client {
            client.count_reply(self.bytes, bytes);
        }
        self.bytes = bytes;
    }

    /// Counts that the reply holds `bytes`, though there is no room: for one that has come to its end, and that would
    /// keep what it has while it waits.
    pub fn hold_beyond(&mut self, bytes: usize) {
        if !self.try_hold(bytes) {
            self.all.bytes.fetch_add(bytes.saturating_sub(self.bytes), Ordering::SeqCst);
            self.set(bytes);
        }
    }

    /// Counts that the reply holds `bytes`, if need be after a wait.
    ///
    /// # Errors
    /// There is no room before `deadline`: a CallQueueTooBigException, upon which clients come back. Or the client has
    /// gone.
    pub async fn hold(&mut self, bytes: usize, deadline: Option<Instant>) -> Result<(), RpcException> {
        if self.try_hold(bytes) {
            return Ok(());
        }
        let latest = Instant::now() + LONGEST_WAIT;
        let until = deadline.map_or(latest, |deadline| deadline.min(latest));
        let (place, granted) = Place::take(self, bytes.saturating_sub(self.bytes));
        let lost = async {
            match &self.client {
                Some(client) => client.lost().await,
                None => pending().await,
            }
        };
        let granted = tokio::select! {
            biased;
            granted = granted => granted.map_err(|_| no_room()),
            () = lost => Err(exceptions::io("the client has gone")),
            () = tokio::time::sleep_until(until.into()) => Err(no_room()),
        };
        drop(place);
        self.merge(granted?);
        Ok(())
    }

    /// Takes over what another one has.
    fn merge(&mut self, mut other: Self) {
        self.set(self.bytes + std::mem::take(&mut other.bytes));
        // A turn that it had before is over: it would not have waited.
        self.turn = other.turn.take();
    }

    /// Gives all back, and tells nobody.
    fn give_up(&mut self) {
        self.all.take_back(self.bytes, self.turn.take());
        self.set(0);
    }
}

impl Drop for ReplyShare {
    fn drop(&mut self) {
        if self.bytes > 0 || self.turn.is_some() {
            self.give_up();
            self.all.admit();
        }
    }
}

/// Somebody's place in the queue, until this is dropped.
struct Place {
    all: Arc<ReplyMemory>,
    client: ClientKey,
    number: u64,
}

impl Place {
    fn take(share: &ReplyShare, more: usize) -> (Self, oneshot::Receiver<ReplyShare>) {
        let (all, client) = (Arc::clone(&share.all), share.client_key());
        let (granted, receiver) = oneshot::channel();
        all.waiting.fetch_add(1, Ordering::SeqCst);
        let number = {
            let mut queue = all.queue.lock();
            let number = queue.number();
            queue.push(client, Waiter { number, more, since: Instant::now(), granted });
            number
        };
        // What was given back in the meantime.
        all.admit();
        (Self { all, client, number }, receiver)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.all.queue.lock().remove(self.client, self.number);
        self.all.waiting.fetch_sub(1, Ordering::SeqCst);
        // The next one may need less.
        self.all.admit();
    }
}

/// What clients are told at the limit.
fn no_room() -> RpcException {
    exceptions::call_queue_too_big("too many bytes of replies are waiting in this server")
}

#[cfg(test)]
mod tests;
