//! Writes are slowed, ever more, before they are refused.
//!
//! From `slow_from` on a write waits for its share of the room that is left up to `limit`, times the share of the room
//! that is used up, times 1 s: little at first, and so much near the limit that the room lasts. In between
//! lies the rate at which as much is flushed as is written, whatever that is. (RocksDB's delayed write rate has the same
//! purpose.)
//!
//! ```text
//!   bytes a second let in, for 192 MiB between slow_from and limit
//!   used up      1 %    10 %    25 %    50 %    75 %    90 %   100 %
//!   MiB/s      19008    1728     576     192      64      21       6
//! ```
//!
//! The logic knows no clock; waiting is the host's, so that no thread of a server is held up.

use parking_lot::Mutex;
use std::time::Duration;

/// At a half of the room used up, what is let in would use up the other half in half of this time.
const TIME_TO_FILL: Duration = Duration::from_secs(1);
/// Less room than this share counts as so much: who writes more slowly than that is refused at the limit.
const LEAST_LEFT: f64 = 1.0 / 32.0;
/// Less room than this counts as so much: memstores take memory in chunks of up to so many bytes, so that the last of the
/// room stays the last while a chunk fills up.
const CHUNK_BYTES: f64 = (2 << 20) as f64;
/// The longest wait of one write; then it is taken, or refused if there is no room left.
pub(crate) const LONGEST_DELAY: Duration = Duration::from_secs(1);
/// Shorter waits are saved up until they are worth a timer.
const SHORTEST_DELAY: Duration = Duration::from_millis(1);
/// Room for writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteRoom {
    /// Bytes used.
    pub used: u64,
    /// Up to so many bytes, writes are not slowed.
    pub slow_from: u64,
    /// Beyond so many, they are refused.
    pub limit: u64,
}

impl WriteRoom {
    /// Room that never ends.
    pub const UNBOUNDED: Self = Self { used: 0, slow_from: u64::MAX, limit: u64::MAX };

    /// Whether writes are slowed, or refused.
    #[inline]
    pub fn is_short(&self) -> bool {
        self.used > self.slow_from
    }

    /// Whether writes are refused.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.used > self.limit
    }

    /// Whether a write of so many bytes stays within the limit.
    pub(crate) fn fits(&self, bytes: u64) -> bool {
        self.used.saturating_add(bytes) <= self.limit
    }

    /// How slow writes are, in seconds for each byte; 0 is not at all.
    pub fn slowness(&self) -> f64 {
        if !self.is_short() {
            return 0.0;
        }
        let all = self.limit.saturating_sub(self.slow_from).max(1) as f64;
        let share = ((self.used - self.slow_from) as f64 / all).min(1.0);
        let left = (all * (1.0 - share).max(LEAST_LEFT)).max(CHUNK_BYTES);
        share * TIME_TO_FILL.as_secs_f64() / left
    }
}

/// The queue of slowed writes, as the time at which the last of them is let in. Times count from any one moment.
#[derive(Debug, Default)]
pub struct DelayedWrites {
    free_at: Mutex<Duration>,
}

impl DelayedWrites {
    /// How long a write of so many bytes waits, after those before it.
    pub fn delay(&self, now: Duration, bytes: u64, slowness: f64) -> Duration {
        if slowness <= 0.0 {
            return Duration::ZERO;
        }
        let price = (bytes as f64 * slowness).min(LONGEST_DELAY.as_secs_f64());
        let mut free_at = self.free_at.lock();
        let latest = now.saturating_add(LONGEST_DELAY);
        *free_at = (*free_at).max(now).saturating_add(Duration::from_secs_f64(price)).min(latest);
        let wait = free_at.saturating_sub(now);
        if wait < SHORTEST_DELAY { Duration::ZERO } else { wait }
    }
}

#[cfg(test)]
mod tests;
