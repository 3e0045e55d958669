//! Keeps a store's memstore small: in-memory flushes, and in-memory compactions in the background.
//!
//! The write that finds the active segment full moves it into the pipeline, which is an exchange of pointers. All else is
//! done elsewhere ([`Host::run_in_background`]), one job at a time for each store, and no reader or writer waits for it.
//! A flush that comes in between takes the segments as they are, and the job has worked in vain.

use crate::config::RegionConfig;
use crate::family_rules::FamilyRules;
use crate::flush_matcher::FlushMatcher;
use crate::host::Host;
use crate::memory_gauge::MemoryGauge;
use crate::mvcc::Mvcc;
use finback_cell::{Cell, ColumnFamilyDescriptor, TableDescriptor};
use finback_memstore::{Growth, InMemoryCompaction, InMemoryOutcome, MemStore, PipelineOptions};
use finback_sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::Arc;

/// Active segments are not pushed into a pipeline of more segments than this: the background is late, and readers have
/// enough to merge. The active one grows instead, until a flush to disk.
const MAX_PIPELINE_LENGTH: usize = 16;

/// So many segments may stay side by side at most, whatever is configured: a pipeline that is as long as it may be must have
/// some to merge.
const MAX_SEGMENTS_LIMIT: usize = MAX_PIPELINE_LENGTH - 1;

/// Size of the active segment at which it becomes flat, in bytes, unless a part of the flush size is configured: HBase's
/// chunk size. A skip list of that size fits into a processor's cache.
const IN_MEMORY_FLUSH_BYTES: usize = 2 << 20;

/// The time of no edit.
const NO_EDIT: i64 = i64::MAX;

/// What is done to one store's memstore.
pub(crate) struct MemStoreKeeper {
    memstore: Arc<MemStore>,
    rules: FamilyRules,
    options: PipelineOptions,
    /// The active segment is flushed in memory above this many bytes.
    in_memory_flush_bytes: usize,
    mvcc: Arc<Mvcc>,
    gauge: Arc<MemoryGauge>,
    host: Arc<dyn Host>,
    /// See [`MemStoreKeeper::oldest_edit_ms`]; [`NO_EDIT`] when there is none.
    oldest_edit_ms: AtomicI64,
    /// Whether a job was handed over and is not done.
    under_way: AtomicBool,
    counters: Counters,
}

#[derive(Default)]
struct Counters {
    flushes: AtomicU64,
    compactions: AtomicU64,
    cells_dropped: AtomicU64,
    lost_races: AtomicU64,
}

/// What was done to memstores so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InMemoryMetrics {
    /// Active segments that were moved into the pipeline.
    pub flushes: u64,
    /// Times that segments of the pipeline became one.
    pub compactions: u64,
    /// Cells that were left out.
    pub cells_dropped: u64,
    /// Times that a flush to disk took the segments first.
    pub lost_races: u64,
}

impl std::ops::AddAssign for InMemoryMetrics {
    fn add_assign(&mut self, other: Self) {
        self.flushes += other.flushes;
        self.compactions += other.compactions;
        self.cells_dropped += other.cells_dropped;
        self.lost_races += other.lost_races;
    }
}

impl MemStoreKeeper {
    pub(crate) fn new(
        memstore: Arc<MemStore>,
        table: &TableDescriptor,
        family: &ColumnFamilyDescriptor,
        config: &RegionConfig,
        mvcc: Arc<Mvcc>,
        gauge: Arc<MemoryGauge>,
        host: Arc<dyn Host>,
    ) -> Arc<Self> {
        let flush_size = table.memstore_flush_size().unwrap_or(config.flush_size_bytes);
        let part = config.in_memory_flush_factor * flush_size as f64 / table.families.len().max(1) as f64;
        Arc::new(Self {
            memstore,
            options: PipelineOptions {
                policy: policy(table, family, config),
                segments_limit: config.pipeline_segments_limit.min(MAX_SEGMENTS_LIMIT),
                adaptive_threshold: config.adaptive_compaction_threshold,
            },
            rules: FamilyRules::of(family),
            in_memory_flush_bytes: if part > 0.0 { part as usize } else { IN_MEMORY_FLUSH_BYTES },
            mvcc,
            gauge,
            host,
            oldest_edit_ms: AtomicI64::new(NO_EDIT),
            under_way: AtomicBool::new(false),
            counters: Counters::default(),
        })
    }

    /// Whether the family has in-memory compactions at all: HBase then calls the store sloppy, and flushes others first.
    pub(crate) fn is_sloppy(&self) -> bool {
        self.options.policy != InMemoryCompaction::None
    }

