//! The handle of a log. The thread behind it is in [`crate::group_commit`].

use std::{
    future::Future,
    mem,
    path::{Path, PathBuf},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use finback_cell::Durability;
use finback_fs::FileSystem;
use finback_metrics::{Histogram, HistogramSnapshot};
use finback_sync::{
    Condvar, Mutex,
    atomic::{AtomicU64, Ordering},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{
    KeyFields, WalError, WalKind, WalOptions,
    accounting::Accounting,
    commit_here::{self, Log},
    compressed_cells,
    failed_ranges::FailedRanges,
    group_commit, old_logs,
    queue::{Availability, Queue, Request, RequestKind},
};

/// What an entry takes in the queue beside its cells: so that entries without cells are limited as well.
pub(crate) const ENTRY_OVERHEAD_BYTES: usize = 256;

/// One entry to be written.
#[derive(Debug, Clone)]
pub struct WalAppend {
    /// Encoded region name.
    pub region: Arc<[u8]>,
    /// `ns:name`, or `name` in the default namespace.
    pub table: Arc<[u8]>,
    /// The region's sequence id of the edit.
    pub sequence_id: u64,
    /// ms since the epoch.
    pub write_time_ms: u64,
    /// 0 for none.
    pub nonce_group: u64,
    /// 0 for none.
    pub nonce: u64,
    /// The cells: `u32 length | KeyValue`, repeated.
    pub cells: Bytes,
    /// How many cells these are.
    pub cell_count: u32,
    /// SYNC_WAL, and what is more: the caller will call [`Wal::sync`] for this entry. Otherwise (ASYNC_WAL) it is made durable within
    /// [`WalOptions::async_sync_interval`]; if a write fails, by another one, into the next file, before all later
    /// entries (but for markers, which nobody needs). FSYNC_WAL: it is forced to the device whatever [`SyncMode`] says.
    pub durability: Durability,
    /// What this entry was made of, if that was not known to be durable: an entry of this log. If its write fails, this one
    /// is not written and fails as well. Only for entries that somebody waits for.
    pub after: Option<Position>,
}

impl WalAppend {
    pub(crate) fn key(&self) -> KeyFields<'_> {
        KeyFields {
            region: &self.region,
            table: &self.table,
            sequence_id: self.sequence_id,
            write_time_ms: self.write_time_ms,
            cell_count: self.cell_count,
            nonce_group: self.nonce_group,
            nonce: self.nonce,
        }
    }
}

/// The place of an entry in its log: entries have the positions 1, 2, 3, … in the order of [`Wal::append`]. The default is
/// before all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub(crate) u64);

/// Room in the queue for one entry.
#[derive(Debug)]
pub struct Permit {
    /// Given back when the entry was written, or the permit is dropped unused.
    room: OwnedSemaphorePermit,
}

impl Permit {
    /// The room as a number, for who will give it back.
    pub(crate) fn into_count(self) -> usize {
        let count = self.room.num_permits();
        self.room.forget();
        count
    }
}

/// What a log has done since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WalStats {
    /// Entries written.
    pub entries: u64,
    /// Bytes written, without headers and trailers.
    pub bytes: u64,
    /// Groups written.
    pub writes: u64,
    /// Groups made durable.
    pub syncs: u64,
    /// Of these, by the thread whose calls had queued them ([`commit_on_this_thread`](crate::commit_on_this_thread)).
    pub own_syncs: u64,
    /// Groups that failed.
    pub failures: u64,
    /// Files finished.
    pub rolls: u64,
    /// Finished files that are still needed.
    pub rolled_logs: usize,
    /// Bytes waiting in the queue.
    pub queued_bytes: usize,
    /// No file could be opened; appends are rejected until one can.
    pub unavailable: bool,
}

/// How long a log has waited for its files since it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct WalTimes {
    /// Writes, of a group each.
    pub writes: HistogramSnapshot,
    /// Syncs, of a group each; none where the operating system's memory is enough ([`SyncMode::Os`](crate::SyncMode::Os)).
    pub syncs: HistogramSnapshot,
    /// Bytes of the groups.
    pub group_bytes: HistogramSnapshot,
    /// Writes and syncs that took longer than a second.
    pub slow: u64,
}

