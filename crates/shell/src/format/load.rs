//! What servers and regions have to do, as `status 'detailed'` writes it.

use finback_client::messages::{RegionLoad, ServerLoad};

/// `name=value, …`
fn joined(pairs: &[(&str, String)]) -> String {
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// As Java writes the number.
fn decimal(value: f64) -> String {
    if value.is_nan() { "NaN".to_owned() } else { format!("{value:?}") }
}

fn progress(compacting: u64, compacted: u64) -> String {
    decimal(if compacting == 0 { f64::NAN } else { f64::from((compacted as f32) / (compacting as f32)) })
}

fn ratio(stored: u64, uncompressed: u64) -> String {
    format!("{:.4}", stored as f32 / uncompressed as f32)
}

/// A server.
pub(crate) fn server_load(load: &ServerLoad) -> String {
    let regions = &load.region_loads;
    let sum = |of: fn(&RegionLoad) -> u64| regions.iter().map(of).fold(0u64, u64::saturating_add);
    let uncompressed = sum(|region| region.store_uncompressed_size_mb().into());
    let stored = sum(|region| region.storefile_size_mb().into());
    let (compacting, compacted) =
        (sum(RegionLoad::total_compacting_k_vs), sum(RegionLoad::current_compacted_k_vs));
    let highest = regions.iter().map(RegionLoad::max_compacted_store_file_ref_count).max().unwrap_or(0);
    let coprocessors: Vec<&str> = load.coprocessors.iter().map(|one| one.name.as_str()).collect();
    let mut pairs = vec![
        ("requestsPerSecond", decimal(load.number_of_requests() as f64)),
        ("numberOfOnlineRegions", regions.len().to_string()),
        ("usedHeapMB", load.used_heap_mb().to_string()),
        ("maxHeapMB", load.max_heap_mb().to_string()),
        ("numberOfStores", sum(|region| region.stores().into()).to_string()),
        ("numberOfStorefiles", sum(|region| region.storefiles().into()).to_string()),
        ("storeRefCount", sum(|region| region.store_ref_count().max(0) as u64).to_string()),
        ("maxCompactedStoreFileRefCount", highest.to_string()),
        ("storefileUncompressedSizeMB", uncompressed.to_string()),
        ("storefileSizeMB", stored.to_string()),
    ];
    if uncompressed != 0 {
        pairs.push(("compressionRatio", ratio(stored, uncompressed)));
    }
    pairs.extend([
        ("memstoreSizeMB", sum(|region| region.mem_store_size_mb().into()).to_string()),
        ("readRequestsCount", sum(RegionLoad::read_requests_count).to_string()),
        ("filteredReadRequestsCount", sum(RegionLoad::filtered_read_requests_count).to_string()),
        ("writeRequestsCount", sum(RegionLoad::write_requests_count).to_string()),
        ("rootIndexSizeKB", sum(|region| region.root_index_size_kb().into()).to_string()),
        ("totalStaticIndexSizeKB", sum(|region| region.total_static_index_size_kb().into()).to_string()),
        ("totalStaticBloomSizeKB", sum(|region| region.total_static_bloom_size_kb().into()).to_string()),
        ("totalCompactingKVs", compacting.to_string()),
        ("currentCompactedKVs", compacted.to_string()),
        ("compactionProgressPct", progress(compacting, compacted)),
        ("coprocessors", format!("[{}]", coprocessors.join(", "))),
    ]);
    joined(&pairs)
}

/// A region.
pub(crate) fn region_load(load: &RegionLoad) -> String {
    let mut pairs = vec![
        ("storeCount", load.stores().to_string()),
        ("storeFileCount", load.storefiles().to_string()),
        ("storeRefCount", load.store_ref_count().to_string()),
        ("maxCompactedStoreFileRefCount", load.max_compacted_store_file_ref_count().to_string()),
        ("uncompressedStoreFileSize", format!("{}MB", load.store_uncompressed_size_mb())),
        ("lastMajorCompactionTimestamp", load.last_major_compaction_ts().to_string()),
        ("storeFileSize", format!("{}MB", load.storefile_size_mb())),
    ];
    if load.store_uncompressed_size_mb() != 0 {
        let ratio = ratio(load.storefile_size_mb().into(), load.store_uncompressed_size_mb().into());
        pairs.push(("compressionRatio", ratio));
    }
    pairs.extend([
        ("memStoreSize", format!("{}MB", load.mem_store_size_mb())),
        ("readRequestCount", load.read_requests_count().to_string()),
        ("writeRequestCount", load.write_requests_count().to_string()),
        ("rootLevelIndexSize", format!("{}KB", load.root_index_size_kb())),
        ("uncompressedDataIndexSize", format!("{}KB", load.total_static_index_size_kb())),
        ("bloomFilterSize", format!("{}KB", load.total_static_bloom_size_kb())),
        ("compactingCellCount", load.total_compacting_k_vs().to_string()),
        ("compactedCellCount", load.current_compacted_k_vs().to_string()),
        ("compactionProgressPct", progress(load.total_compacting_k_vs(), load.current_compacted_k_vs())),
        ("completedSequenceId", (load.complete_sequence_id() as i64).to_string()),
        ("dataLocality", decimal(load.data_locality().into())),
    ]);
    joined(&pairs)
}
