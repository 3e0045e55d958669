//! Which files of a store to compact. Pure: sizes and ages in, a choice out.
//!
//! The frame is that of HBase's `SortedCompactionPolicy`: files in order of age, large old ones left out; all of them if
//! a major compaction was asked for or is due; otherwise what the policy of the store chooses.

mod date_tiered;
mod exploring;
mod major_period;
mod ratio_based;
pub(crate) mod striped;
pub(crate) mod stripes;
mod windows;

use crate::compaction_config::{CompactionConfig, CompactionPolicy, StoreEngine};
use finback_cell::Bytes;
use std::ops::Range;

/// What the policy needs to know of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) size_bytes: u64,
    /// When it was written, ms since the epoch.
    pub(crate) written_ms: i64,
    /// Lowest and highest timestamp of its cells, if it says; [`ALL_AGES`] if it has none.
    pub(crate) timestamps: Option<(i64, i64)>,
    /// Whether it has no cells.
    pub(crate) is_empty: bool,
    /// Whether it is the result of a compaction of all files of its store.
    pub(crate) is_major: bool,
    /// Whether it came by a bulk load.
    pub(crate) is_bulk_loaded: bool,
    /// Whether only compactions of all files may take it.
    pub(crate) major_only: bool,
    /// Whether it refers to a file of a region that was split or merged.
    pub(crate) is_reference: bool,
    /// Java's hash of its name.
    pub(crate) name_hash: i32,
}

impl Candidate {
    /// Lowest and highest timestamp of its cells, if it has some and says.
    fn cells_ms(&self) -> Option<(i64, i64)> {
        self.timestamps.filter(|_| !self.is_empty)
    }
}

/// Of a file without cells, as HBase reads the lowest and the highest timestamp of no cell.
pub(crate) const ALL_AGES: (i64, i64) = (0, i64::MAX);

/// On what occasion files are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occasion {
    /// Somebody asked for all files.
    pub(crate) major: bool,
    /// Whether these are off-peak hours, and no other compaction makes use of them.
    pub(crate) off_peak: bool,
    pub(crate) now_ms: i64,
    /// How long cells live, unless that is for ever or some versions outlive it.
    pub(crate) ttl_ms: Option<i64>,
}

/// Where the output is cut into files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Nowhere.
    Whole,
    /// By timestamp: at each of these, in ascending order, a file begins. The first is the least timestamp there is.
    Times(Vec<i64>),
    /// By row: at each of these bounds, of which the first and the last may be empty, that is open. Pieces of `whole`
    /// have a file even if that is empty.
    Rows { bounds: Vec<Bytes>, whole: Option<(usize, usize)> },
    /// By row, where so many cells were read, into so many pieces at most, between these bounds.
    Cells { start: Bytes, end: Bytes, pieces: usize, cells: u64 },
    /// By what a read of the present needs, of a family that keeps so many versions: history, and the present.
    History { max_versions: u32 },
}

/// Files to compact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Numbers of the files, oldest first.
    pub(crate) files: Vec<usize>,
    /// Whether these are all files of the store.
    pub(crate) all_files: bool,
    /// Whether all were meant, and not chosen like some.
    pub(crate) is_major: bool,
    /// Whether the choice made use of off-peak hours.
    pub(crate) off_peak: bool,
    pub(crate) cut: Cut,
    /// Rows of which these are all files, so that delete markers go; empty is open.
    pub(crate) whole: Option<(Bytes, Bytes)>,
}

impl Selection {
    /// The chosen of these files, oldest first.
    pub(crate) fn inputs<T: Clone>(&self, files: &[T]) -> Vec<T> {
        self.files.iter().filter_map(|&number| files.get(number).cloned()).collect()
    }
}

impl CompactionConfig {
    /// Whether nothing is compacted but what has expired.
    pub(crate) fn is_fifo(&self) -> bool {
        self.engine == StoreEngine::Default && self.policy == CompactionPolicy::Fifo
    }

