use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Failures one after the other, after which the device is left alone for a while.
const TOLERATED: u32 = 8;
/// How long (`hbase.bucketcache.ioengine.errors.tolerated.duration` of HBase: one minute).
const REST: Duration = Duration::from_secs(60);

/// Whether the device of the tier is worth asking to read, or to write.
#[derive(Debug, Default)]
pub(super) struct Health {
    in_a_row: AtomicU32,
    failures: AtomicU64,
    rests_until: Mutex<Option<Instant>>,
}

impl Health {
    /// Whether it is left alone from now on.
    pub(super) fn failed(&self, what: &str, error: &io::Error) -> bool {
        if self.failures.fetch_add(1, Relaxed) == 0 {
            tracing::warn!(what, %error, "the file tier of the block cache fails for the first time");
        }
        let rests = self.in_a_row.fetch_add(1, Relaxed) + 1 == TOLERATED;
        if rests {
            tracing::warn!(what, %error, "the file tier of the block cache fails; it is left alone for {REST:?}");
            *self.rests_until.lock() = Some(Instant::now() + REST);
        }
        rests
    }

    pub(super) fn succeeded(&self) {
        self.in_a_row.store(0, Relaxed);
    }

    pub(super) fn may_be_asked(&self) -> bool {
        if self.in_a_row.load(Relaxed) < TOLERATED {
            return true;
        }
        let mut rests_until = self.rests_until.lock();
        if rests_until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        *rests_until = None;
        // One more failure, and it rests again.
        self.in_a_row.store(TOLERATED - 1, Relaxed);
        true
    }

    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Relaxed)
    }
}
