//! Settings of regions.

use crate::cache_config::CacheConfig;
use crate::checksum_config::ChecksumConfig;
use crate::compaction_config::CompactionConfig;
use crate::compaction_memory::CompactionMemory;
use crate::kept_blocks::KeptBlocks;
use crate::large_updates::LargeUpdates;
use crate::mob::{MobConfig, MobFiles};
use crate::split_policy::SplitConfig;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_hfile::ZstdForm;
use finback_memstore::InMemoryCompaction;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Settings that all regions of a server share; the names are HBase's.
#[derive(Clone, Debug)]
pub struct RegionConfig {
    /// `hbase.hregion.memstore.flush.size`, in bytes: a larger memstore is flushed. Tables may have their own.
    pub flush_size_bytes: u64,
    /// `hbase.hregion.memstore.block.multiplier`: writes are refused above this many times the flush size.
    pub block_multiplier: u64,
    /// `hbase.server.keyvalue.maxsize`, in bytes, with the four of its length: larger cells of puts, increments and appends are refused; 0
    /// means no limit.
    pub max_cell_size_bytes: usize,
    /// `hbase.table.max.rowsize`, in bytes: of a larger row what a write is built upon is not read.
    pub max_row_bytes: usize,
    /// `hbase.hregion.keyvalue.timestamp.slop.millisecs`: puts further in the future are refused; `None`: any may come.
    pub timestamp_slop_ms: Option<i64>,
    /// Which files are compacted. Tables and families may have their own.
    pub compaction: CompactionConfig,
    /// Which blocks are cached besides those that were read. Tables and families may have their own.
    pub caching: CacheConfig,
    /// How the blocks of files that are written are checked. Tables and families may have their own.
    pub checksums: ChecksumConfig,
    /// `hbase.io.compress.zstd.codec`: how ZSTD compresses the blocks of files that are written.
    pub zstd_form: ZstdForm,
    /// When regions are split that have grown. Tables may have their own.
    pub split: SplitConfig,
    /// `hbase.hstore.bulkload.verify`: every cell of a file is looked at before it is bulk loaded.
    pub verify_bulk_loads: bool,
    /// `hbase.hregion.compacting.memstore.type`: in-memory compaction of families that do not say otherwise.
    pub in_memory_compaction: InMemoryCompaction,
    /// `hbase.systemtables.compacting.memstore.type`: in-memory compaction of HBase's own tables.
    pub system_in_memory_compaction: InMemoryCompaction,
    /// `hbase.memstore.inmemoryflush.threshold.factor`: the part of the flush size, divided by the number of families, at
    /// which an active segment is flushed in memory; 0: at 2 MiB.
    pub in_memory_flush_factor: f64,
    /// `hbase.hregion.compacting.pipeline.segments.limit`: flat segments of a memstore that stay side by side.
    pub pipeline_segments_limit: usize,
    /// `hbase.hregion.compacting.memstore.adaptive.compaction.threshold`: the part of cells that no reader can see, from
    /// which on ADAPTIVE leaves them out.
    pub adaptive_compaction_threshold: f64,
    /// Set while some compaction of the server makes use of off-peak hours: one at a time.
    pub off_peak_taken: Arc<AtomicBool>,
    /// Where compactions of the server wait for memory.
    pub compaction_memory: Arc<CompactionMemory>,
    /// The turns of increments and appends to large cells.
    pub large_updates: Arc<LargeUpdates>,
    /// How much of the blocks of files is in memory that are merged.
    pub kept_blocks: KeptBlocks,
    /// What becomes of MOB files when somebody asks for a compaction.
    pub mob: MobConfig,
    /// The MOB files of the server that are open.
    pub mob_files: Arc<MobFiles>,
    /// `hbase.hregion.percolumnfamilyflush.size.lower.bound.min`, in bytes: memstores up to this size are not flushed
    /// for memory while a family has a larger one.
    pub flush_lower_bound_bytes: u64,
    /// `hbase.regionserver.optionalcacheflushinterval`: edits that are older should be flushed; `None`: never.
    pub periodic_flush_interval: Option<Duration>,
    /// `hbase.regionserver.flush.per.changes`: edits that are followed by more should be flushed.
    pub flush_per_changes: u64,
    /// `hbase.rowlock.wait.duration`: how long a write waits for a row.
    pub row_lock_wait: Duration,
    /// `hbase.client.backpressure.enabled`: whether clients are told how full memstores are.
    pub tells_load: bool,
    /// `hbase.hregion.scan.loadColumnFamiliesOnDemand`: whether reads that do not say load families that their filter does
    /// not need only for rows that pass.
    pub loads_families_on_demand: bool,
}

