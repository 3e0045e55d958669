//! What a server tells the master about itself every few seconds.

use crate::endpoints;
use crate::host::system_now_ms;
use crate::server::RegionServer;
use finback_cell::{Bytes, coprocessor};
use finback_proto::{convert, pb};
use finback_region::Region;
use parking_lot::Mutex;
use pb::get_region_info_response::CompactionState;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const KILOBYTE: u64 = 1 << 10;
const MEGABYTE: u64 = 1 << 20;

/// What the last report said, to tell rates.
#[derive(Debug, Default)]
pub(crate) struct LastReport {
    time_ms: AtomicU64,
    /// Reads and writes of each region, by its name.
    requests: Mutex<HashMap<Bytes, u64>>,
}

impl LastReport {
    /// Reads and writes in these regions since then. One that was opened since then begins at 0.
    fn requests_since(&self, loads: &[pb::RegionLoad]) -> u64 {
        let counted = |load: &pb::RegionLoad| load.read_requests_count() + load.write_requests_count();
        let now: HashMap<_, _> =
            loads.iter().map(|load| (load.region_specifier.value.clone(), counted(load))).collect();
        let mut last = self.requests.lock();
        let since = |(region, now): (&Bytes, &u64)| match last.get(region) {
            Some(before) => now.checked_sub(*before).unwrap_or(*now),
            None => *now,
        };
        let requests = now.iter().map(since).sum();
        *last = now;
        requests
    }
}

impl RegionServer {
    /// The load since the last report.
    pub(crate) fn load(&self) -> pb::ServerLoad {
        let regions = self.regions.all();
        let region_loads = region_loads(self, &regions);
        let requests = self.last_report.requests_since(&region_loads);
        let now = system_now_ms().unsigned_abs();
        let since = self.last_report.time_ms.swap(now, Ordering::Relaxed);
        let since = if since == 0 { self.name().start_code } else { since };
        let seconds = now.saturating_sub(since).max(1000) / 1000;
        pb::ServerLoad {
            number_of_requests: Some(requests / seconds),
            // As in HBase these are calls, whatever becomes of the regions.
            total_number_of_requests: Some(self.requests()),
            used_heap_mb: Some(mb(self.host.memstore_bytes()) as u32),
            max_heap_mb: Some(mb(self.memstore_limit()) as u32),
            region_loads,
            coprocessors: coprocessors(&regions),
            report_start_time: Some(since),
            report_end_time: Some(now),
            info_server_port: Some(self.info_port()),
            user_loads: self.client_counts.loads(),
            tasks: regions.iter().flat_map(|region| tasks(region)).collect(),
            ..Default::default()
        }
    }
}

/// What is done to a region now, as HBase's `processlist` shows it.
fn tasks(region: &Region) -> Vec<pb::ServerTask> {
    let task = |compaction: finback_region::CompactionUnderWay| pb::ServerTask {
        description: format!(
            "Compacting {} in {}",
            compaction.family.escape_ascii(),
            region.name().escape_ascii()
        ),
        status: format!(
            "{} compaction: {} of {} cells",
            if compaction.is_major { "Major" } else { "Minor" },
            compaction.compacted_cells,
            compaction.total_cells
        ),
        state: pb::server_task::State::Running.into(),
        start_time: Some(compaction.since_ms.unsigned_abs()),
        // As HBase's, of what goes on.
        completion_time: None,
    };
    region.compactions().into_iter().map(task).collect()
}

/// Endpoints, by the simple names of HBase's classes.
fn coprocessors(regions: &[Arc<Region>]) -> Vec<pb::Coprocessor> {
    let named = [coprocessor::AGGREGATE, coprocessor::ROW_COUNT].into_iter();
    let named = named.filter(|class| regions.iter().any(|region| endpoints::has(region, class)));
    let built_in = (!regions.is_empty()).then_some("MultiRowMutationEndpoint");
    let simple = named.map(|class| class.rsplit('.').next().unwrap_or(class)).chain(built_in);
    simple.map(|name| pb::Coprocessor { name: name.to_owned() }).collect()
}

fn mb(bytes: u64) -> u64 {
    bytes / MEGABYTE
}

/// The loads of regions and of their replicas.
pub(crate) fn region_loads(server: &RegionServer, regions: &[Arc<Region>]) -> Vec<pb::RegionLoad> {
    let waiting = server.scheduler.compactions();
    let mut loads = Vec::with_capacity(regions.len());
    for region in regions {
        let waits = waiting.get(region.encoded_name()).copied().unwrap_or_default();
        let load = region_load(region, state_of(waits, region.compactions_under_way()));
        let replicas = 1..region.table().region_replication();
        let replicas: Vec<_> = replicas.map(|replica_id| replica_load(region, replica_id, &load)).collect();
        loads.push(load);
        loads.extend(replicas);
    }
    loads
}