    /// Whether in memory, too, only what readers can see is to be kept.
    pub(crate) fn leaves_out_versions(&self) -> bool {
        matches!(self.options.policy, InMemoryCompaction::Eager | InMemoryCompaction::Adaptive)
    }

    /// When the first edit came that no flush has taken, in milliseconds since the epoch.
    pub(crate) fn oldest_edit_ms(&self) -> Option<i64> {
        Some(self.oldest_edit_ms.load(Ordering::Relaxed)).filter(|&oldest| oldest != NO_EDIT)
    }

    /// A flush takes all edits. Called while nobody writes.
    pub(crate) fn take_oldest_edit(&self) -> i64 {
        self.oldest_edit_ms.swap(NO_EDIT, Ordering::Relaxed)
    }

    /// A flush that took edits has failed.
    pub(crate) fn restore_oldest_edit(&self, taken: i64) {
        self.oldest_edit_ms.fetch_min(taken, Ordering::Relaxed);
    }

    /// To be called after insertions.
    #[inline]
    pub(crate) fn after_insertion(self: &Arc<Self>, growth: Growth) {
        if self.oldest_edit_ms.load(Ordering::Relaxed) == NO_EDIT {
            self.oldest_edit_ms.fetch_min(self.host.now_ms(), Ordering::Relaxed);
        }
        if growth.active_bytes > self.in_memory_flush_bytes && self.is_sloppy() {
            self.flush_in_memory(self.in_memory_flush_bytes);
        }
    }

    /// Moves the active segment into the pipeline if more than `above` bytes of it are in use, and sees to the rest in
    /// the background.
    #[cold]
    pub(crate) fn flush_in_memory(self: &Arc<Self>, above: usize) {
        if self.memstore.pipeline_length() < MAX_PIPELINE_LENGTH && self.memstore.push_active(above) {
            self.counters.flushes.fetch_add(1, Ordering::Relaxed);
        }
        if !self.under_way.swap(true, Ordering::AcqRel) {
            let keeper = Arc::clone(self);
            self.host.run_in_background(Box::new(move || keeper.work()));
        }
    }

    /// Works until nothing is left to do.
    fn work(&self) {
        loop {
            let under_way = UnderWay(&self.under_way);
            loop {
                let outcome = self.compact();
                self.note(&outcome);
                if outcome.flattened == 0 && outcome.merged == 0 {
                    break;
                }
            }
            drop(under_way);
            // A segment may have come between the last look and the end, when nobody handed a job over for it.
            if self.memstore.is_pipeline_flat() || self.under_way.swap(true, Ordering::AcqRel) {
                break;
            }
        }
    }

    fn compact(&self) -> InMemoryOutcome {
        self.memstore.compact_in_memory(&self.options, || {
            let smallest_read_point = self.mvcc.smallest_kept_point();
            let mut matcher = FlushMatcher::new(&self.rules, smallest_read_point, self.host.now_ms());
            move |cell: &Cell<'_>, sequence_id| matcher.keeps(cell, sequence_id)
        })
    }

    fn note(&self, outcome: &InMemoryOutcome) {
        self.gauge.change(outcome.grown_bytes);
        let add = |counter: &AtomicU64, number: u64| counter.fetch_add(number, Ordering::Relaxed);
        add(&self.counters.compactions, u64::from(outcome.merged > 0));
        add(&self.counters.cells_dropped, outcome.cells_dropped as u64);
        add(&self.counters.lost_races, u64::from(outcome.lost_race));
    }

    /// What was done so far.
    pub(crate) fn metrics(&self) -> InMemoryMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        InMemoryMetrics {
            flushes: read(&self.counters.flushes),
            compactions: read(&self.counters.compactions),
            cells_dropped: read(&self.counters.cells_dropped),
            lost_races: read(&self.counters.lost_races),
        }
    }
}

/// Ends a job, also one that panicked.
struct UnderWay<'a>(&'a AtomicBool);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The policy of a family, or else the server's. HBase keeps its own tables apart.
fn policy(
    table: &TableDescriptor,
    family: &ColumnFamilyDescriptor,
    config: &RegionConfig,
) -> InMemoryCompaction {
    let policy = if table.name.is_system() {
        config.system_in_memory_compaction
    } else {
        let named = family.attribute("IN_MEMORY_COMPACTION").and_then(InMemoryCompaction::from_name);
        named.unwrap_or(config.in_memory_compaction)
    };
    // What is hidden there depends on what was written before: nothing may be left out, and need not be looked at.
    let leaves_out = matches!(policy, InMemoryCompaction::Eager | InMemoryCompaction::Adaptive);
    if leaves_out && family.new_version_behavior() { InMemoryCompaction::Basic } else { policy }
}

#[cfg(all(test, feature = "shuttle"))]
mod schedules;
