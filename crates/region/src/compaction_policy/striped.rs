//! HBase's `StripeCompactionPolicy`: level 0 goes into stripes; a stripe is compacted by itself, by the exploring policy,
//! and cut where it has grown too large.
//!
//! Markers go where a compaction has all files of a range of rows: those of a stripe, with nothing at level 0, or with
//! level 0 as well. HBase has no major compaction of such a store; here one that was asked for takes all files.

use super::stripes::Stripes;
use super::{Candidate, Cut, Occasion, Selection, exploring, total};
use crate::compaction_config::{CompactionConfig, DEFAULT_FLUSH_SIZE_BYTES, StoreEngine};
use crate::output_files::MOST_FILES;
use finback_cell::Bytes;
use std::ops::Range;

/// What the stripe engine needs to know of a file besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InStripe {
    /// The stripe that the file tells of.
    pub(crate) rows: Option<(Bytes, Bytes)>,
    pub(crate) cells: u64,
}

/// A choice among the files of a store with stripes.
struct Choice<'a> {
    config: &'a CompactionConfig,
    files: &'a [Candidate],
    in_stripes: &'a [InStripe],
    stripes: Stripes,
    occasion: Occasion,
}

impl CompactionConfig {
    /// Chooses among the files of a store with stripes, oldest first.
    pub(crate) fn select_striped(
        &self,
        files: &[Candidate],
        in_stripes: &[InStripe],
        occasion: Occasion,
    ) -> Option<Selection> {
        let rows: Vec<_> = in_stripes.iter().map(|file| file.rows.clone()).collect();
        let stripes = Stripes::of(&rows);
        let choice = Choice { config: self, files, in_stripes, stripes, occasion };
        if files.iter().any(|file| file.is_reference) {
            // The stripes were another region's.
            return choice.new_stripes((0..files.len()).rev().collect(), true);
        }
        if occasion.major { choice.all() } else { choice.choose() }
    }
}

/// Where a flush of so many cells is cut in a store with these files, oldest first: as HBase's StripeStoreFlusher does it,
/// into the stripes that there are, or into as many as a store has at first.
pub(crate) fn cut_of_flush(
    config: &CompactionConfig,
    in_stripes: impl Iterator<Item = InStripe>,
    cells: u64,
) -> Cut {
    if config.engine != StoreEngine::Stripe || config.stripe.flush_to_level0 {
        return Cut::Whole;
    }
    let rows: Vec<_> = in_stripes.map(|file| file.rows).collect();
    let Stripes { bounds, files, .. } = Stripes::of(&rows);
    if files.len() > MOST_FILES {
        return Cut::Whole;
    }
    if files.is_empty() {
        let pieces = config.stripe.initial_stripes.clamp(1, MOST_FILES);
        let cells = cells / pieces as u64;
        return Cut::Cells { start: Bytes::new(), end: Bytes::new(), pieces, cells };
    }
    Cut::Rows { bounds, whole: None }
}

