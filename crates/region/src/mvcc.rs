//! Multi-version concurrency control of one region: which sequence ids readers may see.
//!
//! A writer takes the next number ([`Mvcc::begin`]), makes its edit durable and puts it into the memstore, and completes
//! the number. The read point moves over the completed prefix only, so that readers never see a later write without an
//! earlier one, and a writer is answered only when readers see its write.

use finback_sync::Mutex;
use finback_sync::atomic::{AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};
use tokio::sync::oneshot;

/// Write numbers and the read point of one region.
#[derive(Debug)]
pub(crate) struct Mvcc {
    read_point: AtomicU64,
    /// The last write that was dropped between its place in the log and its being seen.
    dropped_writes: AtomicU64,
    /// See [`Mvcc::keep_after`]; `u64::MAX`: nothing is kept.
    kept_after: AtomicU64,
    queue: Mutex<Queue>,
    /// Made for the first scanner: a region that is not read needs none.
    scanners: OnceLock<Box<[Arc<Scanners>]>>,
}

/// Places where scanners register at the current read point; a thread keeps to one, so that readers do not pass cache lines around.
/// Under the scheduler few, so that who looks at all of them is met by others.
const PLACES: usize = if cfg!(feature = "shuttle") { 2 } else { 16 };

#[derive(Debug, Default)]
#[repr(align(64))]
struct Scanners(Mutex<Held>);

/// Read points of open scanners.
#[derive(Debug, Default)]
struct Held {
    /// In order, with how many scanners hold each: most are the last one, and few are different.
    points: Vec<(u64, usize)>,
    /// Where scanners register that name their point: versions that only readers below this one need may be gone.
    floor: u64,
}

impl Held {
    fn add(&mut self, point: u64) {
        match self.points.binary_search_by_key(&point, |&(held, _)| held) {
            Ok(at) => self.points[at].1 += 1,
            Err(at) => self.points.insert(at, (point, 1)),
        }
    }

    fn remove(&mut self, point: u64) {
        if let Ok(at) = self.points.binary_search_by_key(&point, |&(held, _)| held) {
            self.points[at].1 -= 1;
            if self.points[at].1 == 0 {
                self.points.remove(at);
            }
        }
    }

    fn oldest(&self) -> Option<u64> {
        self.points.first().map(|&(oldest, _)| oldest)
    }
}

#[derive(Debug)]
struct Queue {
    write_point: u64,
    /// Numbers begun and not yet readable, oldest first. Bounded by the writers in flight.
    pending: VecDeque<Pending>,
    /// See [`Mvcc::give_up`].
    is_given_up: bool,
}

#[derive(Debug)]
struct Pending {
    number: u64,
    completed: bool,
    waiter: Option<oneshot::Sender<()>>,
}

impl Mvcc {
    /// Both points start at `sequence_id`.
    pub(crate) fn new(sequence_id: u64) -> Self {
        Self {
            read_point: AtomicU64::new(sequence_id),
            dropped_writes: AtomicU64::new(0),
            kept_after: AtomicU64::new(u64::MAX),
            queue: Mutex::new(Queue {
                write_point: sequence_id,
                pending: VecDeque::new(),
                is_given_up: false,
            }),
            scanners: OnceLock::new(),
        }
    }

    /// The newest number that readers may see.
    #[inline]
    pub(crate) fn read_point(&self) -> u64 {
        self.read_point.load(Ordering::Acquire)
    }

    /// Takes the next number.
    pub(crate) fn begin(&self) -> u64 {
        let mut queue = self.queue.lock();
        queue.write_point += 1;
        let number = queue.write_point;
        if queue.is_given_up {
            return number;
        }
        queue.pending.push_back(Pending { number, completed: false, waiter: None });
        number
    }

    /// Completes a number. `Some` resolves when the read point has reached it, or to an error when it never will; `None` means
    /// that it already has.
    pub(crate) fn complete(&self, number: u64) -> Option<oneshot::Receiver<()>> {
        let mut queue = self.queue.lock();
        if queue.is_given_up {
            return Some(oneshot::channel().1);
        }
        let first = queue.pending.front()?.number;
        // Numbers are consecutive in the queue: the position is the distance from its front.
        let position = usize::try_from(number.checked_sub(first)?).ok()?;
        let entry = queue.pending.get_mut(position)?;
        debug_assert_eq!(entry.number, number);
        entry.completed = true;
        if position > 0 {
            let (sender, receiver) = oneshot::channel();
            entry.waiter = Some(sender);
            return Some(receiver);
        }
        while queue.pending.front().is_some_and(|entry| entry.completed) {
            if let Some(entry) = queue.pending.pop_front() {
                self.read_point.store(entry.number, Ordering::Release);
                if let Some(waiter) = entry.waiter {
                    // A writer that is gone needs no answer.
                    let _ = waiter.send(());
                }
            }
        }
        None
    }

