//! Opens and closes regions as the master asks, and reports what became of it.

use crate::host::system_now_ms;
use crate::server::RegionServer;
use crate::task_queue::TaskQueue;
use finback_cell::region_info::META_ENCODED_NAME;
use finback_cell::{RegionInfo, Shortened};
use finback_proto::pb;
use finback_region::{Region, RegionError};
use finback_rpc::{ChannelExt, RpcException, exceptions};
use pb::region_state_transition::TransitionCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one report may take.
const REPORT_TIMEOUT: Duration = Duration::from_secs(30);
/// Between two tries of a report or of a close that failed.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// A closed region whose rows are not opened again is read from for so long.
const MOST_READ_WHEN_CLOSED: Duration = Duration::from_secs(10);

/// A region that the master wants to be open.
#[derive(Debug)]
pub(crate) struct Opening {
    wanted: Wanted,
    procedure: i64,
}

#[derive(Debug)]
enum Wanted {
    /// To be opened.
    Closed(RegionInfo),
    /// Asked for again.
    Open(Arc<Region>),
}

/// A region that is to be closed.
#[derive(Debug)]
pub(crate) struct Closing {
    region: Arc<Region>,
    /// Whether its rows are to be opened here again; until then they are read from it.
    opened_here: bool,
    procedure: i64,
}

/// Opens a region in the background.
///
/// # Errors
/// CallQueueTooBigException for a stranger, if much waits already: what the master of this process asks for comes first.
pub(crate) fn open(
    server: &Arc<RegionServer>,
    info: RegionInfo,
    procedure: i64,
    of_this_process: bool,
) -> Result<(), RpcException> {
    check_room(&server.openings, of_this_process)?;
    let encoded = info.encoded_name();
    let bytes = info.start_key.len() + info.end_key.len();
    let wanted = if server.regions.begin_open(encoded.as_bytes()) {
        Wanted::Closed(info.unshared())
    } else if let Some(region) = server.regions.open_region(encoded.as_bytes()) {
        Wanted::Open(region)
    } else {
        // Asked twice: the first time reports.
        return Ok(());
    };
    let opening = Opening { wanted, procedure };
    let of = Arc::clone(server);
    if encoded == META_ENCODED_NAME && matches!(opening.wanted, Wanted::Closed(_)) {
        // It waits for no others: the master may need it to hear of them.
        tokio::spawn(carry_out_opening(of, opening));
    } else {
        let run = move |opening| carry_out_opening(Arc::clone(&of), opening);
        server.openings.spawn(opening, bytes, of_this_process, run);
    }
    Ok(())
}

fn check_room<T>(queue: &TaskQueue<T>, of_this_process: bool) -> Result<(), RpcException> {
    match of_this_process || queue.has_room() {
        true => Ok(()),
        false => Err(exceptions::call_queue_too_big("too many regions wait to be opened or closed")),
    }
}

async fn carry_out_opening(server: Arc<RegionServer>, Opening { wanted, procedure }: Opening) {
    let info = match wanted {
        Wanted::Closed(info) => info,
        Wanted::Open(region) => return report_opened(&server, &region, procedure).await,
    };
    match open_blocking(&server, info.clone()).await {
        Ok(region) => {
            let close_asked = server.regions.opened(Arc::clone(&region));
            server.scheduler.look_at(&region);
            prefetch(&server, &region);
            report_opened(&server, &region, procedure).await;
            if let Some(procedure) = close_asked {
                begin_close(&server, Closing { region, opened_here: false, procedure }, true);
            }
        }
        Err(error) => {
            tracing::error!(region = %info.encoded_name(), %error, "a region could not be opened");
            server.regions.not_opened(&info);
            report(&server, TransitionCode::FailedOpen, &info, None, procedure).await;
        }
    }
}

async fn open_blocking(server: &Arc<RegionServer>, info: RegionInfo) -> Result<Arc<Region>, RegionError> {
    let _turn = match info.is_meta() && info.replica_id == 0 {
        true => None,
        false => server.open_turns.acquire().await.ok(),
    };
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

async fn report_opened(server: &RegionServer, region: &Region, procedure: i64) {
    let open_sequence_id = Some(region.open_sequence_id());
    report(server, TransitionCode::Opened, region.info(), open_sequence_id, procedure).await;
}

/// Closes a region in the background.
///
/// `opened_here`: whether its rows are to be opened here again; until then they are read from it.
///
/// # Errors
/// As [`open`].
pub(crate) fn close(
    server: &Arc<RegionServer>,
    encoded: &[u8],
    opened_here: bool,
    procedure: i64,
    of_this_process: bool,
) -> Result<(), RpcException> {
    if server.regions.close_when_open(encoded, procedure) {
        return Ok(());
    }
    let Some(region) = server.regions.open_region(encoded) else {
        tracing::warn!(region = %Shortened(encoded), "asked to close a region that is not here");
        return Ok(());
    };
    check_room(&server.closings, of_this_process)?;
    begin_close(server, Closing { region, opened_here, procedure }, of_this_process);
    Ok(())
}

fn begin_close(server: &Arc<RegionServer>, closing: Closing, of_this_process: bool) {
    let of = Arc::clone(server);
    let run = move |closing| carry_out_closing(Arc::clone(&of), closing);
    server.closings.spawn(closing, 0, of_this_process, run);
}

async fn carry_out_closing(server: Arc<RegionServer>, closing: Closing) {
    let Closing { region, opened_here, procedure } = &closing;
    server.scheduler.cancel_region(region.encoded_name());
    // A region whose edits are only in the log must not be reported as closed: whoever opens it next would not
    // look there.
    let close = if *opened_here { Region::close_to_writes } else { Region::close };
    if let Err(error) = blocking(region, close).await {
        tracing::error!(region = %region.encoded_name(), %error, "a region could not be closed, trying again");
        tokio::time::sleep(RETRY_PAUSE).await;
        if !server.is_stopping() {
            // Behind others: they may succeed.
            begin_close(&server, closing, false);
        }
        return;
    }
    if *opened_here {
        server.regions.closed_to_writes(region);
    } else {
        server.regions.closed(region);
    }
    server.closed_regions.add(region.left_blocks(), Instant::now());
    report(&server, TransitionCode::Closed, region.info(), None, *procedure).await;
    if *opened_here {
        let waiting = (Arc::downgrade(&server), Arc::downgrade(region));
        tokio::spawn(async move {
            tokio::time::sleep(MOST_READ_WHEN_CLOSED).await;
            if let (Some(server), Some(region)) = (waiting.0.upgrade(), waiting.1.upgrade()) {
                server.regions.end_reads(&region);
            }
        });
    }
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
