//! The table of metrics.

use crate::bean::Bean;
use crate::metric::{Kind, Metric, Source, metric};
use crate::operation::Operation;
use crate::size::Size;
use crate::snapshot::{
    FileTierFigures, MasterFigures, ProcedureFigures, ProcessFigures, ServerFigures, SpanFigures,
};
use crate::value::Value;

use Bean::{AssignmentManager, Ipc, Master, Memory, Process, RegionServer, Regions, Users, Wal};
use Kind::{Counter, Gauge, Histogram, Sizes, Tag};
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
    server.times(operation).map_or(Value::Absent, Value::Times)
}

fn sizes(server: &ServerFigures, size: Size) -> Value<'_> {
    server.sizes(size).map_or(Value::Absent, Value::Sizes)
}

/// Of the second tier of the block cache, where there is one.
fn second(server: &ServerFigures, of: fn(&FileTierFigures) -> u64) -> Value<'static> {
    server.cache.file.as_ref().map_or(Value::Absent, |file| of(file).into())
}

/// Of their export, where there is one.
fn spans(process: &ProcessFigures, of: fn(&SpanFigures) -> u64) -> Value<'static> {
    process.spans.as_ref().map_or(Value::Absent, |spans| of(spans).into())
}

fn procedures<'a>(
    master: &'a MasterFigures,
    kind: &str,
    of: impl Fn(&'a ProcedureFigures) -> Value<'a>,
) -> Value<'a> {
    master.procedures(kind).map_or(Value::Absent, of)
}

/// Users stand beside one another, once for each machine.
fn users(server: &ServerFigures) -> usize {
    server.users.chunk_by(|one, next| one.user == next.user).count()
}

/// Procedures of a kind that were asked for.
macro_rules! submitted {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "SubmittedCount")],
            "finback_master_procedures_total",
            Counter,
            "procedures",
            "Procedures of the master, and transitions of regions, that were asked for, by kind.",
            M(|m| procedures(m, $kind, |p| p.submitted.into())),
        )
        .labelled("kind", $label)
    };
}

/// Those of them that failed.
macro_rules! failed {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "FailedCount")],
            "finback_master_failed_procedures_total",
            Counter,
            "procedures",
            "Those of them that failed, by kind.",
            M(|m| procedures(m, $kind, |p| p.failed.into())),
        )
        .labelled("kind", $label)
    };
}

/// How long those took that succeeded.
macro_rules! took {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "Time")],
            "finback_master_procedure_duration_seconds",
            Histogram,
            "ms",
            "How long procedures took, with what they waited for, by kind.",
            M(|m| procedures(m, $kind, |p| Value::Times(&p.time))),
        )
        .labelled("kind", $label)
    };
}

/// Calls that ended with an exception of a class.
macro_rules! exception {
    ($name:literal, $label:literal) => {
        metric(
            Ipc,
            &[concat!("exceptions.", $name)],
            "finback_rpc_exceptions_total",
            Counter,
            "calls",
            "Calls that ended with an exception, by its class.",
            S(|s| s.ipc.exceptions.of($name).into()),
        )
        .labelled("class", $label)
    };
}

