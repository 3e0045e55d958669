//! Get.

use crate::exceptions::exception;
use crate::result::ReplyCells;
use crate::server::RegionServer;
use finback_filter::Filter;
use finback_proto::convert::{self, DecodedGet, SerializedFilter};
use finback_proto::pb;
use finback_region::{Interrupt, Region, RegionScanner, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cells looked at before other work gets its turn.
pub(crate) const CELLS_PER_TURN: usize = 10_000;

/// Answers `Get`.
pub(crate) async fn get(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::GetRequest = call.decode()?;
    let region = server.regions.find(&request.region)?;
    let mut cells = ReplyCells::new(&call);
    let result = read(&server, &region, request.get, &mut cells).await?;
    Ok(Reply::with_cells(&pb::GetResponse { result: Some(result) }, cells.block))
}

/// Carries out one Get.
pub(crate) async fn read(
    server: &RegionServer,
    region: &Region,
    get: pb::Get,
    cells: &mut ReplyCells,
) -> Result<pb::Result, RpcException> {
    let existence_only = get.existence_only();
    let DecodedGet { get, filter, closest_row_before, .. } = convert::decode_get(get)?;
    if closest_row_before {
        return Err(exceptions::unknown_protocol(
            "Is this a pre-hbase-1.0.0 or asynchbase client? Client is invoking getClosestRowBefore removed in hbase-2.0.0",
        ));
    }
    region.check_row(get.row(), "get").map_err(|error| exception(&error))?;
    let mut scanner = region.scanner(&get.scan, decode_filter(filter)?).map_err(|error| exception(&error))?;
    let limits = ScanLimits { budget: CELLS_PER_TURN, ..ScanLimits::NONE };
    let mut out = ScanOutput::default();
    while next(server, &mut scanner, &mut out, &limits).await? == ScanStop::Budget {
        tokio::task::yield_now().await;
    }
    region.counters().reads.fetch_add(1, Ordering::Relaxed);
    let count = out.counts.iter().map(|&count| count as usize).sum();
    if existence_only {
        return Ok(pb::Result { exists: Some(count > 0), ..pb::Result::default() });
    }
    Ok(cells.result(out.cells, count))
}

/// Reads on, fetching blocks as they are needed.
pub(crate) async fn next(
    server: &RegionServer,
    scanner: &mut RegionScanner,
    out: &mut ScanOutput,
    limits: &ScanLimits,
) -> Result<ScanStop, RpcException> {
    loop {
        match scanner.next(out, limits) {
            Ok(stop) => return Ok(stop),
            Err(Interrupt::NeedBlock(request)) => {
                let block = server.fetch(request).await?;
                scanner.provide(block);
            }
            Err(Interrupt::Failed(error)) => return Err(exception(&error)),
        }
    }
}

/// The filter of a read.
pub(crate) fn decode_filter(
    filter: Option<SerializedFilter>,
) -> Result<Option<Box<dyn Filter>>, RpcException> {
    let Some(SerializedFilter { name, bytes }) = filter else { return Ok(None) };
    finback_filter::decode(&name, &bytes)
        .map(Some)
        .map_err(|error| exceptions::do_not_retry(error.to_string()))
}
