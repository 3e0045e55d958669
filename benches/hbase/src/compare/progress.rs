//! What whoever watches is told.

use super::plan::{Session, Step};
use crate::results::{Figure, Measurement};
use crate::server::Product;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What whoever watches is told, on standard error: each step, what it has shown, and how long the rest may take.
#[derive(Debug)]
pub(super) struct Progress {
    began: Instant,
    /// What is to come, by server and step.
    rest: Vec<Key>,
    done: usize,
    /// How long steps took, all rounds together, and how often.
    took: BTreeMap<Key, (Duration, u32)>,
    now: Option<(Key, Instant)>,
}

type Key = (&'static str, String);

fn key(product: Product, step: &Step) -> Key {
    (product.title(), step.title())
}

impl Progress {
    pub(super) fn new(sessions: &[Session]) -> Self {
        let steps =
            sessions.iter().flat_map(|session| session.steps.iter().map(|step| key(session.product, step)));
        Self { began: Instant::now(), rest: steps.collect(), done: 0, took: BTreeMap::new(), now: None }
    }

    /// A step begins.
    pub(super) fn begin(&mut self, session: &Session, step: &Step) {
        let key = key(session.product, step);
        let place = format!("[{}/{}]", self.done + 1, self.done + self.rest.len());
        eprintln!("{place} round {}, {}: {}{}", session.round, key.0, key.1, self.estimate());
        self.now = Some((key, Instant::now()));
    }

    /// It has shown this.
    pub(super) fn done(&mut self, measured: &[Measurement]) {
        for measurement in measured {
            let figures: Vec<String> =
                measurement.figures.iter().map(|(figure, value)| shown(*figure, *value)).collect();
            eprintln!("    {}: {}", measurement.what, figures.join(", "));
        }
        if let Some((key, began)) = self.now.take() {
            self.ended(key, began.elapsed());
        }
    }

    fn ended(&mut self, key: Key, took: Duration) {
        let sum = self.took.entry(key).or_default();
        *sum = (sum.0 + took, sum.1 + 1);
        self.done += 1;
        self.rest.remove(0);
    }

    /// For how long the rest will go on, once a round is known.
    fn estimate(&self) -> String {
        let minutes = self.rest_of(&self.rest).as_secs_f64() / 60.0;
        match self.done {
            0 => String::new(),
            _ => format!(
                " ({:.0} min so far, about {minutes:.0} to come)",
                self.began.elapsed().as_secs_f64() / 60.0
            ),
        }
    }

    /// Steps that were done before take as long again; others, as long as the average.
    fn rest_of(&self, rest: &[Key]) -> Duration {
        let all: Duration = self.took.values().map(|(took, _)| *took).sum();
        let average = all / u32::try_from(self.done.max(1)).unwrap_or(u32::MAX);
        rest.iter().map(|key| self.took.get(key).map_or(average, |(took, count)| *took / *count)).sum()
    }
}

fn shown(figure: Figure, value: f64) -> String {
    match figure {
        Figure::PerSecond | Figure::P50 | Figure::P99 | Figure::P999 | Figure::Max => {
            format!("{} {value:.0}", figure.name())
        }
        _ => format!("{} {value:.2}", figure.name()),
    }
}

#[cfg(test)]
mod tests;
