//! Writes that are gathered and sent many at a time.

use crate::batch::{self, BatchAction};
use crate::error::{Error, Result};
use crate::mutation::Mutation;
use crate::table::Table;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How much a [`BufferedMutator`] gathers.
#[derive(Debug, Clone)]
pub struct BufferedMutatorOptions {
    /// Bytes after which what was gathered is sent. HBase's `hbase.client.write.buffer`, 2 MiB.
    pub buffer_bytes: usize,
    /// Bytes gathered and on their way together; as soon as there are as many, who would add more waits. The last write may
    /// exceed them. At least twice as many as are gathered, so that the next can be gathered while the last are on their way.
    /// 16 MiB.
    pub max_pending_bytes: usize,
    /// Time after which what was gathered is sent, however little it is. Default: never.
    pub flush_interval: Option<Duration>,
    /// Failures that are kept until somebody asks; of more, only the number. 1000.
    pub max_failures: usize,
}

impl Default for BufferedMutatorOptions {
    fn default() -> Self {
        Self { buffer_bytes: 2 << 20, max_pending_bytes: 16 << 20, flush_interval: None, max_failures: 1000 }
    }
}

/// Writes that failed, after all their tries.
#[derive(Debug, thiserror::Error)]
#[error("{count} writes failed{}", first(failures))]
pub struct FailedWrites {
    /// Each write, and why.
    pub failures: Vec<(Mutation, Error)>,
    /// How many there were; more than are listed if there were too many to keep, or if their delivery did not come to its end,
    /// because the runtime was shut down or something panicked: such writes may have been made or not.
    pub count: u64,
}

fn first(failures: &[(Mutation, Error)]) -> String {
    let known = failures.first().map(|(_, error)| format!("; the first: {error}"));
    known.unwrap_or_else(|| ", and more is not known of them".to_owned())
}

/// A buffer for writes of one table. [`BufferedMutator::mutate`] gathers them; full buffers are sent in the background,
/// and whoever writes faster than the servers take it waits.
///
/// Writes may be made in another order than they were given, those of one row too: several buffers are on their way together,
/// one that is large goes in several calls, and what failed is tried again while others arrive. Where the order matters,
/// [`flush`](BufferedMutator::flush) in between, or give puts and deletes timestamps.
///
/// What is in the buffer when it is dropped is lost: [`flush`](BufferedMutator::flush) first.
///
/// ```no_run
/// # use finback_client::{Connection, Put};
/// # async fn example(connection: Connection) -> Result<(), Box<dyn std::error::Error>> {
/// let flowers = connection.table("flowers")?.buffered_mutator();
/// for number in 0..1_000_000 {
///     flowers.mutate(Put::new(format!("flower-{number:07}")).column("f", "color", "red")).await?;
/// }
/// flowers.flush().await?;
/// # Ok(())
/// # }
/// ```
pub struct BufferedMutator {
    inner: Arc<Inner>,
    timer: Option<tokio::task::JoinHandle<()>>,
}

struct Inner {
    table: Table,
    options: BufferedMutatorOptions,
    state: Mutex<State>,
    /// Told whenever something has arrived.
    arrived: watch::Sender<()>,
}

/// What was gathered.
#[derive(Default)]
struct Buffer {
    mutations: Vec<Mutation>,
    bytes: usize,
}

#[derive(Default)]
struct State {
    buffer: Buffer,
    /// Bytes gathered and on their way.
    pending_bytes: usize,
    /// Buffers that were sent: how many, and which of them have not arrived.
    sent: u64,
    on_their_way: BTreeSet<u64>,
    failures: Vec<(Mutation, Error)>,
    failed: u64,
}

impl State {
    fn gather(&mut self, mutation: Mutation) {
        let size = mutation.size();
        self.pending_bytes += size;
        self.buffer.bytes += size;
        self.buffer.mutations.push(mutation);
    }
}

