//! Settings of the date-tiered engine, under HBase's names.

use crate::compaction_config::{CompactionPolicy, Overrides};

/// Settings of the date-tiered engine; each name begins with `hbase.hstore.compaction.date.tiered.`.
#[derive(Clone, Debug, PartialEq)]
pub struct DateTieredConfig {
    /// `base.window.millis`: how long the youngest windows are.
    pub base_window_ms: i64,
    /// `windows.per.tier`: how many windows of one length, and how many times longer those of the next tier are.
    pub windows_per_tier: i64,
    /// `max.storefile.age.millis`: windows of which all is older are left alone by minor compactions.
    pub max_age_ms: i64,
    /// `max.tier.age.millis`: older windows do not get longer any more. `None`: the maximal age.
    pub max_tier_age_ms: Option<i64>,
    /// `incoming.window.min`: how many files the window of now must have for a minor compaction.
    pub incoming_window_min_files: usize,
    /// `window.policy.class`: how files are chosen within a window.
    pub window_policy: CompactionPolicy,
    /// `single.output.for.minor.compaction`: whether what is older than the window stays in the same file as the rest.
    pub single_output_for_minor: bool,
}

impl Default for DateTieredConfig {
    fn default() -> Self {
        Self {
            base_window_ms: 6 * 3600 * 1000,
            windows_per_tier: 4,
            max_age_ms: i64::MAX,
            max_tier_age_ms: None,
            incoming_window_min_files: 6,
            window_policy: CompactionPolicy::Exploring,
            single_output_for_minor: true,
        }
    }
}

impl DateTieredConfig {
    pub(crate) fn apply(&mut self, own: &Overrides<'_>) {
        own.apply("hbase.hstore.compaction.date.tiered.base.window.millis", &mut self.base_window_ms);
        own.apply("hbase.hstore.compaction.date.tiered.windows.per.tier", &mut self.windows_per_tier);
        own.apply("hbase.hstore.compaction.date.tiered.max.storefile.age.millis", &mut self.max_age_ms);
        own.apply_optional(
            "hbase.hstore.compaction.date.tiered.max.tier.age.millis",
            &mut self.max_tier_age_ms,
        );
        own.apply_count(
            "hbase.hstore.compaction.date.tiered.incoming.window.min",
            &mut self.incoming_window_min_files,
        );
        own.apply("hbase.hstore.compaction.date.tiered.window.policy.class", &mut self.window_policy);
        own.apply(
            "hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction",
            &mut self.single_output_for_minor,
        );
    }
}
