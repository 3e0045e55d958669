//! The stripes of a store: ranges of rows, one beside the other, from the first row there is to the last. Each has files
//! of its own; those that belong to none are at level 0, and may have any row.
//!
//! What stripes there are is told by the files alone, as HBase reads it when it opens a store.

use crate::store_file::StoreFile;
use finback_cell::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers of files by stripe, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stripes {
    pub(crate) level0: Vec<usize>,
    /// Where stripes begin and end: one more than there are stripes. The first and the last are empty: open.
    pub(crate) bounds: Vec<Bytes>,
    pub(crate) files: Vec<Vec<usize>>,
}

/// Where a region is to be divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Division {
    /// Between two stripes: at the row with which the second begins.
    Between(Bytes),
    /// In the middle of what these files have, newest first.
    Within(Vec<usize>),
}

impl Stripes {
    /// Where a region with these stripes is divided into halves, as HBase does it: between two stripes, so that no file is of both,
    /// unless one side would be `max_imbalance` times larger than the other, and half a stripe makes that better. `sizes`: of all files.
    pub(crate) fn division(&self, sizes: &[u64], max_imbalance: f64) -> Division {
        let bytes_of = |stripe: usize| self.files[stripe].iter().map(|&file| sizes[file] as f64).sum::<f64>();
        // The sides grow towards each other, the smaller one first.
        let (mut left, mut right) = (0, self.files.len());
        let (mut left_size, mut right_size) = (0.0, 0.0);
        while left < right {
            if left_size >= right_size {
                right -= 1;
                right_size += bytes_of(right);
            } else {
                left_size += bytes_of(left);
                left += 1;
            }
        }
        if left_size == 0.0 || right_size == 0.0 {
            return Division::Within((0..sizes.len()).rev().collect());
        }
        let imbalance = |one: f64, other: f64| (one / other).max(other / one);
        let (inner, smaller, larger) = if right_size >= left_size {
            (right, left_size, right_size)
        } else {
            (left - 1, right_size, left_size)
        };
        let (whole, half) = (imbalance(smaller, larger), bytes_of(inner) / 2.0);
        if whole < max_imbalance || imbalance(smaller + half, larger - half) >= whole {
            return Division::Between(self.bounds[right].clone());
        }
        Division::Within(self.files[inner].clone())
    }

    /// The stripes of a store's files, oldest first.
    pub(crate) fn of_files(files: &[Arc<StoreFile>]) -> Self {
        let rows: Vec<_> = files.iter().map(|file| file.in_stripe().rows).collect();
        Self::of(&rows)
    }

    /// The stripes of files with these rows, oldest first; `None` for a file that tells of no stripe.
    pub(crate) fn of(files: &[Option<(Bytes, Bytes)>]) -> Self {
        let (mut level0, by_end) = by_end(files);
        let (mut stripes, mut has_overlaps) = (Self::default(), false);
        for ((_, end), numbers) in by_end {
            // The first stripe may begin anywhere; each of the others where the one before it ends.
            let start = |number: &usize| files[*number].as_ref().map(|(start, _)| start);
            let expected = stripes.bounds.last().or_else(|| start(&numbers[0])).cloned();
            let (fitting, others): (Vec<_>, Vec<_>) =
                numbers.iter().partition(|number| start(number) == expected.as_ref());
            has_overlaps |= !others.is_empty();
            level0.extend(others);
            if !fitting.is_empty() {
                if stripes.bounds.is_empty() {
                    stripes.bounds.extend(expected);
                }
                stripes.bounds.push(end);
                stripes.files.push(fitting);
            }
        }
        let is_open = |bound: Option<&Bytes>| bound.is_none_or(Bytes::is_empty);
        if !is_open(stripes.bounds.first()) || !is_open(stripes.bounds.last()) {
            if has_overlaps {
                // Nothing fits together: all of it may be anywhere.
                level0.extend(std::mem::take(&mut stripes.files).into_iter().flatten());
                stripes.bounds.clear();
            } else {
                // Of a region that was cut out of a larger one.
                stripes.open_edges();
            }
        }
        level0.sort_unstable_by(|a, b| b.cmp(a));
        stripes.level0 = level0;
        stripes
    }

    /// Of a store that may still get `left` files: as if all stripes had as many, so that a store of many goes before others no more
    /// often than they. HBase's `getStoreCompactionPriority`.
    pub(crate) fn left_in_each(&self, left: usize) -> i64 {
        /// A store that is not full is never as urgent as what somebody asks for.
        const LEAST: i64 = 2;
        let signed = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let level0 = self.level0.len();
        let each = (left + level0).div_ceil(self.files.len().max(1));
        (signed(each) - signed(level0)).max(LEAST)
    }

    /// How near the fullest stripe is to having its share of `blocking` files, where `least` of them are worth a compaction: from 0 to 1.
    /// HBase's `getCompactionPressure`, but that it says 1 whenever that share is less than what is worth a compaction.
    pub(crate) fn pressure(&self, blocking: usize, least: usize) -> f64 {
        let share = blocking / self.files.len().max(1);
        // What is at level 0 comes to the stripes soon.
        let more = usize::from(!self.level0.is_empty());
        let fullest = self.files.iter().map(|files| files.len() + more).max().unwrap_or_default();
        (fullest.saturating_sub(least) as f64 / share.saturating_sub(least).max(1) as f64).min(1.0)
    }

    fn open_edges(&mut self) {
        for bound in [0, self.bounds.len().saturating_sub(1)] {
            if let Some(bound) = self.bounds.get_mut(bound) {
                *bound = Bytes::new();
            }
        }
    }

    /// The rows from one stripe to another.
    pub(crate) fn rows(&self, first: usize, last: usize) -> (Bytes, Bytes) {
        (self.bounds[first].clone(), self.bounds[last + 1].clone())
    }
}

type ByEnd = BTreeMap<(bool, Bytes), Vec<usize>>;

/// Files without a stripe, and the others by its end, an open one last; newest first.
fn by_end(files: &[Option<(Bytes, Bytes)>]) -> (Vec<usize>, ByEnd) {
    let (mut level0, mut by_end) = (Vec::new(), ByEnd::new());
    for (number, rows) in files.iter().enumerate().rev() {
        match rows {
            Some((start, end)) if start.is_empty() || end.is_empty() || start < end => {
                by_end.entry((end.is_empty(), end.clone())).or_default().push(number);
            }
            _ => level0.push(number),
        }
    }
    (level0, by_end)
}
