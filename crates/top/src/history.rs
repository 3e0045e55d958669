//! Requests over the last minutes: of the cluster, and of each record.

use crate::mode::Mode;
use crate::record::Key;
use std::collections::{HashMap, VecDeque};

/// Samples of the cluster that are kept: twenty minutes, at the usual pace.
const MOST_SAMPLES: usize = 400;
/// Samples of a record that are kept: five minutes, at the usual pace.
const MOST_RECORD_SAMPLES: usize = 100;
/// Records of a mode of which samples are kept, for memory (400 bytes each): those beyond have none.
const MOST_RECORDS: usize = 20_000;

/// A look at the cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// Reads per second.
    pub reads: f64,
    /// Writes per second.
    pub writes: f64,
}

/// What was asked for before now.
#[derive(Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
    total: u64,
    records: HashMap<(Mode, Key), VecDeque<f32>>,
}

impl History {
    /// The samples of the cluster, oldest first.
    pub fn samples(&self) -> &VecDeque<Sample> {
        &self.samples
    }

    /// The number of all samples that there ever were.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The requests per second of a record, oldest first, as far as they are known.
    pub fn of(&self, mode: Mode, key: &Key) -> impl ExactSizeIterator<Item = f64> + Clone {
        const NONE: &VecDeque<f32> = &VecDeque::new();
        let samples = self.records.get(&(mode, key.clone())).unwrap_or(NONE);
        samples.iter().map(|&sample| f64::from(sample))
    }

    /// Adds a sample of the cluster.
    pub(crate) fn push(&mut self, sample: Sample) {
        while self.samples.len() >= MOST_SAMPLES {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        self.total += 1;
    }

    /// Adds a sample of all records of a mode. Those that are no more are forgotten.
    pub(crate) fn push_records(&mut self, mode: Mode, records: impl Iterator<Item = (Key, f64)>) {
        let mut before: HashMap<_, _> = self.records.extract_if(|(of, _), _| *of == mode).collect();
        for (key, requests) in records.take(MOST_RECORDS) {
            let key = (mode, key);
            let mut samples = before.remove(&key).unwrap_or_default();
            while samples.len() >= MOST_RECORD_SAMPLES {
                samples.pop_front();
            }
            samples.push_back(requests as f32);
            self.records.insert(key, samples);
        }
    }
}

#[cfg(test)]
mod tests;
