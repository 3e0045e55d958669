//! A region.

use crate::file_times::FileTimes;

/// A region, or the sum over several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionFigures {
    /// Of its table.
    pub namespace: String,
    /// The table, without its namespace.
    pub table: String,
    /// Its encoded name.
    pub encoded_name: String,
    /// Families.
    pub stores: u64,
    /// Store files.
    pub store_files: u64,
    /// Bytes of them.
    pub store_file_bytes: u64,
    /// When they were written.
    pub file_times: FileTimes,
    /// Bytes of the root indexes of them.
    pub root_index_bytes: u64,
    /// Bytes of the indexes of them, all levels.
    pub index_bytes: u64,
    /// Bytes of the Bloom filters of them.
    pub bloom_bytes: u64,
    /// Bytes of the cells in memstores.
    pub memstore_bytes: u64,
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
    /// How long writes have waited for memory, in microseconds.
    pub waited_us: u64,
    /// Writes refused since there was no room.
    pub refused_writes: u64,
    /// Mutations that no log has.
    pub unlogged_writes: u64,
    /// Bytes of them.
    pub unlogged_bytes: u64,
    /// Bytes of memory of the memstores.
    pub memstore_memory_bytes: u64,
    /// Store files of the store that has most of them.
    pub most_store_files: u64,
    /// Store files that lead to others.
    pub references: u64,
    /// Which replica of the region this is.
    pub replica: u64,
    /// Regions: one, or how many were added up.
    pub regions: u64,
    /// Store files that compactions read.
    pub compacted_files: u64,
    /// Compactions that came to their end.
    pub compactions: u64,
    /// Cells that they read.
    pub compacted_cells: u64,
    /// Bytes of them.
    pub compacted_cell_bytes: u64,
    /// Bytes that they wrote.
    pub compacted_bytes: u64,
    /// When the oldest file was written that a compaction of all files has made, ms since the epoch; 0 without one.
    pub last_major_compaction_ms: u64,
    /// The time, ms since the epoch.
    pub now_ms: u64,
}

impl RegionFigures {
    /// Adds what can be added. Names stay.
    pub fn add(&mut self, other: &Self) {
        self.file_times.add(other.file_times);
        let sums = [
            (&mut self.stores, other.stores),
            (&mut self.store_files, other.store_files),
            (&mut self.store_file_bytes, other.store_file_bytes),
            (&mut self.root_index_bytes, other.root_index_bytes),
            (&mut self.index_bytes, other.index_bytes),
            (&mut self.bloom_bytes, other.bloom_bytes),
            (&mut self.memstore_bytes, other.memstore_bytes),
            (&mut self.reads, other.reads),
            (&mut self.filtered_reads, other.filtered_reads),
            (&mut self.writes, other.writes),
            (&mut self.gets, other.gets),
            (&mut self.scans, other.scans),
            (&mut self.puts, other.puts),
            (&mut self.deletes, other.deletes),
            (&mut self.increments, other.increments),
            (&mut self.appends, other.appends),
            (&mut self.waited_us, other.waited_us),
            (&mut self.refused_writes, other.refused_writes),
            (&mut self.unlogged_writes, other.unlogged_writes),
            (&mut self.unlogged_bytes, other.unlogged_bytes),
            (&mut self.memstore_memory_bytes, other.memstore_memory_bytes),
            (&mut self.references, other.references),
            (&mut self.regions, other.regions),
            (&mut self.compacted_files, other.compacted_files),
            (&mut self.compactions, other.compactions),
            (&mut self.compacted_cells, other.compacted_cells),
            (&mut self.compacted_cell_bytes, other.compacted_cell_bytes),
            (&mut self.compacted_bytes, other.compacted_bytes),
        ];
        for (sum, more) in sums {
            // What files say of themselves may be anything.
            *sum = sum.saturating_add(more);
        }
        self.most_store_files = self.most_store_files.max(other.most_store_files);
    }
}
