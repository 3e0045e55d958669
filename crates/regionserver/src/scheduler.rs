//! Carries out background jobs: each pool has its threads, and each job at most one thread.

use crate::background_options::BackgroundOptions;
use crate::io_budget::Pressure;
use crate::job::{Job, Pool, priority};
use crate::job_queue::{JobQueue, Next, Taken};
use crate::server::RegionServer;
use crate::throughput_controller::ThroughputController;
use crate::{compactor, flusher, mob_chores, periodic_flusher};
use finback_cell::Bytes;
use finback_region::{Host, OffPeakHours, Region};
use parking_lot::{Mutex, RwLock};
use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, Ordering::Relaxed};
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Between two looks at the stores, HBase's `hbase.server.thread.wakefrequency`: files grow old without a flush too. How
/// many looks pass a store by is its own setting.
const LOOK_INTERVAL: Duration = Duration::from_secs(10);
/// Between two looks at the pressure.
const PRESSURE_INTERVAL: Duration = Duration::from_secs(1);
/// With so many calls at most in that time, and so many rows, nobody is disturbed by compactions.
const IDLE_CALLS: u64 = 20;
const IDLE_ROWS: u64 = 100;
/// After a first failure: a full disk is asked again, but not at once, each time with all that is in memory. Then twice
/// as long, and so on.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The longest pause after a failure.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);
/// A job that fails so often is given up until it is asked for again: by the next write that finds the memstore too
/// large, the next flush, or the next look at all stores.
const MAX_FAILURES: u32 = 5;

/// How a job ended.
pub(crate) enum End {
    Done,
    /// It is not the time for it.
    PutOff(Duration),
    Failed,
}

/// The jobs of a server.
#[derive(Debug)]
pub(crate) struct Scheduler {
    options: RwLock<BackgroundOptions>,
    pub(crate) throughput: Arc<ThroughputController>,
    queue: Mutex<JobQueue>,
    begun: Instant,
    changed: Notify,
    compactions_enabled: AtomicBool,
    is_shut_down: AtomicBool,
    /// Whether a flush for memory waits: every write asks for it while memory is short.
    memory_asked: AtomicBool,
}

impl Scheduler {
    pub(crate) fn new(options: BackgroundOptions) -> Self {
        Self {
            throughput: Arc::new(ThroughputController::new(&options)),
            queue: Mutex::default(),
            begun: Instant::now(),
            changed: Notify::new(),
            compactions_enabled: AtomicBool::new(options.compactions_enabled),
            is_shut_down: AtomicBool::new(false),
            memory_asked: AtomicBool::new(false),
            options: RwLock::new(options),
        }
    }

    pub(crate) fn options(&self) -> BackgroundOptions {
        self.options.read().clone()
    }

    /// Other settings. As many threads as there are stay.
    pub(crate) fn reconfigure(&self, options: BackgroundOptions) {
        let before = std::mem::replace(&mut *self.options.write(), options.clone());
        // A switch that somebody turned meanwhile stays as it is.
        if before.compactions_enabled != options.compactions_enabled {
            self.switch_compactions(options.compactions_enabled);
        }
        self.throughput.reconfigure(&options);
    }

    /// The time by which the queue goes.
    pub(crate) fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    fn ask(&self, job: Job, pool: Pool, priority: i64) {
        if self.is_shut_down.load(Ordering::Acquire) {
            return;
        }
        if self.queue.lock().ask(job, pool, priority, self.now()) {
            self.changed.notify_waiters();
        } else {
            tracing::warn!(?pool, "a full queue turned a background job away");
        }
    }

    /// Asks for a flush of one region.
    pub(crate) fn ask_for_flush(&self, encoded_region: &str) {
        self.ask(Job::Flush { region: encoded_region.into() }, Pool::Flushes, priority::FLUSH);
    }

    /// Asks for a flush of one region that is larger than it should be.
    pub(crate) fn ask_for_flush_for_size(&self, encoded_region: &str) {
        self.ask(Job::FlushForSize { region: encoded_region.into() }, Pool::Flushes, priority::FLUSH);
    }

