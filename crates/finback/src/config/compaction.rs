//! What the settings say about compactions.

use super::table::ServerConfig;
use finback_region::{CompactionConfig, DateTieredConfig, StripeConfig};

const DAY_MS: i64 = 24 * 3600 * 1000;

impl ServerConfig {
    /// How stores without settings of their own are compacted.
    pub fn compaction(&self) -> CompactionConfig {
        CompactionConfig {
            engine: self.tables.store_engine,
            policy: self.tables.compaction_policy,
            min_files: self.tables.compaction_min_files as usize,
            max_files: self.tables.compaction_max_files as usize,
            ratio: self.tables.compaction_ratio,
            off_peak_ratio: self.tables.compaction_off_peak_ratio,
            off_peak_start_hour: self.off_peak_start_hour,
            off_peak_end_hour: self.off_peak_end_hour,
            min_size_bytes: self.tables.compaction_min_size,
            max_size_bytes: self.tables.compaction_max_size,
            off_peak_max_size_bytes: self.tables.compaction_off_peak_max_size,
            blocking_files: self.tables.blocking_store_files as usize,
            major_period_ms: self.tables.major_compaction_period,
            major_jitter: self.tables.major_compaction_jitter,
            deletes_expired_files: self.tables.delete_expired_files,
            keep_sequence_ids_ms: i64::from(self.tables.keep_sequence_ids_days) * DAY_MS,
            purge_deletes_ms: self.tables.purge_deletes,
            keeps_history_apart: self.tables.keep_history_apart,
            check_multiplier: u64::from(self.tables.compaction_check_multiplier),
            date_tiered: self.date_tiered(),
            stripe: self.stripe(),
        }
    }

    fn date_tiered(&self) -> DateTieredConfig {
        DateTieredConfig {
            base_window_ms: i64::try_from(self.tables.date_tiered_base_window.as_millis())
                .unwrap_or(i64::MAX),
            windows_per_tier: i64::from(self.tables.date_tiered_windows_per_tier),
            max_age_ms: self.tables.date_tiered_max_age.unwrap_or(i64::MAX),
            max_tier_age_ms: self.tables.date_tiered_max_tier_age,
            incoming_window_min_files: self.tables.date_tiered_incoming_window_min as usize,
            window_policy: self.tables.date_tiered_window_policy,
            single_output_for_minor: self.tables.date_tiered_single_output,
        }
    }

    fn stripe(&self) -> StripeConfig {
        StripeConfig {
            level0_min_files: self.tables.stripe_level0_min_files as usize,
            flush_to_level0: self.tables.stripe_flush_to_level0,
            min_files: self.tables.stripe_min_files.map(|files| files as usize),
            max_files: self.tables.stripe_max_files.map(|files| files as usize),
            initial_stripes: self.tables.stripe_initial_count as usize,
            split_size_bytes: self.tables.stripe_split_size,
            split_parts: self.tables.stripe_split_parts,
            max_split_imbalance: self.tables.stripe_max_split_imbalance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn the_defaults_of_the_server_are_those_of_the_engine() {
        let config = ServerConfig::load(&Sources::default()).unwrap().config;
        assert_eq!(config.compaction(), CompactionConfig::default());
    }
}
