//! The table of settings.

use super::cache_value::OptionalFile;
use super::compaction_value::{Engine, Hour, Policy, Ratio, Share, Splits};
use super::error::ConfigError;
use super::source::Settings;
use super::value::{
    ByteCount, Codec, CompactionThrottle, Count, Flag, FlushThrottle, Fraction, Host, InfoPort, Kind, Limit,
    LocalDirectory, MemStorePolicy, Memory, Milliseconds, OptionalByteCount, OptionalCount, OptionalHost,
    OptionalMilliseconds, OptionalPeriod, Period, Port, Seconds, Text, Znode,
};

/// One setting, as people see it.
#[derive(Debug)]
pub struct Property {
    /// HBase's name.
    pub name: &'static str,
    /// Other names of HBase for the same.
    pub aliases: &'static [&'static str],
    /// The value unless told otherwise, as it would be written.
    pub default: &'static str,
    /// What the value counts.
    pub unit: &'static str,
    /// What it does. Lines of one paragraph, each with a leading space.
    pub meaning: &'static str,
}

/// Makes from one list the typed [`ServerConfig`] and the descriptions in [`PROPERTIES`].
macro_rules! settings {
    ($(
        $(#[doc = $meaning:literal])+
        $field:ident: $kind:ty = $default:literal, $name:literal $(, also $alias:literal)*;
    )+) => {
        /// The settings of a server, checked and typed.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct ServerConfig {
            $(
                $(#[doc = $meaning])+
                #[doc = concat!("\n\nSetting: `", $name, "`, default: `", $default, "`.")]
                pub $field: <$kind as Kind>::Value,
            )+
        }

        /// Every setting that the server obeys.
        pub const PROPERTIES: &[Property] = &[$(
            Property {
                name: $name,
                aliases: &[$($alias),*],
                default: $default,
                unit: <$kind as Kind>::UNIT,
                meaning: concat!($($meaning),+),
            },
        )+];

        impl ServerConfig {
            pub(super) fn from_settings(settings: &Settings) -> Result<Self, ConfigError> {
                Ok(Self { $($field: settings.parse::<$kind>($name, $default)?,)+ })
            }

            /// Names of the settings in which `other` differs.
            pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$field != other.$field { names.push($name); })+
                names
            }

            /// Takes the values of these settings from `other`.
            pub(crate) fn keep(&mut self, other: &Self, names: &[&str]) {
                $(if names.contains(&$name) { self.$field.clone_from(&other.$field); })+
            }
        }
    };
}

