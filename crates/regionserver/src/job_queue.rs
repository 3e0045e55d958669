//! The jobs that wait and those under way. Knows no clock and no threads: times come in, jobs go out.

use crate::job::{Job, Pool, priority};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Beyond so many waiting jobs, compactions are turned away. Each store waits once at most for each kind, so that only a
/// server with more stores than this comes to the limit; what is turned away is found again by the next look at all
/// stores. Flushes are one for each region at most.
const MAX_WAITING: usize = 65_536;

/// Where a job waits: pools, then priorities, then who came first.
type Place = (Pool, i64, u64);

#[derive(Debug)]
struct Waiting {
    job: Job,
    /// How often it failed.
    failures: u32,
    /// How often it was begun.
    begun: u32,
    asked: Duration,
    not_before: Duration,
}

#[derive(Debug)]
struct Running {
    ticket: u64,
    job: Job,
    cancelled: Arc<AtomicBool>,
}

/// A job that is under way.
#[derive(Debug)]
pub(crate) struct Taken {
    ticket: u64,
    place: Place,
    pub(crate) job: Job,
    /// How often it failed before.
    pub(crate) failures: u32,
    /// How often it was begun before: it may have been put off.
    pub(crate) begun_before: u32,
    /// When it was asked for.
    pub(crate) asked: Duration,
    /// Set when it is to end.
    pub(crate) cancelled: Arc<AtomicBool>,
}

impl Taken {
    /// Whether an administrator asked for it, of a store that may still get files: otherwise any compaction is as urgent.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.place.1 == priority::USER
    }
}

/// What is next.
#[derive(Debug)]
pub(crate) enum Next {
    /// This job, which is under way from now on.
    Job(Taken),
    /// Nothing before this time, unless something changes.
    NotBefore(Duration),
    /// Nothing until something changes.
    Nothing,
}

/// The queue. Times count from any one moment.
#[derive(Debug, Default)]
pub(crate) struct JobQueue {
    waiting: BTreeMap<Place, Waiting>,
    places: HashMap<Job, Place>,
    /// As many as there are threads.
    running: Vec<Running>,
    last_number: u64,
}

impl JobQueue {
    /// Asks for a job, unless it waits already; one that waits with a worse priority gets the better one. False when
    /// there is no room.
    pub(crate) fn ask(&mut self, job: Job, pool: Pool, priority: i64, now: Duration) -> bool {
        let mut waiting = Waiting { job, failures: 0, begun: 0, asked: now, not_before: now };
        if let Some(&place) = self.places.get(&waiting.job) {
            if (place.0, place.1) == (pool, priority) || place.1 < priority {
                return true;
            }
            if let Some(before) = self.remove(place) {
                waiting.asked = before.asked;
            }
        }
        if !self.make_room(pool, priority) {
            return false;
        }
        let number = self.number();
        self.put((pool, priority, number), waiting);
        true
    }

    /// How many jobs wait for a pool.
    pub(crate) fn waiting(&self, pool: Pool) -> usize {
        self.waiting.range((pool, i64::MIN, 0)..=(pool, i64::MAX, u64::MAX)).count()
    }

    /// Whether there is room for one more of this priority, which may have to drive out the last in the queue.
    fn make_room(&mut self, pool: Pool, priority: i64) -> bool {
        if pool == Pool::Flushes || self.waiting.len() < MAX_WAITING {
            return true;
        }
        let last = self.waiting.range((pool, i64::MIN, 0)..=(pool, i64::MAX, u64::MAX)).next_back();
        match last.map(|(place, _)| *place) {
            Some(place) if place.1 > priority => self.remove(place).is_some(),
            _ => false,
        }
    }

    /// The best job that may begin now and that waits for none under way.
    pub(crate) fn next(&mut self, pool: Pool, now: Duration) -> Next {
        let mut earliest: Option<Duration> = None;
        for &pool in pool.takes_from() {
            let of_pool = (pool, i64::MIN, 0)..=(pool, i64::MAX, u64::MAX);
            for (place, waiting) in self.waiting.range(of_pool) {
                if self.running.iter().any(|running| waiting.job.must_wait_for(&running.job)) {
                    continue;
                }
                if waiting.not_before <= now {
                    return self.begin(*place);
                }
                earliest = Some(earliest.map_or(waiting.not_before, |time| time.min(waiting.not_before)));
            }
        }
        earliest.map_or(Next::Nothing, Next::NotBefore)
    }