/// A replica has the files of its region. What is done is counted where the region is.
fn replica_load(region: &Region, replica_id: u32, of_region: &pb::RegionLoad) -> pb::RegionLoad {
    pb::RegionLoad {
        region_specifier: convert::specifier_by_name(&region.info().replica(replica_id)),
        mem_store_size_mb: Some(0),
        read_requests_count: Some(0),
        write_requests_count: Some(0),
        filtered_read_requests_count: Some(0),
        total_compacting_k_vs: Some(0),
        current_compacted_k_vs: Some(0),
        compaction_state: Some(CompactionState::None.into()),
        ..of_region.clone()
    }
}

/// What compactions of a region wait or are under way.
pub(crate) fn compaction_state(server: &RegionServer, region: &Region) -> CompactionState {
    let waiting = server.scheduler.compactions();
    let waits = waiting.get(region.encoded_name()).copied().unwrap_or_default();
    state_of(waits, region.compactions_under_way())
}

/// Each of minor and major ones.
fn state_of(waits: (bool, bool), under_way: (bool, bool)) -> CompactionState {
    match (waits.0 || under_way.0, waits.1 || under_way.1) {
        (false, false) => CompactionState::None,
        (true, false) => CompactionState::Minor,
        (false, true) => CompactionState::Major,
        (true, true) => CompactionState::MajorAndMinor,
    }
}

fn region_load(region: &Region, state: CompactionState) -> pb::RegionLoad {
    let metrics = region.metrics();
    let of_store =
        |(family, id): (&Bytes, u64)| pb::StoreSequenceId { family_name: family.clone(), sequence_id: id };
    let index_kb = rounded(metrics.root_index_bytes, KILOBYTE);
    pb::RegionLoad {
        region_specifier: convert::specifier_by_name(region.info()),
        stores: Some(metrics.stores as u32),
        storefiles: Some(metrics.store_files as u32),
        store_uncompressed_size_mb: Some(rounded(metrics.uncompressed_bytes, MEGABYTE)),
        storefile_size_mb: Some(rounded(metrics.store_file_bytes, MEGABYTE)),
        mem_store_size_mb: Some(rounded(metrics.memstore_data_bytes, MEGABYTE)),
        storefile_index_size_kb: Some(u64::from(index_kb)),
        root_index_size_kb: Some(index_kb),
        total_static_index_size_kb: Some(rounded(metrics.index_bytes, KILOBYTE)),
        total_static_bloom_size_kb: Some(rounded(metrics.bloom_bytes, KILOBYTE)),
        read_requests_count: Some(metrics.reads),
        write_requests_count: Some(metrics.writes),
        filtered_read_requests_count: Some(metrics.filtered_reads),
        total_compacting_k_vs: Some(metrics.compacting_cells),
        current_compacted_k_vs: Some(metrics.compacted_cells),
        last_major_compaction_ts: Some(metrics.last_major_compaction_ms),
        compaction_state: Some(state as i32),
        complete_sequence_id: Some(metrics.flushed_sequence_id),
        store_complete_sequence_id: region.flushed_sequence_ids().map(of_store).collect(),
        // All files are on this machine.
        data_locality: Some(1.0),
        blocks_local_weight: Some(metrics.store_file_bytes),
        blocks_total_weight: Some(metrics.store_file_bytes),
        region_size_mb: Some(rounded(metrics.store_file_bytes, MEGABYTE)),
        ..Default::default()
    }
}

/// As HBase: what is less than a unit, and something, counts as one.
fn rounded(bytes: u64, unit: u64) -> u32 {
    if bytes == 0 { 0 } else { u32::try_from(bytes / unit).unwrap_or(i32::MAX as u32).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_the_regions_that_are_there_since_the_last_report() {
        let load = |name: &'static str, reads, writes| pb::RegionLoad {
            region_specifier: pb::RegionSpecifier { value: name.into(), ..Default::default() },
            read_requests_count: Some(reads),
            write_requests_count: Some(writes),
            ..Default::default()
        };
        let last = LastReport::default();
        assert_eq!(last.requests_since(&[load("a", 1000, 0), load("b", 1, 1)]), 1002);
        // One is closed, the other goes on; then that is opened anew.
        assert_eq!(last.requests_since(&[load("b", 2, 2)]), 2);
        assert_eq!(last.requests_since(&[load("a", 5, 0), load("b", 2, 1)]), 8);
    }

    #[test]
    fn something_is_never_rounded_to_nothing() {
        let sizes = [0, 1, MEGABYTE - 1, MEGABYTE, 5 * MEGABYTE / 2, u64::MAX];
        assert_eq!(sizes.map(|bytes| rounded(bytes, MEGABYTE)), [0, 1, 1, 1, 2, i32::MAX as u32]);
    }
}
