//! Windows of time that grow with age: HBase's `ExponentialCompactionWindowFactory`.
//!
//! ```text
//!  … |       16 base       | 4 base | 4 base | 4 base | base | base | base | base | now
//! ```
//! A window begins at a multiple of its length. Going back in time, the length is multiplied by the number of windows of
//! a tier where a window of the next tier ends, unless what would be in it is older than any tier may be.

use crate::date_tiered_config::DateTieredConfig;
use std::cmp::Ordering;

/// A window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    length_ms: i64,
    /// How many windows of this length there are from the epoch to this one.
    position: i64,
    per_tier: i64,
    /// Windows that begin earlier do not get longer.
    cutoff_ms: i64,
}

impl Window {
    /// The window of now.
    pub(super) fn incoming(config: &DateTieredConfig, now_ms: i64) -> Self {
        let length_ms = config.base_window_ms.max(1);
        let max_tier_age_ms = config.max_tier_age_ms.unwrap_or(config.max_age_ms);
        Self {
            length_ms,
            position: now_ms / length_ms,
            per_tier: config.windows_per_tier.max(1),
            cutoff_ms: now_ms.checked_sub(max_tier_age_ms).unwrap_or(i64::MIN),
        }
    }

    /// The window before this one; `None` where time ends.
    pub(super) fn earlier(self) -> Option<Self> {
        let tier_ms = self.length_ms.checked_mul(self.per_tier);
        let is_within =
            |tier_ms| self.start_ms().checked_sub(tier_ms).is_some_and(|start| start >= self.cutoff_ms);
        let grows = self.position % self.per_tier <= 0 && tier_ms.is_some_and(is_within);
        let (length_ms, position) =
            if grows { (tier_ms?, self.position / self.per_tier) } else { (self.length_ms, self.position) };
        Some(Self { length_ms, position: position.checked_sub(1)?, ..self })
    }

    /// The first timestamp in it.
    pub(super) fn start_ms(self) -> i64 {
        self.length_ms.checked_mul(self.position).unwrap_or(i64::MIN)
    }

    /// Whether the window is before the timestamp, has it, or is after it.
    pub(super) fn compare(self, timestamp: i64) -> Ordering {
        self.position.cmp(&timestamp.div_euclid(self.length_ms))
    }
}