impl Default for RegionConfig {
    fn default() -> Self {
        Self {
            flush_size_bytes: 128 << 20,
            block_multiplier: 4,
            max_cell_size_bytes: 10 << 20,
            max_row_bytes: 1 << 30,
            timestamp_slop_ms: None,
            compaction: CompactionConfig::default(),
            caching: CacheConfig::default(),
            checksums: ChecksumConfig::default(),
            zstd_form: ZstdForm::default(),
            split: SplitConfig::default(),
            verify_bulk_loads: false,
            in_memory_compaction: InMemoryCompaction::Basic,
            system_in_memory_compaction: InMemoryCompaction::None,
            in_memory_flush_factor: 0.0,
            pipeline_segments_limit: 2,
            adaptive_compaction_threshold: 0.1,
            off_peak_taken: Arc::default(),
            compaction_memory: Arc::default(),
            large_updates: Arc::default(),
            kept_blocks: KeptBlocks::default(),
            mob: MobConfig::default(),
            mob_files: Arc::default(),
            flush_lower_bound_bytes: 16 << 20,
            periodic_flush_interval: Some(Duration::from_secs(3600)),
            flush_per_changes: 30_000_000,
            row_lock_wait: Duration::from_secs(30),
            tells_load: false,
            loads_families_on_demand: true,
        }
    }
}

impl RegionConfig {
    /// These settings with what a table says about itself in their place. HBase's regions go by the attributes of their table
    /// as by a configuration file.
    pub(crate) fn of_table(config: &Arc<Self>, table: &TableDescriptor) -> Arc<Self> {
        let mut own = Self::clone(config);
        let settings = TableSettings(table);
        let mut found = settings.apply("hbase.hregion.memstore.flush.size", &mut own.flush_size_bytes);
        found |= settings.apply("hbase.hregion.memstore.block.multiplier", &mut own.block_multiplier);
        found |= settings.apply("hbase.server.keyvalue.maxsize", &mut own.max_cell_size_bytes);
        found |= settings.apply("hbase.hstore.bulkload.verify", &mut own.verify_bulk_loads);
        found |=
            settings.apply("hbase.memstore.inmemoryflush.threshold.factor", &mut own.in_memory_flush_factor);
        found |= settings
            .apply("hbase.hregion.compacting.pipeline.segments.limit", &mut own.pipeline_segments_limit);
        found |= settings.apply_split(&mut own.split);
        found |= settings.apply("hbase.unsafe.mob.discard.miss", &mut own.mob.discards_missing);
        found |= settings.apply("hbase.mob.compaction.type", &mut own.mob.compactions);
        // As for the server, not 0.
        let mut most = NonZeroU64::new(own.mob.max_file_bytes).unwrap_or(NonZeroU64::MIN);
        if settings.apply("hbase.mob.compactions.max.file.size", &mut most) {
            own.mob.max_file_bytes = most.get();
            found = true;
        }
        let bound = "hbase.hregion.percolumnfamilyflush.size.lower.bound.min";
        found |= settings.apply(bound, &mut own.flush_lower_bound_bytes);
        found |= settings.apply("hbase.regionserver.flush.per.changes", &mut own.flush_per_changes);
        found |= settings.apply("hbase.client.backpressure.enabled", &mut own.tells_load);
        let on_demand = "hbase.hregion.scan.loadColumnFamiliesOnDemand";
        found |= settings.apply(on_demand, &mut own.loads_families_on_demand);
        found |= settings.apply_ms("hbase.rowlock.wait.duration", &mut own.row_lock_wait);
        let mut interval = own.periodic_flush_interval.unwrap_or_default();
        if settings.apply_ms("hbase.regionserver.optionalcacheflushinterval", &mut interval) {
            own.periodic_flush_interval = (!interval.is_zero()).then_some(interval);
            found = true;
        }
        let mut slop_ms = own.timestamp_slop_ms.unwrap_or(i64::MAX);
        if settings.apply("hbase.hregion.keyvalue.timestamp.slop.millisecs", &mut slop_ms) {
            own.timestamp_slop_ms = (slop_ms != i64::MAX).then_some(slop_ms);
            found = true;
        }
        // Most tables say nothing: their regions share what the server has.
        if found { Arc::new(own) } else { Arc::clone(config) }
    }

