//! What a region tells about itself.

use crate::compaction_progress::CompactionTotals;
use crate::memstore_keeper::InMemoryMetrics;
use crate::region::Region;
use finback_cell::Bytes;
use finback_metrics::FileTimes;
use std::sync::atomic::Ordering;

/// Sizes and counts of a region at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegionMetrics {
    /// Families.
    pub stores: usize,
    /// Store files of all families.
    pub store_files: usize,
    /// Bytes of all store files.
    pub store_file_bytes: u64,
    /// When the store files were written.
    pub file_times: FileTimes,
    /// Bytes of all store files before compression and encoding.
    pub uncompressed_bytes: u64,
    /// Bytes of the root indexes of all store files, in memory.
    pub root_index_bytes: u64,
    /// Bytes of the indexes of all store files, all levels.
    pub index_bytes: u64,
    /// Bytes of the Bloom filters of all store files.
    pub bloom_bytes: u64,
    /// Bytes of all memstores.
    pub memstore_bytes: u64,
    /// Cells in all memstores.
    pub memstore_cells: u64,
    /// Bytes of these cells: the rest of `memstore_bytes` is around them.
    pub memstore_data_bytes: u64,
    /// What was done to memstores in memory.
    pub in_memory: InMemoryMetrics,
    /// Rows read.
    pub reads: u64,
    /// Rows that filters dropped.
    pub filtered_reads: u64,
    /// Mutations.
    pub writes: u64,
    /// Gets.
    pub gets: u64,
    /// Calls of scans.
    pub scans: u64,
    /// Puts.
    pub puts: u64,
    /// Deletes.
    pub deletes: u64,
    /// Increments.
    pub increments: u64,
    /// Appends.
    pub appends: u64,
    /// Mutations that no log has.
    pub unlogged_writes: u64,
    /// Bytes of their cells.
    pub unlogged_bytes: u64,
    /// How long writes have waited for memory, in microseconds.
    pub waited_us: u64,
    /// Writes refused for want of memory.
    pub refused_writes: u64,
    /// Store files of the store that has most of them.
    pub most_store_files: usize,
    /// Store files that lead to others.
    pub references: usize,
    /// When the last flush of any of its stores began (or when it was opened), ms since the epoch.
    pub last_flush_ms: u64,
    /// Cells in the inputs of the compactions under way; 0 without any.
    pub compacting_cells: u64,
    /// Cells that these compactions have read so far.
    pub compacted_cells: u64,
    /// What compactions did since the opening.
    pub compactions: CompactionTotals,
    /// When the oldest file that a compaction of all files has made was written, ms since the epoch; 0 without one.
    pub last_major_compaction_ms: u64,
    /// Edits up to this one are in store files.
    pub flushed_sequence_id: u64,
}

/// Files and memory of a store at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Its family.
    pub family: Bytes,
    /// Its files: names and sizes in bytes.
    pub files: Vec<(String, u64)>,
    /// Bytes of the cells in its memstore.
    pub memstore_data_bytes: u64,
}

impl Region {
    /// Each of its stores, in the order of their families.
    pub fn store_metrics(&self) -> Vec<StoreMetrics> {
        let of = |store: &crate::store::Store| StoreMetrics {
            family: store.family.name.clone(),
            files: store.files().iter().map(|file| (file.name(), file.size_bytes())).collect(),
            memstore_data_bytes: store.memstore.size().data_bytes as u64,
        };
        self.stores.iter().map(of).collect()
    }

    /// Bytes of all memstores now.
    pub fn memstore_bytes(&self) -> u64 {
        self.memstore_bytes.bytes()
    }

    /// When the last flush began of the store that was not flushed for longest (or when it was opened), ms since the epoch: HBase's
    /// `getEarliestFlushTimeForAllStores`.
    pub fn earliest_flush_ms(&self) -> u64 {
        self.flush_times_ms().min().unwrap_or(0)
    }

