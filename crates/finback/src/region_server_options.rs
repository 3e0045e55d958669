//! What the settings are to a region server.

use std::sync::Arc;
use std::time::Duration;

use finback_cell::{ServerName, SplitRestriction};
use finback_layout::RootDir;
use finback_region::{BusySplitConfig, KeptBlocks, MobFiles, OffPeakHours, RegionConfig, SplitConfig};
use finback_regionserver::{BackgroundOptions, RegionServerOptions, SlowCallOptions, ThroughputBounds};
use finback_rpc::ReplyMemory;
use finback_wal::{SyncMode, WalOptions};

use crate::config::{MemoryBudget, ServerConfig};

/// An increment or append that is sent again is recognized for so long after it was last sent: HBase's
/// `hbase.server.hashNonce.gracePeriod`.
const NONCE_RETENTION: Duration = Duration::from_secs(30 * 60);
/// Between two looks at how near stores are to having too many files: HBase's
/// `hbase.hstore.compaction.throughput.tune.period`.
const COMPACTION_TUNE_PERIOD: Duration = Duration::from_secs(60);
/// Between two looks at the memory of memstores: HBase's `hbase.hstore.flush.throughput.tune.period`.
const FLUSH_TUNE_PERIOD: Duration = Duration::from_secs(20);

/// All of it.
pub(crate) fn options(
    config: &ServerConfig,
    memory: &MemoryBudget,
    root: &RootDir,
    name: &ServerName,
) -> RegionServerOptions {
    RegionServerOptions {
        name: name.clone(),
        root: root.clone(),
        region: region(config, memory),
        wal: wal(config, memory),
        memstore_limit_bytes: memory.memstores,
        read_bytes: memory.reads,
        reply_memory: ReplyMemory::new(memory.replies as usize),
        scanner_bytes: memory.scanners as usize,
        nonce_bytes: memory.nonces as usize,
        nonce_retention: NONCE_RETENTION,
        max_row_bytes: config.max_row_bytes as usize,
        scanner_lease: config.scanner_timeout,
        max_scan_result_bytes: config.max_scan_result_bytes as usize,
        background: background(config),
        mob: config.mob_options(),
        handlers: config.handlers as usize,
        handler_threads: None,
        slow_calls: SlowCallOptions {
            slow: config.slow_call_time,
            large_bytes: config.large_reply_bytes,
            kept: (config.slow_calls_kept > 0).then_some(config.slow_calls_kept as usize),
        },
        tracer: None,
        old_log_retention: config.old_wal_ttl,
        info_port: config.regionserver_info_port.unwrap_or(0),
        report_interval: config.report_interval,
    }
}

/// A part of the block cache, in which compactions count what they keep, and of replies, in which scans do.
fn kept_blocks(memory: &MemoryBudget) -> KeptBlocks {
    KeptBlocks::within((memory.block_cache / 8).min(memory.replies / 2) as usize)
}

/// Settings of regions.
pub(crate) fn region(config: &ServerConfig, memory: &MemoryBudget) -> RegionConfig {
    let tables = &config.tables;
    RegionConfig {
        flush_size_bytes: memory.flush,
        block_multiplier: u64::from(tables.memstore_block_multiplier),
        max_cell_size_bytes: tables.max_cell_bytes as usize,
        verify_bulk_loads: tables.verify_bulk_loads,
        timestamp_slop_ms: (tables.timestamp_slop != i64::MAX).then_some(tables.timestamp_slop),
        flush_lower_bound_bytes: tables.flush_lower_bound_bytes,
        periodic_flush_interval: tables.periodic_flush_interval,
        flush_per_changes: u64::from(tables.flush_per_changes),
        in_memory_compaction: tables.in_memory_compaction,
        in_memory_flush_factor: tables.in_memory_flush_factor,
        pipeline_segments_limit: tables.pipeline_segments as usize,
        row_lock_wait: tables.row_lock_wait,
        tells_load: tables.client_backpressure,
        loads_families_on_demand: tables.load_families_on_demand,
        kept_blocks: kept_blocks(memory),
        compaction: config.compaction(),
        split: SplitConfig {
            policy: tables.split_policy,
            max_file_bytes: tables.max_file_bytes,
            initial_bytes: tables.split_initial_size,
            flush_size_bytes: tables.memstore_flush_bytes,
            counts_all_stores: tables.split_counts_all_stores,
            busy: BusySplitConfig {
                refused_share: tables.busy_split_share,
                min_age: tables.busy_split_min_age,
                window: tables.busy_split_window,
            }
            .checked(),
            restriction: split_restriction(config),
        },
        caching: config.caching(),
        checksums: config.checksums(),
        zstd_form: config.zstd_codec,
        mob_files: Arc::new(MobFiles::new(config.mob_open_files as usize)),
        mob: config.mob(),
        ..RegionConfig::default()
    }
}

/// Where tables may be split at all.
pub(crate) fn split_restriction(config: &ServerConfig) -> SplitRestriction {
    let tables = &config.tables;
    SplitRestriction {
        kind: tables.split_restriction.clone(),
        prefix_length: tables.split_restriction_length.clone(),
        delimiter: tables.split_restriction_delimiter.clone(),
    }
}

/// Settings of logs.
fn wal(config: &ServerConfig, memory: &MemoryBudget) -> WalOptions {
    WalOptions {
        sync_mode: if config.wal_hsync { SyncMode::Disk } else { SyncMode::Os },
        compression: config.wal_compression(),
        zstd_form: config.zstd_codec,
        roll_size_bytes: config.wal_roll_bytes,
        roll_period: config.wal_roll_period,
        max_logs: config.max_wals as usize,
        queue_bytes: u32::try_from(memory.log_queue).unwrap_or(u32::MAX),
        ..WalOptions::default()
    }
}

/// Settings of flushes and compactions.
pub(crate) fn background(config: &ServerConfig) -> BackgroundOptions {
    // No limit is HBase's largest number.
    let or_no_limit = |rate: Option<u64>| rate.unwrap_or(i64::MAX as u64);
    let compactions = config.compaction_throughput.map(|lower| ThroughputBounds {
        lower,
        higher: or_no_limit(config.compaction_throughput_pressed),
        off_peak: config.compaction_throughput_off_peak,
        tune_period: COMPACTION_TUNE_PERIOD,
    });
    let flushes = config.flush_throughput.map(|lower| ThroughputBounds {
        lower,
        higher: lower.saturating_mul(2),
        off_peak: None,
        tune_period: FLUSH_TUNE_PERIOD,
    });
    BackgroundOptions {
        flush_threads: config.flush_threads as usize,
        large_compaction_threads: config.large_compaction_threads as usize,
        small_compaction_threads: config.small_compaction_threads as usize,
        large_compaction_bytes: config.large_compaction_bytes,
        compactions_enabled: config.compactions_enabled,
        compacts_after_bulk_load: config.tables.compacts_after_bulk_load,
        blocking_wait: config.blocking_wait,
        compaction_throughput: compactions,
        flush_throughput: flushes,
        off_peak_hours: OffPeakHours::new(config.off_peak_start_hour, config.off_peak_end_hour),
    }
}
