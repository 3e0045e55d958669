//! How many bytes a region's memstores hold, told to the host as well.

use crate::host::Host;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A count of bytes that never falls below zero: a region that was abandoned has none left, whatever still ends in it.
pub(crate) struct MemoryGauge {
    bytes: AtomicU64,
    host: Arc<dyn Host>,
}

impl MemoryGauge {
    pub(crate) fn new(host: Arc<dyn Host>) -> Self {
        Self { bytes: AtomicU64::new(0), host }
    }

    /// Bytes now.
    #[inline]
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Counts growth, if there is any.
    #[inline]
    pub(crate) fn grow(&self, bytes: usize) {
        if bytes > 0 {
            self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
            self.host.memstore_changed(bytes as isize);
        }
    }

    /// Counts bytes that went.
    pub(crate) fn shrink(&self, bytes: u64) {
        let counted = |bytes_now: u64| Some(bytes_now.saturating_sub(bytes));
        let before = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted);
        let went = before.unwrap_or_default().min(bytes);
        self.host.memstore_changed(-(went as isize));
    }

    /// Counts growth or shrinkage.
    pub(crate) fn change(&self, bytes: isize) {
        match usize::try_from(bytes) {
            Ok(grown) => self.grow(grown),
            Err(_) => self.shrink(bytes.unsigned_abs() as u64),
        }
    }

    /// Forgets all that is counted.
    pub(crate) fn clear(&self) {
        let bytes = self.bytes.swap(0, Ordering::Relaxed);
        self.host.memstore_changed(-(bytes as isize));
    }
}
