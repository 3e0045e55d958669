//! The thread that empties a log's queue.

use std::{
    mem,
    path::PathBuf,
    sync::Arc,
    time::{Instant, SystemTime},
};

use finback_sync::{atomic::Ordering, thread};

use crate::{
    LogName, SyncMode, WalError, WalFileWriter,
    log::Shared,
    queue::{Answer, Availability, Request, RequestKind, Waiter},
    queued_entries::{QueuedCells, QueuedEntries},
};

/// Dictionaries that hold so much end a file, and the next begins with empty ones. With short rows they never do.
const MAX_DICTIONARY_BYTES: usize = 64 << 20;
/// Attempts to find a file number that is not taken.
const MAX_NAME_ATTEMPTS: u32 = 1000;

/// Opens the first file and starts the thread.
pub(crate) fn start(shared: Arc<Shared>, name: LogName) -> Result<(), WalError> {
    let mut writer = Writer {
        name,
        last_number: 0,
        file: None,
        opened_at: Instant::now(),
        last_attempt: Instant::now(),
        roll_failed_at: None,
        spare: QueuedEntries::default(),
        decided: 0,
        shared,
    };
    writer.file = Some(writer.open_file()?);
    let dir = writer.shared.dir.clone();
    let thread = thread::Builder::new().name("wal".to_owned()).spawn(move || {
        let guard = CloseOnExit(writer.shared.clone());
        writer.run();
        drop(guard);
    });
    thread.map(drop).map_err(|e| WalError::io(&dir, "start a thread for", e))
}

/// Whatever ends the thread, nobody waits for it any more.
struct CloseOnExit(Arc<Shared>);

impl Drop for CloseOnExit {
    fn drop(&mut self) {
        let mut queue = self.0.queue.lock();
        queue.availability = Availability::Closed;
        let left = (mem::take(&mut queue.waiters), mem::take(&mut queue.requests));
        queue.entries.clear(&self.0.room);
        drop(queue);
        self.0.room.close();
        drop(left); // a dropped sender tells its receiver
    }
}

/// What the thread took out of the queue at once.
struct Group {
    entries: QueuedEntries,
    waiters: Vec<Waiter>,
    requests: Vec<Request>,
    /// Position of the last entry.
    upto: u64,
}

struct Writer {
    shared: Arc<Shared>,
    name: LogName,
    last_number: u64,
    file: Option<WalFileWriter>,
    opened_at: Instant,
    last_attempt: Instant,
    roll_failed_at: Option<Instant>,
    /// The buffers of the previous group, to be the next one's.
    spare: QueuedEntries,
    decided: u64,
}

impl Writer {
    fn run(&mut self) {
        loop {
            let mut group = self.next_group();
            let requests = mem::take(&mut group.requests);
            self.commit(group);
            let closing = requests.iter().any(|r| r.kind == RequestKind::Close);
            let answer = if closing { self.close() } else { self.roll_if_due(!requests.is_empty()) };
            for request in requests {
                if let Some(sender) = request.answer {
                    let _ = sender.send(answer.clone()); // nobody waits any more: fine
                }
            }
            if closing {
                return;
            }
        }
    }

    fn next_group(&mut self) -> Group {
        let mut queue = self.shared.queue.lock();
        while !queue.has_work() {
            let alarm =
                [queue.async_since.map(|t| t + self.shared.options.async_sync_interval), self.roll_time()];
            queue.parked = true;
            match alarm.into_iter().flatten().min() {
                Some(alarm) if alarm <= Instant::now() => break,
                Some(alarm) => {
                    self.shared.wake.wait_until(&mut queue, alarm);
                }
                None => self.shared.wake.wait(&mut queue),
            }
        }
        queue.parked = false;
        queue.urgent = false;
        queue.async_since = None;
        queue.queued_bytes = 0;
        let spare = mem::take(&mut self.spare);
        Group {
            entries: mem::replace(&mut queue.entries, spare),
            waiters: mem::take(&mut queue.waiters),
            requests: mem::take(&mut queue.requests),
            upto: queue.appended,
        }
    }

