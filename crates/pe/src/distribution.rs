//! Which rows are chosen how often: YCSB's distributions.

mod zipfian;

use crate::random::Random;
use crate::ycsb::fnv_hash;
use zipfian::Zipfian;

/// Items of which YCSB's scrambled distribution thinks, however many rows there are.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;

/// A distribution, without the number of rows that it is of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Distribution {
    /// All alike.
    Uniform,
    /// The first rows more often than the last.
    Zipfian,
    /// A few rows more often than others, anywhere. YCSB's `zipfian`.
    Scrambled,
    /// The newest rows more often.
    Latest,
    /// Of `operations` those of the first `data`, alike; others of the others.
    Hotspot { data: f64, operations: f64 },
    /// One after the other.
    Sequential,
    /// `percent` of the operations on the newest `part`.
    Exponential { percent: f64, part: f64 },
}

impl Distribution {
    /// What [`Distribution::named`] knows.
    pub(crate) const NAMES: &[&str] =
        &["uniform", "zipfian", "scrambled", "latest", "hotspot", "sequential", "exponential"];

    /// A distribution with YCSB's parameters.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "uniform" => Self::Uniform,
            "zipfian" => Self::Zipfian,
            "scrambled" => Self::Scrambled,
            "latest" => Self::Latest,
            "hotspot" => Self::Hotspot { data: 0.2, operations: 0.8 },
            "sequential" => Self::Sequential,
            "exponential" => Self::Exponential { percent: 95.0, part: 0.857_142_857_1 },
            _ => return None,
        })
    }

    /// Chooses among `count` numbers from `first` on.
    pub(crate) fn chooser(self, first: u64, count: u64) -> Chooser {
        let count = count.max(1);
        let law = match self {
            Self::Uniform => Law::Uniform,
            Self::Zipfian => Law::Zipfian(Zipfian::of(count)),
            Self::Scrambled => Law::Scrambled(Zipfian::of(SCRAMBLED_ITEMS)),
            Self::Latest => Law::Latest(Zipfian::of(count)),
            Self::Hotspot { data, operations } => {
                let hot = ((count as f64 * data.clamp(0.0, 1.0)) as u64).min(count);
                Law::Hotspot { hot, operations }
            }
            Self::Sequential => Law::Sequential { next: 0 },
            Self::Exponential { percent, part } => {
                let range = (count as f64 * part).max(1.0);
                let chance = (percent / 100.0).clamp(0.0, 0.999_999_999);
                Law::Exponential { gamma: -(-chance).ln_1p() / range }
            }
        };
        Chooser { first, count, law }
    }
}

/// Chooses numbers by a distribution.
#[derive(Debug, Clone)]
pub(crate) struct Chooser {
    first: u64,
    count: u64,
    law: Law,
}

#[derive(Debug, Clone)]
enum Law {
    Uniform,
    Zipfian(Zipfian),
    Scrambled(Zipfian),
    Latest(Zipfian),
    Hotspot { hot: u64, operations: f64 },
    Sequential { next: u64 },
    Exponential { gamma: f64 },
}

impl Chooser {
    /// A number of those there were at the beginning; of the laws that prefer what is new, counted from `newest`.
    pub(crate) fn next(&mut self, random: &mut Random, newest: u64) -> u64 {
        let Self { first, count, law } = self;
        match law {
            Law::Uniform => *first + random.below(*count),
            Law::Zipfian(zipfian) => *first + zipfian.next(random),
            Law::Scrambled(zipfian) => *first + fnv_hash(zipfian.next(random)) % *count,
            Law::Latest(zipfian) => {
                zipfian.grow(newest.saturating_sub(*first) + 1);
                newest.saturating_sub(zipfian.next(random)).max(*first)
            }
            Law::Hotspot { hot, operations } => {
                let cold = *count - *hot;
                if cold == 0 || (*hot > 0 && random.fraction() < *operations) {
                    *first + random.below(*hot)
                } else {
                    *first + *hot + random.below(cold)
                }
            }
            Law::Sequential { next } => {
                let at = *next % *count;
                *next += 1;
                *first + at
            }
            Law::Exponential { gamma } => {
                // From the part of the curve that ends at the first. To choose from all of it until that is met takes for ever
                // where the curve is flat.
                let most = newest.saturating_sub(*first);
                let part = (-*gamma * (most as f64 + 1.0)).exp_m1();
                let back = (-(random.fraction() * part).ln_1p() / *gamma) as u64;
                newest.saturating_sub(back.min(most)).max(*first)
            }
        }
    }
}

#[cfg(test)]
mod tests;
