//! HBase's `DateTieredCompactionPolicy`: files whose newest cells are of one window of time are compacted together.
//!
//! A file counts as at least as new as those before it, so that out-of-order data does not part neighbours in age.

use super::major_period::age_ms;
use super::windows::Window;
use super::{Candidate, Candidates, Cut, Occasion};
use crate::compaction_config::{CompactionConfig, CompactionPolicy};
use crate::output_files::MOST_FILES;
use std::cmp::Ordering;

/// Windows that are looked at, going back in time: so many are only there when tiers end early and some timestamp is
/// absurdly old. What is older than the last of them gets the file that is left.
const MOST_WINDOWS: usize = MOST_FILES - 1;

impl CompactionConfig {
    /// A minor compaction: of the youngest window that has enough files.
    pub(super) fn select_date_tiered(
        &self,
        candidates: &Candidates<'_>,
        occasion: Occasion,
        stuck: bool,
    ) -> Option<(Vec<usize>, Cut)> {
        let oldest_ms = occasion.now_ms.checked_sub(self.date_tiered.max_age_ms).unwrap_or(i64::MIN);
        let mut newest = newest_so_far(candidates);
        let mut window = Window::incoming(&self.date_tiered, occasion.now_ms);
        let mut min_files = self.date_tiered.incoming_window_min_files.max(2);
        for _ in 0..MOST_WINDOWS {
            let &(_, timestamp) = newest.last()?;
            if window.compare(oldest_ms) == Ordering::Less {
                return None;
            }
            if window.compare(timestamp) == Ordering::Greater {
                window = window.earlier()?;
                min_files = self.min_files();
                continue;
            }
            // What comes from the future is in the window of now.
            let is_in_window =
                |(_, timestamp): &(usize, i64)| window.compare(*timestamp) != Ordering::Greater;
            let first = newest.iter().rposition(|file| !is_in_window(file)).map_or(0, |before| before + 1);
            let numbers: Vec<usize> = newest.split_off(first).into_iter().map(|(number, _)| number).collect();
            if numbers.len() >= min_files
                && let Some(found) = self.select_in(window, candidates, &numbers, min_files, occasion, stuck)
            {
                return Some(found);
            }
        }
        None
    }

    fn select_in(
        &self,
        window: Window,
        candidates: &Candidates<'_>,
        numbers: &[usize],
        min_files: usize,
        occasion: Occasion,
        stuck: bool,
    ) -> Option<(Vec<usize>, Cut)> {
        let chosen = if stuck {
            numbers.to_vec()
        } else {
            let in_window = Candidates { files: candidates.files, numbers: numbers.to_vec() };
            let policy = self.date_tiered.window_policy;
            in_window.chosen_by(|files| policy.choose(self, files, min_files, occasion.off_peak, false))
        };
        // With a file of the window left out the output is not all there is of the window. HBase does not notice what its ratio-based
        // policy leaves out: that takes it off the list that is looked at.
        let is_part =
            chosen.len() != numbers.len() && self.date_tiered.window_policy != CompactionPolicy::RatioBased;
        let single = is_part || self.date_tiered.single_output_for_minor;
        let times = if single { vec![i64::MIN] } else { vec![i64::MIN, window.start_ms()] };
        (!chosen.is_empty()).then_some((chosen, Cut::Times(times)))
    }

    /// Where a compaction of all files is cut: at the beginning of each window from the oldest cell's to now's.
    pub(super) fn date_tiered_cut(&self, files: &[Candidate], now_ms: i64) -> Cut {
        let oldest = files.iter().filter_map(Candidate::cells_ms).map(|(oldest, _)| oldest);
        let oldest = oldest.min().unwrap_or(i64::MAX);
        let incoming = Window::incoming(&self.date_tiered, now_ms);
        let windows = std::iter::successors(Some(incoming), |window| window.earlier());
        let after_oldest = windows.take_while(|window| window.compare(oldest) == Ordering::Greater);
        let mut times: Vec<i64> = after_oldest.take(MOST_WINDOWS).map(Window::start_ms).collect();
        times.push(i64::MIN);
        times.reverse();
        times.dedup();
        Cut::Times(times)
    }

    /// Whether a major compaction, now that it is due by age, would change anything: a file that is no result of one,
    /// that has expired cells, that lies across windows, or that shares its window with another.
    pub(super) fn has_files_out_of_place(&self, files: &[Candidate], occasion: Occasion) -> bool {
        let Cut::Times(times) = self.date_tiered_cut(files, occasion.now_ms) else { return false };
        let mut taken = vec![false; times.len()];
        let window_of = |timestamp: i64| times.partition_point(|start| *start <= timestamp) - 1;
        files.iter().any(|file| {
            let expired = age_ms(file, occasion).zip(occasion.ttl_ms).is_some_and(|(age, ttl)| age >= ttl);
            let (oldest, newest) = file.cells_ms().unwrap_or((i64::MAX, i64::MAX));
            let (first, last) = (window_of(oldest), window_of(newest));
            expired
                || !file.is_major
                || file.is_bulk_loaded
                || first != last
                || std::mem::replace(&mut taken[last], true)
        })
    }
}

/// The files with the highest timestamp of them and those before them.
fn newest_so_far(candidates: &Candidates<'_>) -> Vec<(usize, i64)> {
    let newest = candidates.numbers.iter().scan(i64::MIN, |newest, &number| {
        let own = candidates.files[number].timestamps.map_or(i64::MIN, |(_, newest)| newest);
        *newest = own.max(*newest);
        Some((number, *newest))
    });
    newest.collect()
}
