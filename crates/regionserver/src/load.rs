//! What a server tells the master about itself every few seconds.

use crate::host::system_now_ms;
use crate::server::RegionServer;
use finback_proto::{convert, pb};
use finback_region::Region;
use std::sync::atomic::{AtomicU64, Ordering};

const MEGABYTE: u64 = 1 << 20;

/// What the last report said, to tell rates.
#[derive(Debug, Default)]
pub(crate) struct LastReport {
    time_ms: AtomicU64,
    requests: AtomicU64,
}

impl RegionServer {
    /// The load since the last report.
    pub(crate) fn load(&self) -> pb::ServerLoad {
        let regions = self.regions.all();
        let region_loads: Vec<_> = regions.iter().map(|region| region_load(region)).collect();
        let total: u64 =
            region_loads.iter().map(|load| load.read_requests_count() + load.write_requests_count()).sum();
        let now = system_now_ms().unsigned_abs();
        let since = self.last_report.time_ms.swap(now, Ordering::Relaxed);
        let before = self.last_report.requests.swap(total, Ordering::Relaxed);
        let since = if since == 0 { self.name().start_code } else { since };
        let seconds = now.saturating_sub(since).max(1000) / 1000;
        pb::ServerLoad {
            number_of_requests: Some(total.saturating_sub(before) / seconds),
            total_number_of_requests: Some(total),
            used_heap_mb: Some(mb(self.host.memstore_bytes()) as u32),
            max_heap_mb: Some(mb(self.memstore_limit()) as u32),
            region_loads,
            report_start_time: Some(since),
            report_end_time: Some(now),
            info_server_port: Some(0),
            ..Default::default()
        }
    }
}

fn mb(bytes: u64) -> u64 {
    bytes / MEGABYTE
}

/// The load of one region.
pub(crate) fn region_load(region: &Region) -> pb::RegionLoad {
    let metrics = region.metrics();
    pb::RegionLoad {
        region_specifier: convert::specifier_by_name(region.info()),
        stores: Some(metrics.stores as u32),
        storefiles: Some(metrics.store_files as u32),
        store_uncompressed_size_mb: Some(mb(metrics.store_file_bytes) as u32),
        storefile_size_mb: Some(mb(metrics.store_file_bytes) as u32),
        mem_store_size_mb: Some(mb(metrics.memstore_bytes) as u32),
        read_requests_count: Some(metrics.reads),
        write_requests_count: Some(metrics.writes),
        filtered_read_requests_count: Some(metrics.filtered_reads),
        complete_sequence_id: Some(metrics.flushed_sequence_id),
        data_locality: Some(1.0),
        ..Default::default()
    }
}
