//! Whether the files of a store have grown so old that all of them are compacted.

use super::{Candidate, Occasion};
use crate::compaction_config::{CompactionConfig, StoreEngine};
use crate::java_random::first_double;

impl CompactionConfig {
    /// Whether a major compaction is due.
    pub(super) fn is_major_due(&self, files: &[Candidate], occasion: Occasion) -> bool {
        let Some(first) = files.first() else { return false };
        let period = self.period_ms(first.name_hash);
        let oldest = files.iter().map(|file| file.written_ms).min().unwrap_or(0);
        if period == 0 || oldest <= 0 || oldest >= occasion.now_ms.saturating_sub(period) {
            return false;
        }
        match (self.engine, files) {
            (StoreEngine::DateTiered, _) => self.has_files_out_of_place(files, occasion),
            // A file alone has nothing to gain but that what has expired goes.
            (StoreEngine::Default, [single]) => {
                age_ms(single, occasion).zip(occasion.ttl_ms).is_some_and(|(age, ttl)| age > ttl)
            }
            (StoreEngine::Default, _) => true,
            // Never, as in HBase.
            (StoreEngine::Stripe, _) => false,
        }
    }

    /// The period of a store whose oldest file has a name of this hash: within the jitter, by a chance that the name
    /// decides.
    fn period_ms(&self, name_hash: i32) -> i64 {
        if self.major_period_ms <= 0 || self.major_jitter <= 0.0 {
            return self.major_period_ms.max(0);
        }
        let jitter = (self.major_period_ms as f64 * self.major_jitter).round();
        let less = (2.0 * jitter * first_double(name_hash)).round();
        self.major_period_ms.saturating_add(jitter as i64).saturating_sub(less as i64)
    }
}

/// How old the oldest cell of a file is, if there is one: HBase writes a file without cells anew in each period.
pub(super) fn age_ms(file: &Candidate, occasion: Occasion) -> Option<i64> {
    Some(occasion.now_ms.saturating_sub(file.cells_ms()?.0))
}