/// Operations that took longer than a second.
macro_rules! slow {
    ($operation:ident, $label:literal) => {
        metric(
            RegionServer,
            &[concat!("slow", stringify!($operation), "Count")],
            "finback_slow_operations_total",
            Counter,
            "operations",
            "Operations that took longer than a second.",
            S(|s| s.slow(Operation::$operation).into()),
        )
        .labelled("operation", $label)
    };
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
    metric(RegionServer, &["compactedInputBytes"], "finback_compaction_read_bytes_total", Counter, BYTES, "Bytes that compactions have read.", S(|s| s.compactions.bytes_read.into())),
    metric(RegionServer, &["majorCompactedCellsCount"], "finback_major_compacted_cells_total", Counter, "cells", "Cells that compactions of all files have read.", S(|s| s.major_compactions.cells.into())),
    metric(RegionServer, &["majorCompactedInputBytes"], "finback_major_compaction_read_bytes_total", Counter, BYTES, "Bytes that compactions of all files have read.", S(|s| s.major_compactions.bytes_read.into())),
    metric(RegionServer, &["majorCompactedOutputBytes"], "finback_major_compacted_bytes_total", Counter, BYTES, "Bytes that compactions of all files have written.", S(|s| s.major_compactions.bytes_written.into())),
    metric(RegionServer, &[], "finback_failed_compactions_total", Counter, "compactions", "Compactions that failed.", S(|s| s.failed_compactions.into())),
    metric(RegionServer, &["flushedMemstoreBytes"], "finback_flush_read_bytes_total", Counter, BYTES, "Memory of the memstores that flushes began with.", S(|s| s.flushes.bytes_read.into())),
    metric(RegionServer, &["flushedOutputBytes"], "finback_flushed_bytes_total", Counter, BYTES, "Bytes that flushes have written.", S(|s| s.flushes.bytes_written.into())),
    metric(RegionServer, &["splitRequestCount"], "finback_split_requests_total", Counter, "splits", "Splits of regions that have grown, for which the master was asked.", S(|s| s.split_requests.into())),
    metric(RegionServer, &["splitSuccessCount"], "finback_splits_total", Counter, "splits", "Those of them that the master has taken up.", S(|s| s.splits.into())),
    metric(RegionServer, &["rpcFullScanRequestCount"], "finback_full_scans_total", Counter, "scans", "Scans of whole regions.", S(|s| s.full_scans.into())),
    metric(RegionServer, &["scannerLeaseExpiredCount"], "finback_expired_scanners_total", Counter, "scanners", "Scanners that were closed since their clients did not come back in time.", S(|s| s.expired_scanners.into())),
    metric(RegionServer, &["updatesBlockedTime"], "finback_writes_waited_seconds_total", Counter, "ms", "How long writes have waited for memory, in regions that are open.", S(|s| (s.regions.waited_us / 1000).into())).milliseconds(),
    metric(RegionServer, &["blockedRequestCount"], "finback_refused_writes_total", Counter, "writes", "Writes refused for want of memory, in regions that are open.", S(|s| s.regions.refused_writes.into())),
    metric(RegionServer, &["mutationsWithoutWALCount"], "finback_unlogged_writes_total", Counter, "mutations", "Mutations that clients wanted in no log, in regions that are open.", S(|s| s.regions.unlogged_writes.into())),
    metric(RegionServer, &["mutationsWithoutWALSize"], "finback_unlogged_bytes_total", Counter, BYTES, "Bytes of them.", S(|s| s.regions.unlogged_bytes.into())),
    metric(RegionServer, &["memStoreHeapSize"], "", Gauge, BYTES, "Memory of the memstores of open regions.", S(|s| s.regions.memstore_memory_bytes.into())),
    metric(RegionServer, &["maxStoreFileCount"], "finback_most_store_files", Gauge, "files", "Store files of the store that has most of them.", S(|s| s.regions.most_store_files.into())),
    metric(RegionServer, &["numReferenceFiles"], "finback_reference_files", Gauge, "files", "Store files that lead to those of a region that was split, or to others.", S(|s| s.regions.references.into())),
    metric(RegionServer, &["ServerReadQueryPerSecond_count"], "", Counter, "rows", "Rows read, as at the last look.", S(|s| s.read_rate.count.into())),
    metric(RegionServer, &["ServerReadQueryPerSecond_mean_rate"], "", Gauge, "a second", "Rows read, since the start.", S(|s| s.read_rate.mean().into())),
    metric(RegionServer, &["readRequestRatePerSecond", "ServerReadQueryPerSecond_1min_rate"], "", Gauge, "a second", "Rows read, as an average that forgets in 1 minute.", S(|s| s.read_rate.rates()[0].into())),
    metric(RegionServer, &["ServerReadQueryPerSecond_5min_rate"], "", Gauge, "a second", "Rows read, as an average that forgets in 5 minutes.", S(|s| s.read_rate.rates()[1].into())),
    metric(RegionServer, &["ServerReadQueryPerSecond_15min_rate"], "", Gauge, "a second", "Rows read, as an average that forgets in 15 minutes.", S(|s| s.read_rate.rates()[2].into())),
    metric(RegionServer, &["ServerWriteQueryPerSecond_count"], "", Counter, "rows", "Mutations, as at the last look.", S(|s| s.write_rate.count.into())),
    metric(RegionServer, &["ServerWriteQueryPerSecond_mean_rate"], "", Gauge, "a second", "Mutations, since the start.", S(|s| s.write_rate.mean().into())),
    metric(RegionServer, &["writeRequestRatePerSecond", "ServerWriteQueryPerSecond_1min_rate"], "", Gauge, "a second", "Mutations, as an average that forgets in 1 minute.", S(|s| s.write_rate.rates()[0].into())),
    metric(RegionServer, &["ServerWriteQueryPerSecond_5min_rate"], "", Gauge, "a second", "Mutations, as an average that forgets in 5 minutes.", S(|s| s.write_rate.rates()[1].into())),
    metric(RegionServer, &["ServerWriteQueryPerSecond_15min_rate"], "", Gauge, "a second", "Mutations, as an average that forgets in 15 minutes.", S(|s| s.write_rate.rates()[2].into())),
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
    metric(RegionServer, &["blockCacheDataHitCount"], "finback_block_cache_data_lookups_total", Counter, "look-ups", "Look-ups of data blocks, by whether the block was there.", S(|s| s.cache.hits.saturating_sub(s.cache.index_hits).into())).labelled("outcome", "hit"),
    metric(RegionServer, &["blockCacheDataMissCount"], "finback_block_cache_data_lookups_total", Counter, "look-ups", "Look-ups of data blocks, by whether the block was there.", S(|s| s.cache.misses.saturating_sub(s.cache.index_misses).into())).labelled("outcome", "miss"),
    metric(RegionServer, &[], "finback_block_cache_index_lookups_total", Counter, "look-ups", "Look-ups of blocks of indexes and Bloom filters, by whether the block was there.", S(|s| s.cache.index_hits.into())).labelled("outcome", "hit"),
    metric(RegionServer, &[], "finback_block_cache_index_lookups_total", Counter, "look-ups", "Look-ups of blocks of indexes and Bloom filters, by whether the block was there.", S(|s| s.cache.index_misses.into())).labelled("outcome", "miss"),
    metric(RegionServer, &["l1CacheMissRatio"], "", Gauge, "%", "Look-ups in the block cache that did not find the block.", S(|s| percent(s.cache.misses, s.cache.hits + s.cache.misses))),
    metric(RegionServer, &["l2CacheCount"], "finback_file_cache_blocks", Gauge, "blocks", "Blocks in the second tier of the block cache, where there is one.", S(|s| second(s, |file| file.blocks))),
    metric(RegionServer, &["l2CacheSize"], "finback_file_cache_bytes", Gauge, BYTES, "Size of the second tier.", S(|s| second(s, |file| file.bytes))),
    metric(RegionServer, &["l2CacheHitCount"], "finback_file_cache_lookups_total", Counter, "look-ups", "Look-ups in the second tier, by whether the block was there.", S(|s| second(s, |file| file.hits))).labelled("outcome", "hit"),
    metric(RegionServer, &["l2CacheMissCount"], "finback_file_cache_lookups_total", Counter, "look-ups", "Look-ups in the second tier, by whether the block was there.", S(|s| second(s, |file| file.misses))).labelled("outcome", "miss"),
    metric(RegionServer, &["l2CacheHitRatio"], "", Gauge, "%", "Look-ups in the second tier that found the block.", S(|s| s.cache.file.map_or(Value::Absent, |file| percent(file.hits, file.hits + file.misses)))),
    metric(RegionServer, &["l2CacheMissRatio"], "", Gauge, "%", "Look-ups in the second tier that did not.", S(|s| s.cache.file.map_or(Value::Absent, |file| percent(file.misses, file.hits + file.misses)))),
    // How long operations take.
    duration(&["Get"], "get", "How long operations took, in the server; without waiting to be read from the socket.", S(|s| times(s, Operation::Get))),
    duration(&["Put"], "put", "Puts by themselves.", S(|s| times(s, Operation::Put))),
    duration(&["Delete"], "delete", "Deletes by themselves.", S(|s| times(s, Operation::Delete))),
    duration(&["Increment"], "increment", "Increments by themselves.", S(|s| times(s, Operation::Increment))),
    duration(&["Append"], "append", "Appends by themselves.", S(|s| times(s, Operation::Append))),
    duration(&["CheckAndMutate"], "check_and_mutate", "Mutations with a condition, by themselves.", S(|s| times(s, Operation::CheckAndMutate))),
    duration(&["CheckAndPut"], "check_and_put", "Puts with a condition, by themselves; they are in check_and_mutate too.", S(|s| times(s, Operation::CheckAndPut))),
    duration(&["CheckAndDelete"], "check_and_delete", "Deletes with a condition, by themselves; they are in check_and_mutate too.", S(|s| times(s, Operation::CheckAndDelete))),
    duration(&["PutBatch"], "put_batch", "The puts of a batch to one region, with the deletes among them.", S(|s| times(s, Operation::PutBatch))),
    duration(&["DeleteBatch"], "delete_batch", "The deletes of a batch to one region, with the puts among them.", S(|s| times(s, Operation::DeleteBatch))),
    duration(&["Bulkload"], "bulk_load", "Bulk loads into a region.", S(|s| times(s, Operation::BulkLoad))),
    duration(&["ScanTime"], "scan_next", "One call of a scan: its opening with the first rows, or the next ones.", S(|s| times(s, Operation::Scan))),
    duration(&[], "multi", "Batches, as a whole.", S(|s| times(s, Operation::Multi))),
    duration(&["FlushTime"], "flush", "Flushes of regions.", S(|s| times(s, Operation::Flush))),
    duration(&["CompactionTime"], "compaction", "Compactions of some files of a store.", S(|s| times(s, Operation::Compaction))),
    duration(&["MajorCompactionTime"], "major_compaction", "Compactions of all files of a store.", S(|s| times(s, Operation::MajorCompaction))),
    slow!(Get, "get"),
    slow!(Put, "put"),
    slow!(Delete, "delete"),
    slow!(Increment, "increment"),
    slow!(Append, "append"),
    metric(RegionServer, &["ScanSize"], "finback_operation_bytes", Sizes, BYTES, "Sizes: the cells in one answer of a scan.", S(|s| sizes(s, Size::Scan))).labelled("operation", "scan_next"),
    metric(RegionServer, &["FlushMemstoreSize"], "finback_operation_bytes", Sizes, BYTES, "The memstores that a flush begins with.", S(|s| sizes(s, Size::FlushMemstore))).labelled("operation", "flush_input"),
    metric(RegionServer, &["FlushOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a flush writes.", S(|s| sizes(s, Size::FlushOutput))).labelled("operation", "flush_output"),
    metric(RegionServer, &["CompactionInputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction reads.", S(|s| sizes(s, Size::CompactionInput))).labelled("operation", "compaction_input"),
    metric(RegionServer, &["CompactionOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction writes.", S(|s| sizes(s, Size::CompactionOutput))).labelled("operation", "compaction_output"),
    metric(RegionServer, &["MajorCompactionInputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction of all files reads.", S(|s| sizes(s, Size::MajorCompactionInput))).labelled("operation", "major_compaction_input"),
    metric(RegionServer, &["MajorCompactionOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction of all files writes.", S(|s| sizes(s, Size::MajorCompactionOutput))).labelled("operation", "major_compaction_output"),
    metric(RegionServer, &["CompactionInputFileCount"], "finback_compaction_files", Sizes, "files", "Files that a compaction reads.", S(|s| sizes(s, Size::CompactionInputFiles))).labelled("operation", "compaction"),
    metric(RegionServer, &["MajorCompactionInputFileCount"], "finback_compaction_files", Sizes, "files", "Files that a compaction of all files reads.", S(|s| sizes(s, Size::MajorCompactionInputFiles))).labelled("operation", "major_compaction"),
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
    metric(Regions, &["getCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.gets.into())).labelled("operation", "get"),
    metric(Regions, &["scanCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.scans.into())).labelled("operation", "scan"),
    metric(Regions, &["putCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.puts.into())).labelled("operation", "put"),
    metric(Regions, &["deleteCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.deletes.into())).labelled("operation", "delete"),
    metric(Regions, &["incrementCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.increments.into())).labelled("operation", "increment"),
    metric(Regions, &["appendCount"], "finback_region_operations_total", Counter, "operations", "Operations, by kind, since the region was opened.", R(|r| r.appends.into())).labelled("operation", "append"),
    metric(Regions, &["numFilesCompactedCount"], "finback_region_compacted_files_total", Counter, "files", "Store files that compactions read, since the region was opened.", R(|r| r.compacted_files.into())),
    metric(Regions, &["numReferenceFiles"], "finback_region_reference_files", Gauge, "files", "Store files that lead to others.", R(|r| r.references.into())).also_of_tables(),
    metric(Regions, &["replicaid"], "", Gauge, "", "Which replica of the region this is.", R(|r| r.replica.into())),
    metric(Regions, &["maxStoreFileCount"], "", Gauge, "files", "Store files of the store that has most of them.", R(|r| r.most_store_files.into())).only_of_tables(),
    metric(Regions, &["regionCount"], "", Gauge, "regions", "Open regions of the table.", R(|r| r.regions.into())).only_of_tables(),
    metric(Regions, &["storeCount"], "", Gauge, "stores", "Stores of its open regions.", R(|r| r.stores.into())).only_of_tables(),
    metric(Regions, &["totalRequestCount"], "", Counter, "rows", "Rows read and mutations.", R(|r| r.reads.saturating_add(r.writes).into())).only_of_tables(),
    metric(Regions, &["tableSize"], "", Gauge, BYTES, "Size of store files and memstores.", R(|r| r.store_file_bytes.saturating_add(r.memstore_bytes).into())).only_of_tables(),
    metric(Regions, &["averageRegionSize"], "", Gauge, BYTES, "The same, divided by the number of regions.", R(|r| (r.store_file_bytes.saturating_add(r.memstore_bytes) / r.regions.max(1)).into())).only_of_tables(),
    metric(Regions, &["staticIndexSize"], "", Gauge, BYTES, "Indexes of store files, all levels.", R(|r| r.index_bytes.into())).only_of_tables(),
    metric(Regions, &["staticBloomSize"], "", Gauge, BYTES, "Bloom filters of store files.", R(|r| r.bloom_bytes.into())).only_of_tables(),
    metric(Regions, &["compactedOutputBytes"], "", Counter, BYTES, "Bytes that compactions wrote.", R(|r| r.compacted_bytes.into())).only_of_tables(),
    // Logs.
    metric(Wal, &["appendCount"], "finback_wal_entries_total", Counter, "entries", "Entries written to write-ahead logs.", S(|s| s.wal.entries.into())),
    metric(Wal, &["writtenBytes"], "finback_wal_bytes_total", Counter, BYTES, "Bytes written to write-ahead logs.", S(|s| s.wal.bytes.into())),
    metric(Wal, &[], "finback_wal_groups_total", Counter, "groups", "Groups of entries that were written and made durable together.", S(|s| s.wal.writes.into())),
    metric(Wal, &[], "finback_wal_failures_total", Counter, "groups", "Groups of entries whose write failed.", S(|s| s.wal.failures.into())),
    metric(Wal, &["successfulLogRolls"], "finback_wal_rolls_total", Counter, "files", "Write-ahead logs that were finished.", S(|s| s.wal.rolls.into())),
    metric(Wal, &[], "finback_wal_queued_bytes", Gauge, BYTES, "Bytes that wait to be written to a write-ahead log.", S(|s| s.wal.queued_bytes.into())),
    metric(Wal, &["AppendTime"], "finback_wal_append_duration_seconds", Histogram, "ms", "How long writing a group of entries took.", S(|s| Value::Times(&s.wal.append))),
    metric(Wal, &["SyncTime"], "finback_wal_sync_duration_seconds", Histogram, "ms", "How long making a group of entries durable took.", S(|s| Value::Times(&s.wal.sync))),
    metric(Wal, &["slowAppendCount"], "finback_wal_slow_total", Counter, "groups", "Groups of entries whose write or sync took longer than a second.", S(|s| s.wal.slow.into())),
    metric(Wal, &["AppendSize"], "finback_wal_entry_bytes", Sizes, BYTES, "Sizes of groups of entries.", S(|s| Value::Sizes(&s.wal.entry_bytes))),
    metric(Wal, &["errorRollRequest"], "", Counter, "files", "Logs that were given up since a write to them failed.", S(|s| s.wal.failures.into())),
    // The RPC server.
    metric(Ipc, &["numOpenConnections"], "finback_rpc_connections", Gauge, "connections", "Open connections of clients to the region server.", S(|s| s.ipc.connections.into())),
    metric(Ipc, &["queueSize"], "finback_rpc_in_flight_bytes", Gauge, BYTES, "Requests that are being received or answered.", S(|s| s.ipc.in_flight_bytes.into())),
    metric(Ipc, &["numCallsInGeneralQueue"], "", Gauge, "calls", "Calls that wait, of clients.", S(|s| (s.ipc.waiting_reads + s.ipc.waiting_scans + s.ipc.waiting_writes).into())),
    metric(Ipc, &["numCallsInPriorityQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_priority.into())).labelled("kind", "priority"),
    metric(Ipc, &["numCallsInReadQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_reads.into())).labelled("kind", "read"),
    metric(Ipc, &["numCallsInScanQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_scans.into())).labelled("kind", "scan"),
    metric(Ipc, &["numCallsInWriteQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", S(|s| s.ipc.waiting_writes.into())).labelled("kind", "write"),
    metric(Ipc, &["QueueCallTime"], "finback_rpc_queue_duration_seconds", Histogram, "ms", "How long calls stood between being read from the socket and being begun.", S(|s| Value::Times(&s.ipc.queue_time))),
    metric(Ipc, &["ProcessCallTime"], "finback_rpc_process_duration_seconds", Histogram, "ms", "How long calls took from then on, with what they waited for.", S(|s| Value::Times(&s.ipc.process_time))),
    metric(Ipc, &["TotalCallTime"], "finback_rpc_duration_seconds", Histogram, "ms", "Both together.", S(|s| Value::Times(&s.ipc.total_time))),
    metric(Ipc, &["RequestSize"], "finback_rpc_request_bytes", Sizes, BYTES, "Sizes of requests.", S(|s| Value::Sizes(&s.ipc.request_bytes))),
    metric(Ipc, &["ResponseSize"], "finback_rpc_response_bytes", Sizes, BYTES, "Sizes of answers.", S(|s| Value::Sizes(&s.ipc.response_bytes))),
    metric(Ipc, &["receivedBytes"], "finback_rpc_received_bytes_total", Counter, BYTES, "Bytes received from clients.", S(|s| s.ipc.received_bytes.into())),
    metric(Ipc, &["sentBytes"], "finback_rpc_sent_bytes_total", Counter, BYTES, "Bytes sent to clients.", S(|s| s.ipc.sent_bytes.into())),
    metric(Ipc, &["authorizationSuccesses"], "finback_rpc_accepted_connections_total", Counter, "connections", "Connections whose header was taken.", S(|s| s.ipc.accepted.into())),
    metric(Ipc, &["authorizationFailures"], "finback_rpc_refused_connections_total", Counter, "connections", "Connections whose header was not taken: not understood, or for a service that is not there.", S(|s| s.ipc.refused.into())),
    metric(Ipc, &["numActiveHandler", "numActiveGeneralHandler"], "", Gauge, "calls", "Long calls that are carried out.", S(|s| (s.active_reads + s.active_writes).into())),
    metric(Ipc, &["numActiveScanHandler"], "finback_long_calls", Gauge, "calls", "Long calls that are carried out, each on a thread, by kind.", S(|s| s.active_reads.into())).labelled("kind", "read"),
    metric(Ipc, &["numActiveWriteHandler"], "finback_long_calls", Gauge, "calls", "Long calls that are carried out, each on a thread, by kind.", S(|s| s.active_writes.into())).labelled("kind", "write"),
    metric(Ipc, &["exceptions"], "", Counter, "calls", "Calls that ended with an exception.", S(|s| s.ipc.exceptions.all.into())),
    exception!("FailedSanityCheckException", "FailedSanityCheckException"),
    exception!("NotServingRegionException", "NotServingRegionException"),
    exception!("OutOfOrderScannerNextException", "OutOfOrderScannerNextException"),
    exception!("RegionMovedException", "RegionMovedException"),
    exception!("RegionTooBusyException", "RegionTooBusyException"),
    exception!("ScannerResetException", "ScannerResetException"),
    exception!("UnknownScannerException", "UnknownScannerException"),
    exception!("callDropped", "callDropped"),
    exception!("callQueueTooBig", "callQueueTooBig"),
    exception!("callTimedOut", "callTimedOut"),
    exception!("multiResponseTooLarge", "multiResponseTooLarge"),
    exception!("quotaExceeded", "quotaExceeded"),
    exception!("requestTooBig", "requestTooBig"),
    exception!("rpcThrottling", "rpcThrottling"),
    metric(Ipc, &["exceptions.otherExceptions"], "finback_rpc_exceptions_total", Counter, "calls", "Calls that ended with an exception, by its class.", S(|s| s.ipc.exceptions.others.into())).labelled("class", "otherExceptions"),
    // Memory and users.
    metric(Memory, &["memStoreSize"], "", Gauge, BYTES, "Memory of all memstores, as `finback_memstore_bytes`.", S(|s| s.memstore_bytes.into())),
    metric(Memory, &["blockCacheSize"], "", Gauge, BYTES, "Memory of the block cache.", S(|s| s.cache.bytes.into())),
    metric(Users, &["numUsers"], "finback_users", Gauge, "users", "Users that have asked for anything.", S(|s| users(s).into())),
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
    metric(Master, &["masterFinishedInitializationTime"], "finback_master_initialized_time_seconds", Gauge, "ms since the epoch", "When the master began to serve clients; 0 before.", M(|m| m.initialized_ms.into())).milliseconds(),
    submitted!(Master, "ServerCrash", "server_crash"),
    failed!(Master, "ServerCrash", "server_crash"),
    took!(Master, "ServerCrash", "server_crash"),
    metric(AssignmentManager, &["ritCount"], "finback_master_regions_in_transition", Gauge, "regions", "Regions that are on their way to be opened or closed.", M(|m| m.in_transition.into())),
    metric(AssignmentManager, &["ritOldestAge"], "finback_master_oldest_transition_age_seconds", Gauge, "ms", "How long the region has been on its way that has been so longest.", M(|m| m.oldest_transition_ms.into())).milliseconds(),
    metric(AssignmentManager, &["ritCountOverThreshold"], "finback_master_overdue_transitions", Gauge, "regions", "Regions that have been on their way for more than a minute.", M(|m| m.overdue_transitions.into())),
    metric(AssignmentManager, &["operationCount"], "", Counter, "procedures", "Procedures and transitions that were asked for.", M(|m| m.procedures.iter().map(|(_, of)| of.submitted).sum::<u64>().into())),
    metric(AssignmentManager, &["RitDuration"], "finback_master_transition_duration_seconds", Histogram, "ms", "How long regions were on their way.", M(|m| Value::Times(&m.transition_time))),
    submitted!(AssignmentManager, "Assign", "assign"),
    failed!(AssignmentManager, "Assign", "assign"),
    took!(AssignmentManager, "Assign", "assign"),
    submitted!(AssignmentManager, "Unassign", "unassign"),
    failed!(AssignmentManager, "Unassign", "unassign"),
    took!(AssignmentManager, "Unassign", "unassign"),
    submitted!(AssignmentManager, "Move", "move"),
    failed!(AssignmentManager, "Move", "move"),
    took!(AssignmentManager, "Move", "move"),
    submitted!(AssignmentManager, "Open", "open"),
    failed!(AssignmentManager, "Open", "open"),
    took!(AssignmentManager, "Open", "open"),
    submitted!(AssignmentManager, "Close", "close"),
    failed!(AssignmentManager, "Close", "close"),
    took!(AssignmentManager, "Close", "close"),
    submitted!(AssignmentManager, "Split", "split"),
    failed!(AssignmentManager, "Split", "split"),
    took!(AssignmentManager, "Split", "split"),
    submitted!(AssignmentManager, "Merge", "merge"),
    failed!(AssignmentManager, "Merge", "merge"),
    took!(AssignmentManager, "Merge", "merge"),
    // The process. The names in Prometheus are those of its own clients.
    metric(Process, &["startTime"], "process_start_time_seconds", Gauge, "ms since the epoch", "When the process was started.", P(|p| p.start_ms.into())).milliseconds(),
    metric(Process, &["cpuTime"], "process_cpu_seconds_total", Counter, "ms", "Processor time of all threads.", P(|p| p.cpu_ms.into())).milliseconds(),
    metric(Process, &["residentBytes"], "process_resident_memory_bytes", Gauge, BYTES, "Memory that is resident.", P(|p| p.resident_bytes.into())),
    metric(Process, &["peakResidentBytes"], "finback_process_peak_resident_memory_bytes", Gauge, BYTES, "Memory that was resident at most.", P(|p| p.peak_resident_bytes.into())),
    metric(Process, &["threads"], "finback_process_threads", Gauge, "threads", "Threads.", P(|p| p.threads.into())),
    metric(Process, &["openDescriptors"], "process_open_fds", Gauge, "descriptors", "Open file descriptors.", P(|p| p.open_descriptors.into())),
    metric(Process, &["mostDescriptors"], "process_max_fds", Gauge, "descriptors", "File descriptors that the process may have.", P(|p| p.most_descriptors.into())),
    metric(Process, &["sentSpans"], "finback_otel_spans_total", Counter, "spans", "Spans of calls that were to go to the collector, by what became of them: it has them, too many waited (dropped), or it did not take them (failed).", P(|p| spans(p, |s| s.sent))).labelled("result", "sent"),
    metric(Process, &["droppedSpans"], "finback_otel_spans_total", Counter, "spans", "Spans that were dropped, since too many waited for the collector.", P(|p| spans(p, |s| s.dropped))).labelled("result", "dropped"),
    metric(Process, &["failedSpans"], "finback_otel_spans_total", Counter, "spans", "Spans that the collector did not take, however often it was tried.", P(|p| spans(p, |s| s.failed))).labelled("result", "failed"),
];
