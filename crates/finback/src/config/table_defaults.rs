//! What tables go by that do not say otherwise: HBase's attributes of tables and families, and their defaults in this server.

use super::checksum_value::{BytesPerChecksum, Checksum};
use super::compaction_value::{Engine, Policy, Ratio, Share, Splits};
use super::error::ConfigError;
use super::mob_value::MobCompactionType;
use super::quantity::{
    ByteCount, Milliseconds, OptionalByteCount, OptionalMilliseconds, OptionalPeriod, Period, canonical,
};
use super::setting::{Reach, Setting, settings};
use super::translate::{FromHBase, NONE, same};
use super::value::{Count, CountOrNone, Flag, Kind, MemStorePolicy, OptionalCount, Text};
use super::values::Values;

settings! {
    /// What tables go by that have no attribute of the same name.
    TableDefaults, TABLE_DEFAULTS;

    /// Whether schemas that make no sense are refused, and not only logged.
    table_sanity_checks: Flag = "true", "hbase.table.sanity.checks", Now, NONE;
    /// Whether the answers to batches say how full memstores are, and how much stores need compactions, for clients that slow
    /// down by themselves (which have the same setting).
    client_backpressure: Flag = "false", "hbase.client.backpressure.enabled", Opening, NONE;
    /// Whether reads that do not say load families that their filter does not need only for rows that pass.
    load_families_on_demand: Flag = "true", "hbase.hregion.scan.loadColumnFamiliesOnDemand", Opening, NONE;
    /// Puts whose timestamp is further in the future are refused. 9223372036854775807: none are.
    timestamp_slop: Period = "9223372036854775807", "hbase.hregion.keyvalue.timestamp.slop.millisecs", Opening, NONE;
    /// Whether every cell of a file is looked at before it is bulk loaded.
    verify_bulk_loads: Flag = "false", "hbase.hstore.bulkload.verify", Opening, NONE;
    /// How blocks of files that are written are checked when they are read: by CRC32C, CRC32 or, with NULL, not at all. Files
    /// that were written with another are read beside these.
    checksum_algorithm: Checksum = "CRC32C", "hbase.hstore.checksum.algorithm", Opening, NONE;
    /// Of how many bytes of a block each such checksum is, from 33 to 1048576.
    bytes_per_checksum: BytesPerChecksum = "16384", "hbase.hstore.bytes.per.checksum", Opening, NONE;
    /// Largest cell, key and value together, that is accepted.
    max_cell_bytes: ByteCount = "10485760", "hbase.server.keyvalue.maxsize", Opening, NONE;
    /// How long a write waits for the lock of a row that another write holds.
    row_lock_wait: Milliseconds = "30000", "hbase.rowlock.wait.duration", Opening, NONE;

    /// A region whose memstores hold so much, or a quarter of the memory for all of them, is flushed to files.
    memstore_flush_bytes: ByteCount = "134217728", "hbase.hregion.memstore.flush.size", Opening, NONE;
    /// Writes to a region are refused, for clients to try again, while its memstores hold so many times the
    /// flush size.
    memstore_block_multiplier: Count = "4", "hbase.hregion.memstore.block.multiplier", Opening, NONE;
    /// A flush for memory takes the families that hold more than this and more than their share of the flush size,
    /// those without in-memory compaction first; all of them when there is none.
    flush_lower_bound_bytes: ByteCount = "16777216",
        "hbase.hregion.percolumnfamilyflush.size.lower.bound.min", Opening, NONE;
    /// Edits older than this are flushed, of HBase's own tables after five minutes at most; 0: however old.
    periodic_flush_interval: OptionalMilliseconds = "3600000",
        "hbase.regionserver.optionalcacheflushinterval", Opening, NONE;
    /// Edits followed by more than so many in their region are flushed.
    flush_per_changes: Count = "30000000", "hbase.regionserver.flush.per.changes", Opening, NONE;
    /// What is done to a memstore before it is flushed to a file, for families that do not say otherwise
    /// (IN_MEMORY_COMPACTION). BASIC: what was written lately becomes a dense, sorted index. EAGER: as well, versions
    /// and deleted cells that no reader can see are dropped. ADAPTIVE: EAGER where a sample says that it pays. NONE:
    /// nothing, which is HBase's default.
    in_memory_compaction: MemStorePolicy = "BASIC", "hbase.hregion.compacting.memstore.type", Opening, NONE;
    /// What was written lately is taken for so much of the flush size, divided by the number of families. 0: for
    /// 2 MiB.
    in_memory_flush_factor: Share = "0", "hbase.memstore.inmemoryflush.threshold.factor", Opening, NONE;
    /// How many such indexes a memstore may have before some are merged.
    pipeline_segments: Count = "2", "hbase.hregion.compacting.pipeline.segments.limit", Opening, NONE;

    /// Whether the blocks of files that flushes write are cached at once, for families that do not say otherwise
    /// (CACHE_DATA_ON_WRITE).
    cache_data_on_write: Flag = "false", "hbase.rs.cacheblocksonwrite", Opening, NONE;
    /// The same for blocks of indexes, also of files that compactions write (CACHE_INDEX_ON_WRITE).
    cache_indexes_on_write: Flag = "false", "hfile.block.index.cacheonwrite", Opening, NONE;
    /// The same for Bloom filters (CACHE_BLOOMS_ON_WRITE).
    cache_blooms_on_write: Flag = "false", "hfile.block.bloom.cacheonwrite", Opening, NONE;
    /// Whether all blocks of files that compactions write are cached at once.
    cache_compacted_on_write: Flag = "false", "hbase.rs.cachecompactedblocksonwrite", Opening, NONE;
    /// Unless the files of the compaction are together larger than this.
    cache_compacted_most_bytes: ByteCount = "9223372036854775807",
        "hbase.rs.cachecompactedblocksonwrite.threshold", Opening, NONE;
    /// Whether a region's blocks go from the cache when it is closed, for families that do not say otherwise
    /// (EVICT_BLOCKS_ON_CLOSE).
    cache_evict_on_close: Flag = "false", "hbase.rs.evictblocksonclose", Opening, NONE;
    /// Whether blocks of files are read into the cache when the files are opened, while there is room, for families that
    /// do not say otherwise (PREFETCH_BLOCKS_ON_OPEN).
    cache_prefetch_on_open: Flag = "false", "hbase.rs.prefetchblocksonopen", Opening, NONE;

    /// A region with more in one of its families is split, a quarter of it earlier or later. Tables say MAX_FILESIZE.
    max_file_bytes: ByteCount = "10737418240", "hbase.hregion.max.filesize", Opening, NONE;
    /// When regions are split by themselves: HBase's SteppingSplitPolicy (also if empty: the only region of a table early),
    /// IncreasingToUpperBoundRegionSplitPolicy, BusyRegionSplitPolicy, ConstantSizeRegionSplitPolicy, KeyPrefixRegionSplitPolicy,
    /// DelimitedKeyPrefixRegionSplitPolicy or DisabledRegionSplitPolicy, each with its package. Tables say
    /// SPLIT_POLICY.
    split_policy: Splits = "", "hbase.regionserver.region.split.policy", Opening, NONE;
    /// The size at which the only region of a table is split; empty: twice the flush size.
    split_initial_size: OptionalByteCount = "", "hbase.increasing.policy.initial.size", Opening, NONE;
    /// With BusyRegionSplitPolicy: a region that refuses this share of its writes is split.
    busy_split_share: Share = "0.2", "hbase.busy.policy.blockedRequests", Opening, NONE;
    /// But not before it has been open for so long.
    busy_split_min_age: Milliseconds = "600000", "hbase.busy.policy.minAge", Opening, NONE;
    /// Over which time the writes are counted.
    busy_split_window: Milliseconds = "300000", "hbase.busy.policy.aggWindow", Opening, NONE;
    /// What rows are kept in one region together: those of a prefix of some length (`KeyPrefix`), those of what comes before a
    /// delimiter (`DelimitedKeyPrefix`), none (`None`).
    split_restriction: Text = "None", "hbase.regionserver.region.split_restriction.type", Opening, NONE;
    /// With `KeyPrefix`: the length, in bytes.
    split_restriction_length: Text = "", "hbase.regionserver.region.split_restriction.prefix_length", Opening, NONE;
    /// With `DelimitedKeyPrefix`: the delimiter.
    split_restriction_delimiter: Text = "", "hbase.regionserver.region.split_restriction.delimiter", Opening, NONE;
    /// Whether all families of a region count together.
    split_counts_all_stores: Flag = "false", "hbase.hregion.split.overallfiles", Opening, NONE;

    /// How stores lay out their files: HBase's DefaultStoreEngine (also if empty), DateTieredStoreEngine or
    /// StripeStoreEngine, each with its package.
    store_engine: Engine = "", "hbase.hstore.engine.class", Opening, NONE;
    /// How the files of a compaction are chosen, with the default engine: HBase's ExploringCompactionPolicy (also
    /// if empty), RatioBasedCompactionPolicy or FIFOCompactionPolicy, each with its package.
    compaction_policy: Policy = "", "hbase.hstore.defaultengine.compactionpolicy.class", Now, NONE;
    /// So many times 10 s pass between two looks at a store, whether it needs a compaction. It is looked at after each flush
    /// and compaction besides. May also be set in the CONFIGURATION of a table or family.
    compaction_check_multiplier: Count = "1000", "hbase.server.compactchecker.interval.multiplier", Now, NONE;
    /// Whether compactions write what no read of the present needs (deleted cells that are kept, markers behind markers) to files of
    /// their own, which such reads leave out. Of the default engine; a compaction then takes one file more at least. May also be set in
    /// the CONFIGURATION of a table or family.
    keep_history_apart: Flag = "false", "hbase.enable.historical.compaction.files", Now, NONE;
    /// Fewer files than this are not compacted, unless somebody asks for it.
    compaction_min_files: Count = "3", "hbase.hstore.compaction.min", Now, same(&["hbase.hstore.compactionThreshold"]);
    /// Whether stores are looked at for a compaction when files were bulk loaded into them.
    compacts_after_bulk_load: Flag = "true", "hbase.compaction.after.bulkload.enable", Now, NONE;
    /// Most files of one compaction, unless somebody asks for all.
    compaction_max_files: Count = "10", "hbase.hstore.compaction.max", Now, NONE;
    /// How much larger than the others of a compaction together a file may be.
    compaction_ratio: Ratio = "1.2", "hbase.hstore.compaction.ratio", Now, NONE;
    /// The same in off-peak hours.
    compaction_off_peak_ratio: Ratio = "5.0", "hbase.hstore.compaction.ratio.offpeak", Now, NONE;
    /// Files that are smaller than this together are compacted whatever their ratio.
    compaction_min_size: ByteCount = "134217728", "hbase.hstore.compaction.min.size", Now, NONE;
    /// Larger files are left to compactions that somebody asks for.
    compaction_max_size: ByteCount = "9223372036854775807", "hbase.hstore.compaction.max.size", Now, NONE;
    /// The same in off-peak hours. Empty: no other.
    compaction_off_peak_max_size: OptionalByteCount = "", "hbase.hstore.compaction.max.size.offpeak", Now, NONE;
    /// A store with so many files is compacted even where that is not worth it. With more, the next flush of its region
    /// waits for a compaction.
    blocking_store_files: Count = "16", "hbase.hstore.blockingStoreFiles", Now, NONE;
    /// All files of a store are compacted when the oldest of them is older than this. 0: never.
    major_compaction_period: Period = "604800000", "hbase.hregion.majorcompaction", Now, NONE;
    /// By which share of it that period varies from store to store.
    major_compaction_jitter: Share = "0.5", "hbase.hregion.majorcompaction.jitter", Now, NONE;
    /// Whether files of which all cells have expired are dropped without a compaction.
    delete_expired_files: Flag = "true", "hbase.store.delete.expired.storefile", Now, NONE;
    /// Days for which compactions of all files keep the sequence ids of cells. HBase has 5 at least, here files have
    /// whose blocks can mostly be copied if they stay; elsewhere nothing needs them.
    keep_sequence_ids_days: CountOrNone = "0", "hbase.hstore.compaction.keep.seqId.period", Now, NONE;
    /// Delete markers younger than this are kept by compactions of all files, for puts that come late.
    purge_deletes: Period = "0", "hbase.hstore.time.to.purge.deletes", Now, NONE;

    /// What MOB compactions do: write all MOB files anew (full), or leave large ones alone (optimized).
    mob_compaction_type: MobCompactionType = "full", "hbase.mob.compaction.type", Opening, NONE;
    /// With optimized: from which size on MOB files are left alone. Those that are written end there.
    mob_compactions_max_file_bytes: ByteCount = "1073741824", "hbase.mob.compactions.max.file.size", Opening, NONE;
    /// Whether MOB compactions leave out cells whose MOB file is gone, and do not fail.
    mob_discards_missing: Flag = "false", "hbase.unsafe.mob.discard.miss", Opening, NONE;

    /// How long the youngest windows of date-tiered stores are.
    date_tiered_base_window: Milliseconds = "21600000", "hbase.hstore.compaction.date.tiered.base.window.millis", Now, NONE;
    /// How many windows of one length a date-tiered store has, and how many times longer the next are.
    date_tiered_windows_per_tier: Count = "4", "hbase.hstore.compaction.date.tiered.windows.per.tier", Now, NONE;
    /// Older windows of date-tiered stores are compacted by major compactions alone. Empty: none is too old.
    date_tiered_max_age: OptionalPeriod = "", "hbase.hstore.compaction.date.tiered.max.storefile.age.millis", Now, NONE;
    /// Older windows of date-tiered stores do not get longer. Empty: the age from which they are left alone.
    date_tiered_max_tier_age: OptionalPeriod = "", "hbase.hstore.compaction.date.tiered.max.tier.age.millis", Now, NONE;
    /// So many files of the window of now are compacted in date-tiered stores.
    date_tiered_incoming_window_min: Count = "6", "hbase.hstore.compaction.date.tiered.incoming.window.min", Now, NONE;
    /// How the files of a window of a date-tiered store are chosen: HBase's ExploringCompactionPolicy (also if
    /// empty) or RatioBasedCompactionPolicy, each with its package.
    date_tiered_window_policy: Policy = "", "hbase.hstore.compaction.date.tiered.window.policy.class", Now, NONE;
    /// Whether minor compactions of date-tiered stores leave what is older than their window in the same file.
    date_tiered_single_output: Flag = "true",
        "hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction", Now, NONE;

    /// So many files that belong to no stripe are put into the stripes of their store.
    stripe_level0_min_files: Count = "4", "hbase.store.stripe.compaction.minFilesL0", Now, NONE;
    /// Whether flushes of stores with stripes write one file that belongs to no stripe, and not one for each stripe.
    stripe_flush_to_level0: Flag = "false", "hbase.store.stripe.compaction.flushToL0", Now, NONE;
    /// So many files of a stripe are compacted. Empty: as many as of other stores, and 4 at least, or 3 where flushes do
    /// not go into stripes.
    stripe_min_files: OptionalCount = "", "hbase.store.stripe.compaction.minFiles", Now, NONE;
    /// Most files of one compaction of a store with stripes. Empty: as of other stores.
    stripe_max_files: OptionalCount = "", "hbase.store.stripe.compaction.maxFiles", Now, NONE;
    /// Into how many stripes a store is cut at first.
    stripe_initial_count: Count = "1", "hbase.store.stripe.initialStripeCount", Now, NONE;
    /// A stripe that is larger is cut when all of it is compacted. Empty: what follows from the flush size, the number of files for
    /// which stripes are compacted, and that of parts.
    stripe_split_size: OptionalByteCount = "", "hbase.store.stripe.sizeToSplit", Now, NONE;
    /// Into how many parts a stripe is cut.
    stripe_split_parts: Ratio = "2.0", "hbase.store.stripe.splitPartCount", Now, NONE;
    /// A region whose largest store has stripes is split between two of them, unless one side would be so many times larger than
    /// the other.
    stripe_max_split_imbalance: Ratio = "1.5", "hbase.store.stripe.region.split.max.imbalance", Now, NONE;
}
