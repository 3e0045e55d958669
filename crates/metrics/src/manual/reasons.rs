//! Why an attribute of HBase's is not there.

/// Beginnings of names (or all of them), of all beans.
const REASONS: &[(&[&str], &str)] = &[
    (
        &[
            "IncreaseMemStore",
            "DecreaseMemStore",
            "IncreaseBlockCache",
            "DecreaseBlockCache",
            "tunerDoNothing",
            "aboveHeap",
        ],
        "Memstores and cache have fixed shares: nothing tunes them.",
    ),
    (
        &["BlockedFlushes", "UnblockedFlushes", "blockedFlush", "unblockedFlush"],
        "Likewise; `blockedRequestCount` and `updatesBlockedTime` tell of writes without room.",
    ),
    (&["memStoreOnHeapSize"], "There is no heap beside other memory: see `memStoreSize`."),
    (&["BalancerCluster", "miscInvocationCount"], "With one server there is nothing to balance."),
    (&["Reopen"], "A region that is opened again counts as closed and opened."),
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
            "numActiveGeneralHandler",
            "numActiveHandler",
            "numActiveScanHandler",
            "numActiveWriteHandler",
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
        "Blocks of indexes and Bloom filters are counted together (`finback_block_cache_index_lookups_total`): a look-up knows a block's place, and which it is only when it has it. Roots, trailers and file infos are held by their open files, not by the cache: no look-up can miss them.",
    ),
    (
        &["blockCacheEvictionCountPrimary", "blockCacheHitCountPrimary", "blockCacheMissCountPrimary"],
        "Replicas of a region read its blocks: all are of the primary one.",
    ),
    (
        &["blockCacheFailedInsertionCount", "blockCacheDataBlockCount"],
        "What is not let in counts among `blockCacheEvictionCount`; of what is there the cache knows shares of bytes, not numbers of blocks of a kind: see `blockCacheDataHitCount` and `blockCacheDataMissCount`.",
    ),
    (
        &["l2CacheEvictionCount", "l2CacheFreeSize"],
        "The second tier overwrites its oldest blocks; there are no single evictions.",
    ),
    (
        &["bloomFilter"],
        "Questions to Bloom filters are counted for the server as a whole (`bloomFilterRequestsCount` of `sub=Server`): a file that is read does not know its table, and one without a filter is asked nothing.",
    ),
    (
        &["memstoreOnlyRowReadsCount", "mixedRowReadsCount"],
        "Not counted: memstores and files of a read are merged cell by cell, and to note where each came from would cost every cell. The block cache's look-ups and `FsPReadTime` tell what reads ask of files.",
    ),
    (
        &[
            "CompactionOutputFileCount",
            "MajorCompactionOutputFileCount",
            "compactionOutputFileCount",
            "majorCompactionOutputFileCount",
        ],
        "A compaction writes one file, but for stores with stripes or tiers of dates: `storeFileCount` tells how many there are.",
    ),
    (&["SplitTime"], "Of the master's side: `SplitTime` of the assignment manager."),
    (&["splitQueueLength"], "Splits are the master's procedures; nothing waits here."),
    (
        &["hlogFileSize"],
        "`hlogFileCount` tells how many logs are kept, and `writtenBytes` of `sub=WAL` how fast they grow; a log is finished at a set size.",
    ),
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
        "Watched in HBase for scanners that leak and keep compacted files. Here a file belongs to those that read it, and goes with the last of them; scanners end with their leases (`activeScanners`, `scannerLeaseExpiredCount`).",
    ),
    (
        &["split"],
        "Splits are the master's procedures: `SplitTime` of the assignment manager; the server as a whole tells how many it asked for.",
    ),
    (&["<table>."], "See the counts of tables."),
    (&["lowReplicaRollRequest", "slowSyncRollRequest"], "Of HDFS pipelines; a log is on a local disk."),
    (
        &["rollRequest", "sizeRollRequest"],
        "See `successfulLogRolls`: a log is finished when it is large or old enough.",
    ),
];

/// Beans that have nothing that is here.
pub(super) const OTHER_BEANS: [(&str, &str); 10] = [
    (
        "Hadoop:service=HBase,name=JvmMetrics",
        "Of the heap, the collector and the threads of a Java virtual machine. `Finback:name=Process` has what any process has.",
    ),
    (
        "java.lang:type=Memory",
        "Likewise, as all beans of `java.lang` but the three above, of which it has what any process has.",
    ),
    ("Hadoop:service=HBase,name=UgiMetrics", "Of Hadoop's logins and groups."),
    ("Hadoop:service=HBase,name=MetricsSystem,sub=Stats", "Of what HBase sends metrics to by itself."),
    (
        "Hadoop:service=HBase,name=Master,sub=FileSystem",
        "Of logs that are split for other servers: a server reads its own when it starts.",
    ),
    ("Hadoop:service=HBase,name=Master,sub=Procedure", "Of logs of procedures, which HBase has no longer."),
    ("Hadoop:service=HBase,name=Master,sub=Quotas", "There are no quotas of space."),
    ("Hadoop:service=HBase,name=RegionServer,sub=Quotas", "There are no quotas of space."),
    (
        "Hadoop:service=HBase,name=RegionServer,sub=Replication",
        "Nothing is replicated to or from this server.",
    ),
    ("Hadoop:service=HBase,name=RegionServer,sub=Coprocessor.Region.CP_…", "No classes of Java are loaded."),
];

/// Why HBase's attribute of a bean is not there.
pub(super) fn reason(bean: &str, name: &str) -> &'static str {
    let known = REASONS.iter().find(|(names, _)| names.iter().any(|begin| name.starts_with(begin)));
    known.map_or_else(|| panic!("nothing says why {name} of {bean} is not there"), |(_, reason)| *reason)
}
