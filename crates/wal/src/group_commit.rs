//! What becomes of what waits for a log. Whose turn it is to write is in [`crate::turns`].

use std::{
    mem,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use finback_cell::{Durability, block::CellIter};
use finback_metrics::Histogram;
use finback_sync::{Mutex, atomic::Ordering, thread};

use crate::{
    LogName, META_FAMILY, SyncMode, WalError, WalFileWriter,
    gathering::Gathering,
    log::{Counters, Shared},
    queue::{Answer, Availability, Queue, Request, Waiter},
    queued_entries::{QueuedCells, QueuedEntries, QueuedEntry},
    turns,
};

/// Dictionaries that hold so much end a file, and the next begins with empty ones. With short rows they never do.
const MAX_DICTIONARY_BYTES: usize = 64 << 20;
/// A write or sync that takes longer is slow, as in HBase.
const SLOW: Duration = Duration::from_secs(1);
/// So much of a group is written at a time: while it is in the processor's cache.
const PIECE_BYTES: u64 = 512 << 10;
/// Attempts to find a file number that is not taken.
const MAX_NAME_ATTEMPTS: u32 = 1000;

/// Opens the first file and starts the thread.
pub(crate) fn start(shared: Arc<Shared>, name: LogName) -> Result<Arc<Mutex<Writer>>, WalError> {
    let mut writer = Writer {
        name,
        last_number: 0,
        file: None,
        opened_at: Instant::now(),
        last_attempt: Instant::now(),
        roll_failed_at: None,
        spare: QueuedEntries::default(),
        carried: QueuedEntries::default(),
        decided: 0,
        gathering: Gathering::default(),
        shared,
    };
    writer.file = Some(writer.open_file()?);
    let dir = writer.shared.dir.clone();
    let shared = writer.shared.clone();
    let writer = Arc::new(Mutex::new(writer));
    let of_thread = Arc::clone(&writer);
    let thread = thread::Builder::new().name("wal".to_owned()).spawn(move || {
        let guard = CloseOnExit(shared);
        turns::run(&of_thread, &guard.0);
        drop(guard);
    });
    thread.map(|_| writer).map_err(|e| WalError::io(&dir, "start a thread for", e))
}

/// Whatever ends the thread, nobody waits for it any more.
struct CloseOnExit(Arc<Shared>);

impl Drop for CloseOnExit {
    fn drop(&mut self) {
        self.0.close_at_once();
    }
}

/// What is taken out of the queue at once.
pub(crate) struct Group {
    entries: QueuedEntries,
    waiters: Vec<Waiter>,
    pub(crate) requests: Vec<Request>,
    /// Position of the last entry.
    upto: u64,
    /// Positions whose entries were taken out again, in order.
    left_out: Vec<u64>,
}

/// Who has it locked has the turn.
#[derive(Debug)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
    name: LogName,
    last_number: u64,
    file: Option<WalFileWriter>,
    opened_at: Instant,
    last_attempt: Instant,
    roll_failed_at: Option<Instant>,
    /// The buffers of the previous group, to be the next one's.
    spare: QueuedEntries,
    /// Edits that were answered before they were written, of files that were given up: the next file begins with them. They
    /// are in the memstores; were they in no log, a flush of one family would make half of a row durable. While there
    /// are some, no file is open and nothing is taken: they are at most what one group and the queue behind it held.
    carried: QueuedEntries,
    decided: u64,
    gathering: Gathering,
}

impl Writer {
    /// Unless there is something to do: how many writers are enough to go on with, and until when they are waited for.
    pub(crate) fn pause(&mut self, queue: &Queue) -> Option<(usize, Option<Instant>)> {
        if queue.is_pressed() {
            return None;
        }
        let (now, there) = (Instant::now(), queue.waiters.len());
        if let Some((expected, until)) = self.gathering.wait(now, there) {
            return Some((expected, Some(until)));
        }
        if there > 0 {
            return None;
        }
        let alarm = [
            queue.async_since.map(|t| t + self.shared.options.async_sync_interval),
            self.roll_time(),
            self.carry_time(),
        ];
        match alarm.into_iter().flatten().min() {
            Some(alarm) if alarm <= now => None,
            alarm => Some((1, alarm)),
        }
    }