    fn flush_times_ms(&self) -> impl Iterator<Item = u64> {
        self.stores.iter().map(|store| store.last_flush_ms.load(Ordering::Relaxed))
    }

    /// For each family, the sequence id up to which its edits are in store files: who splits a log leaves those out.
    pub fn flushed_sequence_ids(&self) -> impl Iterator<Item = (&Bytes, u64)> {
        // Read before the memstores: what is flushed meanwhile is told the next time. Edits above the read point may be in
        // the log, and come into a memstore after newer ones.
        let of_region = self.last_flush_sequence_id.load(Ordering::Relaxed);
        let complete = self.read_point();
        self.stores.iter().map(move |store| {
            let flushed = match store.needs_log_from() {
                // What memory has no more may be needed as long as the log was not told of a flush.
                Some(_) if store.keeper.leaves_out_versions() => of_region,
                Some(lowest) => complete.min(lowest.saturating_sub(1)),
                None => of_region,
            };
            (&store.family.name, flushed)
        })
    }

    /// Sizes and counts now.
    pub fn metrics(&self) -> RegionMetrics {
        let mut metrics = RegionMetrics {
            stores: self.stores.len(),
            memstore_bytes: self.memstore_bytes.bytes(),
            reads: self.counters.reads.load(Ordering::Relaxed),
            filtered_reads: self.counters.filtered_reads.load(Ordering::Relaxed),
            writes: self.counters.writes.load(Ordering::Relaxed),
            gets: self.counters.gets.load(Ordering::Relaxed),
            scans: self.counters.scans.load(Ordering::Relaxed),
            puts: self.counters.puts.load(Ordering::Relaxed),
            deletes: self.counters.deletes.load(Ordering::Relaxed),
            increments: self.counters.increments.load(Ordering::Relaxed),
            appends: self.counters.appends.load(Ordering::Relaxed),
            unlogged_writes: self.counters.unlogged_writes.load(Ordering::Relaxed),
            unlogged_bytes: self.counters.unlogged_bytes.load(Ordering::Relaxed),
            waited_us: self.counters.waited_us.load(Ordering::Relaxed),
            refused_writes: self.refused_writes.count(),
            last_flush_ms: self.flush_times_ms().max().unwrap_or(0),
            flushed_sequence_id: self.last_flush_sequence_id.load(Ordering::Relaxed),
            ..RegionMetrics::default()
        };
        let mut major_ms = None;
        for store in &self.stores {
            let files = store.files();
            metrics.in_memory += store.keeper.metrics();
            let size = store.memstore.size();
            metrics.memstore_cells += size.cells as u64;
            metrics.memstore_data_bytes += size.data_bytes as u64;
            metrics.store_files += files.len();
            metrics.most_store_files = metrics.most_store_files.max(files.len());
            metrics.references += files.iter().filter(|file| file.reference().is_some()).count();
            for file in files.iter() {
                let (size, reader) = (file.size_bytes(), file.reader());
                metrics.store_file_bytes += size;
                // What files say of themselves may be anything.
                let add = |sum: &mut u64, bytes: u64| *sum = sum.saturating_add(bytes);
                add(&mut metrics.uncompressed_bytes, reader.trailer().fields.total_uncompressed_bytes());
                add(&mut metrics.root_index_bytes, reader.root_index_bytes());
                add(&mut metrics.index_bytes, reader.index_bytes());
                add(&mut metrics.bloom_bytes, reader.bloom_bytes());
                metrics.file_times.note(file.written_ms().unsigned_abs());
            }
            let (all, compacted) = store.progress.cells();
            metrics.compacting_cells += all;
            metrics.compacted_cells += compacted;
            metrics.compactions += store.progress.totals();
            major_ms = files.iter().filter_map(|file| file.major_compaction_ms()).chain(major_ms).min();
        }
        metrics.last_major_compaction_ms = major_ms.unwrap_or(0);
        metrics
    }
}