    /// How large the memstore of a table's regions may grow, in bytes.
    pub(crate) fn flush_size_bytes(&self, table: &TableDescriptor) -> u64 {
        table.memstore_flush_size().unwrap_or(self.flush_size_bytes)
    }

    /// How the files of a family are compacted.
    pub(crate) fn compaction_of(
        &self,
        table: &TableDescriptor,
        family: &ColumnFamilyDescriptor,
    ) -> CompactionConfig {
        self.compaction.of_store(table, family, self.flush_size_bytes(table))
    }
}

impl crate::region::Region {
    /// Has files of this region compacted by other settings, those of the table and its families applied.
    pub fn reconfigure(&self, config: &Arc<RegionConfig>) {
        let config = RegionConfig::of_table(config, &self.table);
        for store in &self.stores {
            store.reconfigure(config.compaction_of(&self.table, &store.family));
        }
    }
}

/// The settings that a table has of its own.
struct TableSettings<'a>(&'a TableDescriptor);

impl TableSettings<'_> {
    /// Replaces a setting by the table's own; whether it has one. One that makes no sense is told, and left alone: a table
    /// must not become unreadable by it.
    fn apply<T: FromStr>(&self, name: &str, setting: &mut T) -> bool {
        let Some(text) = self.0.attribute(name).map(str::trim) else { return false };
        match text.parse() {
            Ok(value) => *setting = value,
            Err(_) => {
                tracing::warn!(table = %self.0.name, setting = name, value = text, "a setting without sense");
            }
        }
        true
    }

    /// What the table says about when it is split.
    fn apply_split(&self, split: &mut SplitConfig) -> bool {
        let mut initial = split.initial_bytes.unwrap_or(0);
        let mut found = self.apply("hbase.increasing.policy.initial.size", &mut initial);
        if found {
            split.initial_bytes = (initial > 0).then_some(initial);
        }
        found |= self.apply("hbase.hregion.split.overallfiles", &mut split.counts_all_stores);
        found |= self.apply("hbase.busy.policy.blockedRequests", &mut split.busy.refused_share);
        found |= self.apply_ms("hbase.busy.policy.minAge", &mut split.busy.min_age);
        found |= self.apply_ms("hbase.busy.policy.aggWindow", &mut split.busy.window);
        if found {
            split.busy = std::mem::take(&mut split.busy).checked();
        }
        found
    }

    /// As [`apply`](Self::apply), of a number of milliseconds. As in HBase, less than none is none.
    fn apply_ms(&self, name: &str, setting: &mut Duration) -> bool {
        let mut ms = i64::try_from(setting.as_millis()).unwrap_or(i64::MAX);
        let found = self.apply(name, &mut ms);
        *setting = Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        found
    }
}

#[cfg(test)]
mod tests;
