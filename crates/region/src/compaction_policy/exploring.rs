//! HBase's `ExploringCompactionPolicy`.
//!
//! Of all runs of neighbouring files that are neither too few nor too many, and in which no file is much larger than
//! the others together, the one with most files is taken, and of several such the smallest. Files that belong together
//! in age stay together, so that a newer cell never ends up in an older file.

use super::{Candidate, total};
use crate::compaction_config::CompactionConfig;
use std::ops::Range;

/// The best run; of a store that is stuck, the smallest if none is good.
pub(super) fn choose(
    config: &CompactionConfig,
    files: &[Candidate],
    min_files: usize,
    max_files: usize,
    off_peak: bool,
    stuck: bool,
) -> Option<Range<usize>> {
    let (ratio, most_bytes) = (config.ratio(off_peak), config.max_size_bytes(off_peak));
    let mut best: (Range<usize>, u64) = (0..0, 0);
    let mut smallest: Option<(Range<usize>, u64)> = None;
    for start in 0..files.len() {
        for end in start.saturating_add(min_files)..=files.len().min(start.saturating_add(max_files)) {
            let run = &files[start..end];
            let size = total(run);
            if stuck && smallest.as_ref().is_none_or(|(_, least)| size < *least) {
                smallest = Some((start..end, size));
            }
            if size > most_bytes || (size >= config.min_size_bytes && !are_in_ratio(run, ratio)) {
                continue;
            }
            if is_better(stuck, (best.0.len(), best.1), (run.len(), size)) {
                best = (start..end, size);
            }
        }
    }
    if best.0.is_empty() { smallest.map(|(run, _)| run) } else { Some(best.0) }
}

/// Whether no file is larger than the others together times the ratio.
fn are_in_ratio(run: &[Candidate], ratio: f64) -> bool {
    let size = total(run);
    run.len() < 2 || run.iter().all(|file| file.size_bytes as f64 <= (size - file.size_bytes) as f64 * ratio)
}

/// Whether a run of so many files and bytes is better than the best so far.
fn is_better(stuck: bool, best: (usize, u64), run: (usize, u64)) -> bool {
    /// A little better is not worth a change.
    const BETTER_BY: f64 = 1.05;
    if stuck && best.1 > 0 && run.1 > 0 {
        // Most files gone per byte written.
        let quality = |(files, size): (usize, u64)| files as f64 / size as f64;
        return quality(best) * BETTER_BY < quality(run);
    }
    run.0 > best.0 || (run.0 == best.0 && run.1 < best.1)
}
