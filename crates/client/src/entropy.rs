//! Numbers that nobody else draws: nonces, and the jitter of pauses.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// SplitMix64 (Steele, Lea, Flood 2014), seeded by the system.
pub(crate) struct Entropy {
    state: AtomicU64,
}

impl Entropy {
    pub(crate) fn new() -> Self {
        // Without the system's generator the clock has to do: what matters is that two clients differ.
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        Self { state: AtomicU64::new(getrandom::u64().unwrap_or_else(|_| now())) }
    }

    pub(crate) fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A nonce: anything but zero, which says that there is none.
    pub(crate) fn nonce(&self) -> u64 {
        match self.next() {
            0 => 1,
            nonce => nonce,
        }
    }

    /// A number from 0 to 1.
    pub(crate) fn fraction(&self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
