//! Regions, and tables: sums over their regions.

use super::{BYTES, since};
use crate::bean::Bean::Regions;
use crate::metric::Kind::{Counter, Gauge};
use crate::metric::Source::Region as R;
use crate::metric::{Metric, metric};

#[rustfmt::skip]
pub(super) const REGIONS: &[Metric] = &[
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
    metric(Regions, &["maxStoreFileAge"], "", Gauge, "ms", "Age of the oldest store file; 0 without one.", R(|r| r.file_times.greatest_age_ms(r.now_ms).into())).also_of_tables(),
    metric(Regions, &["minStoreFileAge"], "", Gauge, "ms", "Age of the newest store file; 0 without one.", R(|r| r.file_times.least_age_ms(r.now_ms).into())).also_of_tables(),
    metric(Regions, &["avgStoreFileAge"], "", Gauge, "ms", "Age of store files, on average; 0 without one.", R(|r| r.file_times.mean_age_ms(r.now_ms).into())).also_of_tables(),
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
    metric(Regions, &["tableReadQueryPerSecond_count"], "", Counter, "rows", "Rows read, in regions that are open.", R(|r| r.reads.into())).of_table_latencies(),
    metric(Regions, &["tableWriteQueryPerSecond_count"], "", Counter, "mutations", "Mutations, in regions that are open.", R(|r| r.writes.into())).of_table_latencies(),
];