    pub(crate) fn take(&mut self, queue: &mut Queue) -> Group {
        self.gathering.ended(queue.waiters.len());
        queue.urgent = false;
        queue.async_since = None;
        queue.queued_bytes = 0;
        queue.left.retain(|&position| position > self.decided);
        let spare = mem::take(&mut self.spare);
        Group {
            entries: mem::replace(&mut queue.entries, spare),
            waiters: mem::take(&mut queue.waiters),
            requests: mem::take(&mut queue.requests),
            upto: queue.appended,
            left_out: Vec::new(),
        }
    }

    pub(crate) fn commit(&mut self, mut group: Group) {
        let written = match self.file_or_reopen(!group.entries.is_empty()) {
            Ok(()) => {
                self.leave_out_dependents(&mut group);
                self.write(&mut group.entries)
            }
            Err(e) => Err(e),
        };
        group.entries.give_room_back(&self.shared.room);
        if let Err(error) = &written {
            self.fail(&group, error);
        }
        group.entries.clear(&self.shared.room);
        self.spare = mem::take(&mut group.entries);
        self.decided = group.upto;
        let there = {
            let queue = self.shared.queue.lock();
            // From here on nobody waits for this group any more.
            self.shared.decided.store(group.upto, Ordering::Release);
            queue.waiters.len()
        };
        self.gathering.answered(Instant::now(), group.waiters.len(), there);
        // Even if this group succeeded: a waiter may have come while an earlier one was failing.
        let failed = self.shared.failed.lock();
        for waiter in group.waiters {
            let _ = waiter.answer.send(failed.check(waiter.position)); // nobody waits any more: fine
        }
    }

    /// What came after an entry that failed fails with it, and is not written; but for what its writer has left, which is in a
    /// memstore. That is written: for what was made of it, it has failed all the same.
    fn leave_out_dependents(&self, group: &mut Group) {
        // Whatever fails of this group does for what had failed before it.
        let failed = self.shared.failed.lock();
        if group.entries.iter().all(|entry| failed.check(entry.after).is_ok()) {
            return;
        }
        drop(failed);
        // Under the queue's lock: who leaves an entry from now on hears that it has failed.
        let queue = self.shared.queue.lock();
        let mut failed = self.shared.failed.lock();
        let mut position = self.decided;
        let left_out = &mut group.left_out;
        group.entries.retain(|entry| {
            position += 1;
            match failed.check(entry.after) {
                Err(error) => {
                    failed.add(position - 1, position, &error);
                    let is_left = queue.left.contains(&position);
                    if !is_left {
                        left_out.push(position);
                    }
                    is_left
                }
                Ok(()) => true,
            }
        });
    }

    fn write(&mut self, entries: &mut QueuedEntries) -> Result<(), WalError> {
        if let Some(file) = &mut self.file
            && !entries.is_empty()
        {
            self.gathering.synced(put(&self.shared, file, entries)?);
        }
        Ok(())
    }

    /// The write of everything undecided, up to the end of the group, failed: give the file up and open another.
    fn fail(&mut self, group: &Group, error: &WalError) {
        let entries = group.upto - self.decided;
        tracing::error!(%error, entries, "write-ahead log: a write failed");
        self.shared.counters.failures.fetch_add(1, Ordering::Relaxed);
        if entries > 0 {
            self.shared.failed.lock().add(self.decided, group.upto, error);
            self.carry(group);
        }
        if let Some(file) = self.file.take() {
            self.give_up(file);
            self.reopen();
        }
    }

    /// Keeps those entries of a failed group that are in memstores.
    fn carry(&mut self, group: &Group) {
        let mut left = {
            let mut queue = self.shared.queue.lock();
            // Who goes away from now on hears of the failure.
            self.shared.decided.store(group.upto, Ordering::Release);
            // Others are of the next group.
            queue.left.extract_if(.., |position| *position <= group.upto).collect::<Vec<_>>()
        };
        left.sort_unstable();
        let is_there = |position: &u64| group.left_out.binary_search(position).is_err();
        for (entry, position) in group.entries.iter().zip((self.decided + 1..).filter(is_there)) {
            let is_answered = entry.durability < Durability::SyncWal || left.binary_search(&position).is_ok();
            if is_answered && !is_marker(&entry) {
                self.carried.push(entry, 0);
            }
        }
    }

    /// When the next attempt is due to write what was carried over.
    pub(crate) fn carry_time(&self) -> Option<Instant> {
        (!self.carried.is_empty()).then(|| self.last_attempt + self.shared.options.reopen_interval)
    }

