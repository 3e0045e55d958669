//! Compactions take turns where memory does not suffice for all of them.
//!
//! What a compaction works with counts in the block cache. One whose need, as it is estimated at its beginning, does not
//! fit beside what is there waits until others have ended. One may always run, whatever it needs; who comes first goes
//! first, and later ones pass only where they would leave room for those that they pass: so nobody waits for ever.
//! Flushes do not ask.

use finback_hfile::{BlockCache, CacheCharge};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Who waits looks so often whether he is to give up, and whether others than compactions have left memory.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Of the cache, without what is open beside it, compactions may have half: readers need some of it.
const SHARE_OF_CACHE: u64 = 2;

/// More than any machine has: sums of it stay numbers.
const MOST_COUNTED_BYTES: u64 = 1 << 48;

/// The turns of compactions that share a block cache.
#[derive(Debug, Default)]
pub struct CompactionMemory {
    turns: Mutex<Turns>,
    over: Condvar,
}

impl CompactionMemory {
    /// Waits until a compaction that needs about so many bytes may begin, and counts them in `cache` from then on.
    /// `None` when it is to end before.
    pub(crate) fn wait(
        &self,
        cache: &Arc<dyn BlockCache>,
        bytes: u64,
        is_to_end: impl Fn() -> bool,
    ) -> Option<CompactionTurn<'_>> {
        let mut turns = self.turns.lock();
        let ticket = turns.come(bytes);
        if !turns.may_begin(ticket, cache.room_outside()) {
            tracing::info!(bytes, "a compaction waits until others have given back memory");
        }
        while !turns.may_begin(ticket, cache.room_outside()) {
            self.over.wait_for(&mut turns, LOOK_INTERVAL);
            if is_to_end() {
                turns.leave(ticket);
                self.over.notify_all();
                return None;
            }
        }
        turns.begin(ticket);
        let reserved = usize::try_from(bytes.min(MOST_COUNTED_BYTES)).unwrap_or(usize::MAX);
        let charge = CacheCharge::new(Arc::clone(cache), reserved);
        // Those behind may be able to begin, too.
        self.over.notify_all();
        Some(CompactionTurn { memory: self, ticket, reserved, charge: Some(charge) })
    }
}

/// A compaction's right to memory, until it is dropped.
#[derive(Debug)]
pub(crate) struct CompactionTurn<'a> {
    memory: &'a CompactionMemory,
    ticket: u64,
    reserved: usize,
    charge: Option<CacheCharge>,
}

impl CompactionTurn<'_> {
    /// Notes how many bytes the compaction has now: what goes beyond its estimate counts, too.
    pub(crate) fn holds(&mut self, bytes: usize) {
        if let Some(charge) = &mut self.charge {
            charge.set(bytes.max(self.reserved));
        }
    }
}

impl Drop for CompactionTurn<'_> {
    fn drop(&mut self) {
        let mut turns = self.memory.turns.lock();
        // Under the lock: nobody may take the bytes for free and for those of a compaction at once.
        self.charge = None;
        turns.end(self.ticket);
        self.memory.over.notify_all();
    }
}

/// A compaction, and what it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Turn {
    ticket: u64,
    bytes: u64,
}

/// Which compactions wait, and which are under way. Waits for nothing itself.
#[derive(Debug, Default)]
struct Turns {
    last_ticket: u64,
    /// As many as there are threads for compactions, like those that wait.
    under_way: Vec<Turn>,
    /// Who came first is first.
    waiting: VecDeque<Turn>,
}

fn sum<'a>(turns: impl IntoIterator<Item = &'a Turn>) -> u64 {
    turns.into_iter().map(|turn| turn.bytes).fold(0, u64::saturating_add)
}

impl Turns {
    fn come(&mut self, bytes: u64) -> u64 {
        self.last_ticket += 1;
        self.waiting.push_back(Turn { ticket: self.last_ticket, bytes });
        self.last_ticket
    }

    /// Whether one that waits may begin now. `room`: bytes that are left beside all that is counted, with what those
    /// under way need.
    fn may_begin(&self, ticket: u64, room: u64) -> bool {
        let Some(place) = self.waiting.iter().position(|turn| turn.ticket == ticket) else { return false };
        let bytes = self.waiting[place].bytes;
        let share = room.saturating_add(sum(&self.under_way)) / SHARE_OF_CACHE;
        let fits_beside = |others: u64| others.saturating_add(bytes) <= share;
        if place == 0 {
            return self.under_way.is_empty() || fits_beside(sum(&self.under_way));
        }
        // Those that were passed must find room beside all that passed them.
        let first = self.waiting[0].ticket;
        let passed = sum(self.under_way.iter().filter(|turn| turn.ticket > first));
        let before = sum(self.waiting.range(..place));
        fits_beside(sum(&self.under_way)) && fits_beside(passed.saturating_add(before))
    }

    fn begin(&mut self, ticket: u64) {
        if let Some(place) = self.waiting.iter().position(|turn| turn.ticket == ticket) {
            self.under_way.extend(self.waiting.remove(place));
        }
    }

    fn leave(&mut self, ticket: u64) {
        self.waiting.retain(|turn| turn.ticket != ticket);
    }

    fn end(&mut self, ticket: u64) {
        self.under_way.retain(|turn| turn.ticket != ticket);
    }
}

#[cfg(test)]
mod tests;
