//! The region server as a whole, its memory, and who asks it.

use super::BYTES;
use crate::bean::Bean::{Memory, RegionServer, Users};
use crate::metric::Kind::{Counter, Gauge, Tag};
use crate::metric::Source::Server as S;
use crate::metric::{Metric, metric};
use crate::snapshot::ServerFigures;
use crate::value::Value;

/// Users stand beside one another, once for each machine.
fn users(server: &ServerFigures) -> usize {
    server.users.chunk_by(|one, next| one.user == next.user).count()
}

#[rustfmt::skip]
pub(super) const REGION_SERVER: &[Metric] = &[
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
    metric(RegionServer, &["maxStoreFileAge"], "finback_oldest_store_file_age_seconds", Gauge, "ms", "Age of the oldest store file; 0 without one.", S(|s| s.regions.file_times.greatest_age_ms(s.now_ms).into())).milliseconds(),
    metric(RegionServer, &["minStoreFileAge"], "finback_newest_store_file_age_seconds", Gauge, "ms", "Age of the newest store file; 0 without one.", S(|s| s.regions.file_times.least_age_ms(s.now_ms).into())).milliseconds(),
    metric(RegionServer, &["avgStoreFileAge"], "finback_mean_store_file_age_seconds", Gauge, "ms", "Age of store files, on average; 0 without one.", S(|s| s.regions.file_times.mean_age_ms(s.now_ms).into())).milliseconds(),
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
    metric(Memory, &["memStoreSize"], "", Gauge, BYTES, "Memory of all memstores, as `finback_memstore_bytes`.", S(|s| s.memstore_bytes.into())),
    metric(Memory, &["blockCacheSize"], "", Gauge, BYTES, "Memory of the block cache.", S(|s| s.cache.bytes.into())),
    metric(Users, &["numUsers"], "finback_users", Gauge, "users", "Users that have asked for anything.", S(|s| users(s).into())),
];