/// A region that keeps the oldest of too many files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionToFlush {
    /// Its encoded name.
    pub region: Arc<[u8]>,
    /// The families with edits in the file. None: it is kept for a marker, and any flush will do.
    pub families: Vec<Box<[u8]>>,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) entries: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) writes: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) own_syncs: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) rolls: AtomicU64,
    /// Writes and syncs that took longer than a second.
    pub(crate) slow: AtomicU64,
    pub(crate) group_bytes: Histogram,
    pub(crate) write_times: Histogram,
    pub(crate) sync_times: Histogram,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) root: PathBuf,
    pub(crate) dir: PathBuf,
    pub(crate) options: WalOptions,
    pub(crate) queue: Mutex<Queue>,
    pub(crate) wake: Condvar,
    pub(crate) room: Arc<Semaphore>,
    /// Every position up to here is decided: durable, or in `failed`.
    pub(crate) decided: AtomicU64,
    pub(crate) failed: Mutex<FailedRanges>,
    pub(crate) accounting: Mutex<Accounting>,
    pub(crate) counters: Counters,
}

impl Shared {
    /// Moves the files that no region needs to `oldWALs`.
    pub(crate) fn archive_unneeded(&self) {
        let unneeded = self.accounting.lock().take_unneeded();
        for log in unneeded {
            if let Err(error) = old_logs::archive(&*self.fs, &self.root, &log.path) {
                tracing::warn!(%error, "a log that is not needed any more could not be archived; the next flush tries again");
                self.accounting.lock().put_back(log);
            }
        }
    }

    /// Nothing is taken any more, and who waits for what is queued hears that the log is closed.
    pub(crate) fn close_at_once(&self) {
        let mut queue = self.queue.lock();
        queue.availability = Availability::Closed;
        let left = (mem::take(&mut queue.waiters), mem::take(&mut queue.requests));
        queue.entries.clear(&self.room);
        drop(queue);
        self.room.close();
        drop(left); // a dropped sender tells its receiver
    }

    /// The outcome at a decided position.
    fn outcome(&self, position: u64) -> Result<(), WalError> {
        self.failed.lock().check(position)
    }
}

/// A write-ahead log: one file at a time, and one thread that writes it, unless a thread writes for itself
/// ([`commit_on_this_thread`](crate::commit_on_this_thread)). Share it in an `Arc`.
///
/// The cost of an entry, by design: under the queue's lock one push, and one copy if it is small (no allocation but the
/// amortised growth of the buffers); in the thread one pass of the checksum over its bytes and another copy; per group, of
/// whatever queued up during the previous sync and of those who come back right after it (`gathering.rs`), one `write` for each
/// 512 KiB, one `fdatasync`, one look at the accounting. A synced entry costs one allocation (its waiter) and one wake-up. The thread is
/// woken once per group, but for what other threads commit.
#[derive(Debug)]
pub struct Wal {
    log: Log,
}

impl Wal {
    /// Opens the logs of a server (`host,port,startcode`) under `root` (the directory that has `WALs` and
    /// `oldWALs`) with a new file. Does I/O.
    pub fn open(
        fs: Arc<dyn FileSystem>,
        root: &Path,
        server: &str,
        kind: WalKind,
        options: WalOptions,
    ) -> Result<Self, WalError> {
        let dir = crate::server_log_dir(root, server);
        fs.create_dir_all(&dir).map_err(|e| WalError::io(&dir, "create", e))?;
        let shared = Arc::new(Shared {
            fs,
            root: root.to_owned(),
            dir,
            room: Arc::new(Semaphore::new(options.queue_bytes as usize)),
            options,
            queue: Mutex::new(Queue::default()),
            wake: Condvar::new(),
            decided: AtomicU64::new(0),
            failed: Mutex::new(FailedRanges::default()),
            accounting: Mutex::new(Accounting::default()),
            counters: Counters::default(),
        });
        let writer = group_commit::start(shared.clone(), crate::LogName::new(server, kind))?;
        Ok(Self { log: Log { shared, writer } })
    }

