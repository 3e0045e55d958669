//! The table of metrics: what each is called in HBase and in Prometheus, what it means, and where it comes from.

use crate::bean::Bean;
use crate::operation::Operation;
use crate::snapshot::{MasterFigures, ProcessFigures, RegionFigures, ServerFigures};
use crate::value::Value;

/// How a metric behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only grows, from the start of the server.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Durations. In HBase's JSON their number, extremes, mean and percentiles, in milliseconds.
    Histogram,
    /// Words, a tag in HBase's JSON.
    Tag,
}

/// Where a metric's value is, and with that of what there is one.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// One of a region server.
    Server(for<'a> fn(&'a ServerFigures) -> Value<'a>),
    /// One of each region, and of each table, whose value is that of the sum over its regions.
    Region(for<'a> fn(&'a RegionFigures) -> Value<'a>),
    /// One of the master.
    Master(for<'a> fn(&'a MasterFigures) -> Value<'a>),
    /// One of the process.
    Process(for<'a> fn(&'a ProcessFigures) -> Value<'a>),
}

/// A metric.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The bean that it is part of; of a region's, the one of regions.
    pub bean: Bean,
    /// Its names there; of a [`Kind::Histogram`] what they begin with. None: HBase has none like it.
    pub hbase: &'static [&'static str],
    /// Whether the bean of tables has it too.
    pub of_tables: bool,
    /// Its name in Prometheus; empty if it has none.
    pub prometheus: &'static str,
    /// A label of it there, and its value: metrics of the same name differ in it.
    pub label: Option<(&'static str, &'static str)>,
    /// How it behaves.
    pub kind: Kind,
    /// What it counts.
    pub unit: &'static str,
    /// By which the value is divided for Prometheus, which has base units.
    pub divisor: u32,
    /// What it means.
    pub help: &'static str,
    /// Where its value is.
    pub source: Source,
}

const fn metric(
    bean: Bean,
    hbase: &'static [&'static str],
    prometheus: &'static str,
    kind: Kind,
    unit: &'static str,
    help: &'static str,
    source: Source,
) -> Metric {
    Metric { bean, hbase, of_tables: false, prometheus, label: None, kind, unit, divisor: 1, help, source }
}

impl Metric {
    const fn labelled(mut self, name: &'static str, value: &'static str) -> Self {
        self.label = Some((name, value));
        self
    }

    const fn also_of_tables(mut self) -> Self {
        self.of_tables = true;
        self
    }

    /// It is in milliseconds, of which Prometheus has seconds.
    const fn milliseconds(mut self) -> Self {
        self.divisor = 1000;
        self
    }
}

use Bean::{AssignmentManager, Ipc, Master, Process, RegionServer, Regions, Wal};
use Kind::{Counter, Gauge, Histogram, Tag};
use Source::{Master as M, Process as P, Region as R, Server as S};

const BYTES: &str = "bytes";

const fn duration(
    hbase: &'static [&'static str],
    operation: &'static str,
    help: &'static str,
    source: Source,
) -> Metric {
    let name = "finback_operation_duration_seconds";
    metric(RegionServer, hbase, name, Histogram, "ms", help, source).labelled("operation", operation)
}

fn times(server: &ServerFigures, operation: Operation) -> Value<'_> {
    server.times(operation).map_or(Value::Absent, Value::from)
}

fn percent(part: u64, whole: u64) -> Value<'static> {
    Value::Number(if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 })
}

fn since(then_ms: u64, now_ms: u64) -> Value<'static> {
    Value::Count(if then_ms == 0 { 0 } else { now_ms.saturating_sub(then_ms) })
}

