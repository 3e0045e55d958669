//! Scan: opens a scanner, reads on with it, renews and closes it.
//!
//! A reply ends at the first limit: results, rows, bytes, or time. One that ends by time is a heartbeat, so that neither
//! the client's patience nor the scanner's lease ends first.

use crate::exceptions::exception;
use crate::get::{CELLS_PER_TURN, decode_filter};
use crate::read_memory::{ReadMemory, TURN_BYTES, UNCOUNTED_BYTES};
use crate::regions::ReadFrom;
use crate::result::ReplyCells;
use crate::scanners::{CloseUnlessKept, OpenScanner};
use crate::server::RegionServer;
use crate::turn_pace::{FILTERED_CELLS_PER_LOOK, TURN_TIME, next_turn};
use finback_cell::block::CellIter;
use finback_cell::{Bytes, RegionInfo, Scan};
use finback_metrics::Operation;
use finback_proto::convert::{self, DecodedScan};
use finback_proto::pb;
use finback_region::{Interrupt, ScanLimits, ScanOutput, ScanStop};
use finback_rpc::{Call, CallKind, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Cells that a scan looks at, and bytes that it finds, before it counts as long.
const CELLS_OF_SHORT_SCAN: usize = 256;
const BYTES_OF_SHORT_SCAN: usize = 16 << 10;
/// The memory of all replies has room for so many replies of scans.
const REPLIES_AT_ONCE: usize = 4;
/// Memory that the first reply of a scan is given at once, at most.
const RESERVED_BYTES: usize = 4 << 20;
/// What a filter takes in memory, by the length of its message: a copy of that, and what refers to it. What it compiles and learns
/// counts with the scanner.
const FILTER_FACTOR: usize = 3;
/// The shortest time a scan gets before it answers with a heartbeat.
const MIN_TIME: Duration = Duration::from_millis(10);

/// Answers `Scan`.
pub(crate) async fn scan(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let mut request: pb::ScanRequest = call.decode()?;
    let Some(id) = request.scanner_id else { return open(server, call, request).await };
    let mut scanner = match server.scanners.take(id, request.next_call_seq) {
        Err(_) if server.scanners.has_ended(id) => {
            let mut reply = answer_closed(id, &request)?;
            server.operations.ended(Operation::Scan, call.begun, &mut reply);
            return Ok(reply);
        }
        taken => taken?,
    };
    if request.renew() {
        check_online(&server, id, &scanner)?;
        // HBase's clients number their calls. gohbase does not, and finds results in cell blocks alone.
        scanner.renewed = request.next_call_seq.is_some();
        let region = Arc::clone(&scanner.region);
        server.scanners.keep(id, scanner);
        server.scanners.renew(id);
        let mut reply = Reply::new(&pb::ScanResponse { scanner_id: Some(id), ..Default::default() });
        server.operations.ended_in(&region, Operation::Scan, call.begun, &mut reply);
        return Ok(reply);
    }
    check_online(&server, id, &scanner)?;
    if request.close_scanner() && request.number_of_rows.is_none() {
        request.number_of_rows = Some(0);
    }
    answer(server, call, id, scanner, request, pb::ScanResponse::default()).await
}

/// What comes for a scanner that the server has closed at the end of its region: a late close, or a call of a client that finds
/// out by an answer without rows. A call with a number may be the last one again, whose rows were lost on their way.
fn answer_closed(id: u64, request: &pb::ScanRequest) -> Result<Reply, RpcException> {
    match request.next_call_seq {
        Some(number) => Err(exceptions::out_of_order_scanner_next(format!(
            "nextCallSeq {number} got from client for scanner {id}, which is closed"
        ))),
        None => Ok(Reply::new(&pb::ScanResponse { scanner_id: Some(id), ..Default::default() })),
    }
}

/// A scanner does not outlive its region.
fn check_online(server: &RegionServer, id: u64, scanner: &OpenScanner) -> Result<(), RpcException> {
    if scanner.region.is_readable() {
        return Ok(());
    }
    server.scanners.close(id);
    let region = scanner.region.name().escape_ascii();
    Err(exceptions::not_serving_region(format!("region {region} of scanner {id} was closed")))
}

async fn open(
    server: Arc<RegionServer>,
    call: Call,
    mut request: pb::ScanRequest,
) -> Result<Reply, RpcException> {
    let Some(scan) = request.scan.take() else {
        return Err(exceptions::do_not_retry("Missing required input: scannerId or scan"));
    };
    let Some(specifier) = &request.region else {
        return Err(exceptions::do_not_retry("Missing required input: region"));
    };
    let ReadFrom { region, stale } = server.regions.find_to_read(specifier)?;
    // As in HBase, where the first call may have a number too.
    if let Some(number) = request.next_call_seq.filter(|number| *number != 0) {
        return Err(exceptions::out_of_order_scanner_next(format!(
            "Expected nextCallSeq: 0 But the nextCallSeq got from client: {number}; a scanner that is not open"
        )));
    }
    let DecodedScan { mut scan, filter, batch, max_result_size, small, need_cursor_result, .. } =
        convert::decode_scan(scan)?;
    // A read point beyond this region's would see writes in progress.
    scan.read_point = scan.read_point.map(|point| point.min(region.read_point()));
    if !request.close_scanner() {
        server.scanners.check(&call.connection, region.info().is_meta())?;
    }
    let id = server.scanners.new_id();
    // A scan that stays open is not to keep its request.
    let own_bytes = if request.close_scanner() { 0 } else { scan.detach() + memory_of_columns(&scan) };
    let filter_bytes = filter.as_ref().map_or(0, |filter| filter.bytes.len() * FILTER_FACTOR);
    let filter = decode_filter(filter)?;
    if batch.is_some() && filter.as_ref().is_some_and(|filter| filter.has_filter_row()) {
        return Err(exceptions::io(
            "Cannot set batch on a scan using a filter that returns true for filter.hasFilterRow",
        ));
    }
    let scanner = region.resumed_scanner(&scan, filter).map_err(|error| exception(&error))?;
    if is_full(&scan, region.info()) {
        server.operations.full_scans.fetch_add(1, Ordering::Relaxed);
    }
    let first = pb::ScanResponse {
        ttl: Some(u32::try_from(server.scanners.lease().as_millis()).unwrap_or(u32::MAX)),
        mvcc_read_point: Some(scanner.read_point()),
        ..Default::default()
    };
    let most = server.max_scan_result_bytes().max(1);
    let max_bytes = max_result_size.map_or(most, |size| usize::try_from(size).unwrap_or(most).clamp(1, most));
    let scanner = Box::new(OpenScanner {
        owner: Arc::clone(&call.connection),
        region,
        scanner,
        scan,
        opened_by_number: request.next_call_seq.is_some(),
        request_bytes: own_bytes + filter_bytes,
        batch: batch.map_or(usize::MAX, |batch| batch as usize),
        max_bytes,
        small,
        wants_cursor: need_cursor_result,
        stale,
        reply_bytes: 0,
        renewed: false,
        done_with_results: false,
    });
    answer(server, call, id, scanner, request, first).await
}

/// Memory of the names of columns besides their bytes: in the scan, and in what reads a family of it. And of the times of
/// families.
fn memory_of_columns(scan: &Scan) -> usize {
    let columns = scan.families.iter().filter_map(|selection| selection.qualifiers.as_ref()).map(Vec::len);
    columns.sum::<usize>() * 2 * size_of::<Bytes>() + size_of_val(&scan.family_time_ranges[..])
}

/// Whether a scan goes from end to end of its region.
fn is_full(scan: &Scan, region: &RegionInfo) -> bool {
    let (first, last) =
        if scan.reversed { (&scan.stop_row, &scan.start_row) } else { (&scan.start_row, &scan.stop_row) };
    let begins = first.is_empty() || first[..] <= region.start_key[..];
    let ends = last.is_empty() || !region.end_key.is_empty() && last[..] >= region.end_key[..];
    begins && ends
}

/// Reads what the request asks for, and keeps or closes the scanner.
async fn answer(
    server: Arc<RegionServer>,
    call: Call,
    id: u64,
    mut open: Box<OpenScanner>,
    request: pb::ScanRequest,
    mut response: pb::ScanResponse,
) -> Result<Reply, RpcException> {
    let (begun, region) = (call.begun, Arc::clone(&open.region));
    let knows_resets = call.connection.is_at_least(1, 4);
    let guard = CloseUnlessKept::new(&server.scanners, id);
    response.scanner_id = Some(id);
    response.stale = Some(open.stale);
    let rows = request.number_of_rows.unwrap_or(if request.close_scanner() { 0 } else { 1 });
    let mut cells = ReplyCells::new(&server, &call);
    if std::mem::take(&mut open.renewed) {
        // HBase's asynchronous client sends renewals and reads through one controller. Where the answer to a renewal comes when
        // the next read is on its way, it takes that for the read's, has no cell block for the read, and goes on without
        // these rows. Results inside the message it finds all the same.
        cells.go_inside();
    }
    if rows == 0 {
        response.more_results = Some(true);
        response.more_results_in_region = Some(true);
    } else {
        let reading = Reading::begin(&server, call, open, cells, &request, rows as usize);
        match reading.run().await {
            Ok((read, stop)) => {
                open = read.open;
                cells = read.cells;
                let found = Found { out: read.out, stop };
                describe(&mut response, found, &mut open, &request, &mut cells);
            }
            Err(failure) => {
                guard.disarm();
                // The scanner may have moved past rows that the client never got: it cannot be used again.
                server.scanners.close(id);
                return Err(reset(failure, id, knows_resets));
            }
        }
    }
    guard.disarm();
    let ended = response.more_results == Some(false) || response.more_results_in_region == Some(false);
    if request.close_scanner() && request.scanner_id.is_none() {
        // Nobody asks for it again.
        server.scanners.close(id);
    } else if ended || request.close_scanner() {
        server.scanners.end(id);
    } else {
        server.scanners.keep(id, open);
    }
    let mut reply = cells.reply(&response);
    server.operations.ended_in(&region, Operation::Scan, begun, &mut reply);
    Ok(reply)
}

/// What a failure in the middle of a scan is to the client: it opens a new scanner after the last row it got. Clients before 1.4, and
/// those of other makers, do so when the scanner is unknown, and do not know that it may be reset.
fn reset(failure: RpcException, id: u64, knows_resets: bool) -> RpcException {
    if failure.do_not_retry || failure.simple_class() == "NotServingRegionException" {
        return failure;
    }
    let message = format!("Scanner {id} is closed on the server-side: {}", failure.message);
    if knows_resets { exceptions::scanner_reset(message) } else { exceptions::unknown_scanner(message) }
}

/// What one call read.
struct Found {
    out: ScanOutput,
    stop: Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Read(ScanStop),
    Time,
    /// There is no memory for more at the moment.
    Memory,
}

/// One call of a scanner under way.
struct Reading {
    server: Arc<RegionServer>,
    call: Call,
    open: Box<OpenScanner>,
    cells: ReplyCells,
    limits: ScanLimits,
    /// When to answer with a heartbeat.
    until: Option<Instant>,
    out: ScanOutput,
}

impl Reading {
    fn begin(
        server: &Arc<RegionServer>,
        call: Call,
        open: Box<OpenScanner>,
        mut cells: ReplyCells,
        request: &pb::ScanRequest,
        results: usize,
    ) -> Self {
        let limit_of_rows = request.limit_of_rows() as usize;
        let limits = ScanLimits {
            results,
            rows: if limit_of_rows > 0 { limit_of_rows } else { usize::MAX },
            batch: open.batch,
            // Several replies have room beside each other.
            bytes: open.max_bytes.min((cells.memory.most() / REPLIES_AT_ONCE).max(1)),
            // A small scan that is closed with its first reply, as HBase 1's clients have it, cannot be asked for the rest of a row.
            partial_rows: request.client_handles_partials() && !(open.small && request.close_scanner()),
            budget: CELLS_OF_SHORT_SCAN,
            turn_bytes: BYTES_OF_SHORT_SCAN,
        };
        let until = request.client_handles_heartbeats().then(|| time_limit(server, &call));
        if let Some(until) = until {
            cells.memory.wait_until(until);
        }
        Self { server: Arc::clone(server), call, open, cells, limits, until, out: ScanOutput::default() }
    }

    /// Reads to the end of the reply: a short one at once, and what turns out to be long in its turn.
    async fn run(mut self) -> Result<(Self, Stop), RpcException> {
        if let Some(stop) = self.begin_short().await? {
            return Ok(self.ended(stop));
        }
        let server = Arc::clone(&self.server);
        let until = self.until.or(self.call.deadline);
        let Some(turn) = server.handlers.turn(&self.call, CallKind::Scan, until).await? else {
            if self.until.is_none() {
                return Err(exceptions::call_dropped("the client has stopped waiting"));
            }
            return Ok(self.ended(Stop::Time));
        };
        self.limits.turn_bytes = TURN_BYTES;
        self.make_room();
        turn.run(async move {
            loop {
                let begun = Instant::now();
                if let Some(stop) = self.step().await? {
                    return Ok(self.ended(stop));
                }
                self.limits.budget = next_turn(self.limits.budget, begun.elapsed(), CELLS_PER_TURN);
                self.make_room();
                self.cells.memory.end_turn(self.out.cells.len()).await;
            }
        })
        .await
    }

    /// Reads what a short scan reads; why the reply ends with it, if it does. A filter may make it long.
    async fn begin_short(&mut self) -> Result<Option<Stop>, RpcException> {
        if !self.open.scanner.has_filter() {
            return self.step().await;
        }
        let ends = Instant::now() + TURN_TIME;
        self.limits.budget = FILTERED_CELLS_PER_LOOK;
        for _ in 0..CELLS_OF_SHORT_SCAN / FILTERED_CELLS_PER_LOOK {
            let stop = self.step().await?;
            if stop.is_some() || self.out.cells.len() >= BYTES_OF_SHORT_SCAN || Instant::now() >= ends {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    /// Takes the memory at once that the reply before took, or a full one takes where the first has filled a turn: growing copies what was
    /// found so far, several times.
    fn make_room(&mut self) {
        let bytes = match self.open.reply_bytes {
            0 if self.out.cells.len() >= TURN_BYTES / 2 => {
                with_last_row(self.limits.bytes.min(RESERVED_BYTES))
            }
            before => before,
        };
        if bytes <= self.out.cells.capacity() {
            return;
        }
        let (scanner, memory) = (&self.open.scanner, &mut self.cells.memory);
        let found = bytes.max(self.out.cells.len() + scanner.next_cell_bytes());
        // Nothing is given back that is counted for what comes next.
        if memory.try_hold((found + scanner.held_bytes()).max(memory.counted())) {
            self.out.cells.reserve_exact(bytes - self.out.cells.len());
        }
    }

    /// Reads for a turn; why the reply ends with it, if it does.
    async fn step(&mut self) -> Result<Option<Stop>, RpcException> {
        let Self { server, open, cells, limits, until, out, .. } = self;
        match read_turn(server, open, out, limits, &mut cells.memory).await {
            Ok(None) => {}
            // A heartbeat: the client stays, and asks again.
            Err(failure) if failure.server_overloaded && until.is_some() => return Ok(Some(Stop::Time)),
            ended => return ended,
        }
        if self.call.connection.is_closed() {
            return Err(exceptions::io("the client has gone"));
        }
        if !self.open.region.is_readable() {
            return Err(exceptions::not_serving_region(self.open.region.name().escape_ascii().to_string()));
        }
        Ok(self.until.is_some_and(|until| Instant::now() >= until).then_some(Stop::Time))
    }

    fn ended(mut self, stop: Stop) -> (Self, Stop) {
        self.open.scanner.suspend(&mut self.out, self.limits.partial_rows);
        let bytes = self.out.cells.len();
        self.open.reply_bytes = with_last_row(bytes);
        let counters = self.open.region.counters();
        counters.reads.fetch_add(self.out.rows_completed as u64, Ordering::Relaxed);
        counters.scans.fetch_add(1, Ordering::Relaxed);
        self.server.operations.answered_scan(&self.open.region, self.out.cells.len() as u64);
        counters.filtered_reads.fetch_add(self.out.rows_filtered, Ordering::Relaxed);
        let (counts, connection) = (&self.server.client_counts, &self.call.connection);
        counts.add(connection, self.out.rows_completed as u64, 0);
        counts.add_filtered(connection, self.out.rows_filtered);
        (self, stop)
    }
}

/// Bytes of a reply like one of so many bytes: it may end behind a longer row.
fn with_last_row(bytes: usize) -> usize {
    bytes + bytes / 16
}

/// Reads for a turn; why the reply ends with it, if it does.
async fn read_turn(
    server: &RegionServer,
    open: &mut OpenScanner,
    out: &mut ScanOutput,
    limits: &ScanLimits,
    memory: &mut ReadMemory,
) -> Result<Option<Stop>, RpcException> {
    let whole_rows = open.scanner.needs_whole_rows() || !limits.partial_rows;
    let (mut turn_ends, found_before) = (None, out.cells.len());
    if open.scanner.next_cell_bytes() > 0 {
        let bytes = memory.of(out, &open.scanner);
        if hold_or_end(memory, bytes, out, is_something(out, whole_rows)).await? {
            return Ok(Some(Stop::Memory));
        }
    }
    loop {
        match open.scanner.next(out, limits) {
            Ok(stop) => {
                if whole_rows && out.counts.is_empty() {
                    memory.check_row(out.cells.len() + open.scanner.next_cell_bytes())?;
                }
                if stop != ScanStop::Budget {
                    hold_or_end(memory, out.cells.capacity(), out, is_something(out, whole_rows)).await?;
                    return Ok(Some(Stop::Read(stop)));
                }
                // Without room for more the reply ends, if there is something in it.
                let bytes = memory.of(out, &open.scanner);
                if hold_or_end(memory, bytes, out, is_something(out, whole_rows)).await? {
                    return Ok(Some(Stop::Memory));
                }
                // A turn that has found nothing finds a large cell, and one that has found little one more.
                // Less is there than before where a filter has dropped a row.
                let found = out.cells.len().saturating_sub(found_before);
                let next = open.scanner.next_cell_bytes();
                if next == 0 || found > 0 && found + next > 2 * limits.turn_bytes {
                    return Ok(None);
                }
            }
            Err(Interrupt::NeedBlock(request)) => {
                // Many calls may stand here.
                let bytes = memory.of(out, &open.scanner).saturating_add(request.block.size as usize);
                if hold_or_end(memory, bytes, out, is_something(out, whole_rows)).await? {
                    return Ok(Some(Stop::Memory));
                }
                let turn_ends = *turn_ends.get_or_insert_with(|| Instant::now() + TURN_TIME);
                open.scanner.provide(server.fetch(request).await?);
                // The scanner counts from one block to the next.
                if Instant::now() >= turn_ends {
                    return Ok(None);
                }
            }
            Err(Interrupt::NeedFile(request)) => {
                let bytes = memory.of(out, &open.scanner);
                if hold_or_end(memory, bytes, out, is_something(out, whole_rows)).await? {
                    return Ok(Some(Stop::Memory));
                }
                let turn_ends = *turn_ends.get_or_insert_with(|| Instant::now() + TURN_TIME);
                server.open_file(request).await;
                if Instant::now() >= turn_ends {
                    return Ok(None);
                }
            }
            Err(Interrupt::Failed(error)) => return Err(exception(&error)),
        }
    }
}

/// Whether a reply that ends here has anything in it.
fn is_something(out: &ScanOutput, whole_rows: bool) -> bool {
    !out.counts.is_empty() || !whole_rows && !out.cells.is_empty()
}

/// Counts that the reply takes so many bytes. Waits for them, unless it can end: one that is counted, or short, does not wait for more.
/// What it would keep meanwhile is missing to all others, and its client may take it at once. Whether it has to end.
async fn hold_or_end(
    memory: &mut ReadMemory,
    bytes: usize,
    out: &ScanOutput,
    something: bool,
) -> Result<bool, RpcException> {
    if memory.try_hold(bytes) {
        return Ok(false);
    }
    let ends = something && (memory.counted() > 0 || out.cells.len() <= UNCOUNTED_BYTES);
    if ends {
        memory.hold_beyond(out.cells.capacity());
    } else {
        memory.hold(bytes).await?;
    }
    Ok(ends)
}

/// Half of what lease and client leave.
fn time_limit(server: &RegionServer, call: &Call) -> Instant {
    let now = Instant::now();
    let lease = server.scanners.lease();
    let patience = call.remaining(now).map_or(lease, |remaining| remaining.min(lease));
    now + (patience / 2).max(MIN_TIME)
}

/// Whether the last results of a region are better not said to be the last: where a reply is full, HBase's asynchronous client
/// may stop until its caller has taken them, and then goes on in the caller's thread. If that is where it opens the next
/// region's scanner, and that one's full reply is there already, it forgets to wake up again
/// (`AsyncTableResultScanner.resumePrefetch`). From the answer to one more call it goes on in another thread.
fn may_stop_the_client(out: &ScanOutput, open: &OpenScanner, request: &pb::ScanRequest) -> bool {
    out.size() >= open.max_bytes && !open.small && !request.close_scanner()
}

/// Where a scan stands: nowhere before its first row.
fn cursor_at(row: &[u8]) -> Option<pb::Cursor> {
    (!row.is_empty()).then(|| pb::Cursor { row: Some(row.to_vec().into()) })
}

fn describe(
    response: &mut pb::ScanResponse,
    found: Found,
    open: &mut OpenScanner,
    request: &pb::ScanRequest,
    cells: &mut ReplyCells,
) {
    let Found { out, stop } = found;
    let limit_of_rows = request.limit_of_rows() as usize;
    let limit_reached = limit_of_rows > 0 && out.rows_completed >= limit_of_rows;
    let nothing = out.counts.is_empty();
    // A filter that is done ends the region where there are results, and the whole scan where there are none, as in HBase: also if the
    // end is told with the next reply, which is empty then.
    let is_exhausted = stop == Stop::Read(ScanStop::Exhausted);
    let is_filter_done = open.scanner.is_filter_done();
    let ends_scan = is_exhausted && is_filter_done && nothing && !open.done_with_results;
    open.done_with_results |= is_filter_done && !nothing;
    response.more_results_in_region = Some(!is_exhausted || may_stop_the_client(&out, open, request));
    response.more_results = Some(!(limit_reached || ends_scan));
    // An answer without results that is not the end must be a heartbeat, whatever ended it. The end must be none: with it a
    // client knows that the row of which it had a part was whole.
    let goes_on = response.more_results == Some(true);
    let heartbeat = stop == Stop::Time || (nothing && response.more_results_in_region == Some(true));
    if goes_on && heartbeat && request.client_handles_heartbeats() {
        response.heartbeat_message = Some(true);
        if open.wants_cursor {
            response.cursor = cursor_at(open.scanner.current_row());
        }
    }
    if request.track_scan_metrics() {
        let pair = |name: &str, value: u64| pb::NameInt64Pair {
            name: Some(name.to_owned()),
            value: Some(i64::try_from(value).unwrap_or(i64::MAX)),
        };
        response.scan_metrics = Some(pb::ScanMetrics {
            metrics: vec![pair("ROWS_SCANNED", out.rows_scanned), pair("ROWS_FILTERED", out.rows_filtered)],
        });
    }
    if !cells.is_inline() {
        response.partial_flag_per_result = out.partial_flags();
        response.cells_per_result = out.counts;
        (cells.block, cells.may_have_tags) = (out.cells, out.may_have_tags);
        return;
    }
    cells.count_inside(&out);
    let mut rest = CellIter::over_checked(&out.cells);
    for (&count, partial) in out.counts.iter().zip(out.partial_flags()) {
        let mut result = convert::inline_result(rest.by_ref().take(count as usize));
        result.partial = Some(partial);
        response.results.push(result);
    }
}

#[cfg(test)]
mod tests;