settings! {
    /// The directory that holds everything, in HBase's layout. `--data` on the command line wins over it.
    data_dir: LocalDirectory = "finback-data", "hbase.rootdir";

    /// Whether schemas that make no sense are refused, and not only logged. Tables may have their own.
    table_sanity_checks: Flag = "true", "hbase.table.sanity.checks";

    /// How long a client that has locked a table, a namespace or regions may be silent before it loses the lock.
    remote_lock_timeout: Milliseconds = "30000", "hbase.master.procedure.remote.locks.timeout.ms";

    /// Port of the ZooKeeper responder, where HBase clients look first. 0: any free port.
    zookeeper_port: Port = "2181", "hbase.zookeeper.property.clientPort";
    /// Address that the ZooKeeper responder listens on.
    zookeeper_address: Host = "127.0.0.1", "hbase.zookeeper.property.clientPortAddress";
    /// The node under which clients find the cluster; clients must have the same.
    znode_parent: Znode = "/hbase", "zookeeper.znode.parent";

    /// Port of the master. 0: any free port.
    master_port: Port = "16000", "hbase.master.port";
    /// Address that the master listens on.
    master_address: Host = "127.0.0.1", "hbase.master.ipc.address";
    /// Name of the master's machine that is told to clients. Empty: the address that it listens on, or the
    /// machine's own name when that is all addresses.
    master_host: OptionalHost = "", "hbase.master.hostname";

    /// Port of the master's HTTP server, which has the metrics. 0: any free port; also if another process has this one. -1: none.
    master_info_port: InfoPort = "16010", "hbase.master.info.port";
    /// Address that it listens on. HBase's default is all addresses.
    master_info_address: Host = "127.0.0.1", "hbase.master.info.bindAddress";

    /// Port of the region server. 0: any free port.
    regionserver_port: Port = "16020", "hbase.regionserver.port";
    /// Address that the region server listens on.
    regionserver_address: Host = "127.0.0.1", "hbase.regionserver.ipc.address";
    /// Name of the region server's machine that is told to clients. Empty: the address that it listens on, or
    /// the machine's own name when that is all addresses.
    regionserver_host: OptionalHost = "", "hbase.regionserver.hostname";

    /// Port of the region server's HTTP server, which has the same. 0: any free port; also if another process has this one.
    /// -1: none.
    regionserver_info_port: InfoPort = "16030", "hbase.regionserver.info.port";
    /// Address that it listens on. HBase's default is all addresses.
    regionserver_info_address: Host = "127.0.0.1", "hbase.regionserver.info.bindAddress";

    /// Memory of the whole process, or a fraction of the memory of the machine (or of the control group, if that
    /// allows less). Memstores, block cache, requests and replies all live within it; what it does not count is
    /// the program itself. A quarter is what a Java virtual machine takes.
    memory_limit: Memory = "0.25", "finback.memory.limit";

    /// Longest request that is read from a client, but never more than the next setting allows; a longer one is
    /// refused before it is read.
    max_request_bytes: ByteCount = "268435456", "hbase.ipc.max.request.size";
    /// Bytes of all requests that a server is receiving or working on, but never more than a share of the memory;
    /// beyond it clients are told to come back.
    max_in_flight_bytes: ByteCount = "1073741824", "hbase.ipc.server.max.callqueue.size";
    /// Calls of a kind (reads of rows, scans, writes) that may wait in a server at the same time, for memory, a disk, the log
    /// or their turn; beyond it clients are told to come back. HBase has ten times the next setting, whose threads wait.
    max_queued_calls: Count = "3000", "hbase.ipc.server.max.callqueue.length";
    /// The same for calls on HBase's own tables and of administrators.
    max_queued_priority_calls: Count = "2000", "hbase.ipc.server.priority.max.callqueue.length";
    /// Long reads (scans beyond their first few hundred cells, aggregations) that are carried out at a time, and as many
    /// large writes. Short calls need no handler.
    handlers: Count = "30", "hbase.regionserver.handler.count";
    /// Whether the last calls that were slow, or had large replies, are kept in memory for administrators.
    slow_call_log: Flag = "false", "hbase.regionserver.slowlog.buffer.enabled";
    /// How many of them.
    slow_calls_kept: Count = "256", "hbase.regionserver.slowlog.ringbuffer.size";
    /// A call that takes more milliseconds is slow. -1: none is.
    slow_call_time: Limit = "10000", "hbase.ipc.warn.response.time";
    /// A reply of more bytes is large. -1: none is.
    large_reply_bytes: Limit = "104857600", "hbase.ipc.warn.response.size";
    /// Largest cell, key and value together, that is accepted.
    max_cell_bytes: ByteCount = "10485760", "hbase.server.keyvalue.maxsize";
    /// Most bytes of cells in one scan reply, whatever the client asks for, and within the memory for replies.
    max_scan_result_bytes: ByteCount = "104857600", "hbase.server.scanner.max.result.size";
    /// Largest row that a get reads, and within the memory for replies; of larger ones clients must ask for parts.
    max_row_bytes: ByteCount = "1073741824", "hbase.table.max.rowsize";
    /// An increment or append that is sent again is recognized for so long after it was last sent.
    nonce_retention: Milliseconds = "1800000", "hbase.server.hashNonce.gracePeriod";
    /// Between two reports of a region server to the master: what clients learn of loads and sizes is as old as that.
    report_interval: Milliseconds = "3000", "hbase.regionserver.msginterval";
    /// A scanner that its client has not used for so long is closed.
    scanner_timeout: Milliseconds = "60000", "hbase.client.scanner.timeout.period",
        also "hbase.regionserver.lease.period";
    /// How long a write waits for the lock of a row that another write holds.
    row_lock_wait: Milliseconds = "30000", "hbase.rowlock.wait.duration";

    /// Whether the answers to batches say how full memstores are, and how much stores need compactions, for clients that slow
    /// down by themselves (which have the same setting). Tables may have their own.
    client_backpressure: Flag = "false", "hbase.client.backpressure.enabled";

    /// Whether reads that do not say load families that their filter does not need only for rows that pass. Tables may have
    /// their own.
    load_families_on_demand: Flag = "true", "hbase.hregion.scan.loadColumnFamiliesOnDemand";

    /// Puts whose timestamp is further in the future are refused. 9223372036854775807: none are.
    timestamp_slop: Period = "9223372036854775807", "hbase.hregion.keyvalue.timestamp.slop.millisecs";

    /// Whether every cell of a file is looked at before it is bulk loaded.
    verify_bulk_loads: Flag = "false", "hbase.hstore.bulkload.verify";

    /// A region whose memstores hold so much, or a quarter of the memory for all of them, is flushed to files.
    memstore_flush_bytes: ByteCount = "134217728", "hbase.hregion.memstore.flush.size";
    /// Writes to a region are refused, for clients to try again, while its memstores hold so many times the
    /// flush size.
    memstore_block_multiplier: Count = "4", "hbase.hregion.memstore.block.multiplier";
    /// A flush for memory takes the families that hold more than this and more than their share of the flush size,
    /// those without in-memory compaction first; all of them when there is none.
    flush_lower_bound_bytes: ByteCount = "16777216", "hbase.hregion.percolumnfamilyflush.size.lower.bound.min";
    /// Edits older than this are flushed, of HBase's own tables after five minutes at most; 0: however old.
    periodic_flush_interval: OptionalMilliseconds = "3600000", "hbase.regionserver.optionalcacheflushinterval";
    /// Edits followed by more than so many in their region are flushed.
    flush_per_changes: Count = "30000000", "hbase.regionserver.flush.per.changes";
    /// What is done to a memstore before it is flushed to a file, for families that do not say otherwise
    /// (IN_MEMORY_COMPACTION). BASIC: what was written lately becomes a dense, sorted index. EAGER: as well, versions
    /// and deleted cells that no reader can see are dropped. ADAPTIVE: EAGER where a sample says that it pays. NONE:
    /// nothing, which is HBase's default.
    in_memory_compaction: MemStorePolicy = "BASIC", "hbase.hregion.compacting.memstore.type";
    /// The same for HBase's own tables.
    system_in_memory_compaction: MemStorePolicy = "NONE", "hbase.systemtables.compacting.memstore.type";
    /// What was written lately is taken for so much of the flush size, divided by the number of families. 0: for
    /// 2 MiB.
    in_memory_flush_factor: Share = "0", "hbase.memstore.inmemoryflush.threshold.factor";
    /// How many such indexes a memstore may have before some are merged.
    pipeline_segments: Count = "2", "hbase.hregion.compacting.pipeline.segments.limit";
    /// ADAPTIVE drops cells when at least this part of them can go. HBase's default is 0.5: it guesses from the
    /// number of different keys, and must copy into memory that a garbage collector looks after.
    adaptive_compaction_threshold: Share = "0.15",
        "hbase.hregion.compacting.memstore.adaptive.compaction.threshold";
    /// Memory for the memstores of all regions together, in bytes or as a fraction of `finback.memory.limit`; at
    /// the limit, writes wait for flushes. Together with the block cache at most 0.8 of it.
    global_memstore: Memory = "0.4", "hbase.regionserver.global.memstore.size";
    /// Memory for blocks of files that were read, in bytes or as a fraction of `finback.memory.limit`.
    block_cache: Memory = "0.4", "hfile.block.cache.size";
    /// Part of the block cache in which blocks of families with IN_MEMORY, and of the catalogue, compete only with each
    /// other; what they leave unused is lent to others.
    cache_in_memory_share: Share = "0.25", "hbase.lru.blockcache.memory.percentage";
    /// The same for blocks of indexes and of Bloom filters.
    cache_index_share: Share = "0.25", "finback.block.cache.index.percentage";
    /// Whether the blocks of files that flushes write are cached at once, for families that do not say otherwise
    /// (CACHE_DATA_ON_WRITE). This setting, and those on the block cache up to the second tier, may also be set in the
    /// CONFIGURATION of a family.
    cache_data_on_write: Flag = "false", "hbase.rs.cacheblocksonwrite";
    /// The same for blocks of indexes, also of files that compactions write (CACHE_INDEX_ON_WRITE).
    cache_indexes_on_write: Flag = "false", "hfile.block.index.cacheonwrite";
    /// The same for Bloom filters (CACHE_BLOOMS_ON_WRITE).
    cache_blooms_on_write: Flag = "false", "hfile.block.bloom.cacheonwrite";
    /// Whether all blocks of files that compactions write are cached at once.
    cache_compacted_on_write: Flag = "false", "hbase.rs.cachecompactedblocksonwrite";
    /// Unless the files of the compaction are together larger than this.
    cache_compacted_most_bytes: ByteCount = "9223372036854775807", "hbase.rs.cachecompactedblocksonwrite.threshold";
    /// Whether a region's blocks go from the cache when it is closed, for families that do not say otherwise
    /// (EVICT_BLOCKS_ON_CLOSE).
    cache_evict_on_close: Flag = "false", "hbase.rs.evictblocksonclose";
    /// Whether blocks of files are read into the cache when the files are opened, while there is room, for families that
    /// do not say otherwise (PREFETCH_BLOCKS_ON_OPEN).
    cache_prefetch_on_open: Flag = "false", "hbase.rs.prefetchblocksonopen";
    /// A second tier of the block cache: `file:PATH`, best on an SSD, where the files of regions are not. Empty: none.
    bucket_cache: OptionalFile = "", "hbase.bucketcache.ioengine";
    /// Size of the second tier, in MiB.
    bucket_cache_mib: Count = "10240", "hbase.bucketcache.size";
    /// If it is set, what the second tier holds is used again after a restart. The tier's file itself says what it
    /// holds: nothing is written at this path.
    bucket_cache_persistent: OptionalFile = "", "hbase.bucketcache.persistent.path";
    /// Store files that are open for reading at a time; those not read lately are closed, and opened again when they
    /// are read. Empty: half of the descriptors that the process may have.
    max_open_files: OptionalCount = "", "finback.store.files.open.max";

    /// How many regions are flushed at once.
    flush_threads: Count = "2", "hbase.hstore.flusher.count";
    /// How long the flush of a region with a store of more files than hbase.hstore.blockingStoreFiles waits at most for
    /// a compaction.
    blocking_wait: Milliseconds = "90000", "hbase.hstore.blockingWaitTime";
    /// Whether there are compactions, until somebody switches them (`compaction_switch` in HBase's shell).
    compactions_enabled: Flag = "true", "hbase.regionserver.compaction.enabled";
    /// So many times 10 s pass between two looks at a store, whether it needs a compaction. It is looked at after each flush
    /// and compaction besides. May also be set in the CONFIGURATION of a table or family.
    compaction_check_multiplier: Count = "1000", "hbase.server.compactchecker.interval.multiplier";
    /// Threads for compactions of many bytes; they help with the others.
    large_compaction_threads: Count = "1", "hbase.regionserver.thread.compaction.large";
    /// Threads for compactions of few bytes.
    small_compaction_threads: Count = "1", "hbase.regionserver.thread.compaction.small";
    /// A compaction that reads more than this is one of many bytes.
    large_compaction_bytes: ByteCount = "2684354560", "hbase.regionserver.thread.compaction.throttle";
    /// Whether compactions are slowed for the sake of clients: PressureAwareCompactionThroughputController, or
    /// NoLimitThroughputController.
    compaction_throttle: CompactionThrottle = "PressureAwareCompactionThroughputController",
        "hbase.regionserver.throughput.controller";
    /// Bytes a second that all compactions together write while no store is near its blockingStoreFiles.
    compaction_throughput_lower: ByteCount = "52428800", "hbase.hstore.compaction.throughput.lower.bound";
    /// The same when a store is about to have too many files; when it has them there is no limit.
    compaction_throughput_higher: ByteCount = "104857600", "hbase.hstore.compaction.throughput.higher.bound";
    /// The same in off-peak hours, and while no client has asked for anything for a second.
    compaction_throughput_off_peak: ByteCount = "9223372036854775807",
        "hbase.hstore.compaction.throughput.offpeak";
    /// Between two looks at how near stores are to having too many files.
    compaction_throughput_period: Milliseconds = "60000", "hbase.hstore.compaction.throughput.tune.period";
    /// Whether flushes are slowed: NoLimitThroughputController, or PressureAwareFlushThroughputController.
    flush_throttle: FlushThrottle = "NoLimitThroughputController",
        "hbase.regionserver.flush.throughput.controller";
    /// Bytes a second that all flushes together write, where they are slowed, while memstores are empty.
    flush_throughput_lower: ByteCount = "104857600", "hbase.hstore.flush.throughput.lower.bound";
    /// The same when the memory for memstores is almost used up; when it is, there is no limit.
    flush_throughput_upper: ByteCount = "209715200", "hbase.hstore.flush.throughput.upper.bound";
    /// Between two looks at the memory of memstores.
    flush_throughput_period: Milliseconds = "20000", "hbase.hstore.flush.throughput.tune.period";

    /// Whether a synced write is on disk (fdatasync) before it is acknowledged. HBase's default is false: there
    /// the copies in the memory of three machines count. A standalone server has no second copy.
    wal_hsync: Flag = "true", "hbase.wal.hsync";
    /// Whether write-ahead logs are compressed: region, table, row, family and qualifier are written once in each log,
    /// and then as numbers.
    wal_compression: Flag = "false", "hbase.regionserver.wal.enablecompression";
    /// In compressed logs, whether tags are compressed too.
    wal_tag_compression: Flag = "true", "hbase.regionserver.wal.tags.enablecompression";
    /// In compressed logs, whether values are compressed too, each with the codec of the next setting.
    wal_value_compression: Flag = "false", "hbase.regionserver.wal.value.enablecompression";
    /// The codec of values in write-ahead logs.
    wal_value_codec: Codec = "gz", "hbase.regionserver.wal.value.compression.type";
    /// Block size of the write-ahead log; it says when to begin a new log, with the next setting.
    wal_block_bytes: ByteCount = "268435456", "hbase.regionserver.hlog.blocksize";
    /// A new write-ahead log begins when the old one has so much of a block.
    wal_roll_multiplier: Fraction = "0.5", "hbase.regionserver.logroll.multiplier";
    /// A new write-ahead log begins at least so often.
    wal_roll_period: Milliseconds = "3600000", "hbase.regionserver.logroll.period";
    /// With more write-ahead logs than this, the families that keep the oldest one alive are flushed.
    max_wals: Count = "32", "hbase.regionserver.maxlogs";
    /// How long a write-ahead log that is no longer needed is kept in the archive.
    old_wal_ttl: Milliseconds = "600000", "hbase.master.logcleaner.ttl";
    /// How often the archive is looked through for store files that nothing needs any more: no table, link or snapshot.
    cleaner_interval: Milliseconds = "600000", "hbase.master.cleaner.interval";
    /// How long a store file stays in the archive that nothing needs.
    hfile_ttl: Milliseconds = "300000", "hbase.master.hfilecleaner.ttl";
    /// How often snapshots are removed that have outlived their time to live.
    snapshot_cleaner_interval: Milliseconds = "1800000", "hbase.master.cleaner.snapshot.interval";
    /// The time to live of snapshots that are taken without one; 0 is forever.
    snapshot_ttl: Seconds = "0", "hbase.master.snapshot.ttl";

    /// A region with more in one of its families is split, a quarter of it earlier or later. Tables may have their own
    /// (MAX_FILESIZE).
    max_file_bytes: ByteCount = "10737418240", "hbase.hregion.max.filesize";
    /// When regions are split by themselves: HBase's SteppingSplitPolicy (also if empty: the only region of a table early),
    /// IncreasingToUpperBoundRegionSplitPolicy, BusyRegionSplitPolicy, ConstantSizeRegionSplitPolicy, KeyPrefixRegionSplitPolicy,
    /// DelimitedKeyPrefixRegionSplitPolicy or DisabledRegionSplitPolicy, each with its package. Tables may have their own
    /// (SPLIT_POLICY).
    split_policy: Splits = "", "hbase.regionserver.region.split.policy";
    /// The size at which the only region of a table is split; empty: twice the flush size.
    split_initial_size: OptionalByteCount = "", "hbase.increasing.policy.initial.size";
    /// With BusyRegionSplitPolicy: a region that refuses this share of its writes is split.
    busy_split_share: Share = "0.2", "hbase.busy.policy.blockedRequests";
    /// But not before it has been open for so long.
    busy_split_min_age: Milliseconds = "600000", "hbase.busy.policy.minAge";
    /// Over which time the writes are counted.
    busy_split_window: Milliseconds = "300000", "hbase.busy.policy.aggWindow";
    /// What rows are kept in one region together: those of a prefix of some length (`KeyPrefix`), those of what comes before a
    /// delimiter (`DelimitedKeyPrefix`), none (`None`). Tables may have their own, as an attribute of this name; so with
    /// the next two settings.
    split_restriction: Text = "None", "hbase.regionserver.region.split_restriction.type";
    /// With `KeyPrefix`: the length, in bytes.
    split_restriction_length: Text = "", "hbase.regionserver.region.split_restriction.prefix_length";
    /// With `DelimitedKeyPrefix`: the delimiter.
    split_restriction_delimiter: Text = "", "hbase.regionserver.region.split_restriction.delimiter";
    /// Whether all families of a region count together.
    split_counts_all_stores: Flag = "false", "hbase.hregion.split.overallfiles";

    /// How stores lay out their files: HBase's DefaultStoreEngine (also if empty), DateTieredStoreEngine or
    /// StripeStoreEngine, each with its package. This setting, and those on compactions that follow, may also be set in the CONFIGURATION
    /// of a table or family.
    store_engine: Engine = "", "hbase.hstore.engine.class";
    /// How the files of a compaction are chosen, with the default engine: HBase's ExploringCompactionPolicy (also
    /// if empty), RatioBasedCompactionPolicy or FIFOCompactionPolicy, each with its package.
    compaction_policy: Policy = "", "hbase.hstore.defaultengine.compactionpolicy.class";
    /// Fewer files than this are not compacted, unless somebody asks for it.
    compaction_min_files: Count = "3", "hbase.hstore.compaction.min", also "hbase.hstore.compactionThreshold";
    /// Most files of one compaction, unless somebody asks for all.
    compaction_max_files: Count = "10", "hbase.hstore.compaction.max";
    /// How much larger than the others of a compaction together a file may be.
    compaction_ratio: Ratio = "1.2", "hbase.hstore.compaction.ratio";
    /// The same in off-peak hours.
    compaction_off_peak_ratio: Ratio = "5.0", "hbase.hstore.compaction.ratio.offpeak";
    /// Files that are smaller than this together are compacted whatever their ratio. Empty: the flush size.
    compaction_min_size: OptionalByteCount = "", "hbase.hstore.compaction.min.size";
    /// Larger files are left to compactions that somebody asks for.
    compaction_max_size: ByteCount = "9223372036854775807", "hbase.hstore.compaction.max.size";
    /// The same in off-peak hours. Empty: no other.
    compaction_off_peak_max_size: OptionalByteCount = "", "hbase.hstore.compaction.max.size.offpeak";
    /// The hour of the day, in the machine's time zone, in which off-peak hours begin. -1: there are none.
    off_peak_start_hour: Hour = "-1", "hbase.offpeak.start.hour";
    /// The hour of the day, in the machine's time zone, in which off-peak hours are over. -1: there are none.
    off_peak_end_hour: Hour = "-1", "hbase.offpeak.end.hour";
    /// A store with so many files is compacted even where that is not worth it. With more, the next flush of its region
    /// waits for a compaction.
    blocking_store_files: Count = "16", "hbase.hstore.blockingStoreFiles";
    /// All files of a store are compacted when the oldest of them is older than this. 0: never.
    major_compaction_period: Period = "604800000", "hbase.hregion.majorcompaction";
    /// By which share of it that period varies from store to store.
    major_compaction_jitter: Share = "0.5", "hbase.hregion.majorcompaction.jitter";
    /// Whether files of which all cells have expired are dropped without a compaction.
    delete_expired_files: Flag = "true", "hbase.store.delete.expired.storefile";
    /// Days for which compactions of all files keep the sequence ids of cells; at least 5.
    keep_sequence_ids_days: Count = "5", "hbase.hstore.compaction.keep.seqId.period";
    /// Delete markers younger than this are kept by compactions of all files, for puts that come late.
    purge_deletes: Period = "0", "hbase.hstore.time.to.purge.deletes";

    /// How long the youngest windows of date-tiered stores are.
    date_tiered_base_window: Milliseconds = "21600000", "hbase.hstore.compaction.date.tiered.base.window.millis";
    /// How many windows of one length a date-tiered store has, and how many times longer the next are.
    date_tiered_windows_per_tier: Count = "4", "hbase.hstore.compaction.date.tiered.windows.per.tier";
    /// Older windows of date-tiered stores are compacted by major compactions alone. Empty: none is too old.
    date_tiered_max_age: OptionalPeriod = "",
        "hbase.hstore.compaction.date.tiered.max.storefile.age.millis";
    /// Older windows of date-tiered stores do not get longer. Empty: the age from which they are left alone.
    date_tiered_max_tier_age: OptionalPeriod = "", "hbase.hstore.compaction.date.tiered.max.tier.age.millis";
    /// So many files of the window of now are compacted in date-tiered stores.
    date_tiered_incoming_window_min: Count = "6", "hbase.hstore.compaction.date.tiered.incoming.window.min";
    /// How the files of a window of a date-tiered store are chosen: HBase's ExploringCompactionPolicy (also if
    /// empty) or RatioBasedCompactionPolicy, each with its package.
    date_tiered_window_policy: Policy = "", "hbase.hstore.compaction.date.tiered.window.policy.class";
    /// Whether minor compactions of date-tiered stores leave what is older than their window in the same file.
    date_tiered_single_output: Flag = "true",
        "hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction";

    /// So many files that belong to no stripe are put into the stripes of their store.
    stripe_level0_min_files: Count = "4", "hbase.store.stripe.compaction.minFilesL0";
    /// Whether flushes of stores with stripes write one file that belongs to no stripe, and not one for each stripe.
    stripe_flush_to_level0: Flag = "false", "hbase.store.stripe.compaction.flushToL0";
    /// So many files of a stripe are compacted. Empty: as many as of other stores, and 4 at least, or 3 where flushes do
    /// not go into stripes.
    stripe_min_files: OptionalCount = "", "hbase.store.stripe.compaction.minFiles";
    /// Most files of one compaction of a store with stripes. Empty: as of other stores.
    stripe_max_files: OptionalCount = "", "hbase.store.stripe.compaction.maxFiles";
    /// Into how many stripes a store is cut at first.
    stripe_initial_count: Count = "1", "hbase.store.stripe.initialStripeCount";
    /// A stripe that is larger is cut when all of it is compacted. Empty: what follows from the sizes and numbers of files
    /// for which stores and stripes are compacted.
    stripe_split_size: OptionalByteCount = "", "hbase.store.stripe.sizeToSplit";
    /// Into how many parts a stripe is cut.
    stripe_split_parts: Ratio = "2.0", "hbase.store.stripe.splitPartCount";
}
