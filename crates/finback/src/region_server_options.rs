//! What the settings are to a region server.

use std::time::Duration;

use finback_cell::{ServerName, SplitRestriction};
use finback_layout::RootDir;
use finback_region::{BusySplitConfig, OffPeakHours, RegionConfig, SplitConfig};
use finback_regionserver::{BackgroundOptions, RegionServerOptions, SlowCallOptions, ThroughputBounds};
use finback_rpc::ReplyMemory;
use finback_wal::{SyncMode, WalOptions};

use crate::config::{MemoryBudget, ServerConfig};

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
        reply_memory: ReplyMemory::new(memory.replies as usize),
        scanner_bytes: memory.scanners as usize,
        nonce_bytes: memory.nonces as usize,
        nonce_retention: config.nonce_retention,
        max_row_bytes: config.max_row_bytes as usize,
        scanner_lease: config.scanner_timeout,
        max_scan_result_bytes: config.max_scan_result_bytes as usize,
        background: background(config),
        handlers: config.handlers as usize,
        handler_threads: None,
        slow_calls: config.slow_call_log.then(|| SlowCallOptions {
            slow: config.slow_call_time.map(Duration::from_millis),
            large_bytes: config.large_reply_bytes,
            kept: config.slow_calls_kept as usize,
        }),
        old_log_retention: config.old_wal_ttl,
        info_port: config.regionserver_info_port.unwrap_or(0),
        report_interval: config.report_interval,
    }
}

/// Settings of regions.
pub(crate) fn region(config: &ServerConfig, memory: &MemoryBudget) -> RegionConfig {
    RegionConfig {
        flush_size_bytes: memory.flush,
        block_multiplier: u64::from(config.memstore_block_multiplier),
        max_cell_size_bytes: config.max_cell_bytes as usize,
        verify_bulk_loads: config.verify_bulk_loads,
        timestamp_slop_ms: (config.timestamp_slop != i64::MAX).then_some(config.timestamp_slop),
        flush_lower_bound_bytes: config.flush_lower_bound_bytes,
        periodic_flush_interval: config.periodic_flush_interval,
        flush_per_changes: u64::from(config.flush_per_changes),
        in_memory_compaction: config.in_memory_compaction,
        system_in_memory_compaction: config.system_in_memory_compaction,
        in_memory_flush_factor: config.in_memory_flush_factor,
        pipeline_segments_limit: config.pipeline_segments as usize,
        adaptive_compaction_threshold: config.adaptive_compaction_threshold,
        row_lock_wait: config.row_lock_wait,
        tells_load: config.client_backpressure,
        loads_families_on_demand: config.load_families_on_demand,
        compaction: config.compaction(),
        split: SplitConfig {
            policy: config.split_policy,
            max_file_bytes: config.max_file_bytes,
            initial_bytes: config.split_initial_size,
            flush_size_bytes: config.memstore_flush_bytes,
            counts_all_stores: config.split_counts_all_stores,
            busy: BusySplitConfig {
                refused_share: config.busy_split_share,
                min_age: config.busy_split_min_age,
                window: config.busy_split_window,
            }
            .checked(),
            restriction: split_restriction(config),
        },
        caching: config.caching(),
        ..RegionConfig::default()
    }
}

/// Where tables may be split at all.
pub(crate) fn split_restriction(config: &ServerConfig) -> SplitRestriction {
    SplitRestriction {
        kind: config.split_restriction.clone(),
        prefix_length: config.split_restriction_length.clone(),
        delimiter: config.split_restriction_delimiter.clone(),
    }
}

/// Settings of logs.
fn wal(config: &ServerConfig, memory: &MemoryBudget) -> WalOptions {
    WalOptions {
        sync_mode: if config.wal_hsync { SyncMode::Disk } else { SyncMode::Os },
        compression: config.wal_compression(),
        roll_size_bytes: config.wal_roll_bytes(),
        roll_period: config.wal_roll_period,
        max_logs: config.max_wals as usize,
        queue_bytes: u32::try_from(memory.log_queue).unwrap_or(u32::MAX),
        ..WalOptions::default()
    }
}

/// Settings of flushes and compactions.
pub(crate) fn background(config: &ServerConfig) -> BackgroundOptions {
    let compactions = ThroughputBounds {
        lower: config.compaction_throughput_lower,
        higher: config.compaction_throughput_higher,
        // HBase's way to say that there is no limit.
        off_peak: Some(config.compaction_throughput_off_peak).filter(|bytes| *bytes < i64::MAX as u64),
        tune_period: config.compaction_throughput_period,
    };
    let flushes = ThroughputBounds {
        lower: config.flush_throughput_lower,
        higher: config.flush_throughput_upper,
        off_peak: None,
        tune_period: config.flush_throughput_period,
    };
    BackgroundOptions {
        flush_threads: config.flush_threads as usize,
        large_compaction_threads: config.large_compaction_threads as usize,
        small_compaction_threads: config.small_compaction_threads as usize,
        large_compaction_bytes: config.large_compaction_bytes,
        compactions_enabled: config.compactions_enabled,
        blocking_wait: config.blocking_wait,
        compaction_throughput: config.compaction_throttle.then_some(compactions),
        flush_throughput: config.flush_throttle.then_some(flushes),
        off_peak_hours: OffPeakHours::new(config.off_peak_start_hour, config.off_peak_end_hour),
    }
}