    /// Asks for a flush of some families of a region; with none, of all that its policy says.
    pub(crate) fn ask_for_flush_of(&self, encoded_region: &str, families: Vec<Bytes>) {
        if families.is_empty() {
            return self.ask_for_flush(encoded_region);
        }
        let job = Job::FlushFamilies { region: encoded_region.into(), families };
        self.ask(job, Pool::Flushes, priority::FLUSH);
    }

    /// Asks for a flush that frees memory.
    pub(crate) fn ask_for_memory(&self) {
        if !self.memory_asked.swap(true, Ordering::AcqRel) {
            self.ask(Job::FlushForMemory, Pool::Flushes, priority::MEMORY);
        }
    }

    /// Asks for a compaction of a store. What an administrator asks for (`by_user`) goes first.
    pub(crate) fn ask_for_compaction(&self, region: &Region, family: Bytes, major: bool, by_user: bool) {
        if !region.may_be_compacted() {
            return;
        }
        if !self.are_compactions_enabled() {
            // As in HBase, it is not forgotten.
            if major && by_user {
                region.want_major(&family);
            }
            return;
        }
        let left = region.files_before_blocking(&family).unwrap_or_default();
        let priority = if by_user {
            priority::USER.min(left)
        } else if region.has_references(&family) {
            priority::AFTER_SPLIT
        } else {
            priority::of_store(left)
        };
        let is_large = region.compaction_bytes(&family, major) > self.options.read().large_compaction_bytes;
        let pool = if is_large { Pool::LargeCompactions } else { Pool::SmallCompactions };
        self.ask(
            Job::Compaction { region: Arc::clone(region.encoded_name()), family, major },
            pool,
            priority,
        );
    }

    /// Asks for what the region's stores need.
    pub(crate) fn look_at(&self, region: &Region) {
        if self.are_compactions_enabled() {
            self.ask_for_compactions(region, region.families_to_compact());
        }
    }

    /// Files were loaded into stores of the region.
    pub(crate) fn bulk_loaded(&self, region: &Region) {
        if self.options.read().compacts_after_bulk_load {
            self.look_at(region);
        }
    }

    fn ask_for_compactions(&self, region: &Region, families: Vec<Bytes>) {
        for family in families {
            self.ask_for_compaction(region, family, false, false);
        }
    }

    /// What compactions wait or are under way: for each region, whether one of some files, and whether one of all files.
    pub(crate) fn compactions(&self) -> HashMap<Arc<str>, (bool, bool)> {
        let mut found: HashMap<Arc<str>, (bool, bool)> = HashMap::new();
        for job in self.queue.lock().jobs() {
            if let Job::Compaction { region, major, .. } = job {
                let (some, all) = found.entry(Arc::clone(region)).or_default();
                *some |= !major;
                *all |= major;
            }
        }
        found
    }

    /// Regions whose flush has failed and is to be tried again.
    pub(crate) fn regions_with_failed_flushes(&self) -> HashSet<Arc<str>> {
        self.queue.lock().failed_flushes().map(Into::into).collect()
    }

    /// How many jobs wait for a pool.
    pub(crate) fn waiting(&self, pool: Pool) -> usize {
        self.queue.lock().waiting(pool)
    }

    /// Ends all jobs of a region but flushes that are under way, on which its close depends.
    pub(crate) fn cancel_region(&self, encoded_region: &str) {
        self.queue.lock().cancel(|job| job.region() == Some(encoded_region));
        self.changed.notify_waiters();
    }

    pub(crate) fn are_compactions_enabled(&self) -> bool {
        self.compactions_enabled.load(Ordering::Acquire)
    }

    /// Lets there be compactions, or none; those that wait or are under way are cancelled then. Gives back how it was.
    pub(crate) fn switch_compactions(&self, enabled: bool) -> bool {
        let before = self.compactions_enabled.swap(enabled, Ordering::AcqRel);
        if !enabled {
            self.queue.lock().cancel(Job::is_compaction);
            self.changed.notify_waiters();
        }
        before
    }

    /// Forgets the compactions that wait for a pool.
    pub(crate) fn clear_compactions(&self, pool: Pool) {
        self.queue.lock().forget(|waits_for, job| waits_for == pool && job.is_compaction());
    }

