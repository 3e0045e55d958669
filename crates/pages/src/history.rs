//! The last hour of a server, in a ring of fixed size.

use finback_metrics::{HistogramSnapshot, Operation};
use parking_lot::Mutex;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Samples that are kept: an hour of them.
const KEPT: usize = 360;
/// Hot regions that are told.
const HOT_REGIONS: usize = 10;

/// What charts tell apart, in their order.
pub(crate) const KINDS: [&str; 4] = ["Gets", "Mutations", "Scans", "Batches"];
/// Operations of each kind.
const OPERATIONS: [&[Operation]; KINDS.len()] = [
    &[Operation::Get],
    &[Operation::Put, Operation::Delete, Operation::Increment, Operation::Append, Operation::CheckAndMutate],
    &[Operation::Scan],
    &[Operation::Multi],
];

/// What a server has counted since its start, at one moment.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The time, ms since the epoch.
    pub now_ms: u64,
    /// Durations, in the order of [`Operation::ALL`].
    pub operations: Vec<HistogramSnapshot>,
    /// Rows read and mutations of each open region, by encoded name.
    pub regions: Vec<(Arc<str>, u64, u64)>,
    /// Processor time of the process, ms.
    pub cpu_ms: u64,
    /// Memory that is resident, bytes.
    pub resident: u64,
    /// Bytes of all memstores.
    pub memstores: u64,
    /// Bytes in the block cache.
    pub cache: u64,
}

/// The time between two [`Totals`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Its end, ms since the epoch.
    pub at_ms: u64,
    /// Calls per second, of each kind.
    pub calls: [f32; KINDS.len()],
    /// Half of the calls took no longer, µs; none without calls.
    pub median_us: [Option<f32>; KINDS.len()],
    /// 99 of 100 calls took no longer, µs; none without calls.
    pub p99_us: [Option<f32>; KINDS.len()],
    /// Rows read per second.
    pub rows_read: f32,
    /// Mutations per second.
    pub rows_written: f32,
    /// Processors in use.
    pub processors: f32,
    /// Memory that is resident, bytes.
    pub resident: u64,
    /// Bytes of all memstores.
    pub memstores: u64,
    /// Bytes in the block cache.
    pub cache: u64,
}

/// A region and what clients asked of it lately.
#[derive(Clone, Debug, PartialEq)]
pub struct HotRegion {
    /// Its encoded name.
    pub encoded_name: Arc<str>,
    /// Rows read per second.
    pub reads: f64,
    /// Mutations per second.
    pub writes: f64,
}

#[derive(Debug, Default)]
struct Kept {
    samples: VecDeque<Sample>,
    hot: Vec<HotRegion>,
    last: Option<Last>,
}

#[derive(Debug)]
struct Last {
    now_ms: u64,
    kinds: [HistogramSnapshot; KINDS.len()],
    regions: HashMap<Arc<str>, (u64, u64)>,
    cpu_ms: u64,
}

/// The ring. It holds an hour of samples, some 50 KiB, and the counts of each region at the last one.
#[derive(Debug, Default)]
pub struct History(Mutex<Kept>);

impl History {
    /// How often [`History::record`] is to be called.
    pub const INTERVAL: Duration = Duration::from_secs(10);

    /// Notes how the server is now. The first time there is nothing to compare with.
    pub fn record(&self, totals: Totals) {
        let now = Last {
            now_ms: totals.now_ms,
            kinds: OPERATIONS.map(|of| together(&totals.operations, of)),
            regions: totals
                .regions
                .into_iter()
                .map(|(name, reads, writes)| (name, (reads, writes)))
                .collect(),
            cpu_ms: totals.cpu_ms,
        };
        let mut kept = self.0.lock();
        if let Some(last) = kept.last.take() {
            let elapsed_ms = now.now_ms.checked_sub(last.now_ms).unwrap_or_else(|| {
                // The clock was set back: what came before moves with it.
                let elapsed_ms = Self::INTERVAL.as_millis() as u64;
                let back_ms = last.now_ms - now.now_ms + elapsed_ms;
                kept.samples
                    .iter_mut()
                    .for_each(|sample| sample.at_ms = sample.at_ms.saturating_sub(back_ms));
                elapsed_ms
            });
            let seconds = elapsed_ms.max(1) as f64 / 1e3;
            let changes = changes(&last.regions, &now.regions);
            let per_second = |number: u64| (number as f64 / seconds) as f32;
            let since: [_; KINDS.len()] =
                std::array::from_fn(|kind| now.kinds[kind].since(&last.kinds[kind]));
            let quantile = |part: f64| {
                since.each_ref().map(|times| (times.count() > 0).then(|| times.quantile(part) as f32 / 1e3))
            };
            let sample = Sample {
                at_ms: now.now_ms,
                calls: since.each_ref().map(|times| per_second(times.count())),
                median_us: quantile(0.5),
                p99_us: quantile(0.99),
                rows_read: per_second(changes.iter().map(|(_, reads, _)| reads).sum()),
                rows_written: per_second(changes.iter().map(|(_, _, writes)| writes).sum()),
                processors: per_second(now.cpu_ms.saturating_sub(last.cpu_ms)) / 1e3,
                resident: totals.resident,
                memstores: totals.memstores,
                cache: totals.cache,
            };
            if kept.samples.len() >= KEPT {
                kept.samples.pop_front();
            }
            kept.samples.push_back(sample);
            kept.hot = hottest(changes, seconds);
        }
        kept.last = Some(now);
    }

    /// The samples, oldest first.
    pub fn samples(&self) -> Vec<Sample> {
        self.0.lock().samples.iter().cloned().collect()
    }

    /// The regions with most requests in the last sample, hottest first.
    pub fn hot_regions(&self) -> Vec<HotRegion> {
        self.0.lock().hot.clone()
    }
}

fn together(operations: &[HistogramSnapshot], of: &[Operation]) -> HistogramSnapshot {
    of.iter()
        .filter_map(|one| operations.get(*one as usize))
        .fold(HistogramSnapshot::default(), HistogramSnapshot::and)
}

type Counts = HashMap<Arc<str>, (u64, u64)>;

/// For each region that was asked for something, rows read and mutations. One that was opened meanwhile begins at 0; so does
/// one that was opened anew.
fn changes(before: &Counts, now: &Counts) -> Vec<(Arc<str>, u64, u64)> {
    let change = |(name, &(reads, writes)): (&Arc<str>, &(u64, u64))| {
        let (reads_before, writes_before) = before.get(name).copied().unwrap_or_default();
        let since = |now: u64, before: u64| now.checked_sub(before).unwrap_or(now);
        (Arc::clone(name), since(reads, reads_before), since(writes, writes_before))
    };
    now.iter().map(change).filter(|(_, reads, writes)| reads + writes > 0).collect()
}

fn hottest(mut changes: Vec<(Arc<str>, u64, u64)>, seconds: f64) -> Vec<HotRegion> {
    changes.sort_unstable_by(|a, b| (b.1 + b.2).cmp(&(a.1 + a.2)).then_with(|| a.0.cmp(&b.0)));
    changes.truncate(HOT_REGIONS);
    let hot = |(encoded_name, reads, writes)| HotRegion {
        encoded_name,
        reads: reads as f64 / seconds,
        writes: writes as f64 / seconds,
    };
    changes.into_iter().map(hot).collect()
}

#[cfg(test)]
mod tests;
