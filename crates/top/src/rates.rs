//! Rates: what counters have grown by between two reports of a server.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Counters, as a server reports them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) reads: u64,
    pub(crate) filtered_reads: u64,
    pub(crate) writes: u64,
}

/// How fast counters grow.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct PerSecond {
    pub(crate) reads: f64,
    pub(crate) filtered_reads: f64,
    pub(crate) writes: f64,
}

impl PerSecond {
    pub(crate) fn requests(&self) -> f64 {
        self.reads + self.writes
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.filtered_reads += other.filtered_reads;
        self.writes += other.writes;
    }
}

/// The counters of the last reports, by what they are of. It holds what the last answer had, and nothing else.
#[derive(Debug)]
pub(crate) struct Rates<K> {
    known: HashMap<K, Known>,
    answer: u64,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    /// The answer that it last stood in.
    answer: u64,
    /// When the server reported it, by the server's clock.
    reported_ms: u64,
    counters: Counters,
    rates: PerSecond,
}

impl<K> Default for Rates<K> {
    fn default() -> Self {
        Self { known: HashMap::new(), answer: 0 }
    }
}

impl<K: Eq + Hash> Rates<K> {
    /// What the counters of `key` say now: their growth since the report before. It stays what it was as long as there is
    /// no newer report, and is nothing at the first.
    pub(crate) fn update<Q>(&mut self, key: &Q, reported_ms: u64, counters: Counters) -> PerSecond
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let answer = self.answer;
        let first = Known { answer, reported_ms, counters, rates: PerSecond::default() };
        let Some(known) = self.known.get_mut(key) else {
            self.known.insert(key.to_owned(), first);
            return first.rates;
        };
        known.answer = answer;
        if reported_ms > known.reported_ms {
            known.rates = growth(known.counters, counters, reported_ms - known.reported_ms);
            (known.reported_ms, known.counters) = (reported_ms, counters);
        } else if reported_ms < known.reported_ms {
            // Another server, with a clock of its own.
            *known = first;
        }
        known.rates
    }

    /// An answer has been gone through: what was not in it is forgotten.
    pub(crate) fn end_of_answer(&mut self) {
        let answer = self.answer;
        self.known.retain(|_, known| known.answer == answer);
        self.answer += 1;
    }
}

/// A counter that has shrunk was begun anew: nobody knows what it has missed.
fn growth(before: Counters, now: Counters, elapsed_ms: u64) -> PerSecond {
    let per_second = |before: u64, now: u64| now.saturating_sub(before) as f64 * 1000.0 / elapsed_ms as f64;
    PerSecond {
        reads: per_second(before.reads, now.reads),
        filtered_reads: per_second(before.filtered_reads, now.filtered_reads),
        writes: per_second(before.writes, now.writes),
    }
}

#[cfg(test)]
mod tests;