    /// Makes a job that is under way another. False when it would have to wait.
    pub(crate) fn becomes(&self, taken: &mut Taken, job: Job) -> bool {
        self.queue.lock().becomes(taken, job)
    }

    /// Lets flushes go on that wait for a compaction of this region.
    pub(crate) fn compacted(&self, encoded_region: &str) {
        self.queue.lock().no_longer_put_off(encoded_region);
        self.changed.notify_waiters();
    }

    /// Ends all compactions, and begins nothing any more.
    pub(crate) fn shut_down(&self) {
        self.is_shut_down.store(true, Ordering::Release);
        self.queue.lock().cancel(|_| true);
        self.changed.notify_waiters();
    }

    /// The next job of a pool; `None` when the server goes down.
    async fn next(&self, pool: Pool) -> Option<Taken> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            if self.is_shut_down.load(Ordering::Acquire) {
                return None;
            }
            let next = self.queue.lock().next(pool, self.now());
            match next {
                Next::Job(taken) => {
                    if taken.job == Job::FlushForMemory {
                        // Whether memory is short is looked at after this: who finds it so later asks again.
                        self.memory_asked.swap(false, Ordering::AcqRel);
                    }
                    return Some(taken);
                }
                Next::Nothing => changed.await,
                Next::NotBefore(time) => {
                    let wait = time.saturating_sub(self.now());
                    let _ = tokio::time::timeout(wait, changed).await;
                }
            }
        }
    }

    fn ended(&self, taken: Taken, end: &End) {
        let mut queue = self.queue.lock();
        match end {
            End::Done => queue.over(&taken),
            // It waits for something else now than before, when it may have failed.
            End::PutOff(pause) => queue.again(taken, 0, self.now() + *pause),
            End::Failed if taken.failures + 1 < MAX_FAILURES => {
                let pause = (FIRST_PAUSE * 2u32.pow(taken.failures)).min(LONGEST_PAUSE);
                let failures = taken.failures + 1;
                queue.again(taken, failures, self.now() + pause);
            }
            End::Failed => {
                tracing::error!(job = ?taken.job, failures = MAX_FAILURES, "a background job is given up");
                queue.over(&taken);
            }
        }
        drop(queue);
        // Others may have waited for it.
        self.changed.notify_waiters();
    }
}

/// Begins the work. It ends when the server does.
pub(crate) fn begin(server: &Arc<RegionServer>) {
    let options = server.scheduler.options();
    let pools = [
        (Pool::Flushes, options.flush_threads),
        (Pool::SmallCompactions, options.small_compaction_threads),
        (Pool::LargeCompactions, options.large_compaction_threads),
    ];
    for (pool, threads) in pools {
        for _ in 0..threads {
            tokio::spawn(work(Arc::clone(server), pool));
        }
    }
    tokio::spawn(look_around(Arc::clone(server)));
    tokio::spawn(periodic_flusher::run(Arc::clone(server)));
    mob_chores::begin(server);
}

async fn work(server: Arc<RegionServer>, pool: Pool) {
    while let Some(mut taken) = server.scheduler.next(pool).await {
        let end = end_of(carry_out(&server, &mut taken)).await;
        server.scheduler.ended(taken, &end);
    }
}

async fn carry_out(server: &Arc<RegionServer>, taken: &mut Taken) -> End {
    match &taken.job {
        Job::Compaction { .. } => compactor::carry_out(server, taken).await,
        Job::Flush { .. } | Job::FlushForSize { .. } | Job::FlushFamilies { .. } | Job::FlushForMemory => {
            flusher::carry_out(server, taken).await
        }
    }
}

/// How a job ends. One that panics has failed: others are still to be carried out, and some of them wait for its end.
async fn end_of(job: impl Future<Output = End>) -> End {
    let mut job = std::pin::pin!(job);
    let ended = std::future::poll_fn(|context| {
        // The panic was reported by its hook, and nothing of the job is touched again.
        catch_unwind(AssertUnwindSafe(|| job.as_mut().poll(context))).unwrap_or(Poll::Ready(End::Failed))
    });
    ended.await
}

