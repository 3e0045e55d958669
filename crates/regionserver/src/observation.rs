//! What those who watch the server look at besides its numbers.

use crate::server::RegionServer;
use finback_metrics::HistogramSnapshot;
use finback_region::Region;
use std::collections::HashMap;
use std::sync::Arc;

impl RegionServer {
    /// The regions that are open, in no order.
    pub fn open_regions(&self) -> Vec<Arc<Region>> {
        self.regions.all()
    }

    /// The compactions that wait or are under way: for each region, by its encoded name, whether one of some files, and
    /// whether one of all files.
    pub fn compactions_asked_for(&self) -> HashMap<Arc<str>, (bool, bool)> {
        self.scheduler.compactions()
    }

    /// The flushes under way that the server has begun itself: encoded names of regions, and since when, ms since the epoch.
    pub fn flushes_under_way(&self) -> Vec<(Arc<str>, u64)> {
        self.flushes_under_way.list()
    }

    /// How long operations took, in the order of [`finback_metrics::Operation::ALL`].
    pub fn operation_times(&self) -> Vec<HistogramSnapshot> {
        self.operations.times.snapshot_with(&self.regions.table_counts().sum())
    }

    /// Bytes of all memstores, that around the cells counted.
    pub fn memstore_bytes(&self) -> u64 {
        self.host.memstore_bytes()
    }

    /// Whether slow calls are kept.
    pub fn keeps_slow_calls(&self) -> bool {
        self.slow_calls.kept().is_some()
    }
}