impl Choice<'_> {
    fn all(&self) -> Option<Selection> {
        let all: Vec<usize> = (0..self.files.len()).rev().collect();
        if self.stripes.files.is_empty() {
            return self.new_stripes(all, true);
        }
        let count = self.stripes.files.len();
        // Neighbours become one where there are too many.
        let together = count.div_ceil(MOST_FILES);
        let mut bounds: Vec<Bytes> = self.stripes.bounds[..count].iter().step_by(together).cloned().collect();
        let pieces = bounds.len();
        bounds.push(self.stripes.bounds[count].clone());
        let cut = Cut::Rows { bounds, whole: Some((0, pieces)) };
        self.selection(all, cut, Some(self.stripes.rows(0, count - 1)))
    }

    fn choose(&self) -> Option<Selection> {
        if self.stripes.files.len() > MOST_FILES {
            return self.smallest_neighbours();
        }
        let level0 = &self.stripes.level0;
        let has_nothing = |number: &usize| self.files[*number].is_empty || self.has_expired(*number);
        let is_due = level0.len() >= self.config.stripe.level0_min_files
            || (self.occasion.ttl_ms.is_some() && level0.iter().all(has_nothing));
        let is_due = is_due && !level0.is_empty();
        if self.stripes.files.is_empty() {
            return if is_due { self.level0() } else { None };
        }
        if is_due {
            return self.single_stripe(!self.is_level0_too_much()).or_else(|| self.level0());
        }
        self.expired_stripes().or_else(|| self.single_stripe(false))
    }

    /// The stripe in which a compaction removes most files, or of several such the smallest; with level 0, if the whole
    /// of a stripe is compacted and does not have to be cut.
    fn single_stripe(&self, with_level0: bool) -> Option<Selection> {
        let no_level0 = self.stripes.level0.is_empty();
        let mut best: Option<(usize, Vec<usize>, u64)> = None;
        for (stripe, files) in self.stripes.files.iter().enumerate() {
            let chosen = self.explore(files, with_level0 && !no_level0);
            let size = self.size(&chosen);
            let is_better = |(_, best, least): &(usize, Vec<usize>, u64)| {
                chosen.len() > best.len() || (chosen.len() == best.len() && size < *least)
            };
            if !chosen.is_empty() && best.as_ref().is_none_or(is_better) {
                best = Some((stripe, chosen, size));
            }
        }
        let (stripe, mut chosen, size) = best?;
        let is_whole = chosen.len() == self.stripes.files[stripe].len();
        let rows = self.stripes.rows(stripe, stripe);
        let most = MOST_FILES + 1 - self.stripes.files.len();
        let is_split = is_whole && most > 1 && size >= self.split_size();
        if with_level0 {
            if is_split {
                return None;
            }
            chosen.extend(&self.stripes.level0);
            let cut = Cut::Rows {
                bounds: self.stripes.bounds.clone(),
                whole: is_whole.then_some((stripe, stripe + 1)),
            };
            return self.selection(chosen, cut, is_whole.then_some(rows));
        }
        let (pieces, cells) = if is_split {
            self.parts(&chosen, self.config.stripe.split_parts(), most)
        } else {
            (1, u64::MAX)
        };
        let cut = Cut::Cells { start: rows.0.clone(), end: rows.1.clone(), pieces, cells };
        self.selection(chosen, cut, (is_whole && no_level0).then_some(rows))
    }

    /// Level 0 goes into the stripes that there are, or into new ones.
    fn level0(&self) -> Option<Selection> {
        let level0 = &self.stripes.level0;
        let chosen = if self.is_level0_too_much() { self.some_of_level0() } else { level0.clone() };
        if self.stripes.files.is_empty() {
            let is_whole = chosen.len() == level0.len();
            return self.new_stripes(chosen, is_whole);
        }
        let cut = Cut::Rows { bounds: self.stripes.bounds.clone(), whole: None };
        self.selection(chosen, cut, None)
    }

    fn new_stripes(&self, chosen: Vec<usize>, is_whole: bool) -> Option<Selection> {
        let initial = self.config.stripe.initial_stripes.max(1) as f64;
        let (pieces, cells) = self.parts(&chosen, initial, MOST_FILES);
        let open = (Bytes::new(), Bytes::new());
        let cut = Cut::Cells { start: open.0.clone(), end: open.1.clone(), pieces, cells };
        self.selection(chosen, cut, is_whole.then_some(open))
    }

    /// Whether level 0 is more than one compaction should take.
    fn is_level0_too_much(&self) -> bool {
        let level0 = &self.stripes.level0;
        level0.len() > self.max_files() || self.size(level0) > self.config.max_size_bytes
    }

    fn some_of_level0(&self) -> Vec<usize> {
        let level0 = &self.stripes.level0;
        let chosen = self.explore(level0, false);
        if !chosen.is_empty() {
            return chosen;
        }
        // As in HBase: up to the file with which these are large enough, or all, if so many files as a compaction takes are not.
        let sizes = level0.iter().take(self.most_files(self.min_files())).scan(0u64, |sum, &number| {
            *sum = sum.saturating_add(self.files[number].size_bytes);
            Some(*sum)
        });
        let last = sizes.enumerate().find(|(_, sum)| *sum >= self.config.max_size_bytes(false));
        level0[..last.map_or(level0.len(), |(last, _)| last + 1)].to_vec()
    }

    /// Stripes side by side of which all has expired become one; a single one, with the next.
    fn expired_stripes(&self) -> Option<Selection> {
        let stripes = &self.stripes.files;
        let (mut best, mut length) = (0..0, 0);
        for (stripe, files) in stripes.iter().enumerate() {
            length = if files.iter().all(|&file| self.has_expired(file)) { length + 1 } else { 0 };
            if length > best.len() {
                best = stripe + 1 - length..stripe + 1;
            }
        }
        if best.len() == 1 {
            best.end += 1;
        }
        if best.is_empty() || best.end > stripes.len() { None } else { self.merged(best) }
    }

    /// The two stripes side by side that are the smallest together become one.
    fn smallest_neighbours(&self) -> Option<Selection> {
        let sizes: Vec<u64> = self.stripes.files.iter().map(|files| self.size(files)).collect();
        let pairs = sizes.windows(2).map(|pair| pair[0].saturating_add(pair[1])).enumerate();
        let (first, _) = pairs.min_by_key(|(_, size)| *size)?;
        self.merged(first..first + 2)
    }

    /// Stripes side by side become one.
    fn merged(&self, stripes: Range<usize>) -> Option<Selection> {
        let (start, end) = self.stripes.rows(stripes.start, stripes.end - 1);
        let cut = Cut::Cells { start: start.clone(), end: end.clone(), pieces: 1, cells: u64::MAX };
        let whole = self.stripes.level0.is_empty().then_some((start, end));
        self.selection(self.stripes.files[stripes].concat(), cut, whole)
    }

    /// Whether all cells of a file have expired.
    fn has_expired(&self, number: usize) -> bool {
        let newest = self.files[number].timestamps.map(|(_, newest)| newest);
        let oldest = self.occasion.ttl_ms.map(|ttl| self.occasion.now_ms.saturating_sub(ttl));
        newest.zip(oldest).is_some_and(|(newest, oldest)| newest < oldest)
    }

    /// What the exploring policy chooses; `all`: all of these files or none.
    fn explore(&self, numbers: &[usize], all: bool) -> Vec<usize> {
        let min_files = if all { numbers.len().max(self.min_files()) } else { self.min_files() };
        let max_files = self.most_files(min_files);
        let files: Vec<Candidate> = numbers.iter().map(|&number| self.files[number]).collect();
        let off_peak = self.occasion.off_peak;
        let run = exploring::choose(self.config, &files, min_files, max_files, off_peak, false);
        run.map_or_else(Vec::new, |run| numbers[run].to_vec())
    }

    fn min_files(&self) -> usize {
        self.config.stripe.min_files(self.config.min_files).max(2)
    }

    /// The most files of a compaction of at least so many.
    fn most_files(&self, min_files: usize) -> usize {
        self.max_files().max(min_files)
    }

    fn max_files(&self) -> usize {
        self.config.stripe.max_files.unwrap_or(self.config.max_files)
    }

    fn split_size(&self) -> u64 {
        self.config.stripe.split_size_bytes(DEFAULT_FLUSH_SIZE_BYTES)
    }

    fn size(&self, numbers: &[usize]) -> u64 {
        total(&numbers.iter().map(|&number| self.files[number]).collect::<Vec<_>>())
    }

    /// Into how many pieces, of how many cells, files are cut: into so many parts, or more as long as that brings the
    /// size of a part nearer to what it should be, but no more than `most`.
    fn parts(&self, numbers: &[usize], parts: f64, most: usize) -> (usize, u64) {
        let mut parts = parts.min(most as f64);
        // HBase has floats of single precision here, and whole bytes.
        let part_size = (self.split_size() as f32 / self.config.stripe.split_parts() as f32).floor().max(1.0);
        let part_size = f64::from(part_size);
        let size = self.size(numbers) as f64;
        let ratio_of = |parts: f64| size / (parts * part_size);
        while ratio_of(parts) > 1.0 && parts < most as f64 {
            if 1.0 / ratio_of(parts + 1.0) >= ratio_of(parts) {
                break;
            }
            parts = (parts + 1.0).min(most as f64);
        }
        let cells = numbers.iter().map(|&number| self.in_stripes[number].cells).fold(0, u64::saturating_add);
        (parts.ceil() as usize, (cells as f64 / parts) as u64)
    }

    fn selection(
        &self,
        mut chosen: Vec<usize>,
        cut: Cut,
        whole: Option<(Bytes, Bytes)>,
    ) -> Option<Selection> {
        chosen.sort_unstable();
        let everything = (Bytes::new(), Bytes::new());
        let all_files = chosen.len() == self.files.len() && whole.as_ref() == Some(&everything);
        let off_peak = self.occasion.off_peak && !all_files;
        let is_major = self.occasion.major && all_files;
        (!chosen.is_empty()).then_some(Selection { files: chosen, all_files, is_major, off_peak, cut, whole })
    }
}
