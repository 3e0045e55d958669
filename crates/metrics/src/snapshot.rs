//! The numbers of a server at one moment, as plain data: whoever knows them fills them in.

use crate::histogram::HistogramSnapshot;
use crate::operation::Operation;

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
            (&mut self.compactions, other.compactions),
            (&mut self.compacted_cells, other.compacted_cells),
            (&mut self.compacted_bytes, other.compacted_bytes),
        ];
        for (sum, more) in sums {
            // What files say of themselves may be anything.
            *sum = sum.saturating_add(more);
        }
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
}

/// The RPC server of a region server.
#[derive(Clone, Copy, Debug, Default)]
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
}
