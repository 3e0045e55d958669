//! Settings of MOB files: large values in files of their own.

use std::time::Duration;

/// Settings of the MOB files of a server, under HBase's names.
#[derive(Clone, Debug)]
pub struct MobOptions {
    /// `hbase.mob.cache.evict.remain.ratio`: when those are closed that were not read lately, the share of the most open files that
    /// stays open.
    pub open_share: f64,
    /// `hbase.master.mob.cleaner.period`: between two looks for files that nobody needs; `None`: there is none.
    pub sweep_interval: Option<Duration>,
    /// `hbase.mob.min.age.archive`: younger files are left alone, and so are those that were referred to so long ago.
    pub min_age: Duration,
    /// `hbase.mob.compaction.chore.period`: between two MOB compactions of a region; `None`: only where somebody asks for them.
    pub compaction_period: Option<Duration>,
    /// `hbase.mob.major.compaction.region.batch.size`: regions for which that is asked at a time; 0: all.
    pub compaction_batch: usize,
}

impl Default for MobOptions {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 3600);
        Self {
            open_share: 0.5,
            sweep_interval: Some(DAY),
            min_age: Duration::from_secs(3600),
            compaction_period: Some(7 * DAY),
            compaction_batch: 0,
        }
    }
}
