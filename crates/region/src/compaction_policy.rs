//! Which files of a store to compact: HBase's exploring policy. Pure: sizes and ages in, a choice out.
//!
//! Of all runs of neighbouring files that are neither too few nor too many, and in which no file is much larger than
//! the others together, the one with most files is taken, and of several such the smallest. Files that belong together
//! in age stay together, so that a newer cell never ends up in an older file.

/// Settings, under HBase's names.
#[derive(Clone, Debug)]
pub struct CompactionConfig {
    /// `hbase.hstore.compaction.min`: fewer files are left alone, and a single one always.
    pub min_files: usize,
    /// `hbase.hstore.compaction.max`: at most so many at once.
    pub max_files: usize,
    /// `hbase.hstore.compaction.ratio`: how much larger than the others together a file may be.
    pub ratio: f64,
    /// `hbase.hstore.compaction.min.size`, in bytes: runs smaller than this are always in ratio.
    pub min_size_bytes: u64,
    /// `hbase.hstore.compaction.max.size`, in bytes: larger files are left out.
    pub max_size_bytes: u64,
    /// `hbase.hstore.blockingStoreFiles`: with so many files the store is stuck, and any run will do.
    pub blocking_files: usize,
    /// `hbase.hregion.majorcompaction`, in milliseconds: how old files may grow; 0 is for ever.
    pub major_period_ms: i64,
    /// `hbase.hregion.majorcompaction.jitter`: by which share of it the period varies from store to store.
    pub major_jitter: f64,
    /// `hbase.hstore.compaction.keep.seqId.period`, in milliseconds (HBase: days): compactions of all files forget the
    /// sequence ids of cells in older files.
    pub keep_sequence_ids_ms: i64,
}

impl Default for CompactionConfig {
    fn default() -> Self {
        Self {
            min_files: 3,
            max_files: 10,
            ratio: 1.2,
            min_size_bytes: 128 << 20,
            max_size_bytes: i64::MAX as u64,
            blocking_files: 16,
            major_period_ms: 7 * 24 * 3600 * 1000,
            major_jitter: 0.5,
            keep_sequence_ids_ms: 5 * 24 * 3600 * 1000,
        }
    }
}

/// What the policy needs to know of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) size_bytes: u64,
    /// When it was written, ms since the epoch.
    pub(crate) written_ms: i64,
    /// Whether it is the result of a compaction of all files of its store.
    pub(crate) is_major: bool,
    /// Whether some of it has expired.
    pub(crate) has_expired: bool,
    /// Whether only compactions of all files may take it.
    pub(crate) major_only: bool,
}

/// Files to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Numbers of the files, neighbours, oldest first.
    pub(crate) files: std::ops::Range<usize>,
    /// Whether these are all files of the store.
    pub(crate) all_files: bool,
}

impl CompactionConfig {
    /// Chooses among the files of a store, oldest first. `major`: somebody asked for all of them. `phase`, from 0 to 1,
    /// is the store's own place within the jitter.
    pub(crate) fn select(
        &self,
        files: &[Candidate],
        major: bool,
        now_ms: i64,
        phase: f64,
    ) -> Option<Selection> {
        let all = |files: &[Candidate]| Some(Selection { files: 0..files.len(), all_files: true });
        if major {
            return if files.is_empty() { None } else { all(files) };
        }
        // Large old files are left out of automatic compactions.
        let from = files.iter().take_while(|file| file.size_bytes > self.max_size_bytes).count();
        let candidates = &files[from..];
        if from == 0 && candidates.len() < self.max_files && self.is_major_due(candidates, now_ms, phase) {
            return all(files);
        }
        let stuck = candidates.len() >= self.blocking_files;
        let run = self.explore(candidates, stuck)?;
        let run = run.start..run.end.min(run.start + self.max_files);
        Some(Selection { all_files: run.len() == files.len(), files: run.start + from..run.end + from })
    }

    /// Whether the oldest file is older than the period. A single file that is the result of a major compaction already
    /// has nothing to gain but that what has expired goes.
    fn is_major_due(&self, files: &[Candidate], now_ms: i64, phase: f64) -> bool {
        if self.major_period_ms <= 0 || files.is_empty() {
            return false;
        }
        let jitter = self.major_period_ms as f64 * self.major_jitter;
        let period = self.major_period_ms + (jitter - (2.0 * jitter * phase).round()) as i64;
        let oldest = files.iter().map(|file| file.written_ms).min().unwrap_or(now_ms);
        now_ms.saturating_sub(oldest) > period
            && !(files.len() == 1 && files[0].is_major && !files[0].has_expired)
    }

    /// The best run of neighbours.
    fn explore(&self, files: &[Candidate], stuck: bool) -> Option<std::ops::Range<usize>> {
        let mut best: Option<(std::ops::Range<usize>, u64)> = None;
        let mut smallest: Option<(std::ops::Range<usize>, u64)> = None;
        for start in 0..files.len() {
            // Never a file alone: compacted, it would be as worth it as before.
            for end in start + self.min_files.max(2)..=files.len().min(start + self.max_files) {
                let run = &files[start..end];
                if run.iter().any(|file| file.major_only) {
                    continue;
                }
                let size = total(run);
                if stuck && smallest.as_ref().is_none_or(|(_, least)| size < *least) {
                    smallest = Some((start..end, size));
                }
                if size > self.max_size_bytes || (size >= self.min_size_bytes && !self.in_ratio(run)) {
                    continue;
                }
                if best
                    .as_ref()
                    .is_none_or(|(run, least)| is_better(stuck, run.len(), *least, end - start, size))
                {
                    best = Some((start..end, size));
                }
            }
        }
        best.or(smallest).map(|(run, _)| run)
    }

    /// Whether no file is larger than the others together times the ratio.
    fn in_ratio(&self, run: &[Candidate]) -> bool {
        let size = total(run);
        run.iter().all(|file| file.size_bytes as f64 <= (size - file.size_bytes) as f64 * self.ratio)
    }
}

fn total(run: &[Candidate]) -> u64 {
    run.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add)
}

/// Whether a run of `files` files and `size` bytes is better than the best so far.
fn is_better(stuck: bool, best_files: usize, best_size: u64, files: usize, size: u64) -> bool {
    if stuck {
        // Most files gone per byte written; a little better is not worth a change.
        let quality = |files: usize, size: u64| files as f64 / size.max(1) as f64;
        return quality(files, size) > quality(best_files, best_size) * 1.05;
    }
    files > best_files || (files == best_files && size < best_size)
}

#[cfg(test)]
mod tests;
