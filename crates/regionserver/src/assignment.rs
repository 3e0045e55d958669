//! Opens and closes regions as the master asks, and reports what became of it.

use crate::host::system_now_ms;
use crate::server::RegionServer;
use finback_cell::RegionInfo;
use finback_proto::pb;
use finback_region::{Region, RegionError};
use finback_rpc::{ChannelExt, RpcException};
use pb::region_state_transition::TransitionCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one report may take.
const REPORT_TIMEOUT: Duration = Duration::from_secs(30);
/// Between two tries of a report or of a close that failed.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// A closed region whose rows are not opened again is read from for so long.
const MOST_READ_WHEN_CLOSED: Duration = Duration::from_secs(10);

/// Opens a region in the background.
pub(crate) fn open(server: &Arc<RegionServer>, info: RegionInfo, procedure: i64) {
    let encoded = info.encoded_name();
    if !server.regions.begin_open(encoded.as_bytes()) {
        // Asked twice: the first time reports; of one that is open already the answer is known.
        if let Some(region) = server.regions.open_region(encoded.as_bytes()) {
            tokio::spawn(report_opened(Arc::clone(server), region, procedure));
        }
        return;
    }
    let server = Arc::clone(server);
    tokio::spawn(async move {
        match open_blocking(&server, info.clone()).await {
            Ok(region) => {
                let close_asked = server.regions.opened(Arc::clone(&region));
                server.scheduler.look_at(&region);
                prefetch(&server, &region);
                report_opened(Arc::clone(&server), Arc::clone(&region), procedure).await;
                if let Some(procedure) = close_asked {
                    close(&server, region.encoded_name().as_bytes(), false, procedure);
                }
            }
            Err(error) => {
                tracing::error!(region = %encoded, %error, "a region could not be opened");
                server.regions.not_opened(&info);
                report(&server, TransitionCode::FailedOpen, &info, None, procedure).await;
            }
        }
    });
}

async fn open_blocking(server: &Arc<RegionServer>, info: RegionInfo) -> Result<Arc<Region>, RegionError> {
    let _turn = server.open_turns.acquire().await;
    let server = Arc::clone(server);
    let opened = tokio::task::spawn_blocking(move || {
        let environment = server.environment(&info)?;
        let table = environment.root.read_table_descriptor(&info.table).map_err(RegionError::from)?;
        let nonces = Arc::clone(&server.nonces);
        let now_ms = system_now_ms().unsigned_abs();
        let mut replayed = |group, nonce, written_ms| {
            nonces.replayed(group, nonce, Duration::from_millis(now_ms.saturating_sub(written_ms)));
        };
        Region::open(environment, info, server.schemas.share(table), &mut replayed)
    });
    opened.await.unwrap_or_else(|error| Err(RegionError::Invalid(format!("opening panicked: {error}"))))
}

/// Brings into the cache, in the background, the blocks of which the region's settings want that.
fn prefetch(server: &Arc<RegionServer>, region: &Arc<Region>) {
    if !region.wants_prefetch() {
        return;
    }
    let (server, region) = (Arc::clone(server), Arc::clone(region));
    tokio::spawn(async move {
        let _turn = server.prefetch_turns.acquire().await;
        // Nobody waits for it; should it panic, blocks are read when they are needed.
        let _ = tokio::task::spawn_blocking(move || region.prefetch()).await;
    });
}

async fn report_opened(server: Arc<RegionServer>, region: Arc<Region>, procedure: i64) {
    let open_sequence_id = Some(region.open_sequence_id());
    report(&server, TransitionCode::Opened, region.info(), open_sequence_id, procedure).await;
}

/// Closes a region in the background.
///
/// `opened_here`: whether its rows are to be opened here again; until then they are read from it.
pub(crate) fn close(server: &Arc<RegionServer>, encoded: &[u8], opened_here: bool, procedure: i64) {
    if server.regions.close_when_open(encoded, procedure) {
        return;
    }
    let Some(region) = server.regions.open_region(encoded) else {
        tracing::warn!(region = %encoded.escape_ascii(), "asked to close a region that is not here");
        return;
    };
    server.scheduler.cancel_region(region.encoded_name());
    let server = Arc::clone(server);
    tokio::spawn(async move {
        // A region whose edits are only in the log must not be reported as closed: whoever opens it next would not
        // look there.
        let close = if opened_here { Region::close_to_writes } else { Region::close };
        while let Err(error) = blocking(&region, close).await {
            tracing::error!(region = %region.encoded_name(), %error, "a region could not be closed, trying again");
            tokio::time::sleep(RETRY_PAUSE).await;
            if server.is_stopping() {
                return;
            }
        }
        if opened_here {
            server.regions.closed_to_writes(&region);
        } else {
            server.regions.closed(&region);
        }
        server.closed_regions.add(region.left_blocks(), Instant::now());
        report(&server, TransitionCode::Closed, region.info(), None, procedure).await;
        if opened_here {
            let waiting = (Arc::downgrade(&server), Arc::downgrade(&region));
            drop((server, region));
            tokio::time::sleep(MOST_READ_WHEN_CLOSED).await;
            if let (Some(server), Some(region)) = (waiting.0.upgrade(), waiting.1.upgrade()) {
                server.regions.end_reads(&region);
            }
        }
    });
}

/// Closes a region on a thread that may block.
pub(crate) async fn close_blocking(region: Arc<Region>) -> Result<(), RegionError> {
    blocking(&region, Region::close).await
}

async fn blocking(
    region: &Arc<Region>,
    close: fn(&Region) -> Result<(), RegionError>,
) -> Result<(), RegionError> {
    let region = Arc::clone(region);
    let closed = tokio::task::spawn_blocking(move || close(&region));
    closed.await.unwrap_or_else(|error| Err(RegionError::Invalid(format!("closing panicked: {error}"))))
}

/// Tells the master, until it has heard.
async fn report(
    server: &RegionServer,
    code: TransitionCode,
    info: &RegionInfo,
    open_seq_num: Option<u64>,
    procedure: i64,
) {
    let transition = pb::RegionStateTransition {
        transition_code: code.into(),
        region_info: vec![info.into()],
        open_seq_num,
        proc_id: vec![procedure],
        ..Default::default()
    };
    while !server.is_stopping() {
        match send(server, transition.clone()).await {
            Ok(None) => return,
            Ok(Some(refused)) => {
                tracing::warn!(region = %info.encoded_name(), %refused, "the master refused a report");
                return;
            }
            Err(error) => {
                tracing::warn!(region = %info.encoded_name(), %error, "a report did not reach the master");
            }
        }
        tokio::time::sleep(RETRY_PAUSE).await;
    }
}

/// Tells the master once; gives back why it refused.
pub(crate) async fn send(
    server: &RegionServer,
    transition: pb::RegionStateTransition,
) -> Result<Option<String>, RpcException> {
    let request =
        pb::ReportRegionStateTransitionRequest { server: server.name().into(), transition: vec![transition] };
    let (response, _): (pb::ReportRegionStateTransitionResponse, _) = server
        .status()
        .call_within(REPORT_TIMEOUT, "ReportRegionStateTransition", &request, finback_cell::Bytes::new())
        .await?;
    Ok(response.error_message)
}
