//! Get.

use crate::exceptions::exception;
use crate::read_memory::{ReadMemory, TURN_BYTES, UNCOUNTED_BYTES};
use crate::regions::ReadFrom;
use crate::result::ReplyCells;
use crate::server::RegionServer;
use crate::turn_pace::{FILTERED_CELLS_PER_LOOK, ReadTurn, next_turn};
use finback_cell::Scan;
use finback_filter::Filter;
use finback_hfile::{Block, BlockRequest};
use finback_metrics::Operation;
use finback_proto::convert::{self, DecodedGet, SerializedFilter};
use finback_proto::pb;
use finback_region::{FileRequest, Interrupt, RegionScanner, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, CallKind, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::time::Instant;

/// Cells that a get looks at before it counts as long.
const CELLS_OF_SHORT_GET: usize = 1000;

/// Cells looked at before other work gets its turn.
pub(crate) const CELLS_PER_TURN: usize = 10_000;

/// Answers `Get`.
pub(crate) async fn get(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let begun = call.begun;
    let request: pb::GetRequest = call.decode()?;
    let from = server.regions.find_to_read(&request.region)?;
    server.client_counts.add(&call.connection, 1, 0);
    let mut cells = ReplyCells::new(&server, &call);
    if !call.connection.is_at_least(1, 3) {
        // As in HBase, of this call alone: clients of other makers say no version, and some look for a row nowhere else.
        cells.go_inside();
    }
    let asked = AskedGet::decode(&from, request.get)?;
    let result = match asked.find_at_once(&from, &mut cells) {
        Some(result) => {
            cells.memory.hold(0).await?;
            result
        }
        None => {
            let mut get = asked.open(&from)?;
            if !read_turn(&server, &mut get, &mut cells, CELLS_OF_SHORT_GET).await? {
                // By itself: the state of a short get stays small.
                (get, cells) = Box::pin(read_rest(Arc::clone(&server), call, get, cells)).await?;
            }
            get.result(&mut cells)
        }
    };
    if cells.is_inline() {
        cells.memory.hold_beyond(0);
    }
    let mut reply = cells.reply(&pb::GetResponse { result: Some(result) });
    server.operations.ended_in(&from.region, Operation::Get, begun, &mut reply);
    Ok(reply)
}

/// Reads what is left of a long get, when it has its turn.
async fn read_rest(
    server: Arc<RegionServer>,
    call: Call,
    mut get: OpenGet,
    mut cells: ReplyCells,
) -> Result<(OpenGet, ReplyCells), RpcException> {
    let turn = server.handlers.turn_before_deadline(&call, CallKind::Read).await?;
    let reading = Arc::clone(&server);
    let rest = async move {
        let mut budget = CELLS_PER_TURN;
        loop {
            let begun = Instant::now();
            if read_turn(&reading, &mut get, &mut cells, budget).await? {
                break;
            }
            budget = next_turn(budget, begun.elapsed(), CELLS_PER_TURN);
            cells.memory.end_turn(get.found_bytes()).await;
        }
        Ok((get, cells))
    };
    turn.run(rest).await
}

/// Reads until so many cells were looked at, or the turn is over; whether that is all.
async fn read_turn(
    server: &RegionServer,
    get: &mut OpenGet,
    cells: &mut ReplyCells,
    budget: usize,
) -> Result<bool, RpcException> {
    let mut turn = ReadTurn::of(budget);
    let turn_end = get.found_bytes() + TURN_BYTES;
    loop {
        let progress = get.advance(&mut turn)?;
        cells.memory.check_row(get.found_bytes())?;
        // Many calls may stand here.
        cells.memory.hold(get.memory_bytes()).await?;
        match progress {
            Progress::Done => return Ok(true),
            Progress::Counted if get.found_bytes() < turn_end && !turn.is_over() => {}
            Progress::Turn | Progress::Counted => return Ok(false),
            Progress::Need(request) => {
                // The turn counts cells from one block to the next.
                let is_over = turn.is_over();
                get.provide(server.fetch(request).await?);
                if is_over || turn.is_over() {
                    return Ok(false);
                }
            }
            Progress::NeedFile(request) => {
                let is_over = turn.is_over();
                server.open_file(request).await;
                if is_over || turn.is_over() {
                    return Ok(false);
                }
            }
        }
    }
}

/// A Get that is about to be read.
pub(crate) struct AskedGet {
    scan: Scan,
    filter: Option<Box<dyn Filter>>,
    existence_only: bool,
}

impl AskedGet {
    /// What is asked of `region`.
    pub(crate) fn decode(from: &ReadFrom, get: pb::Get) -> Result<Self, RpcException> {
        let existence_only = get.existence_only();
        let DecodedGet { get, filter, closest_row_before, .. } = convert::decode_get(get)?;
        if closest_row_before {
            return Err(exceptions::unknown_protocol(
                "Is this a pre-hbase-1.0.0 or asynchbase client? Client is invoking getClosestRowBefore removed in hbase-2.0.0",
            ));
        }
        from.region.check_row(get.row(), "get").map_err(|error| exception(&error))?;
        Ok(Self { filter: decode_filter(filter)?, scan: get.scan, existence_only })
    }

    /// The answer, if all that it takes is in memory and of the simplest kind, as it mostly is.
    pub(crate) fn find_at_once(&self, from: &ReadFrom, cells: &mut ReplyCells) -> Option<pb::Result> {
        if self.filter.is_some() || self.existence_only || cells.is_inline() {
            return None;
        }
        let most_bytes = UNCOUNTED_BYTES.min(cells.memory.most_of_row());
        let mut out = ScanOutput::behind(std::mem::take(&mut cells.block));
        let was_found = from.region.find_at_once(&self.scan, &mut out, most_bytes);
        let count = out.counts.iter().map(|&count| count as usize).sum();
        // What a scanner finds then comes to the place of what has none, without a copy.
        let is_nothing = !was_found && out.cells.is_empty();
        cells.put_behind(if is_nothing { Vec::new() } else { out.cells });
        was_found.then(|| {
            from.count_get();
            pb::Result { stale: Some(from.stale), ..convert::result_in_block(count) }
        })
    }

    /// Opens the read.
    pub(crate) fn open(self, from: &ReadFrom) -> Result<OpenGet, RpcException> {
        let (reads_uncommitted, has_filter) = (self.scan.read_uncommitted, self.filter.is_some());
        let scanner = from.region.scanner(&self.scan, self.filter).map_err(|error| exception(&error))?;
        from.count_get();
        Ok(OpenGet {
            scanner: Some(scanner),
            out: ScanOutput::default(),
            others_bytes: 0,
            wanted_bytes: 0,
            existence_only: self.existence_only,
            has_filter,
            stale: from.stale,
            reads_uncommitted,
        })
    }
}

/// A Get under way: a view of the region as of its opening, and what was found so far.
pub(crate) struct OpenGet {
    /// `None` after the end.
    scanner: Option<RegionScanner>,
    out: ScanOutput,
    /// Bytes of others' cells, which stand before its own.
    others_bytes: usize,
    /// Bytes of the block that it waits for.
    wanted_bytes: usize,
    existence_only: bool,
    has_filter: bool,
    /// Whether a replica was asked.
    stale: bool,
    /// Whether it sees writes that come while it is open.
    pub(crate) reads_uncommitted: bool,
}

/// How far a read came.
pub(crate) enum Progress {
    /// To its end.
    Done,
    /// It looked at enough cells for one turn.
    Turn,
    /// Before a cell that is to be counted before it is found, with what was found before it.
    Counted,
    /// To a block that is not in memory.
    Need(BlockRequest),
    /// To a value in a MOB file that is not open.
    NeedFile(FileRequest),
}

impl OpenGet {
    /// Reads as far as memory goes, behind the results of `cells`; whether that is all. What was read of a get that is not at its
    /// end is its own.
    pub(crate) fn read_into(
        &mut self,
        cells: &mut ReplyCells,
        turn: &mut ReadTurn,
    ) -> Result<bool, RpcException> {
        if self.existence_only || cells.is_inline() {
            let progress = self.advance(turn)?;
            cells.memory.check_row(self.found_bytes())?;
            return Ok(matches!(progress, Progress::Done));
        }
        self.others_bytes = cells.block.len();
        self.out = ScanOutput::behind(std::mem::take(&mut cells.block));
        let progress = loop {
            let progress = self.advance(turn).and_then(|progress| {
                cells.memory.check_row(self.found_bytes())?;
                Ok(progress)
            });
            // It grows by a part of what others have, so that it is not copied for each cell.
            let next = self.next_cell_bytes();
            let room = next.max(self.out.cells.len() / 4);
            let goes_on = matches!(progress, Ok(Progress::Counted))
                && cells.memory.try_hold(self.found_bytes() - next + room)
                && !turn.is_over();
            if !goes_on {
                break progress;
            }
            if self.out.cells.capacity() - self.out.cells.len() < next {
                self.out.cells.reserve_exact(room);
            }
        };
        if !matches!(progress, Ok(Progress::Done)) {
            cells.put_back(self.out.take_before(std::mem::take(&mut self.others_bytes)));
        }
        Ok(matches!(progress?, Progress::Done))
    }

    /// Reads on as far as memory goes, or until the turn is over. What a filter takes long over is seen in between.
    pub(crate) fn advance(&mut self, turn: &mut ReadTurn) -> Result<Progress, RpcException> {
        if !self.has_filter {
            return self.advance_by(turn.cells);
        }
        let (mut left, found) = (turn.cells, self.out.cells.len());
        loop {
            let step = left.min(FILTERED_CELLS_PER_LOOK);
            let progress = self.advance_by(step)?;
            left -= step;
            let is_over = left == 0 || self.out.cells.len().saturating_sub(found) >= TURN_BYTES;
            if !matches!(progress, Progress::Turn) || is_over || turn.is_over() {
                return Ok(progress);
            }
        }
    }

    fn advance_by(&mut self, budget: usize) -> Result<Progress, RpcException> {
        let Some(scanner) = &mut self.scanner else { return Ok(Progress::Done) };
        self.wanted_bytes = 0;
        let mut limits = ScanLimits { budget, turn_bytes: UNCOUNTED_BYTES, ..ScanLimits::NONE };
        if self.existence_only {
            // One cell is enough.
            limits = ScanLimits { bytes: 1, partial_rows: true, ..limits };
        }
        match scanner.next(&mut self.out, &limits) {
            Ok(ScanStop::Budget) if scanner.next_cell_bytes() > 0 => Ok(Progress::Counted),
            Ok(ScanStop::Budget) => Ok(Progress::Turn),
            Ok(_) => {
                self.scanner = None;
                Ok(Progress::Done)
            }
            Err(Interrupt::NeedBlock(request)) => {
                self.wanted_bytes = request.block.size as usize;
                Ok(Progress::Need(request))
            }
            Err(Interrupt::NeedFile(request)) => Ok(Progress::NeedFile(request)),
            Err(Interrupt::Failed(error)) => Err(exception(&error)),
        }
    }

    /// Hands over the block that was asked for.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        self.wanted_bytes = 0;
        if let Some(scanner) = &mut self.scanner {
            scanner.provide(block);
        }
    }

    /// Bytes that it takes: what was found, the filter, the blocks that it holds or waits for, and the next cell.
    pub(crate) fn memory_bytes(&self) -> usize {
        let found = self.out.cells.capacity().max(self.out.cells.len() + self.next_cell_bytes());
        let held = self.scanner.as_ref().map_or(0, RegionScanner::held_bytes);
        found.saturating_add(held).saturating_add(self.wanted_bytes)
    }

    /// Bytes that the filter takes.
    pub(crate) fn filter_bytes(&self) -> usize {
        // Of a get nothing is found for a later reply.
        self.scanner.as_ref().map_or(0, RegionScanner::carried_bytes)
    }

    /// Bytes of cells found so far, and of the next one.
    pub(crate) fn found_bytes(&self) -> usize {
        self.out.cells.len() + self.next_cell_bytes() - self.others_bytes
    }

    /// Bytes of the next cell, if there has to be room for it first.
    pub(crate) fn next_cell_bytes(&self) -> usize {
        self.scanner.as_ref().map_or(0, RegionScanner::next_cell_bytes)
    }

    /// Forgets what was found, and goes no further.
    pub(crate) fn give_up(&mut self) {
        (self.out, self.scanner, self.wanted_bytes) = (ScanOutput::default(), None, 0);
    }

    /// The answer, when all is read.
    pub(crate) fn result(&mut self, cells: &mut ReplyCells) -> pb::Result {
        let count = self.out.counts.iter().map(|&count| count as usize).sum();
        if self.existence_only {
            return pb::Result { exists: Some(count > 0), stale: Some(self.stale), ..pb::Result::default() };
        }
        pb::Result { stale: Some(self.stale), ..cells.result(std::mem::take(&mut self.out.cells), count) }
    }
}

/// Reads on, fetching blocks as they are needed.
pub(crate) async fn next(
    server: &RegionServer,
    scanner: &mut RegionScanner,
    out: &mut ScanOutput,
    limits: &ScanLimits,
    memory: &mut ReadMemory,
) -> Result<ScanStop, RpcException> {
    loop {
        match scanner.next(out, limits) {
            Ok(stop) => return Ok(stop),
            Err(Interrupt::NeedBlock(request)) => {
                // Many calls may stand here.
                let bytes = memory.of(out, scanner).saturating_add(request.block.size as usize);
                memory.hold(bytes).await?;
                let block = server.fetch(request).await?;
                scanner.provide(block);
            }
            Err(Interrupt::NeedFile(request)) => {
                let bytes = memory.of(out, scanner);
                memory.hold(bytes).await?;
                server.open_file(request).await;
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
