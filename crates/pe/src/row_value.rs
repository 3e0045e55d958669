//! The values of PerformanceEvaluation: a letter eight times over, then another.

use crate::error::{PeError, Result};
use crate::options::{Options, ValueSize};
use crate::random::Random;
use std::sync::Arc;

/// Exponent by which `--valueZipf` prefers short values.
const ZIPF_EXPONENT: f64 = 1.2;
/// Longest value of `--valueZipf`: the lengths stand in a table.
const MAX_ZIPF_LENGTH: usize = 1 << 20;

/// Lengths of values, and the values.
#[derive(Clone)]
pub(crate) struct Values {
    length: usize,
    lengths: Lengths,
    value: Vec<u8>,
}

#[derive(Clone)]
enum Lengths {
    Fixed,
    Uniform,
    /// For each length from 1 on the chance of it or less, not yet divided by their sum.
    Zipf(Arc<[f64]>),
}

impl Values {
    pub(crate) fn new(options: &Options) -> Result<Self> {
        let length = options.value_size as usize;
        let lengths = match options.value_sizes {
            ValueSize::Fixed => Lengths::Fixed,
            ValueSize::Uniform => Lengths::Uniform,
            ValueSize::Zipf if length > MAX_ZIPF_LENGTH => {
                return Err(PeError::usage(format!(
                    "--valueZipf takes a --valueSize of at most {MAX_ZIPF_LENGTH}"
                )));
            }
            ValueSize::Zipf => Lengths::Zipf(cumulative(length.saturating_sub(1).max(1))),
        };
        Ok(Self { length, lengths, value: Vec::new() })
    }

    /// The next value.
    pub(crate) fn next(&mut self, random: &mut Random) -> &[u8] {
        let length = match &self.lengths {
            Lengths::Fixed => self.length,
            Lengths::Uniform => random.below(self.length as u64) as usize,
            Lengths::Zipf(cumulative) => {
                let sum = cumulative.last().copied().unwrap_or(0.0);
                let wanted = random.fraction() * sum;
                1 + cumulative.partition_point(|&chance| chance <= wanted).min(cumulative.len() - 1)
            }
        };
        fill(&mut self.value, length, random);
        &self.value
    }
}

fn cumulative(count: usize) -> Arc<[f64]> {
    let chances = (1..=count).scan(0.0, |sum, length| {
        *sum += (length as f64).powf(-ZIPF_EXPONENT);
        Some(*sum)
    });
    chances.collect()
}

/// Letters from A to Z, each eight times, as PerformanceEvaluation has them: that compresses as well as its values do.
pub(crate) fn fill(value: &mut Vec<u8>, length: usize, random: &mut Random) {
    value.resize(length, 0);
    let mut letters = Letters { random, bits: 0, left: 0 };
    let (groups, rest) = value.as_chunks_mut::<8>();
    for group in groups {
        *group = [letters.next(); 8];
    }
    if !rest.is_empty() {
        rest.fill(letters.next());
    }
}

/// Many letters of one random number.
struct Letters<'a> {
    random: &'a mut Random,
    bits: u64,
    left: u32,
}

impl Letters<'_> {
    /// How often 26 choices fit into 32 bits with next to no preference for any.
    const OF_ONE: u32 = 4;

    #[inline]
    fn next(&mut self) -> u8 {
        if self.left == 0 {
            (self.bits, self.left) = (self.random.next() >> 32, Self::OF_ONE);
        }
        self.left -= 1;
        // The next digit of a fraction, written with 26 of them.
        self.bits *= 26;
        let letter = (self.bits >> 32) as u8;
        self.bits &= u64::from(u32::MAX);
        b'A' + letter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_a_letter_for_every_eight_bytes() {
        let mut random = Random::of_client(3, 0);
        let mut value = Vec::new();
        let mut seen = [0; 26];
        for length in [0, 1, 7, 8, 9, 1000, 4001] {
            fill(&mut value, length, &mut random);
            assert_eq!(value.len(), length);
            for group in value.chunks(8) {
                assert!(group.iter().all(|letter| *letter == group[0]));
                seen[(group[0] - b'A') as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&times| times > 0), "{seen:?}");
    }

    #[test]
    fn lengths_are_as_asked_for() {
        let mut random = Random::of_client(3, 0);
        let mut lengths = |sizes| {
            let options = Options { value_size: 100, value_sizes: sizes, ..Options::default() };
            let mut values = Values::new(&options).unwrap();
            (0..2000).map(|_| values.next(&mut random).len()).collect::<Vec<_>>()
        };
        assert!(lengths(ValueSize::Fixed).iter().all(|&length| length == 100));
        let uniform = lengths(ValueSize::Uniform);
        assert!(uniform.iter().all(|&length| length < 100) && uniform.iter().any(|&length| length > 90));
        let zipf = lengths(ValueSize::Zipf);
        assert!(zipf.iter().all(|&length| (1..100).contains(&length)));
        let ones = zipf.iter().filter(|&&length| length == 1).count();
        assert!((450..800).contains(&ones), "{ones} of 2000 are one byte long");
    }
}