    /// Opens a file that begins with what was carried over.
    fn open_next(&mut self) -> Result<WalFileWriter, WalError> {
        let mut file = self.open_file()?;
        if self.carried.is_empty() {
            return Ok(file);
        }
        if let Err(error) = put(&self.shared, &mut file, &mut self.carried) {
            self.give_up(file);
            return Err(error);
        }
        self.carried.clear(&self.shared.room);
        Ok(file)
    }

    fn give_up(&mut self, file: WalFileWriter) {
        let path = file.path().to_owned();
        let keep = file.has_confirmed_entries();
        if let Err(error) = file.abandon() {
            // Its failed entries may be applied at recovery, like any write whose answer was lost.
            tracing::warn!(%error, "the unconfirmed end of an abandoned log may come back at recovery");
        }
        if !keep && self.shared.fs.remove_file(&path).is_ok() {
            self.shared.accounting.lock().discarded();
        } else {
            self.shared.accounting.lock().rolled(path);
        }
    }

    /// Makes sure that a file is open; `asked`: entries wait for it, so it is worth a try at once.
    fn file_or_reopen(&mut self, asked: bool) -> Result<(), WalError> {
        let due = self.last_attempt.elapsed() >= self.shared.options.reopen_interval;
        if self.file.is_none() && (asked || due) {
            self.reopen();
        }
        match (&self.file, self.shared.queue.lock().failure()) {
            (None, Some(error)) if asked => Err(error),
            _ => Ok(()),
        }
    }

    fn reopen(&mut self) {
        self.last_attempt = Instant::now();
        match self.open_next() {
            Ok(file) => {
                self.file = Some(file);
                self.shared.queue.lock().availability = Availability::Open;
            }
            Err(error) => {
                let error = WalError::Unavailable(Arc::new(error));
                tracing::error!(%error, "write-ahead log: no file can be opened, writes are rejected");
                self.shared.queue.lock().availability = Availability::Failed(error);
            }
        }
    }

    fn open_file(&mut self) -> Result<WalFileWriter, WalError> {
        let now =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64);
        let mut number = now.max(self.last_number + 1);
        let dir: PathBuf = self.shared.dir.clone();
        for attempt in 1.. {
            let path = dir.join(self.name.with_number(number));
            match WalFileWriter::create_log(&*self.shared.fs, &path, &self.shared.options) {
                Err(WalError::Io { source, .. })
                    if source.kind() == std::io::ErrorKind::AlreadyExists && attempt < MAX_NAME_ATTEMPTS =>
                {
                    number += 1;
                }
                Err(e) => return Err(e),
                Ok(file) => {
                    self.last_number = number;
                    if let Err(e) = self.shared.fs.sync_dir(&dir) {
                        let _ = self.shared.fs.remove_file(file.path());
                        return Err(WalError::io(&dir, "sync", e));
                    }
                    self.opened_at = Instant::now();
                    return Ok(file);
                }
            }
        }
        Err(WalError::Closed)
    }

    /// When the current file is to be closed for its age; a file without entries never is.
    pub(crate) fn roll_time(&self) -> Option<Instant> {
        let used = self.file.as_ref().is_some_and(|file| !file.is_empty());
        used.then(|| self.opened_at + self.shared.options.roll_period)
    }

    pub(crate) fn is_roll_due(&self, asked: bool) -> bool {
        let Some(file) = self.file.as_ref().filter(|file| !file.is_empty()) else { return false };
        let old = self.roll_time().is_some_and(|time| time <= Instant::now());
        let resting = self.roll_failed_at.is_some_and(|t| t.elapsed() < self.shared.options.reopen_interval);
        let large = file.len() >= self.shared.options.roll_size_bytes
            || file.dictionary_bytes() >= MAX_DICTIONARY_BYTES;
        asked || old || large && !resting
    }

    pub(crate) fn roll_if_due(&mut self, asked: bool) -> Answer {
        if self.file.is_none() {
            return match self.shared.queue.lock().failure() {
                Some(error) if asked => Err(error),
                _ => Ok(()),
            };
        };
        if !self.is_roll_due(asked) {
            return Ok(());
        }
        // The next first: if it cannot be opened, the current one goes on.
        let next = self.open_file().inspect_err(|error| {
            tracing::warn!(%error, "write-ahead log: cannot begin the next file, the current one goes on");
            self.opened_at = Instant::now(); // for its age, not again at once
            self.roll_failed_at = Some(Instant::now());
        })?;
        self.roll_failed_at = None;
        if let Some(file) = self.file.replace(next) {
            self.finish(file);
        }
        self.shared.counters.rolls.fetch_add(1, Ordering::Relaxed);
        self.shared.archive_unneeded();
        Ok(())
    }

    /// Closes a file; all of its entries are durable already, so without a trailer it is as good.
    fn finish(&mut self, file: WalFileWriter) {
        let path = file.path().to_owned();
        if let Err(error) = file.close() {
            tracing::warn!(%error, "a log was finished without a trailer");
        }
        self.shared.accounting.lock().rolled(path);
    }

    /// An error if there are edits that were answered, and are in no log.
    pub(crate) fn close(&mut self) -> Answer {
        let shared = Arc::clone(&self.shared);
        // Who has room already may still append, and may have answered its client then: that is written as well. Nobody gets more
        // room, so that this comes to an end.
        shared.room.close();
        let mut others = Vec::new();
        let lost = loop {
            if !self.carried.is_empty() {
                self.reopen(); // a last time
            }
            let mut queue = shared.queue.lock();
            if queue.entries.is_empty() && queue.waiters.is_empty() {
                let failure = queue.failure();
                // Not one more entry from here on.
                queue.availability = Availability::Closed;
                break failure.filter(|_| !self.carried.is_empty());
            }
            let mut group = self.take(&mut queue);
            drop(queue);
            others.append(&mut group.requests);
            self.commit(group);
        };
        if let Some(file) = self.file.take() {
            self.finish(file);
        }
        self.shared.archive_unneeded();
        let answer = lost.map_or(Ok(()), Err);
        tell(others, &answer);
        answer
    }
}

