//! The numbers of a server at one moment, as plain data: whoever knows them fills them in.

use crate::histogram::HistogramSnapshot;
use crate::meter::Meter;
use crate::operation::Operation;
use crate::size::Size;
use std::sync::Arc;

/// Everything that the [table](crate::METRICS) draws on.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The machine's name as clients know it.
    pub host: String,
    /// The region server, where there is one.
    pub server: Option<ServerFigures>,
    /// Its open regions.
    pub regions: Vec<RegionFigures>,
    /// The master, where there is one.
    pub master: Option<MasterFigures>,
    /// The process.
    pub process: ProcessFigures,
    /// The same as they were some seconds ago, without regions: what was counted lately is what has been added since.
    pub earlier: Option<Arc<Snapshot>>,
}

/// A region server, but for its regions.
#[derive(Clone, Debug, Default)]
pub struct ServerFigures {
    /// `host,port,startcode`.
    pub name: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// `host:port` of the ZooKeeper responder.
    pub zookeeper_quorum: String,
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// The time, ms since the epoch.
    pub now_ms: u64,
    /// Calls of clients.
    pub calls: u64,
    /// Calls of `Get`.
    pub get_calls: u64,
    /// Calls of `Scan`.
    pub scan_calls: u64,
    /// Calls of `Mutate`.
    pub mutate_calls: u64,
    /// Calls of `Multi`.
    pub multi_calls: u64,
    /// Conditions that held.
    pub checks_passed: u64,
    /// Conditions that did not.
    pub checks_failed: u64,
    /// Open scanners.
    pub open_scanners: u64,
    /// Bytes of all memstores.
    pub memstore_bytes: u64,
    /// At which writes wait.
    pub memstore_limit_bytes: u64,
    /// Compactions that wait, of many bytes.
    pub large_compactions_waiting: u64,
    /// Compactions that wait, of few bytes.
    pub small_compactions_waiting: u64,
    /// Flushes that wait.
    pub flushes_waiting: u64,
    /// Regions of all that this server has open; sums over them.
    pub regions: RegionFigures,
    /// How many regions are open.
    pub region_count: u64,
    /// Durations, in the order of [`Operation::ALL`].
    pub operations: Vec<HistogramSnapshot>,
    /// How many of them took longer than a second, likewise.
    pub slow: Vec<u64>,
    /// Sizes, in the order of [`Size`].
    pub sizes: Vec<HistogramSnapshot>,
    /// Scans of whole regions.
    pub full_scans: u64,
    /// Scanners whose clients have not come back in time.
    pub expired_scanners: u64,
    /// Flushes.
    pub flushes: Work,
    /// Compactions, those of all files included.
    pub compactions: Work,
    /// Compactions of all files of a store.
    pub major_compactions: Work,
    /// Compactions that failed.
    pub failed_compactions: u64,
    /// Splits that the master was asked for.
    pub split_requests: u64,
    /// Those of them that it has begun.
    pub splits: u64,
    /// Long reads that are carried out.
    pub active_reads: u64,
    /// Long writes that are carried out.
    pub active_writes: u64,
    /// How many rows are read, lately.
    pub read_rate: Meter,
    /// How many mutations there are, lately.
    pub write_rate: Meter,
    /// What users have asked for.
    pub users: Vec<UserFigures>,
    /// The logs.
    pub wal: WalFigures,
    /// The block cache.
    pub cache: CacheFigures,
    /// The RPC server.
    pub ipc: IpcFigures,
}

impl ServerFigures {
    /// The durations of an operation.
    pub fn times(&self, operation: Operation) -> Option<&HistogramSnapshot> {
        self.operations.get(operation as usize)
    }

    /// How many of an operation took longer than a second.
    pub fn slow(&self, operation: Operation) -> u64 {
        self.slow.get(operation as usize).copied().unwrap_or(0)
    }

    /// The sizes of something.
    pub fn sizes(&self, size: Size) -> Option<&HistogramSnapshot> {
        self.sizes.get(size as usize)
    }
}

/// What flushes or compactions did, since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How many came to their end.
    pub count: u64,
    /// Cells read.
    pub cells: u64,
    /// Bytes read; of flushes those of memstores.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

/// A user on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserFigures {
    /// The user's name.
    pub user: String,
    /// The machine's address.
    pub client: String,
    /// Rows read.
    pub reads: u64,
    /// Rows that filters dropped.
    pub filtered_reads: u64,
    /// Mutations.
    pub writes: u64,
}

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
            (&mut self.compacted_bytes, other.compacted_bytes),
        ];
        for (sum, more) in sums {
            // What files say of themselves may be anything.
            *sum = sum.saturating_add(more);
        }
        self.most_store_files = self.most_store_files.max(other.most_store_files);
    }
}

/// The write-ahead logs.
#[derive(Clone, Debug, Default)]
pub struct WalFigures {
    /// Entries written.
    pub entries: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Groups of entries written.
    pub writes: u64,
    /// Groups that failed.
    pub failures: u64,
    /// Files finished.
    pub rolls: u64,
    /// Files that are still needed, that which is being written counted.
    pub files: u64,
    /// Bytes waiting to be written.
    pub queued_bytes: u64,
    /// Writes and syncs of groups that took longer than a second.
    pub slow: u64,
    /// Bytes of the entries.
    pub entry_bytes: HistogramSnapshot,
    /// How long writes to the file took.
    pub append: HistogramSnapshot,
    /// How long the file system took to make them durable.
    pub sync: HistogramSnapshot,
}

