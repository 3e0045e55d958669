//! HBase's `RatioBasedCompactionPolicy`: from the oldest file on that is not much larger than those after it.

use super::{Candidate, total};
use crate::compaction_config::CompactionConfig;
use std::ops::Range;

/// All files from the first one on that is small, or in ratio with as many after it as a compaction may take. A store
/// that is stuck gets nothing more: HBase means to take the youngest files then, but never comes to it.
pub(super) fn choose(
    config: &CompactionConfig,
    files: &[Candidate],
    min_files: usize,
    off_peak: bool,
) -> Option<Range<usize>> {
    let ratio = config.ratio(off_peak);
    let count = files.len();
    let is_too_large = |start: usize| {
        // The file itself counts among those that a compaction may take.
        let end = count.min(start.saturating_add(config.max_files.max(1)));
        let others = (total(&files[start + 1..end.max(start + 1)]) as f64 * ratio) as u64;
        files[start].size_bytes > config.min_size_bytes.max(others)
    };
    let mut start = 0;
    while start < count && count - start >= min_files && is_too_large(start) {
        start += 1;
    }
    (start < count).then_some(start..count)
}
