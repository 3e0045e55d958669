//! What clients that slow down by themselves are told about the load of a region and its server.

use crate::server::RegionServer;
use finback_proto::pb;
use finback_region::Region;
use std::sync::atomic::{AtomicU8, Ordering};

/// How much the stores of a server need compactions, in percent, at the last look.
#[derive(Debug, Default)]
pub(crate) struct CompactionPressure(AtomicU8);

impl CompactionPressure {
    /// Notes what it is: 1 where a store has as many files as it may have.
    pub(crate) fn note(&self, pressure: f64) {
        // A cast of what is too large for the type gives its greatest value.
        self.0.store(((pressure * 100.0) as u8).min(100), Ordering::Relaxed);
    }
}

/// The load of a region, if its clients are to be told. As the heap counts the memory for memstores, as in the reports to
/// the master.
pub(crate) fn load_statistics(server: &RegionServer, region: &Region) -> Option<pb::RegionLoadStats> {
    let memstore_load = region.told_memstore_load()?;
    let occupancy = server.host.memstore_bytes().saturating_mul(100) / server.memstore_limit().max(1);
    Some(pb::RegionLoadStats {
        mem_store_load: Some(memstore_load.into()),
        heap_occupancy: Some(i32::try_from(occupancy).unwrap_or(100).min(100)),
        compaction_pressure: Some(server.compaction_pressure.0.load(Ordering::Relaxed).into()),
    })
}