/// The block cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheFigures {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Blocks that made room for others.
    pub evictions: u64,
    /// Blocks in memory.
    pub blocks: u64,
    /// Bytes in memory.
    pub bytes: u64,
    /// Bytes that it may have.
    pub capacity_bytes: u64,
    /// Those of `hits` that were for blocks of indexes and Bloom filters.
    pub index_hits: u64,
    /// Those of `misses` that were for blocks of indexes and Bloom filters.
    pub index_misses: u64,
    /// The second tier, where there is one.
    pub file: Option<FileTierFigures>,
}

/// The second tier of the block cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileTierFigures {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Blocks in it.
    pub blocks: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

/// The RPC server of a region server.
#[derive(Clone, Debug, Default)]
pub struct IpcFigures {
    /// Open connections.
    pub connections: u64,
    /// Bytes of requests that are being received or answered.
    pub in_flight_bytes: u64,
    /// Calls that wait, of the cluster itself.
    pub waiting_priority: u64,
    /// Calls that wait, reads of rows that are named.
    pub waiting_reads: u64,
    /// Calls that wait, reads of ranges.
    pub waiting_scans: u64,
    /// Calls that wait, changes.
    pub waiting_writes: u64,
    /// How long calls stood between being read and being begun.
    pub queue_time: HistogramSnapshot,
    /// How long they took from then on.
    pub process_time: HistogramSnapshot,
    /// Both together.
    pub total_time: HistogramSnapshot,
    /// Bytes of requests.
    pub request_bytes: HistogramSnapshot,
    /// Bytes of answers.
    pub response_bytes: HistogramSnapshot,
    /// Bytes received.
    pub received_bytes: u64,
    /// Bytes sent.
    pub sent_bytes: u64,
    /// Connections whose header was taken.
    pub accepted: u64,
    /// Connections whose header was not.
    pub refused: u64,
    /// Calls that ended with an exception.
    pub exceptions: ExceptionCounts,
}

/// Calls that ended with an exception, by its class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExceptionCounts {
    /// All of them.
    pub all: u64,
    /// Those that HBase counts by themselves, under its names.
    pub named: Vec<(&'static str, u64)>,
    /// The rest.
    pub others: u64,
}

impl ExceptionCounts {
    /// Those of a name of HBase's.
    pub fn of(&self, name: &str) -> u64 {
        self.named.iter().find(|(known, _)| *known == name).map_or(0, |(_, count)| *count)
    }
}

/// The master.
#[derive(Clone, Debug, Default)]
pub struct MasterFigures {
    /// `host,port,startcode`.
    pub name: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// `host:port` of the ZooKeeper responder.
    pub zookeeper_quorum: String,
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// Live region servers, separated by semicolons.
    pub live_servers: String,
    /// How many.
    pub live_server_count: u64,
    /// Dead region servers, separated by semicolons.
    pub dead_servers: String,
    /// How many.
    pub dead_server_count: u64,
    /// Regions per live server.
    pub average_load: f64,
    /// Requests of clients to all regions.
    pub cluster_requests: u64,
    /// Regions in transition.
    pub in_transition: u64,
    /// How long the first of them has been that, ms.
    pub oldest_transition_ms: u64,
    /// How many have been that for longer than a minute.
    pub overdue_transitions: u64,
    /// When it began to serve clients, ms since the epoch; 0 before.
    pub initialized_ms: u64,
    /// Procedures, under HBase's names (`Assign`, `Split`, …).
    pub procedures: Vec<(&'static str, ProcedureFigures)>,
    /// How long regions were in transition.
    pub transition_time: HistogramSnapshot,
}

/// Procedures of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcedureFigures {
    /// How many were asked for.
    pub submitted: u64,
    /// How many failed.
    pub failed: u64,
    /// How long those took that succeeded.
    pub time: HistogramSnapshot,
}

impl MasterFigures {
    /// The procedures of a kind.
    pub fn procedures(&self, kind: &str) -> Option<&ProcedureFigures> {
        self.procedures.iter().find(|(known, _)| *known == kind).map(|(_, figures)| figures)
    }
}

/// The process.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessFigures {
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// Processor time, of all threads, ms.
    pub cpu_ms: u64,
    /// Memory that is resident, bytes.
    pub resident_bytes: u64,
    /// Memory that was resident at most, bytes.
    pub peak_resident_bytes: u64,
    /// Threads.
    pub threads: u64,
    /// Open file descriptors.
    pub open_descriptors: u64,
    /// File descriptors that it may have.
    pub most_descriptors: u64,
    /// Spans, where they are exported.
    pub spans: Option<SpanFigures>,
}

/// Spans that were to be exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanFigures {
    /// The collector has taken them.
    pub sent: u64,
    /// Too many waited.
    pub dropped: u64,
    /// The collector has not taken them, however often it was tried.
    pub failed: u64,
}
