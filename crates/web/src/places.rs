//! Places of connections. There are so many; who has waited longest without asking for anything makes room for who comes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// All places.
pub(crate) struct Places {
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    /// Counts what happens: there is no clock.
    now: u64,
    by_id: HashMap<u64, Held>,
}

struct Held {
    /// Since when a whole head of a request is waited for; none while a request is answered.
    waits_since: Option<u64>,
    lost: Arc<Notify>,
}

/// The place of one connection, until it is dropped or lost.
pub(crate) struct Place {
    places: Arc<Places>,
    id: u64,
    lost: Arc<Notify>,
    /// The answer is made, and on its way.
    is_answered: AtomicBool,
}

impl Places {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// A place, which another one may lose by that; none if all others are being answered.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Place> {
        let mut taken = self.lock();
        if taken.by_id.len() >= self.most {
            let waiting = taken.by_id.iter().filter_map(|(id, held)| Some((held.waits_since?, *id)));
            let (_, longest) = waiting.min()?;
            taken.by_id.remove(&longest)?.lost.notify_one();
        }
        let (id, lost) = (taken.tick(), Arc::new(Notify::new()));
        taken.by_id.insert(id, Held { waits_since: Some(id), lost: Arc::clone(&lost) });
        Some(Place { places: Arc::clone(self), id, lost, is_answered: AtomicBool::new(false) })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Whoever panicked left a whole map.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }
}

impl Place {
    /// A request has come whole: the place is kept until its answer is sent.
    pub(crate) fn asked(&self) {
        self.is_answered.store(false, Ordering::Relaxed);
        self.set(|_| None);
    }

    /// The answer is made.
    pub(crate) fn answered(&self) {
        self.is_answered.store(true, Ordering::Relaxed);
    }

    /// What there was to send is sent.
    pub(crate) fn sent(&self) {
        if self.is_answered.swap(false, Ordering::Relaxed) {
            self.set(Some);
        }
    }

    /// Ready when another connection has got this place.
    pub(crate) async fn lost(&self) {
        self.lost.notified().await;
    }

    fn set(&self, waits_since: impl FnOnce(u64) -> Option<u64>) {
        let mut taken = self.places.lock();
        let now = taken.tick();
        if let Some(held) = taken.by_id.get_mut(&self.id) {
            held.waits_since = waits_since(now);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(places: &Arc<Places>) -> Vec<u64> {
        let mut ids: Vec<_> = places.lock().by_id.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn who_has_waited_longest_makes_room() {
        let places = Places::new(3);
        let [a, b, c] = [(); 3].map(|()| places.take().unwrap());
        // The first waits anew: the second has waited longest now.
        a.asked();
        a.answered();
        a.sent();
        let d = places.take().unwrap();
        assert_eq!(taken(&places), [a.id, c.id, d.id]);
        // One that has lost its place gives back none.
        b.asked();
        drop(b);
        assert_eq!(taken(&places).len(), 3);
        let e = places.take().unwrap();
        assert_eq!(taken(&places), [a.id, d.id, e.id]);
    }

    #[test]
    fn who_is_being_answered_keeps_the_place() {
        let places = Places::new(2);
        let [a, b] = [(); 2].map(|()| places.take().unwrap());
        a.asked();
        b.asked();
        assert!(places.take().is_none());
        // What is sent before the answer is made is none of it.
        b.sent();
        b.answered();
        assert!(places.take().is_none());
        b.sent();
        assert!(places.take().is_some());
        drop(a);
        assert!(places.take().is_some());
    }
}