    fn begin(&mut self, place: Place) -> Next {
        let Some(Waiting { job, failures, begun, asked, .. }) = self.remove(place) else {
            return Next::Nothing;
        };
        let ticket = self.number();
        let cancelled = Arc::new(AtomicBool::new(false));
        self.running.push(Running { ticket, job: job.clone(), cancelled: Arc::clone(&cancelled) });
        Next::Job(Taken { ticket, place, job, failures, begun_before: begun, asked, cancelled })
    }

    /// Notes what a job that is under way turned out to be. False when it would have to wait for another.
    pub(crate) fn becomes(&mut self, taken: &mut Taken, job: Job) -> bool {
        let others = |running: &Running| running.ticket != taken.ticket && job.must_wait_for(&running.job);
        if self.running.iter().any(others) {
            return false;
        }
        if let Some(running) = self.running.iter_mut().find(|running| running.ticket == taken.ticket) {
            running.job = job.clone();
        }
        taken.job = job;
        true
    }

    /// Notes that a job is over.
    pub(crate) fn over(&mut self, taken: &Taken) {
        self.running.retain(|running| running.ticket != taken.ticket);
    }

    /// Notes that a job is over, and puts it back into its place, to be begun again not before then; unless it was
    /// cancelled, or asked for anew meanwhile. That does not shorten the wait after a failure: while a disk is full every write
    /// may ask.
    pub(crate) fn again(&mut self, taken: Taken, failures: u32, not_before: Duration) {
        self.over(&taken);
        if taken.cancelled.load(Ordering::Acquire) {
            return;
        }
        if let Some(place) = self.places.get(&taken.job) {
            if let Some(waiting) = self.waiting.get_mut(place).filter(|_| failures > 0) {
                (waiting.failures, waiting.not_before) = (failures, not_before);
            }
        } else {
            let waiting = Waiting {
                job: taken.job,
                failures,
                begun: taken.begun_before.saturating_add(1),
                asked: taken.asked,
                not_before,
            };
            self.put(taken.place, waiting);
        }
    }

    /// Lets a flush of this region that was put off begin.
    pub(crate) fn no_longer_put_off(&mut self, region: &str) {
        let flushes = (Pool::Flushes, i64::MIN, 0)..=(Pool::Flushes, i64::MAX, u64::MAX);
        for (_, waiting) in self.waiting.range_mut(flushes) {
            if waiting.failures == 0 && waiting.job.flushed_region() == Some(region) {
                waiting.not_before = Duration::ZERO;
            }
        }
    }

    /// The regions of flushes that wait because they have failed.
    pub(crate) fn failed_flushes(&self) -> impl Iterator<Item = &str> {
        let failed = self.waiting.values().filter(|waiting| waiting.failures > 0);
        failed.filter_map(|waiting| waiting.job.flushed_region())
    }

    /// Takes the jobs of a kind out of the queue. Those under way are told to end.
    pub(crate) fn cancel(&mut self, wanted: impl Fn(&Job) -> bool) {
        self.forget(|_, job| wanted(job));
        for running in self.running.iter().filter(|running| wanted(&running.job)) {
            running.cancelled.store(true, Ordering::Release);
        }
    }

    /// Takes the jobs of a kind out of the queue, and lets those under way go on.
    pub(crate) fn forget(&mut self, wanted: impl Fn(Pool, &Job) -> bool) {
        let gone: Vec<Place> = self
            .waiting
            .iter()
            .filter(|(place, waiting)| wanted(place.0, &waiting.job))
            .map(|(place, _)| *place)
            .collect();
        for place in gone {
            self.remove(place);
        }
    }

    /// All jobs that wait or are under way.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = &Job> {
        self.places.keys().chain(self.running.iter().map(|running| &running.job))
    }

    fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    fn put(&mut self, place: Place, waiting: Waiting) {
        self.places.insert(waiting.job.clone(), place);
        self.waiting.insert(place, waiting);
    }

    fn remove(&mut self, place: Place) -> Option<Waiting> {
        let waiting = self.waiting.remove(&place)?;
        self.places.remove(&waiting.job);
        Some(waiting)
    }
}

#[cfg(test)]
mod tests;