impl BufferedMutator {
    pub(crate) fn new(table: Table, mut options: BufferedMutatorOptions) -> Self {
        options.buffer_bytes = options.buffer_bytes.max(1);
        options.max_pending_bytes = options.max_pending_bytes.max(options.buffer_bytes.saturating_mul(2));
        let interval = options.flush_interval;
        let inner =
            Arc::new(Inner { table, options, state: Mutex::default(), arrived: watch::Sender::new(()) });
        let timer = interval.map(|interval| {
            let inner = Arc::downgrade(&inner);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(interval).await;
                    let Some(inner) = inner.upgrade() else { return };
                    inner.send();
                }
            })
        });
        Self { inner, timer }
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.inner.table
    }

    /// Takes a write in. Waits while too much is on its way; the write is not taken in if this is dropped meanwhile.
    ///
    /// # Errors
    /// Writes that failed since somebody was told last; this one is taken in nevertheless. Or that this one cannot be sent at
    /// all: then it is the only one that is told.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, if there is something to be sent.
    pub async fn mutate(&self, mutation: impl Into<Mutation>) -> Result<(), FailedWrites> {
        let mutation = mutation.into();
        if let Err(error) = mutation.check(self.inner.table.shared().config.max_cell_size) {
            return Err(FailedWrites { failures: vec![(mutation, error)], count: 1 });
        }
        let full = {
            let mut state = self.inner.room().await;
            state.gather(mutation);
            self.inner.depart(&mut state, self.inner.options.buffer_bytes)
        };
        if let Some(delivery) = full {
            delivery.spawn();
        }
        self.inner.told()
    }

    /// Sends what was gathered, and waits until everything has arrived.
    ///
    /// # Errors
    /// Writes that failed since somebody was told last.
    ///
    /// # Panics
    /// Outside of a Tokio runtime, if there is something to be sent.
    pub async fn flush(&self) -> Result<(), FailedWrites> {
        let mut arrived = self.inner.arrived.subscribe();
        self.inner.send();
        let last = self.inner.state.lock().sent;
        while self.inner.state.lock().on_their_way.first().is_some_and(|&oldest| oldest <= last) {
            // Fails only if there is no sender, which is this mutator's own.
            let _ = arrived.changed().await;
        }
        self.inner.told()
    }
}

impl Drop for BufferedMutator {
    fn drop(&mut self) {
        if let Some(timer) = &self.timer {
            timer.abort();
        }
    }
}

impl Inner {
    /// The state, when there is room for a write.
    async fn room(&self) -> MutexGuard<'_, State> {
        if let Some(state) = self.room_now() {
            return state;
        }
        let mut arrived = self.arrived.subscribe();
        loop {
            if let Some(state) = self.room_now() {
                return state;
            }
            // Something is on its way: what is only gathered is less than a full buffer, and does not take all the room.
            let _ = arrived.changed().await;
        }
    }

    /// Any room will do, however large the write is: for a large one there might never be enough, as what is only gathered has
    /// a part of it.
    fn room_now(&self) -> Option<MutexGuard<'_, State>> {
        let state = self.state.lock();
        (state.pending_bytes < self.options.max_pending_bytes).then_some(state)
    }

    /// Sends what was gathered, in the background.
    fn send(self: &Arc<Self>) {
        let gathered = self.depart(&mut self.state.lock(), 1);
        if let Some(delivery) = gathered {
            delivery.spawn();
        }
    }

    /// What was gathered, as on its way; none if it is fewer bytes than `least`, which is at least 1.
    fn depart(self: &Arc<Self>, state: &mut State, least: usize) -> Option<Delivery> {
        if state.buffer.bytes < least {
            return None;
        }
        state.sent += 1;
        let number = state.sent;
        state.on_their_way.insert(number);
        let Buffer { mutations, bytes } = std::mem::take(&mut state.buffer);
        let unknown = mutations.len() as u64;
        Some(Delivery { inner: Arc::clone(self), number, mutations, bytes, unknown })
    }

    fn told(&self) -> Result<(), FailedWrites> {
        let mut state = self.state.lock();
        match std::mem::take(&mut state.failed) {
            0 => Ok(()),
            count => Err(FailedWrites { failures: std::mem::take(&mut state.failures), count }),
        }
    }
}

/// A buffer on its way. It is no more when this is dropped, however that came about.
struct Delivery {
    inner: Arc<Inner>,
    number: u64,
    mutations: Vec<Mutation>,
    bytes: usize,
    /// Writes of which it is not known what became of them.
    unknown: u64,
}

impl Delivery {
    /// By itself: a flush, or the mutator, that is dropped meanwhile does not take writes with it. The lock must not be held:
    /// a runtime that is shut down, or not there, drops the task at once, and that takes the lock.
    fn spawn(self) {
        tokio::spawn(self.run());
    }

    async fn run(mut self) {
        let actions = std::mem::take(&mut self.mutations).into_iter().map(BatchAction::Mutation);
        let failures = batch::run_for_failures(&self.inner.table, actions).await;
        self.unknown = 0;
        let mut state = self.inner.state.lock();
        for (action, error) in failures {
            state.failed += 1;
            if let BatchAction::Mutation(mutation) = action
                && state.failures.len() < self.inner.options.max_failures
            {
                state.failures.push((mutation, error));
            }
        }
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        let mut state = self.inner.state.lock();
        state.on_their_way.remove(&self.number);
        state.pending_bytes -= self.bytes;
        state.failed += self.unknown;
        drop(state);
        self.inner.arrived.send_replace(());
    }
}
