//! How many bytes a region's memstores hold, told to the host as well.

use crate::host::Host;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// What is counted of a region that was abandoned. What still ends in it takes it nowhere near zero.
const FORGOTTEN: i64 = i64::MIN / 2;

/// A count of bytes, exact in whatever order changes are told: growth may be told after what has shrunk it again, so that it is
/// below zero for a moment. A region that was abandoned has none left, whatever still ends in it.
pub(crate) struct MemoryGauge {
    bytes: AtomicI64,
    host: Arc<dyn Host>,
}

impl MemoryGauge {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self { bytes: AtomicI64::new(0), host }
    }

    /// Bytes now.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        u64::try_from(self.bytes.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Counts growth, if there is any.
    #[inline]
    pub(crate) fn grow(&self, bytes: usize) {
        self.change(bytes as isize);
    }

    /// Counts bytes that went.
    pub(crate) fn shrink(&self, bytes: u64) {
        self.change(-(bytes as isize));
    }

    /// Counts growth or shrinkage.
    #[inline]
    pub(crate) fn change(&self, bytes: isize) {
        if bytes != 0 && !is_forgotten(self.bytes.fetch_add(bytes as i64, Ordering::Relaxed)) {
            self.host.memstore_changed(bytes);
        }
    }

    /// Forgets all that is counted, and counts no more.
    pub(crate) fn clear(&self) {
        let bytes = self.bytes.swap(FORGOTTEN, Ordering::Relaxed);
        if !is_forgotten(bytes) {
            self.host.memstore_changed(-(bytes as isize));
        }
    }
}

#[inline]
fn is_forgotten(bytes: i64) -> bool {
    bytes < FORGOTTEN / 2
}

#[cfg(test)]
mod tests;