/// Every metric.
#[rustfmt::skip]
pub const METRICS: &[Metric] = &[
    // The region server.
    metric(RegionServer, &["tag.serverName"], "", Tag, "", "The region server's name.", S(|s| s.name.as_str().into())),
    metric(RegionServer, &["tag.clusterId"], "", Tag, "", "The cluster's id.", S(|s| s.cluster_id.as_str().into())),
    metric(RegionServer, &["tag.zookeeperQuorum"], "", Tag, "", "Where ZooKeeper clients find the cluster.", S(|s| s.zookeeper_quorum.as_str().into())),
    metric(RegionServer, &["regionServerStartTime"], "finback_regionserver_start_time_seconds", Gauge, "ms since the epoch", "When the region server was started.", S(|s| s.start_ms.into())).milliseconds(),
    metric(RegionServer, &["regionCount"], "finback_regions", Gauge, "regions", "Open regions.", S(|s| s.region_count.into())),
    metric(RegionServer, &["storeCount"], "finback_stores", Gauge, "stores", "Stores (families) of open regions.", S(|s| s.regions.stores.into())),
    metric(RegionServer, &["storeFileCount"], "finback_store_files", Gauge, "files", "Store files.", S(|s| s.regions.store_files.into())),
    metric(RegionServer, &["storeFileSize"], "finback_store_file_bytes", Gauge, BYTES, "Size of all store files.", S(|s| s.regions.store_file_bytes.into())),
    metric(RegionServer, &["averageRegionSize"], "", Gauge, BYTES, "Size of store files and memstores, divided by the number of regions.", S(|s| (s.regions.store_file_bytes.saturating_add(s.regions.memstore_bytes) / s.region_count.max(1)).into())),
    metric(RegionServer, &["storeFileIndexSize"], "finback_store_file_root_index_bytes", Gauge, BYTES, "Root indexes of store files, which are in memory.", S(|s| s.regions.root_index_bytes.into())),
    metric(RegionServer, &["staticIndexSize"], "finback_store_file_index_bytes", Gauge, BYTES, "Indexes of store files, all levels, before compression.", S(|s| s.regions.index_bytes.into())),
    metric(RegionServer, &["staticBloomSize"], "finback_store_file_bloom_bytes", Gauge, BYTES, "Bloom filters of store files.", S(|s| s.regions.bloom_bytes.into())),
    metric(RegionServer, &["memStoreSize"], "finback_memstore_data_bytes", Gauge, BYTES, "Cells in memstores.", S(|s| s.regions.memstore_bytes.into())),
    metric(RegionServer, &[], "finback_memstore_bytes", Gauge, BYTES, "Memory of all memstores, that around the cells counted.", S(|s| s.memstore_bytes.into())),
    metric(RegionServer, &[], "finback_memstore_limit_bytes", Gauge, BYTES, "Memory of memstores at which writes wait for flushes.", S(|s| s.memstore_limit_bytes.into())),
    metric(RegionServer, &["totalRequestCount"], "finback_client_calls_total", Counter, "calls", "Calls of ClientService.", S(|s| s.calls.into())),
    metric(RegionServer, &["totalRowActionRequestCount"], "", Counter, "rows", "Rows read and mutations.", S(|s| s.regions.reads.saturating_add(s.regions.writes).into())),
    metric(RegionServer, &["readRequestCount"], "finback_reads_total", Counter, "rows", "Rows read, in regions that are open.", S(|s| s.regions.reads.into())),
    metric(RegionServer, &["filteredReadRequestCount"], "finback_filtered_reads_total", Counter, "rows", "Rows that filters dropped, in regions that are open.", S(|s| s.regions.filtered_reads.into())),
    metric(RegionServer, &["writeRequestCount"], "finback_writes_total", Counter, "mutations", "Mutations, in regions that are open.", S(|s| s.regions.writes.into())),
    metric(RegionServer, &["rpcGetRequestCount"], "finback_method_calls_total", Counter, "calls", "Calls of ClientService, by method.", S(|s| s.get_calls.into())).labelled("method", "Get"),
    metric(RegionServer, &["rpcScanRequestCount"], "finback_method_calls_total", Counter, "calls", "Calls of ClientService, by method.", S(|s| s.scan_calls.into())).labelled("method", "Scan"),
    metric(RegionServer, &["rpcMutateRequestCount"], "finback_method_calls_total", Counter, "calls", "Calls of ClientService, by method.", S(|s| s.mutate_calls.into())).labelled("method", "Mutate"),
    metric(RegionServer, &["rpcMultiRequestCount"], "finback_method_calls_total", Counter, "calls", "Calls of ClientService, by method.", S(|s| s.multi_calls.into())).labelled("method", "Multi"),
    metric(RegionServer, &["checkMutatePassedCount"], "finback_conditions_total", Counter, "conditions", "Mutations with a condition, by whether it held.", S(|s| s.checks_passed.into())).labelled("outcome", "passed"),
    metric(RegionServer, &["checkMutateFailedCount"], "finback_conditions_total", Counter, "conditions", "Mutations with a condition, by whether it held.", S(|s| s.checks_failed.into())).labelled("outcome", "failed"),
    metric(RegionServer, &["activeScanners"], "finback_open_scanners", Gauge, "scanners", "Open scanners.", S(|s| s.open_scanners.into())),
    metric(RegionServer, &["compactionQueueLength"], "", Gauge, "compactions", "Compactions that wait.", S(|s| s.small_compactions_waiting.saturating_add(s.large_compactions_waiting).into())),
    metric(RegionServer, &["smallCompactionQueueLength"], "finback_compactions_waiting", Gauge, "compactions", "Compactions that wait, by the pool that carries them out.", S(|s| s.small_compactions_waiting.into())).labelled("pool", "small"),
    metric(RegionServer, &["largeCompactionQueueLength"], "finback_compactions_waiting", Gauge, "compactions", "Compactions that wait, by the pool that carries them out.", S(|s| s.large_compactions_waiting.into())).labelled("pool", "large"),
    metric(RegionServer, &["flushQueueLength"], "finback_flushes_waiting", Gauge, "flushes", "Flushes that wait.", S(|s| s.flushes_waiting.into())),
    metric(RegionServer, &["compactedCellsCount"], "finback_compacted_cells_total", Counter, "cells", "Cells that compactions have read, in regions that are open.", S(|s| s.regions.compacted_cells.into())),
    metric(RegionServer, &["compactedOutputBytes"], "finback_compacted_bytes_total", Counter, BYTES, "Bytes that compactions have written, in regions that are open.", S(|s| s.regions.compacted_bytes.into())),
    metric(RegionServer, &["percentFilesLocal"], "", Gauge, "%", "How much of the store files is on this machine: all.", S(|_| Value::Number(100.0))),
    metric(RegionServer, &["hlogFileCount"], "finback_wal_files", Gauge, "files", "Write-ahead logs that are needed, that which is written counted.", S(|s| s.wal.files.into())),
    // The block cache.
    metric(RegionServer, &["blockCacheCount", "l1CacheCount"], "finback_block_cache_blocks", Gauge, "blocks", "Blocks in the block cache.", S(|s| s.cache.blocks.into())),
    metric(RegionServer, &["blockCacheSize", "l1CacheSize"], "finback_block_cache_bytes", Gauge, BYTES, "Memory of the block cache.", S(|s| s.cache.bytes.into())),
    metric(RegionServer, &["blockCacheFreeSize", "l1CacheFreeSize"], "", Gauge, BYTES, "Memory that the block cache may still take.", S(|s| s.cache.capacity_bytes.saturating_sub(s.cache.bytes).into())),
    metric(RegionServer, &[], "finback_block_cache_limit_bytes", Gauge, BYTES, "Memory that the block cache may have.", S(|s| s.cache.capacity_bytes.into())),
    metric(RegionServer, &["blockCacheHitCount", "l1CacheHitCount"], "finback_block_cache_lookups_total", Counter, "look-ups", "Look-ups in the block cache, by whether the block was there.", S(|s| s.cache.hits.into())).labelled("outcome", "hit"),
    metric(RegionServer, &["blockCacheMissCount", "l1CacheMissCount"], "finback_block_cache_lookups_total", Counter, "look-ups", "Look-ups in the block cache, by whether the block was there.", S(|s| s.cache.misses.into())).labelled("outcome", "miss"),
    metric(RegionServer, &["blockCacheCountHitPercent", "l1CacheHitRatio"], "", Gauge, "%", "Look-ups in the block cache that found the block.", S(|s| percent(s.cache.hits, s.cache.hits + s.cache.misses))),
    metric(RegionServer, &["blockCacheEvictionCount", "l1CacheEvictionCount"], "finback_block_cache_evictions_total", Counter, "blocks", "Blocks that made room for others.", S(|s| s.cache.evictions.into())),
    // How long operations take.
    duration(&["Get"], "get", "How long operations took, in the server; without waiting to be read from the socket.", S(|s| times(s, Operation::Get))),
    duration(&["Put"], "put", "Puts by themselves.", S(|s| times(s, Operation::Put))),
    duration(&["Delete"], "delete", "Deletes by themselves.", S(|s| times(s, Operation::Delete))),
    duration(&["Increment"], "increment", "Increments by themselves.", S(|s| times(s, Operation::Increment))),
    duration(&["Append"], "append", "Appends by themselves.", S(|s| times(s, Operation::Append))),
    duration(&["CheckAndMutate"], "check_and_mutate", "Mutations with a condition, by themselves.", S(|s| times(s, Operation::CheckAndMutate))),
    duration(&["ScanTime"], "scan_next", "One call of a scan: its opening with the first rows, or the next ones.", S(|s| times(s, Operation::Scan))),
    duration(&[], "multi", "Batches, as a whole.", S(|s| times(s, Operation::Multi))),
    duration(&["FlushTime"], "flush", "Flushes of regions.", S(|s| times(s, Operation::Flush))),
    duration(&["CompactionTime"], "compaction", "Compactions of some files of a store.", S(|s| times(s, Operation::Compaction))),
    duration(&["MajorCompactionTime"], "major_compaction", "Compactions of all files of a store.", S(|s| times(s, Operation::MajorCompaction))),
    // Regions and tables.
    metric(Regions, &["storeCount"], "finback_region_stores", Gauge, "stores", "Stores (families) of the region.", R(|r| r.stores.into())),
    metric(Regions, &["storeFileCount"], "finback_region_store_files", Gauge, "files", "Store files of the region.", R(|r| r.store_files.into())).also_of_tables(),
    metric(Regions, &["storeFileSize"], "finback_region_store_file_bytes", Gauge, BYTES, "Size of the region's store files.", R(|r| r.store_file_bytes.into())).also_of_tables(),
    metric(Regions, &["memStoreSize"], "finback_region_memstore_data_bytes", Gauge, BYTES, "Cells in the region's memstores.", R(|r| r.memstore_bytes.into())).also_of_tables(),
    metric(Regions, &["readRequestCount"], "finback_region_reads_total", Counter, "rows", "Rows read, since the region was opened.", R(|r| r.reads.into())).also_of_tables(),
    metric(Regions, &["filteredReadRequestCount"], "finback_region_filtered_reads_total", Counter, "rows", "Rows that filters dropped, since the region was opened.", R(|r| r.filtered_reads.into())).also_of_tables(),
    metric(Regions, &["writeRequestCount"], "finback_region_writes_total", Counter, "mutations", "Mutations, since the region was opened.", R(|r| r.writes.into())).also_of_tables(),
    metric(Regions, &["compactionsCompletedCount"], "finback_region_compactions_total", Counter, "compactions", "Compactions that came to their end, since the region was opened.", R(|r| r.compactions.into())),
    metric(Regions, &["numBytesCompactedCount"], "finback_region_compacted_bytes_total", Counter, BYTES, "Bytes that compactions wrote, since the region was opened.", R(|r| r.compacted_bytes.into())),
    metric(Regions, &["lastMajorCompactionAge"], "finback_region_last_major_compaction_age_seconds", Gauge, "ms", "Age of the oldest file that a compaction of all files has written; 0 without one.", R(|r| since(r.last_major_compaction_ms, r.now_ms))).milliseconds(),
    // Logs.
    metric(Wal, &["appendCount"], "finback_wal_entries_total", Counter, "entries", "Entries written to write-ahead logs.", S(|s| s.wal.entries.into())),
    metric(Wal, &["writtenBytes"], "finback_wal_bytes_total", Counter, BYTES, "Bytes written to write-ahead logs.", S(|s| s.wal.bytes.into())),
    metric(Wal, &[], "finback_wal_groups_total", Counter, "groups", "Groups of entries that were written and made durable together.", S(|s| s.wal.writes.into())),
    metric(Wal, &[], "finback_wal_failures_total", Counter, "groups", "Groups of entries whose write failed.", S(|s| s.wal.failures.into())),
    metric(Wal, &["successfulLogRolls"], "finback_wal_rolls_total", Counter, "files", "Write-ahead logs that were finished.", S(|s| s.wal.rolls.into())),
    metric(Wal, &[], "finback_wal_queued_bytes", Gauge, BYTES, "Bytes that wait to be written to a write-ahead log.", S(|s| s.wal.queued_bytes.into())),
    metric(Wal, &["AppendTime"], "finback_wal_append_duration_seconds", Histogram, "ms", "How long writing a group of entries took.", S(|s| (&s.wal.append).into())),
    metric(Wal, &["SyncTime"], "finback_wal_sync_duration_seconds", Histogram, "ms", "How long making a group of entries durable took.", S(|s| (&s.wal.sync).into())),
    // The RPC server.
    metric(Ipc, &["numOpenConnections"], "finback_rpc_connections", Gauge, "connections", "Open connections of clients to the region server.", S(|s| s.ipc.connections.into())),
    metric(Ipc, &["queueSize"], "finback_rpc_in_flight_bytes", Gauge, BYTES, "Requests that are being received or answered.", S(|s| s.ipc.in_flight_bytes.into())),
    metric(Ipc, &["numCallsInGeneralQueue"], "", Gauge, "calls", "Calls that wait, of clients.", S(|s| (s.ipc.waiting_reads + s.ipc.waiting_scans + s.ipc.waiting_writes).into())),
    metric(Ipc, &["numCallsInPriorityQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_priority.into())).labelled("kind", "priority"),
    metric(Ipc, &["numCallsInReadQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_reads.into())).labelled("kind", "read"),
    metric(Ipc, &["numCallsInScanQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_scans.into())).labelled("kind", "scan"),
    metric(Ipc, &["numCallsInWriteQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_writes.into())).labelled("kind", "write"),
    // The master.
    metric(Master, &["tag.serverName"], "", Tag, "", "The master's name.", M(|m| m.name.as_str().into())),
    metric(Master, &["tag.clusterId"], "", Tag, "", "The cluster's id.", M(|m| m.cluster_id.as_str().into())),
    metric(Master, &["tag.zookeeperQuorum"], "", Tag, "", "Where ZooKeeper clients find the cluster.", M(|m| m.zookeeper_quorum.as_str().into())),
    metric(Master, &["tag.isActiveMaster"], "", Tag, "", "Whether this is the active master: it is.", M(|_| "true".into())),
    metric(Master, &["tag.liveRegionServers"], "", Tag, "", "Names of live region servers.", M(|m| m.live_servers.as_str().into())),
    metric(Master, &["tag.deadRegionServers"], "", Tag, "", "Names of dead region servers.", M(|m| m.dead_servers.as_str().into())),
    metric(Master, &["masterStartTime", "masterActiveTime"], "finback_master_start_time_seconds", Gauge, "ms since the epoch", "When the master was started.", M(|m| m.start_ms.into())).milliseconds(),
    metric(Master, &["numRegionServers"], "finback_master_region_servers", Gauge, "servers", "Region servers, by whether they live.", M(|m| m.live_server_count.into())).labelled("state", "live"),
    metric(Master, &["numDeadRegionServers"], "finback_master_region_servers", Gauge, "servers", "Region servers, by whether they live.", M(|m| m.dead_server_count.into())).labelled("state", "dead"),
    metric(Master, &["averageLoad"], "finback_master_average_load", Gauge, "regions", "Regions per live region server.", M(|m| m.average_load.into())),
    metric(Master, &["clusterRequests"], "finback_master_cluster_requests_total", Counter, "requests", "Rows read and mutations in all regions, as region servers have last told.", M(|m| m.cluster_requests.into())),
    metric(AssignmentManager, &["ritCount"], "finback_master_regions_in_transition", Gauge, "regions", "Regions that are on their way to be opened or closed.", M(|m| m.in_transition.into())),
    metric(AssignmentManager, &["ritOldestAge"], "finback_master_oldest_transition_age_seconds", Gauge, "ms", "How long the region has been on its way that has been so longest.", M(|m| m.oldest_transition_ms.into())).milliseconds(),
    // The process. The names in Prometheus are those of its own clients.
    metric(Process, &["startTime"], "process_start_time_seconds", Gauge, "ms since the epoch", "When the process was started.", P(|p| p.start_ms.into())).milliseconds(),
    metric(Process, &["cpuTime"], "process_cpu_seconds_total", Counter, "ms", "Processor time of all threads.", P(|p| p.cpu_ms.into())).milliseconds(),
    metric(Process, &["residentBytes"], "process_resident_memory_bytes", Gauge, BYTES, "Memory that is resident.", P(|p| p.resident_bytes.into())),
    metric(Process, &["peakResidentBytes"], "finback_process_peak_resident_memory_bytes", Gauge, BYTES, "Memory that was resident at most.", P(|p| p.peak_resident_bytes.into())),
    metric(Process, &["threads"], "finback_process_threads", Gauge, "threads", "Threads.", P(|p| p.threads.into())),
    metric(Process, &["openDescriptors"], "process_open_fds", Gauge, "descriptors", "Open file descriptors.", P(|p| p.open_descriptors.into())),
    metric(Process, &["mostDescriptors"], "process_max_fds", Gauge, "descriptors", "File descriptors that the process may have.", P(|p| p.most_descriptors.into())),
];
