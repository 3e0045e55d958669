//! What the settings say about compactions.

use super::table::ServerConfig;
use finback_region::{CompactionConfig, DateTieredConfig, StripeConfig};

const DAY_MS: i64 = 24 * 3600 * 1000;
/// HBase keeps sequence ids for at least so many days, whatever the setting says.
const LEAST_KEEP_DAYS: u32 = 5;

impl ServerConfig {
    /// How stores without settings of their own are compacted.
    pub fn compaction(&self) -> CompactionConfig {
        CompactionConfig {
            engine: self.store_engine,
            policy: self.compaction_policy,
            min_files: self.compaction_min_files as usize,
            max_files: self.compaction_max_files as usize,
            ratio: self.compaction_ratio,
            off_peak_ratio: self.compaction_off_peak_ratio,
            off_peak_start_hour: self.off_peak_start_hour,
            off_peak_end_hour: self.off_peak_end_hour,
            min_size_bytes: self.compaction_min_size,
            max_size_bytes: self.compaction_max_size,
            off_peak_max_size_bytes: self.compaction_off_peak_max_size,
            blocking_files: self.blocking_store_files as usize,
            major_period_ms: self.major_compaction_period,
            major_jitter: self.major_compaction_jitter,
            deletes_expired_files: self.delete_expired_files,
            keep_sequence_ids_ms: i64::from(self.keep_sequence_ids_days.max(LEAST_KEEP_DAYS)) * DAY_MS,
            purge_deletes_ms: self.purge_deletes,
            check_multiplier: u64::from(self.compaction_check_multiplier),
            date_tiered: self.date_tiered(),
            stripe: self.stripe(),
        }
    }

    fn date_tiered(&self) -> DateTieredConfig {
        DateTieredConfig {
            base_window_ms: i64::try_from(self.date_tiered_base_window.as_millis()).unwrap_or(i64::MAX),
            windows_per_tier: i64::from(self.date_tiered_windows_per_tier),
            max_age_ms: self.date_tiered_max_age.unwrap_or(i64::MAX),
            max_tier_age_ms: self.date_tiered_max_tier_age,
            incoming_window_min_files: self.date_tiered_incoming_window_min as usize,
            window_policy: self.date_tiered_window_policy,
            single_output_for_minor: self.date_tiered_single_output,
        }
    }

    fn stripe(&self) -> StripeConfig {
        StripeConfig {
            level0_min_files: self.stripe_level0_min_files as usize,
            flush_to_level0: self.stripe_flush_to_level0,
            min_files: self.stripe_min_files.map(|files| files as usize),
            max_files: self.stripe_max_files.map(|files| files as usize),
            initial_stripes: self.stripe_initial_count as usize,
            split_size_bytes: self.stripe_split_size,
            split_parts: self.stripe_split_parts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn the_defaults_of_the_server_are_those_of_the_engine() {
        let (config, _) = ServerConfig::load(&Sources::default()).unwrap();
        assert_eq!(config.compaction(), CompactionConfig::default());
    }
}