/// Looks at all stores now and then, and at the pressure often.
async fn look_around(server: Arc<RegionServer>) {
    let now = tokio::time::Instant::now();
    let mut looks = tokio::time::interval_at(now + LOOK_INTERVAL, LOOK_INTERVAL);
    let mut look = 0;
    let mut ticks = tokio::time::interval_at(now + PRESSURE_INTERVAL, PRESSURE_INTERVAL);
    let mut asked = Asked::default();
    while !server.is_stopping() {
        tokio::select! {
            _ = looks.tick() => {
                look += 1;
                for region in server.regions.all() {
                    server.scheduler.ask_for_compactions(&region, region.families_to_compact_at_look(look));
                }
            }
            _ = ticks.tick() => {
                let before = std::mem::replace(&mut asked, Asked::of(&server));
                let pressure = pressure(&server, asked.is_hardly_more_than(before));
                server.compaction_pressure.note(pressure.compactions);
                server.scheduler.throughput.tune(pressure);
            }
        }
    }
}

/// What clients have asked for so far.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    calls: u64,
    rows: u64,
}

impl Asked {
    fn of(server: &RegionServer) -> Self {
        let rows_of = |region: Arc<Region>| {
            let counters = region.counters();
            counters.reads.load(Relaxed) + counters.writes.load(Relaxed)
        };
        Self { calls: server.requests(), rows: server.regions.all().into_iter().map(rows_of).sum() }
    }

    /// Whether hardly anything has come since: somebody who looks how a compaction comes on is not to slow it down.
    fn is_hardly_more_than(self, before: Self) -> bool {
        // A region that has left takes its rows with it.
        let few = |now: u64, then: u64, most| now.checked_sub(then).is_some_and(|more| more <= most);
        few(self.calls, before.calls, IDLE_CALLS) && few(self.rows, before.rows, IDLE_ROWS)
    }
}

/// `is_idle`: whether clients have asked for hardly anything since the last look.
fn pressure(server: &RegionServer, is_idle: bool) -> Pressure {
    let off_peak = server.scheduler.options().off_peak_hours;
    let now_ms = server.host.now_ms();
    let is_off_peak = |hours: OffPeakHours| hours.contains(now_ms, server.host.utc_offset_ms(now_ms));
    let pressures = server.regions.all().into_iter().map(|region| region.compaction_pressure());
    Pressure {
        compactions: pressures.fold(0.0, f64::max),
        memory: server.host.pressure(),
        is_off_peak: is_idle || off_peak.is_some_and(is_off_peak),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_job_that_panics_has_failed() {
        let panics = async |after: Duration| -> End {
            tokio::time::sleep(after).await;
            panic!("a panic that is to be")
        };
        for after in [Duration::ZERO, Duration::from_millis(1)] {
            assert!(matches!(end_of(panics(after)).await, End::Failed));
        }
        assert!(matches!(end_of(async { End::Done }).await, End::Done));
    }

    #[tokio::test]
    async fn a_flush_that_failed_and_is_put_off_is_not_passed_over_for_its_failure() {
        let scheduler = Scheduler::new(BackgroundOptions::default());
        scheduler.ask_for_flush("one");
        let taken = scheduler.next(Pool::Flushes).await.unwrap();
        scheduler.ended(taken, &End::Failed);
        assert_eq!(scheduler.regions_with_failed_flushes(), HashSet::from(["one".into()]));
        let taken = scheduler.next(Pool::Flushes).await.unwrap();
        scheduler.ended(taken, &End::PutOff(Duration::from_secs(1)));
        assert_eq!(scheduler.regions_with_failed_flushes(), HashSet::new());
        assert_eq!(scheduler.waiting(Pool::Flushes), 1);
    }

    #[test]
    fn who_looks_on_is_not_a_client_to_be_spared() {
        let asked = |calls, rows| Asked { calls, rows };
        let before = asked(1000, 5000);
        assert!(before.is_hardly_more_than(before));
        assert!(asked(1020, 5100).is_hardly_more_than(before));
        assert!(!asked(1021, 5000).is_hardly_more_than(before), "many calls");
        assert!(!asked(1001, 5101).is_hardly_more_than(before), "a call of many rows");
        assert!(!asked(1001, 4000).is_hardly_more_than(before), "a region has left");
    }
}