    /// Waits for room for an entry with so many bytes of cells. To be called before a sequence id is taken. An entry larger
    /// than the whole queue takes all of it.
    pub async fn reserve(&self, bytes: usize) -> Result<Permit, WalError> {
        self.check_available()?;
        let wanted = u32::try_from(bytes.saturating_add(ENTRY_OVERHEAD_BYTES)).unwrap_or(u32::MAX);
        let permits = wanted.min(self.log.shared.options.queue_bytes);
        let room = self.log.shared.room.clone();
        if let Ok(permit) = room.clone().try_acquire_many_owned(permits) {
            return Ok(Permit { room: permit });
        }
        // Entries may be waiting for a sync that nobody asked for yet.
        self.poke();
        let permit = room.acquire_many_owned(permits).await.map_err(|_| WalError::Closed)?;
        self.check_available()?;
        Ok(Permit { room: permit })
    }

    /// Queues an entry. Entries are written in the order of these calls; a caller that needs its region's sequence ids
    /// in order calls this under the lock that gives them out. Cheap, never waits for I/O.
    pub fn append(&self, permit: Permit, entry: WalAppend) -> Result<Position, WalError> {
        entry.key().check(entry.cells.len())?;
        // What cannot be compressed is refused here: in the thread it would take its whole group down.
        if let Some(compression) = &self.log.shared.options.compression {
            let most = compressed_cells::most_bytes(&entry.cells, compression.values.is_some());
            entry.key().check(most.ok_or(WalError::Malformed)?)?;
        }
        let (position, wake) = self.log.shared.queue.lock().push(permit, &entry, &self.log.shared.options)?;
        if wake {
            self.log.shared.wake.notify_one();
        }
        Ok(Position(position))
    }

    /// The position of the last entry that was appended.
    pub fn end(&self) -> Position {
        Position(self.log.shared.queue.lock().appended)
    }

    /// Resolves when the entry at `position`, and with it all before, is durable, or its write has failed. The
    /// request is made by this call, not by the first poll.
    pub fn sync(&self, position: Position) -> SyncFuture {
        let decided = |shared: &Shared| shared.decided.load(Ordering::Acquire) >= position.0;
        if decided(&self.log.shared) {
            return SyncFuture(State::Ready(self.log.shared.outcome(position.0)));
        }
        let mut queue = self.log.shared.queue.lock();
        // Decided meanwhile: nobody would answer.
        if decided(&self.log.shared) {
            drop(queue);
            return SyncFuture(State::Ready(self.log.shared.outcome(position.0)));
        }
        if queue.is_closed() {
            return SyncFuture(State::Ready(Err(WalError::Closed)));
        }
        let (sender, receiver) = oneshot::channel();
        let mut wake = queue.wait_for(position.0, sender);
        if wake && commit_here::takes(&self.log, &queue) {
            (wake, queue.parked) = (false, true);
        }
        drop(queue);
        if wake {
            self.log.shared.wake.notify_one();
        }
        SyncFuture(State::Waiting(receiver))
    }

    /// Whoever appended an entry with [`WalAppend::sync`] goes away without having heard of its outcome, and makes the edit
    /// visible: from here on the entry is like one without.
    ///
    /// # Errors
    /// The write has failed, or the log is closed: the edit must not be made visible.
    pub fn leave(&self, position: Position) -> Result<(), WalError> {
        let mut queue = self.log.shared.queue.lock();
        if self.log.shared.decided.load(Ordering::Acquire) >= position.0 {
            drop(queue);
            return self.log.shared.outcome(position.0);
        }
        if queue.is_closed() {
            return Err(WalError::Closed);
        }
        // It may have failed with what it came after.
        self.log.shared.outcome(position.0)?;
        queue.left.push(position.0);
        // It may not have asked for a sync yet.
        let wake = queue.expects_nobody();
        drop(queue);
        if wake {
            self.log.shared.wake.notify_one();
        }
        Ok(())
    }

    /// What is in store files after a flush of the region with sequence id F: all edits below `from` (F + 1), but for the
    /// families in `older`, which still have edits in memory from an older sequence id on. Files that nobody needs any
    /// more are moved to `oldWALs` by this call: it does I/O.
    pub fn region_flushed(&self, region: &Arc<[u8]>, from: u64, older: &[(&[u8], u64)]) {
        self.log.shared.accounting.lock().flushed(region, from, older);
        self.log.shared.archive_unneeded();
    }