    /// Completes a number without waiting for those before it.
    pub(crate) fn abandon(&self, number: u64) {
        drop(self.complete(number));
    }

    /// One of the numbers will not be completed: the read point stays where it is, and who waits for it is told.
    pub(crate) fn give_up(&self) {
        let mut queue = self.queue.lock();
        queue.is_given_up = true;
        queue.pending.clear();
    }

    /// Whether the read point moves no more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.queue.lock().is_given_up
    }

    /// Notes that the writer of a number went away before the read point reached it.
    pub(crate) fn note_dropped(&self, number: u64) {
        self.dropped_writes.fetch_max(number, Ordering::AcqRel);
    }

    /// Whether a write of which [`Mvcc::note_dropped`] told is not readable yet.
    pub(crate) fn awaits_dropped(&self) -> bool {
        self.read_point() < self.dropped_writes.load(Ordering::Acquire)
    }

    /// Moves both points up to at least `sequence_id`, when no write is in flight (during replay).
    pub(crate) fn advance_to(&self, sequence_id: u64) {
        let mut queue = self.queue.lock();
        assert!(queue.pending.is_empty(), "writes in flight while the read point is moved");
        queue.write_point = queue.write_point.max(sequence_id);
        self.read_point.fetch_max(sequence_id, Ordering::AcqRel);
    }

    fn scanners(&self) -> &[Arc<Scanners>] {
        self.scanners.get_or_init(|| (0..=PLACES).map(|_| Arc::default()).collect())
    }

    /// Registers a scanner at `read_point`, or at the current read point. Of an older one versions may be missing that
    /// were dropped when nobody was registered there.
    pub(crate) fn register_scanner(&self, read_point: Option<u64>) -> ReadPoint {
        let Some(point) = read_point else { return self.register_now() };
        let place = &self.scanners()[PLACES];
        place.0.lock().add(point);
        ReadPoint { scanners: Arc::clone(place), point }
    }

    /// Registers a scanner at `point`, if all is still there that is seen there; otherwise at the current read point.
    pub(crate) fn register_resumed(&self, point: u64) -> ReadPoint {
        let place = &self.scanners()[PLACES];
        let mut held = place.0.lock();
        if point < held.floor {
            drop(held);
            return self.register_now();
        }
        held.add(point);
        drop(held);
        ReadPoint { scanners: Arc::clone(place), point }
    }

    fn register_now(&self) -> ReadPoint {
        let place = &self.scanners()[place_of_thread()];
        let mut held = place.0.lock();
        let point = self.read_point();
        held.add(point);
        drop(held);
        ReadPoint { scanners: Arc::clone(place), point }
    }

    /// Lets flushes keep what is newer than `point` as it is, whoever reads; `None`: no more.
    pub(crate) fn keep_after(&self, point: Option<u64>) {
        self.kept_after.store(point.unwrap_or(u64::MAX), Ordering::Release);
    }

    /// Newer cells must survive a flush as they are.
    pub(crate) fn smallest_kept_point(&self) -> u64 {
        self.smallest_read_point().min(self.kept_after.load(Ordering::Acquire))
    }

    /// The oldest point that some scanner reads at, or the read point: newer cells must survive a compaction as they are.
    /// Of older ones the caller may drop what is hidden: from now on nobody resumes below.
    pub(crate) fn smallest_read_point(&self) -> u64 {
        // First: whoever registers at a place after the look at it does so at this point or a newer one.
        let current = self.read_point();
        let (named, places) = self.scanners().split_last().expect("a place for those that name their point");
        let oldest = places.iter().filter_map(|place| place.0.lock().oldest()).fold(current, u64::min);
        // Last, and with the floor in one step: who comes to this place later is not below it.
        let mut named = named.0.lock();
        let oldest = named.oldest().map_or(oldest, |point| point.min(oldest));
        named.floor = named.floor.max(oldest);
        oldest
    }
}

/// Where this thread's scanners register.
fn place_of_thread() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    finback_sync::thread_local! {
        static PLACE: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PLACES;
    }
    PLACE.with(|place| *place)
}

/// The registration of a scanner; ends when dropped.
#[derive(Debug)]
pub(crate) struct ReadPoint {
    scanners: Arc<Scanners>,
    point: u64,
}

impl ReadPoint {
    /// Cells with higher sequence ids are not to be seen.
    pub(crate) fn get(&self) -> u64 {
        self.point
    }
}

impl ReadPoint {
    /// Registers once more, at the same point.
    pub(crate) fn again(&self) -> Self {
        self.scanners.0.lock().add(self.point);
        Self { scanners: Arc::clone(&self.scanners), point: self.point }
    }
}

impl Drop for ReadPoint {
    fn drop(&mut self) {
        self.scanners.0.lock().remove(self.point);
    }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
#[cfg(test)]
mod tests;