    fn commit(&mut self, mut group: Group) {
        let written = match self.file_or_reopen(!group.entries.is_empty()) {
            Ok(()) => self.write(&mut group.entries),
            Err(e) => Err(e),
        };
        group.entries.clear(&self.shared.room);
        self.spare = mem::take(&mut group.entries);
        if let Err(error) = &written {
            self.fail(group.upto, error);
        }
        self.decided = group.upto;
        self.shared.decided.store(group.upto, Ordering::Release);
        // Even if this group succeeded: a waiter may have come while an earlier one was failing.
        let failed = self.shared.failed.lock();
        for waiter in group.waiters {
            let _ = waiter.answer.send(failed.check(waiter.position)); // nobody waits any more: fine
        }
    }

    fn write(&mut self, entries: &mut QueuedEntries) -> Result<(), WalError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        if entries.is_empty() {
            return Ok(());
        }
        for entry in entries.iter() {
            match entry.cells {
                QueuedCells::Copied(cells) => file.gather_small(&entry.key, cells)?,
                QueuedCells::Shared(cells) => file.gather(&entry.key, cells)?,
            }
        }
        {
            // Before the write: a file that is given up half-written counts as holding them.
            let mut accounting = self.shared.accounting.lock();
            accounting.wrote(entries.iter());
        }
        let (count, bytes) = (entries.len() as u64, file.gathered_bytes());
        file.write()?;
        entries.clear(&self.shared.room); // more may queue up during the sync
        match self.shared.options.sync_mode {
            SyncMode::Disk => file.sync()?,
            SyncMode::Os => file.confirm(),
        }
        let counters = &self.shared.counters;
        counters.entries.fetch_add(count, Ordering::Relaxed);
        counters.bytes.fetch_add(bytes, Ordering::Relaxed);
        counters.writes.fetch_add(1, Ordering::Relaxed);
        counters.syncs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// The write of everything undecided up to `upto` failed: give the file up and open another.
    fn fail(&mut self, upto: u64, error: &WalError) {
        tracing::error!(%error, entries = upto - self.decided, "write-ahead log: a write failed");
        self.shared.counters.failures.fetch_add(1, Ordering::Relaxed);
        if upto > self.decided {
            self.shared.failed.lock().add(self.decided, upto, error);
        }
        if let Some(file) = self.file.take() {
            self.give_up(file);
            self.reopen();
        }
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
        match self.open_file() {
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
            match WalFileWriter::create(&*self.shared.fs, &path, self.shared.options.compression) {
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
    fn roll_time(&self) -> Option<Instant> {
        let used = self.file.as_ref().is_some_and(|file| !file.is_empty());
        used.then(|| self.opened_at + self.shared.options.roll_period)
    }

    fn roll_if_due(&mut self, asked: bool) -> Answer {
        let Some(file) = &self.file else {
            return match self.shared.queue.lock().failure() {
                Some(error) if asked => Err(error),
                _ => Ok(()),
            };
        };
        let old = self.roll_time().is_some_and(|time| time <= Instant::now());
        let resting = self.roll_failed_at.is_some_and(|t| t.elapsed() < self.shared.options.reopen_interval);
        let large = file.len() >= self.shared.options.roll_size_bytes
            || file.dictionary_bytes() >= MAX_DICTIONARY_BYTES;
        if file.is_empty() || !(asked || old || large && !resting) {
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

    fn close(&mut self) -> Answer {
        {
            let mut queue = self.shared.queue.lock();
            // Not one more entry from here on.
            queue.availability = Availability::Closed;
            // What came after the group is never confirmed: who waits hears that the log is closed.
            queue.entries.clear(&self.shared.room);
        }
        if let Some(file) = self.file.take() {
            self.finish(file);
        }
        self.shared.archive_unneeded();
        Ok(())
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
