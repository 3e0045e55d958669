//! Commits by the threads that ask for them.
//!
//! To hand a group over to the log's thread, and the answers back, wakes several threads; where few writes are under way, that costs
//! more than all else but the sync. A thread that runs [`commit_on_this_thread`] writes and syncs by itself what its calls have queued,
//! with what others have queued until then, as long as nobody is disturbed by that:
//! * The last writers that waited for the log are of this thread: of several threads the log's own makes larger groups.
//! * What is queued is small: the log's thread syncs a large group while the next one is taken in.
//! * Nothing but writes was served here lately ([`others_are_served_here`]), and syncs are fast: reads are not to wait for the disk.

use std::{
    cell::{Cell, RefCell},
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use finback_sync::{Mutex, thread_local};

use crate::{
    group_commit::Writer,
    log::Shared,
    precise_timer::PreciseTimer,
    queue::Queue,
    turns::{Turn, commit_turn},
};

/// So many writers in a row, all of one thread. Under a scheduler of the tests every one: its programs are short.
const RUN: u32 = if cfg!(feature = "shuttle") { 1 } else { 64 };
/// More than this is for the log's thread.
const MAX_QUEUED_BYTES: usize = 64 << 10;
/// A commit that takes longer holds up a thread that has other things to do.
const SLOW: Duration = Duration::from_millis(2);
/// Groups that are left to the log's thread after that.
const RESTING_AFTER_SLOW: u32 = 32;
/// The same after anything but a write.
const RESTING_AFTER_OTHERS: u32 = 256;

thread_local! {
    static HERE: Here = Here::default();
}

/// A log, for who may commit.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Arc<Mutex<Writer>>,
}

#[derive(Debug, Default)]
struct Here {
    /// Somebody polls [`commit_on_this_thread`].
    commits: Cell<bool>,
    resting: Cell<u32>,
    /// Logs that have what is to be committed here.
    due: RefCell<Vec<Log>>,
    /// One that waits for more writers.
    waiting: RefCell<Option<Log>>,
    waker: RefCell<Option<Waker>>,
}

/// Tells threads that commit apart; 0 for all others.
pub(crate) fn committing_thread() -> usize {
    HERE.with(|here| if here.commits.get() { std::ptr::from_ref(here).addr() } else { 0 })
}

/// This thread serves more than writes, which are not to wait for the disk: for a while its writes are committed by
/// their logs' threads.
pub fn others_are_served_here() {
    HERE.with(|here| {
        if here.commits.get() {
            here.resting.set(RESTING_AFTER_OTHERS);
        }
    });
}

/// Whether this thread will commit what is queued, so that the log's thread may sleep on.
pub(crate) fn takes(log: &Log, queue: &Queue) -> bool {
    if queue.run() < RUN || queue.queued_bytes > MAX_QUEUED_BYTES || queue.is_pressed() {
        return false;
    }
    HERE.with(|here| {
        let resting = here.resting.get();
        if resting > 0 || !here.commits.get() {
            here.resting.set(resting.saturating_sub(1));
            return false;
        }
        here.make_due(log.clone());
        true
    })
}

/// Commits what calls of this thread queue, whenever this is polled; never ends. To be run by a scheduler that has one thread,
/// beside these calls, and with I/O.
pub async fn commit_on_this_thread() {
    let _commits = Commits::begin();
    let mut timer = None;
    loop {
        let log = next_due().await;
        let begun = Instant::now();
        match commit_turn(&log) {
            Turn::Done { more } => HERE.with(|here| {
                if begun.elapsed() > SLOW {
                    here.resting.set(here.resting.get().max(RESTING_AFTER_SLOW));
                }
                if more {
                    here.make_due(log);
                }
            }),
            Turn::WaitsUntil(until) => wait(log, until, &mut timer).await,
        }
        yield_now().await; // who was answered goes first
    }
}

/// The log is due again then, or with the writer that is the last of those who are expected.
async fn wait(log: Log, until: Instant, timer: &mut Option<PreciseTimer>) {
    HERE.with(|here| here.waiting.replace(Some(log)));
    if timer.is_none() {
        *timer = PreciseTimer::new()
            .inspect_err(|error| tracing::debug!(%error, "no timer for a log: it is asked again and again whether it is time"))
            .ok();
    }
    if let Some(timer) = timer {
        let mut end = pin!(timer.sleep_until(until));
        poll_fn(|context| match HERE.with(|here| here.poll_due(context)) {
            Poll::Ready(()) => Poll::Ready(()),
            Poll::Pending => end.as_mut().poll(context).map(drop),
        })
        .await;
    }
    HERE.with(|here| {
        if let Some(log) = here.waiting.take() {
            here.make_due(log);
        }
    });
}

async fn next_due() -> Log {
    poll_fn(|context| HERE.with(|here| here.poll_due(context))).await;
    HERE.with(|here| here.due.borrow_mut().remove(0))
}

/// Lets the other tasks of this thread run.
async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Here {
    fn make_due(&self, log: Log) {
        let mut due = self.due.borrow_mut();
        if !due.iter().any(|other| Arc::ptr_eq(&other.shared, &log.shared)) {
            due.push(log);
        }
        if let Some(waker) = self.waker.borrow_mut().take() {
            waker.wake();
        }
    }

    /// Ready if any log is due.
    fn poll_due(&self, context: &Context<'_>) -> Poll<()> {
        if !self.due.borrow().is_empty() {
            return Poll::Ready(());
        }
        *self.waker.borrow_mut() = Some(context.waker().clone());
        Poll::Pending
    }
}

/// While this lives, the thread commits.
struct Commits;

impl Commits {
    fn begin() -> Self {
        HERE.with(|here| here.commits.set(true));
        Self
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        // The thread may be at its end, and what it had gone.
        let left = HERE.try_with(|here| {
            here.commits.set(false);
            here.waker.take();
            let mut left = here.due.take();
            left.extend(here.waiting.take());
            left
        });
        for log in left.unwrap_or_default() {
            log.wake_thread();
        }
    }
}

impl Log {
    /// Leaves what is queued to the log's thread.
    pub(crate) fn wake_thread(&self) {
        self.shared.queue.lock().hurry();
        self.shared.wake.notify_one();
    }
}