    /// Chooses among the files of a store, oldest first.
    pub(crate) fn select(&self, files: &[Candidate], occasion: Occasion) -> Option<Selection> {
        if files.is_empty() {
            return None;
        }
        let is_reference = |file: &Candidate| file.is_reference;
        if self.is_fifo() && !files.iter().any(is_reference) {
            return fifo(files, occasion);
        }
        let stuck = files.len() >= self.blocking_files;
        // Large old files are left out, but when somebody asked for all.
        let most_bytes = self.max_size_bytes(occasion.off_peak);
        let is_large = |file: &&Candidate| file.size_bytes > most_bytes && !file.is_reference;
        let left_out = if occasion.major { 0 } else { files.iter().take_while(is_large).count() };
        let candidates = Candidates::new(files).from(left_out);
        let is_major = occasion.major
            || (candidates.len() < self.max_files && self.is_major_due(&candidates.all(), occasion));
        // A region can only be split again, and its parent go, when it has what is its own.
        let takes_all = is_major || candidates.all().iter().any(is_reference);
        let (mut chosen, cut) = match self.engine {
            // Stripes are chosen by `select_striped`.
            StoreEngine::Stripe => return None,
            StoreEngine::Default if takes_all => (candidates.numbers(), Cut::Whole),
            StoreEngine::Default => {
                let run = candidates.without_major_only().chosen_by(|files| {
                    self.policy.choose(self, files, self.min_files(), occasion.off_peak, stuck)
                });
                (if run.len() < self.min_files() { Vec::new() } else { run }, Cut::Whole)
            }
            StoreEngine::DateTiered if takes_all => {
                (candidates.numbers(), self.date_tiered_cut(&candidates.all(), occasion.now_ms))
            }
            StoreEngine::DateTiered => self.select_date_tiered(&candidates, occasion, stuck)?,
        };
        if !occasion.major {
            chosen.truncate(self.max_files);
        }
        if chosen.is_empty() {
            return None;
        }
        let all_files = chosen.len() == files.len();
        let off_peak = occasion.off_peak && !all_files;
        let whole = all_files.then(|| (Bytes::new(), Bytes::new()));
        Some(Selection { off_peak, files: chosen, all_files, is_major: is_major && all_files, cut, whole })
    }
}

/// Files with their numbers in the store.
struct Candidates<'a> {
    files: &'a [Candidate],
    numbers: Vec<usize>,
}

impl<'a> Candidates<'a> {
    fn new(files: &'a [Candidate]) -> Self {
        Self { files, numbers: (0..files.len()).collect() }
    }

    /// Without the first ones.
    fn from(mut self, left_out: usize) -> Self {
        self.numbers.drain(..left_out.min(self.numbers.len()));
        self
    }

    fn without_major_only(&self) -> Self {
        let numbers = self.numbers.iter().copied().filter(|&number| !self.files[number].major_only);
        Self { files: self.files, numbers: numbers.collect() }
    }

    fn len(&self) -> usize {
        self.numbers.len()
    }

    fn numbers(&self) -> Vec<usize> {
        self.numbers.clone()
    }

    fn all(&self) -> Vec<Candidate> {
        self.numbers.iter().map(|&number| self.files[number]).collect()
    }

    /// The numbers of a run that is chosen among these.
    fn chosen_by(&self, choose: impl FnOnce(&[Candidate]) -> Option<Range<usize>>) -> Vec<usize> {
        choose(&self.all()).map_or_else(Vec::new, |run| self.numbers[run].to_vec())
    }
}

impl CompactionPolicy {
    /// The run of neighbours that this policy chooses for a minor compaction.
    fn choose(
        self,
        config: &CompactionConfig,
        files: &[Candidate],
        min_files: usize,
        off_peak: bool,
        stuck: bool,
    ) -> Option<Range<usize>> {
        match self {
            Self::Exploring => exploring::choose(config, files, min_files, config.max_files, off_peak, stuck),
            Self::RatioBased => ratio_based::choose(config, files, min_files, off_peak),
            // Chooses by age alone, before anything else is looked at; where there are references all files are taken.
            Self::Fifo => None,
        }
    }
}

/// Files of which all cells have expired, and no others, whatever was asked for.
fn fifo(files: &[Candidate], occasion: Occasion) -> Option<Selection> {
    let ttl_ms = occasion.ttl_ms?;
    let has_expired = |file: &Candidate| {
        file.timestamps.is_some_and(|(_, newest)| occasion.now_ms.saturating_sub(ttl_ms) >= newest)
    };
    let expired: Vec<usize> = (0..files.len()).filter(|&number| has_expired(&files[number])).collect();
    let selection = Selection {
        files: expired,
        all_files: false,
        is_major: false,
        off_peak: false,
        cut: Cut::Whole,
        whole: None,
    };
    (!selection.files.is_empty()).then_some(selection)
}

fn total(run: &[Candidate]) -> u64 {
    run.iter().map(|file| file.size_bytes).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests;
