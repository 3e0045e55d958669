//! Get.

use crate::exceptions::exception;
use crate::result::ReplyCells;
use crate::server::RegionServer;
use finback_filter::Filter;
use finback_hfile::{Block, BlockRequest};
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
async fn read(
    server: &RegionServer,
    region: &Region,
    get: pb::Get,
    cells: &mut ReplyCells,
) -> Result<pb::Result, RpcException> {
    let mut get = OpenGet::open(region, get)?;
    loop {
        match get.advance()? {
            Progress::Done => return Ok(get.result(cells)),
            Progress::Turn => tokio::task::yield_now().await,
            Progress::Need(request) => get.provide(server.fetch(request).await?),
        }
    }
}

/// A Get under way: a view of the region as of its opening, and what was found so far.
pub(crate) struct OpenGet {
    scanner: RegionScanner,
    out: ScanOutput,
    existence_only: bool,
}

/// How far a read came.
pub(crate) enum Progress {
    /// To its end.
    Done,
    /// It looked at enough cells for one turn.
    Turn,
    /// To a block that is not in memory.
    Need(BlockRequest),
}

impl OpenGet {
    /// Opens a read of `region`.
    pub(crate) fn open(region: &Region, get: pb::Get) -> Result<Self, RpcException> {
        let existence_only = get.existence_only();
        let DecodedGet { get, filter, closest_row_before, .. } = convert::decode_get(get)?;
        if closest_row_before {
            return Err(exceptions::unknown_protocol(
                "Is this a pre-hbase-1.0.0 or asynchbase client? Client is invoking getClosestRowBefore removed in hbase-2.0.0",
            ));
        }
        region.check_row(get.row(), "get").map_err(|error| exception(&error))?;
        let filter = decode_filter(filter)?;
        let scanner = region.scanner(&get.scan, filter).map_err(|error| exception(&error))?;
        region.counters().reads.fetch_add(1, Ordering::Relaxed);
        Ok(Self { scanner, out: ScanOutput::default(), existence_only })
    }

    /// Reads on as far as memory goes.
    pub(crate) fn advance(&mut self) -> Result<Progress, RpcException> {
        let limits = ScanLimits { budget: CELLS_PER_TURN, ..ScanLimits::NONE };
        match self.scanner.next(&mut self.out, &limits) {
            Ok(ScanStop::Budget) => Ok(Progress::Turn),
            Ok(_) => Ok(Progress::Done),
            Err(Interrupt::NeedBlock(request)) => Ok(Progress::Need(request)),
            Err(Interrupt::Failed(error)) => Err(exception(&error)),
        }
    }

    /// Hands over the block that was asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        self.scanner.provide(block);
    }

    /// Bytes of cells found so far.
    pub(crate) fn found_bytes(&self) -> usize {
        self.out.cells.len()
    }

    /// Forgets what was found; says how many bytes that was.
    pub(crate) fn give_up(&mut self) -> usize {
        std::mem::take(&mut self.out).cells.len()
    }

    /// The answer, when all is read.
    pub(crate) fn result(self, cells: &mut ReplyCells) -> pb::Result {
        let count = self.out.counts.iter().map(|&count| count as usize).sum();
        if self.existence_only {
            return pb::Result { exists: Some(count > 0), ..pb::Result::default() };
        }
        cells.result(self.out.cells, count)
    }
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
