//! Whose turn it is to write a log: that of its thread, or of another one that commits for itself.
//!
//! Who has the writer looks at the queue, and lets go of the writer before the queue: who comes then finds it free, and who finds it
//! taken may leave what is queued to whoever has it.

use std::{mem, time::Instant};

use finback_sync::{Mutex, MutexGuard, atomic::Ordering};

use crate::{
    commit_here::Log,
    group_commit::{Group, Writer, tell},
    log::Shared,
    queue::RequestKind,
};

/// What the log's thread does.
pub(crate) fn run(writer: &Mutex<Writer>, shared: &Shared) {
    loop {
        // A turn of another thread has closed the log.
        let Some((mut writer, mut group)) = next_group(writer, shared) else { return };
        let requests = mem::take(&mut group.requests);
        writer.commit(group);
        let closing = requests.iter().any(|r| r.kind == RequestKind::Close);
        let answer = if closing { writer.close() } else { writer.roll_if_due(!requests.is_empty()) };
        tell(requests, &answer);
        if closing {
            return;
        }
    }
}

/// Waits until there is something to do, and takes it; none of a log that is closed.
fn next_group<'a>(writer: &'a Mutex<Writer>, shared: &Shared) -> Option<(MutexGuard<'a, Writer>, Group)> {
    loop {
        let mut writer = writer.lock();
        let mut queue = shared.queue.lock();
        if queue.is_closed() {
            return None;
        }
        let Some((enough, until)) = writer.pause(&queue) else {
            queue.parked = false;
            let group = writer.take(&mut queue);
            drop(queue);
            return Some((writer, group));
        };
        // One wake-up, when all are there.
        (queue.parked, queue.wake_at) = (true, enough);
        drop(writer);
        match until {
            Some(until) => {
                shared.wake.wait_until(&mut queue, until);
            }
            None => shared.wake.wait(&mut queue),
        }
    }
}

/// What came of a turn.
pub(crate) enum Turn {
    /// What was there is written, or somebody else sees to it.
    Done {
        /// More came meanwhile, which is the caller's to commit, in another turn.
        more: bool,
    },
    /// More writers are expected until then; as soon as they are there, another turn is due.
    WaitsUntil(Instant),
}

/// Commits what waits in the log's queue, unless its thread is at work or has to be.
pub(crate) fn commit_turn(log: &Log) -> Turn {
    let Some(mut writer) = log.writer.try_lock() else {
        return Turn::Done { more: false };
    };
    let mut queue = log.shared.queue.lock();
    if !queue.parked || queue.waiters.is_empty() || queue.is_pressed() {
        drop(writer);
        return Turn::Done { more: false };
    }
    if let Some((enough, Some(until))) = writer.pause(&queue) {
        queue.wake_at = enough;
        drop(writer);
        return Turn::WaitsUntil(until);
    }
    queue.wake_at = 1;
    let group = writer.take(&mut queue);
    drop(queue);
    // Gone before the writer is let go of: nobody writes behind what this may leave.
    let _close = CloseOnPanic(&log.shared);
    let alarms = (writer.roll_time(), writer.carry_time());
    let syncs = log.shared.counters.syncs.load(Ordering::Relaxed);
    writer.commit(group);
    let own = log.shared.counters.syncs.load(Ordering::Relaxed) - syncs;
    log.shared.counters.own_syncs.fetch_add(own, Ordering::Relaxed);
    let thread_is_due = alarms != (writer.roll_time(), writer.carry_time()) || writer.is_roll_due(false);
    let mut queue = log.shared.queue.lock();
    drop(writer);
    if thread_is_due {
        queue.hurry();
        log.shared.wake.notify_one();
    }
    Turn::Done { more: queue.parked && !queue.is_pressed() && !queue.waiters.is_empty() }
}

/// Nobody knows what is written of a group whose commit panics: the log is closed, as by a panic of its thread, which ends.
struct CloseOnPanic<'a>(&'a Shared);

impl Drop for CloseOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close_at_once();
            self.0.wake.notify_one();
        }
    }
}
