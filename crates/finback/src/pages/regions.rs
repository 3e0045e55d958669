//! The regions of this server, for its pages.

use finback_cell::StringBinary;
use finback_pages::model::{Compaction, Refused, Region, Store};
use finback_regionserver::RegionServer;

pub(super) fn text(bytes: &[u8]) -> String {
    StringBinary(bytes).to_string()
}

/// All that are open.
pub(super) fn all(server: &RegionServer) -> Vec<Region> {
    let asked_for = server.compactions_asked_for();
    let picture = |region: &std::sync::Arc<finback_region::Region>| {
        let (some, all) = asked_for.get(region.encoded_name()).copied().unwrap_or_default();
        picture(region, some || all)
    };
    server.open_regions().iter().map(picture).collect()
}

fn picture(region: &finback_region::Region, compaction_asked_for: bool) -> Region {
    let (metrics, info) = (region.metrics(), region.info());
    let is_compacting = region.compactions_under_way() != (false, false);
    let compaction = Compaction { cells: metrics.compacting_cells, done: metrics.compacted_cells };
    Region {
        table: info.table.to_string(),
        encoded_name: region.encoded_name().to_string(),
        name: text(region.name()),
        start_key: text(&info.start_key),
        end_key: text(&info.end_key),
        stores: metrics.stores as u64,
        files: metrics.store_files as u64,
        file_bytes: metrics.store_file_bytes,
        uncompressed_bytes: metrics.uncompressed_bytes,
        index_bytes: metrics.index_bytes.saturating_add(metrics.bloom_bytes),
        memstore_bytes: metrics.memstore_data_bytes,
        memstore_cells: metrics.memstore_cells,
        reads: metrics.reads,
        filtered_reads: metrics.filtered_reads,
        writes: metrics.writes,
        // All files are on this machine.
        locality: 1.0,
        compaction: is_compacting.then_some(compaction),
        compaction_waits: compaction_asked_for && !is_compacting,
        last_major_ms: metrics.last_major_compaction_ms,
        last_flush_ms: metrics.last_flush_ms,
        flushed_sequence_id: metrics.flushed_sequence_id,
    }
}

/// The stores of one.
pub(super) fn stores(server: &RegionServer, encoded_name: &str) -> Result<Vec<Store>, Refused> {
    let regions = server.open_regions();
    let region = regions.iter().find(|region| **region.encoded_name() == *encoded_name);
    let region = region.ok_or_else(|| Refused::NotFound(format!("the region {encoded_name} is not open")))?;
    let store = |store: finback_region::StoreMetrics| Store {
        family: text(&store.family),
        files: store.files,
        memstore_bytes: store.memstore_data_bytes,
    };
    Ok(region.store_metrics().into_iter().map(store).collect())
}
