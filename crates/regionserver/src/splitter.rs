//! Regions that have grown too large: the master is asked to split them.

use crate::assignment;
use crate::server::RegionServer;
use finback_cell::{Bytes, RegionInfo};
use finback_proto::pb;
use finback_region::Region;
use pb::region_state_transition::TransitionCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A server with more regions than this splits none by itself: HBase's `hbase.regionserver.regionSplitLimit`.
const MOST_REGIONS: usize = 1000;

/// Asks for a split of the region if it is time for one. It is looked at again after the next flush or compaction, so that
/// nothing is lost when the master does not hear.
pub(crate) async fn look_at(server: &RegionServer, region: &Arc<Region>) {
    let regions = server.regions.all();
    let of_table = regions.iter().filter(|other| other.info().table == region.info().table).count();
    if regions.len() > MOST_REGIONS || region.has_no_room_for_files() || !region.wants_split(of_table) {
        return;
    }
    let dividing = Arc::clone(region);
    let row = match tokio::task::spawn_blocking(move || dividing.split_row()).await {
        Ok(Ok(Some(row))) => row,
        // Of one large row, say.
        Ok(Ok(None)) => return,
        Ok(Err(error)) => {
            return tracing::warn!(region = %region.encoded_name(), %error, "no row to split at is found");
        }
        Err(error) => {
            return tracing::error!(region = %region.encoded_name(), %error, "looking for a row to split at");
        }
    };
    if row == region.info().start_key {
        return;
    }
    tracing::info!(region = %region.encoded_name(), row = %row.escape_ascii(), "large enough to be split");
    let transition = pb::RegionStateTransition {
        transition_code: TransitionCode::ReadyToSplit.into(),
        region_info: daughters(region.info(), &row).iter().map(Into::into).collect(),
        ..Default::default()
    };
    server.operations.split_requests.fetch_add(1, Ordering::Relaxed);
    match assignment::send(server, transition).await {
        Ok(None) => {
            server.operations.splits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(Some(refused)) => {
            tracing::info!(region = %region.encoded_name(), refused, "the master does not split it");
        }
        Err(error) => {
            tracing::warn!(region = %region.encoded_name(), %error, "the master was not asked for a split");
        }
    }
}

/// The region, and what it should become; the master makes its own of that.
fn daughters(parent: &RegionInfo, row: &Bytes) -> [RegionInfo; 3] {
    let daughter = |start: &Bytes, end: &Bytes| {
        RegionInfo::new(parent.table.clone(), start.clone(), end.clone(), parent.region_id + 1)
    };
    [parent.clone(), daughter(&parent.start_key, row), daughter(row, &parent.end_key)]
}