    /// The region left this server, with all its edits in store files. Does I/O as [`region_flushed`](Self::region_flushed).
    pub fn region_closed(&self, region: &Arc<[u8]>) {
        self.log.shared.accounting.lock().closed(region);
        self.log.shared.archive_unneeded();
    }

    /// If more than [`WalOptions::max_logs`] files are kept: the regions whose flush frees the oldest, each with the
    /// families that it takes. Else none.
    pub fn too_many_logs(&self) -> Vec<RegionToFlush> {
        self.log.shared.accounting.lock().to_flush(self.log.shared.options.max_logs)
    }

    /// Closes the current file and begins the next. A file without entries stays.
    pub async fn roll(&self) -> Result<(), WalError> {
        self.request(RequestKind::Roll).await
    }

    /// Writes and syncs what is queued, and what is appended meanwhile; closes the file with a trailer, and ends the thread. Files
    /// that no region needs go to `oldWALs`; the others stay for recovery. Later calls fail with [`WalError::Closed`].
    pub async fn close(&self) -> Result<(), WalError> {
        self.request(RequestKind::Close).await
    }

    /// What happened so far.
    pub fn stats(&self) -> WalStats {
        let counters = &self.log.shared.counters;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WalStats {
            entries: count(&counters.entries),
            bytes: count(&counters.bytes),
            writes: count(&counters.writes),
            syncs: count(&counters.syncs),
            own_syncs: count(&counters.own_syncs),
            failures: count(&counters.failures),
            rolls: count(&counters.rolls),
            rolled_logs: self.log.shared.accounting.lock().rolled_logs(),
            queued_bytes: self.log.shared.options.queue_bytes as usize
                - self.log.shared.room.available_permits(),
            unavailable: self.failure().is_some(),
        }
    }

    /// How long files took so far.
    pub fn times(&self) -> WalTimes {
        let counters = &self.log.shared.counters;
        WalTimes {
            writes: counters.write_times.snapshot(),
            syncs: counters.sync_times.snapshot(),
            group_bytes: counters.group_bytes.snapshot(),
            slow: counters.slow.load(Ordering::Relaxed),
        }
    }

    /// Why no file is open, if none is.
    pub fn failure(&self) -> Option<WalError> {
        self.log.shared.queue.lock().failure()
    }

    /// Whether the log takes nothing any more: it was closed, or a panic has closed it.
    pub fn is_closed(&self) -> bool {
        self.log.shared.queue.lock().is_closed()
    }

    async fn request(&self, kind: RequestKind) -> Result<(), WalError> {
        let (sender, receiver) = oneshot::channel();
        self.log.shared.queue.lock().request(Request { kind, answer: Some(sender) })?;
        self.log.shared.wake.notify_one();
        receiver.await.unwrap_or(Err(WalError::Closed))
    }

    /// Also asks for another try at opening a file, if none is open.
    fn check_available(&self) -> Result<(), WalError> {
        let mut queue = self.log.shared.queue.lock();
        if queue.is_closed() {
            return Err(WalError::Closed);
        }
        match queue.failure() {
            None => Ok(()),
            Some(error) => {
                queue.hurry();
                drop(queue);
                self.log.shared.wake.notify_one();
                Err(error)
            }
        }
    }

    fn poke(&self) {
        self.log.shared.queue.lock().hurry();
        self.log.shared.wake.notify_one();
    }
}

impl Drop for Wal {
    /// Closes in the background, as [`Wal::close`].
    fn drop(&mut self) {
        let _ = self.log.shared.queue.lock().request(Request { kind: RequestKind::Close, answer: None });
        self.log.shared.wake.notify_one();
    }
}

/// The outcome of [`Wal::sync`].
#[derive(Debug)]
#[must_use = "the entry is not known to be durable before this resolves"]
pub struct SyncFuture(State);

#[derive(Debug)]
enum State {
    Ready(Result<(), WalError>),
    Waiting(oneshot::Receiver<Result<(), WalError>>),
}

impl Future for SyncFuture {
    type Output = Result<(), WalError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Ready(result) => Poll::Ready(result.clone()),
            // The thread is gone without an answer: it panicked.
            State::Waiting(receiver) => {
                Poll::Ready(ready!(Pin::new(receiver).poll(cx)).unwrap_or(Err(WalError::Closed)))
            }
        }
    }
}