/// Answers requests alike.
pub(crate) fn tell(requests: Vec<Request>, answer: &Answer) {
    for sender in requests.into_iter().filter_map(|request| request.answer) {
        let _ = sender.send(answer.clone()); // nobody waits any more: fine
    }
}

/// Counts how long the device took.
fn note(counters: &Counters, times: &Histogram, took: Duration) {
    times.record(took);
    if took > SLOW {
        counters.slow.fetch_add(1, Ordering::Relaxed);
    }
}

/// Writes entries to a file, and syncs it; how long the sync took.
fn put(shared: &Shared, file: &mut WalFileWriter, entries: &mut QueuedEntries) -> Result<Duration, WalError> {
    // Before the write: a file that is given up half-written counts as holding them.
    shared.accounting.lock().wrote(entries.iter());
    let (count, before) = (entries.len() as u64, file.len());
    let mut took = Duration::ZERO;
    let mut write = |file: &mut WalFileWriter| {
        let begun = Instant::now();
        let written = file.write();
        took += begun.elapsed();
        written
    };
    for entry in entries.iter() {
        match entry.cells {
            QueuedCells::Copied(cells) => file.gather_small(&entry.key, cells)?,
            QueuedCells::Shared(cells) => file.gather(&entry.key, cells)?,
        }
        if file.gathered_bytes() >= PIECE_BYTES {
            write(file)?;
        }
    }
    write(file)?;
    let bytes = file.len() - before;
    note(&shared.counters, &shared.counters.write_times, took);
    shared.counters.group_bytes.record_value(bytes);
    entries.give_room_back(&shared.room); // more may queue up during the sync
    let synced = match shared.options.sync_mode {
        SyncMode::Os if !entries.has_forced() => {
            file.confirm();
            Duration::ZERO
        }
        mode => {
            if mode == SyncMode::Disk {
                file.zero_ahead();
            }
            let begun = Instant::now();
            file.sync()?;
            let took = begun.elapsed();
            note(&shared.counters, &shared.counters.sync_times, took);
            took
        }
    };
    let counters = &shared.counters;
    counters.entries.fetch_add(count, Ordering::Relaxed);
    counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    counters.writes.fetch_add(1, Ordering::Relaxed);
    counters.syncs.fetch_add(1, Ordering::Relaxed);
    Ok(synced)
}

/// Whether an entry is a marker: one whose write failed tells of what did not happen.
fn is_marker(entry: &QueuedEntry<'_>) -> bool {
    CellIter::over_checked(entry.cells.bytes()).next().is_some_and(|cell| cell.family() == META_FAMILY)
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
