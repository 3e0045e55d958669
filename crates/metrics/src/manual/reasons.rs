//! Why an attribute of HBase's is not there.

/// Beginnings of names (or all of them), of all beans.
const REASONS: &[(&[&str], &str)] = &[
    (&["Reopen"], "A region that is opened again counts as closed and opened."),
    (
        &["Bulkload_"],
        "Rates are told of reads and writes, not of bulk loads; `Bulkload_num_ops` counts them.",
    ),
    (&["mob", "cellsCountCompacted", "cellsSizeCompacted"], "There are no MOB files."),
    (
        &["hedgedRead", "shortCircuit", "zeroCopy", "localBytesRead", "totalBytesRead"],
        "Of HDFS; files are on a local disk.",
    ),
    (&["percentFilesLocalSecondaryRegions"], "Replicas of a region read the files of the region."),
    (
        &["ByteBuffAllocator", "nettyDirectMemoryUsage", "memStoreOffHeapSize"],
        "Of memory beside Java's heap.",
    ),
    (&["PauseTime", "pauseInfo", "pauseWarn"], "Nothing collects garbage, and so nothing pauses."),
    (&["authentication", "authorization"], "There is no SASL: connections say who they are."),
    (
        &["Replay", "numActiveReplicationHandler", "numCallsInReplicationQueue"],
        "Nothing is replicated to this server.",
    ),
    (
        &[
            "numActivePriorityHandler",
            "numActiveReadHandler",
            "numCallsInMetaPriorityQueue",
            "numGeneralCallsDropped",
            "numLifoModeSwitches",
        ],
        "Short calls need no handler, and queues are not told apart so; see `numActiveHandler` and the queues that there are.",
    ),
    (
        &[
            "blockCacheBloomChunk",
            "blockCacheDeleteFamilyBloom",
            "blockCacheFileInfo",
            "blockCacheGeneralBloomMeta",
            "blockCacheIntermediateIndex",
            "blockCacheLeafIndex",
            "blockCacheMeta",
            "blockCacheRootIndex",
            "blockCacheTrailer",
        ],
        "Blocks of indexes and Bloom filters are counted together (`finback_block_cache_index_lookups_total`); roots and trailers are not in the cache.",
    ),
    (
        &["blockCacheEvictionCountPrimary", "blockCacheHitCountPrimary", "blockCacheMissCountPrimary"],
        "Replicas of a region read its blocks: all are of the primary one.",
    ),
    (
        &[
            "blockCacheExpressHitPercent",
            "blockCacheHitCachingCount",
            "blockCacheMissCachingCount",
            "blockCacheFailedInsertionCount",
            "blockCacheDataBlockCount",
        ],
        "The cache does not count these apart.",
    ),
    (
        &["l2CacheEvictionCount", "l2CacheFreeSize"],
        "The second tier overwrites its oldest blocks; there are no single evictions.",
    ),
    (&["bloomFilter"], "Not counted: a count for each file and read would cost more than the filter."),
    (
        &["memstoreOnlyRowReadsCount", "mixedRowReadsCount"],
        "Not counted: reads do not know at their end where a row came from.",
    ),
    (&["avgStoreFileAge", "maxStoreFileAge", "minStoreFileAge"], "The ages of files are not kept in memory."),
    (
        &["flushedCells", "compactedCellsSize", "majorCompactedCellsSize"],
        "Bytes of cells are not counted apart from those of files.",
    ),
    (
        &["CompactionOutputFileCount", "MajorCompactionOutputFileCount"],
        "A compaction mostly writes one file.",
    ),
    (&["SplitTime"], "Of the master's side: `SplitTime` of the assignment manager."),
    (&["splitQueueLength"], "Splits are the master's procedures; nothing waits here."),
    (&["hlogFileSize"], "See `writtenBytes`."),
    (
        &[
            "holes",
            "overlaps",
            "orphan",
            "inconsistentRegions",
            "unknownServer",
            "deadServerOpenRegions",
            "emptyRegionInfoRegions",
        ],
        "Of HBase's hbck chore; `finback check` looks for such.",
    ),
    (&["numDrainingRegionServers", "tag.drainingRegionServers"], "No server is drained: there is one."),
    (&["mergePlanCount", "splitPlanCount"], "There is no normalizer."),
    (
        &[
            "compactionsFailedCount",
            "compactionsQueuedCount",
            "flushesQueuedCount",
            "maxCompactionQueueSize",
            "maxFlushQueueSize",
        ],
        "Of the server as a whole: `finback_failed_compactions_total`, `compactionQueueLength`, `flushQueueLength`.",
    ),
    (
        &["maxCompactedStoreFileRefCount", "storeRefCount"],
        "Files stay as long as readers have them; they are not counted.",
    ),
    (
        &["compaction", "majorCompact", "flush", "split", "compacted"],
        "Of the server as a whole, under the same name.",
    ),
    (&["<table>."], "See the counts of tables."),
    (&["lowReplicaRollRequest", "slowSyncRollRequest"], "Of HDFS pipelines; a log is on a local disk."),
    (
        &["rollRequest", "sizeRollRequest"],
        "See `successfulLogRolls`: a log is finished when it is large or old enough.",
    ),
];

/// Why HBase's attribute of a bean is not there.
pub(super) fn reason(bean: &str, name: &str) -> &'static str {
    let known = REASONS.iter().find(|(names, _)| names.iter().any(|begin| name.starts_with(begin)));
    known.map_or_else(|| panic!("nothing says why {name} of {bean} is not there"), |(_, reason)| *reason)
}
