//! Multi: many actions on many regions in one request.
//!
//! Gets are opened in their order. What they need is in memory most often, and they are read at once; from the first one on that
//! needs blocks they are read together: the blocks are in flight at the same time.

use crate::condition;
use crate::endpoints;
use crate::exceptions::{batch_exception, exception};
use crate::get::{AskedGet, CELLS_PER_TURN, OpenGet};
use crate::handlers::is_long_batch;
use crate::load_statistics::load_statistics;
use crate::mutate::{atomically, block_result, check_same_row};
use crate::reads_together::ReadsTogether;
use crate::regions::ReadFrom;
use crate::result::ReplyCells;
use crate::server::RegionServer;
use crate::turn_pace::ReadTurn;
use finback_cell::{Bytes, CellBlock, Mutation, MutationKind};
use finback_metrics::{Operation, Timer};
use finback_proto::{ProtoError, convert, pb};
use finback_region::Region;
use finback_rpc::{Call, CallKind, Reply, RpcException, exceptions};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of cells in one reply; what would go beyond is sent back to be asked for again.
const MAX_REPLY_BYTES: usize = 100 << 20;

/// Bytes of cells of a reply beyond which no get waits for memory: it and those behind it are sent back to be asked for again.
const WAITING_BYTES: usize = 32 << 10;

/// Memory that a reply is given at a time for gets that were not read yet: each time that is not enough copies what was found.
const RESERVED_BYTES: usize = 4 << 20;

/// Gets that are open at a time: each holds blocks, and a view of its region.
pub(crate) const MAX_OPEN_GETS: usize = 128;

/// Bytes of the filters of gets that are open at a time, and of one more: they are counted when the gets are read.
const OPEN_FILTER_BYTES: usize = 4 << 20;

/// Bytes of exceptions that are counted at a time.
const FAILURES_PER_COUNT: usize = 64 << 10;

/// Answers `Multi`.
pub(crate) async fn multi(server: Arc<RegionServer>, call: Call) -> Result<Reply, RpcException> {
    let request: pb::MultiRequest = call.decode()?;
    if !is_long_batch(&call) {
        return carry_out(server, call, request).await;
    }
    // By itself: the state of a short call stays small.
    Box::pin(carry_out_long(server, call, request)).await
}

async fn carry_out_long(
    server: Arc<RegionServer>,
    call: Call,
    request: pb::MultiRequest,
) -> Result<Reply, RpcException> {
    let mut actions = request.region_action.iter().flat_map(|region| &region.action);
    let writes = actions.any(|action| {
        action.mutation.is_some() || action.service_call.as_deref().is_some_and(endpoints::writes)
    });
    let kind = if writes { CallKind::Write } else { CallKind::Read };
    let turn = server.handlers.turn_before_deadline(&call, kind).await?;
    turn.run(carry_out(Arc::clone(&server), call, request)).await
}

async fn carry_out(
    server: Arc<RegionServer>,
    call: Call,
    request: pb::MultiRequest,
) -> Result<Reply, RpcException> {
    let expected_gets = count(&server, &call, &request);
    let mut multi = Multi {
        server: &server,
        call: &call,
        nonce_group: request.nonce_group.unwrap_or(0),
        deadline: call.deadline,
        request_cells: call.cells.clone(),
        cells: ReplyCells::new(&server, &call),
        results: Vec::with_capacity(request.region_action.len()),
        statistics: pb::MultiRegionLoadStats::default(),
        gets: Gets { expected: expected_gets, ..Gets::default() },
        turn: ReadTurn::begin(CELLS_PER_TURN),
        no_room: None,
        uncounted_failure_bytes: 0,
    };
    // From before each RegionAction had its own: a condition for the only one.
    let mut legacy_condition = request.condition;
    for mut action in request.region_action {
        if action.condition.is_none() {
            action.condition = legacy_condition.take();
        }
        multi.region_action(action).await;
    }
    multi.read_gets().await;
    let mut response = pb::MultiResponse { region_action_result: multi.results, ..Default::default() };
    if !multi.statistics.region.is_empty() {
        response.region_statistics = Some(multi.statistics);
    }
    if response.region_action_result.iter().any(|result| result.processed == Some(true)) {
        response.processed = Some(true);
    }
    Ok(multi.cells.reply(&response))
}

/// Counts what the client asks for. Gives back how many gets that are.
fn count(server: &RegionServer, call: &Call, request: &pb::MultiRequest) -> usize {
    let actions = || request.region_action.iter().flat_map(|region| &region.action);
    let writes = actions().filter(|action| action.mutation.is_some()).count();
    let reads = actions().filter(|action| action.get.is_some()).count();
    server.client_counts.add(&call.connection, reads as u64, writes as u64);
    reads
}

struct Multi<'a> {
    server: &'a Arc<RegionServer>,
    call: &'a Call,
    nonce_group: u64,
    /// How long the client waits.
    deadline: Option<Instant>,
    /// Cells of the mutations not yet decoded.
    request_cells: Bytes,
    cells: ReplyCells,
    /// The answers so far, a part for each region.
    results: Vec<pb::RegionActionResult>,
    /// The load of the regions, of those of which it is told.
    statistics: pb::MultiRegionLoadStats,
    gets: Gets,
    /// Of the gets that are read one after the other.
    turn: ReadTurn,
    /// Why there was no room for a get: those behind it are not read.
    no_room: Option<RpcException>,
    /// Bytes of exceptions that are not counted yet.
    uncounted_failure_bytes: usize,
}

/// Gets that are open and not read yet, and where their answers go: which region's, and which of its.
#[derive(Default)]
struct Gets {
    open: Vec<OpenGet>,
    places: Vec<(usize, usize)>,
    /// How many are not open yet.
    expected: usize,
    /// Bytes of the filters of those that are open.
    filter_bytes: usize,
}

/// What became of a get that was opened.
enum Opened {
    /// It was read.
    Read(pb::Result),
    /// It is open; maybe it has to be read before anything else is done.
    Waits { cannot_wait: bool },
}

impl Gets {
    fn push(&mut self, get: OpenGet, place: (usize, usize)) {
        if self.open.is_empty() {
            let most = (1 + self.expected).min(MAX_OPEN_GETS);
            self.open.reserve(most);
            self.places.reserve(most);
        }
        self.filter_bytes += get.filter_bytes();
        self.open.push(get);
        self.places.push(place);
    }
}

impl Multi<'_> {
    /// Carries out one region's actions.
    async fn region_action(&mut self, action: pb::RegionAction) {
        let from = match find(self.server, &action) {
            Ok(from) => from,
            Err(failure) => {
                self.skip(&action);
                return self.fail_all(&failure);
            }
        };
        if action.atomic() || action.condition.is_some() {
            let specifier = action.region.clone();
            match Box::pin(self.atomic(&from.region, action)).await {
                Ok(result) => self.results.push(result),
                Err(failure) => self.fail_all(&failure),
            }
            self.tell_load(&from.region, specifier);
            return;
        }
        self.results.push(pb::RegionActionResult::default());
        self.independent(&from, action.action).await;
        self.tell_load(&from.region, action.region);
    }

    /// Answers a region's actions with one exception.
    fn fail_all(&mut self, failure: &RpcException) {
        let exception = Some(self.exception(failure));
        self.results.push(pb::RegionActionResult { exception, ..Default::default() });
        self.count_failures();
    }

    /// Answers an action of a region.
    fn answer(&mut self, (region, action): (usize, usize), outcome: Result<pb::Result, RpcException>) {
        match outcome {
            Ok(result) => self.results[region].result_or_exception[action].result = Some(result),
            Err(failure) => {
                let exception = Some(self.exception(&failure));
                self.results[region].result_or_exception[action].exception = exception;
            }
        }
    }

    /// An exception as a part of the message, of which there can be millions: noted with what it takes there, and in the encoded message.
    /// When they take as much as a reply may, those that follow have their class alone.
    fn exception(&mut self, failure: &RpcException) -> Box<pb::NameBytesPair> {
        let mut exception = Box::new(failure.to_action_result());
        if self.cells.memory.beside() > self.cells.memory.most() {
            exception.value = Some(Bytes::new());
        }
        let value = exception.value.as_ref().map_or(0, Bytes::len);
        self.uncounted_failure_bytes += size_of::<pb::NameBytesPair>() + 2 * (exception.name.len() + value);
        exception
    }

    /// Counts the exceptions so far, unless they are few. Room is not waited for, and nothing fails for want of it: the action that one
    /// answers was counted when the request was decoded, and one without a text takes twice as much.
    ///
    /// Not while gets are read, whose memory is counted by themselves.
    fn count_failures(&mut self) {
        if self.uncounted_failure_bytes >= FAILURES_PER_COUNT {
            self.cells.memory.add_beside(std::mem::take(&mut self.uncounted_failure_bytes));
            self.cells.memory.hold_beyond(0);
        }
    }

    /// Of a region that has several parts of the request, which stand one after the other, once.
    fn tell_load(&mut self, region: &Region, specifier: pb::RegionSpecifier) {
        let Some(load) = load_statistics(self.server, region) else { return };
        if self.statistics.region.last() == Some(&specifier) {
            self.statistics.stat.pop();
        } else {
            self.statistics.region.push(specifier);
        }
        self.statistics.stat.push(load);
    }

    /// Reads the gets that are open, and puts the answers into their places.
    async fn read_gets(&mut self) {
        let (mut open, places) = (std::mem::take(&mut self.gets.open), std::mem::take(&mut self.gets.places));
        self.gets.filter_bytes = 0;
        if open.is_empty() {
            return;
        }
        let most = self.most();
        let room = most.saturating_sub(self.cells.bytes());
        let too_large = || too_large(most);
        let may_wait = self.cells.bytes() <= WAITING_BYTES;
        let reads = ReadsTogether::new(&*self.server.host, &mut open, (room, may_wait), &too_large);
        let ended = reads.run(&mut self.cells.memory).await;
        if open.len() > 1 {
            self.cells.reserve(open.iter().map(OpenGet::found_bytes).sum());
        }
        for ((place, get), ended) in places.into_iter().zip(&mut open).zip(ended) {
            // Of a short reply only those are given up that were to be read together.
            if let Err(failure) = &ended
                && (failure.server_overloaded || !may_wait && is_too_large(failure))
            {
                self.no_room = Some(failure.clone());
            }
            let outcome = ended.and_then(|()| {
                self.check_size()?;
                Ok(get.result(&mut self.cells))
            });
            self.answer(place, outcome);
        }
        self.count_failures();
    }

    /// Leaves out the cells of a region's mutations.
    fn skip(&mut self, action: &pb::RegionAction) {
        for mutation in action.action.iter().filter_map(|action| action.mutation.as_ref()) {
            if let Err(error) = convert::skip_cells(mutation, &mut self.request_cells) {
                self.failed_to_take_cells(&error);
            }
        }
    }

    /// Decodes a mutation.
    fn decode(&mut self, mutation: pb::MutationProto) -> Result<Mutation, RpcException> {
        convert::decode_mutation(mutation, &mut self.request_cells, self.nonce_group).map_err(|error| {
            self.failed_to_take_cells(&error);
            error.into()
        })
    }

    /// Where the cells of a mutation are not there, those that follow have none either: what is left is of no known mutation.
    fn failed_to_take_cells(&mut self, error: &ProtoError) {
        if error.loses_cells() {
            self.request_cells = Bytes::new();
        }
    }

    async fn atomic(
        &mut self,
        region: &Region,
        action: pb::RegionAction,
    ) -> Result<pb::RegionActionResult, RpcException> {
        let mut mutations = Vec::with_capacity(action.action.len());
        let mut failure = None;
        let count = action.action.len();
        for action in action.action {
            let Some(mutation) = action.mutation else {
                let refused = "Atomic put and/or delete only, not a Get";
                failure.get_or_insert(exceptions::do_not_retry(refused));
                continue;
            };
            match self.decode(mutation) {
                Ok(mutation) => mutations.push(mutation),
                Err(error) => {
                    failure.get_or_insert(error);
                }
            }
        }
        let outcome = match failure {
            Some(failure) => return Err(failure),
            None => apply(self.server, region, action.condition, mutations, self.deadline).await?,
        };
        let mut result_or_exception: Vec<_> = (0..count)
            .map(|index| pb::ResultOrException { index: Some(index as u32), ..Default::default() })
            .collect();
        if let Some(first) = result_or_exception.first_mut()
            && !outcome.cells.is_empty()
        {
            // Inside the message, as HBase does it.
            first.result = Some(convert::inline_result(outcome.cells.iter()));
        }
        Ok(pb::RegionActionResult {
            result_or_exception,
            processed: Some(outcome.applied),
            ..Default::default()
        })
    }

    /// Actions that succeed or fail each for itself. Puts and deletes wait for an increment, an append or the end, and
    /// are written together then. As in HBase, which promises no order, a get does not see those that wait.
    async fn independent(&mut self, from: &ReadFrom, actions: Vec<pb::Action>) {
        let region = &from.region;
        let number = self.results.len() - 1;
        let mut batch = Batch::default();
        self.results[number].result_or_exception.reserve_exact(actions.len());
        for action in actions {
            let place = (number, self.results[number].result_or_exception.len());
            let unanswered = pb::ResultOrException { index: action.index, ..Default::default() };
            self.results[number].result_or_exception.push(unanswered);
            let outcome = if let Some(get) = action.get {
                match self.get(from, *get, place).await {
                    Some(outcome) => outcome,
                    None => continue,
                }
            } else if let Some(mutation) = action.mutation {
                match self.decode(mutation) {
                    Ok(mutation) if matches!(mutation.kind, MutationKind::Put | MutationKind::Delete) => {
                        batch.push(place, mutation);
                        continue;
                    }
                    Ok(mutation) => {
                        self.write(region, &mut batch).await;
                        // Cells of the reply stand in the order of the actions.
                        self.read_gets().await;
                        Box::pin(self.read_modify_write(region, mutation)).await
                    }
                    Err(failure) => Err(failure),
                }
            } else if let Some(service) = action.service_call {
                let call = (self.call, is_long_batch(self.call));
                match Box::pin(endpoints::carry_out(self.server, region, call, &service)).await {
                    Ok(value) => {
                        let result = pb::CoprocessorServiceResult { value: Some(value) };
                        self.results[number].result_or_exception[place.1].service_result =
                            Some(Box::new(result));
                        continue;
                    }
                    Err(failure) => Err(failure),
                }
            } else {
                let nothing = "Unknown action: neither a get, nor a mutation, nor a service call";
                Err(exceptions::do_not_retry(nothing))
            };
            self.answer(place, outcome);
            self.count_failures();
        }
        self.write(region, &mut batch).await;
    }

    /// Writes puts and deletes that wait, and puts the answers into their places.
    async fn write(&mut self, region: &Region, batch: &mut Batch) {
        if batch.mutations.is_empty() {
            return;
        }
        let timer = Timer::start();
        let Batch { places, mutations } = std::mem::take(batch);
        let results = region.batch_until(&mutations, self.deadline).await;
        let has = |kind| mutations.iter().any(|mutation| mutation.kind == kind);
        for (kind, operation) in
            [(MutationKind::Put, Operation::PutBatch), (MutationKind::Delete, Operation::DeleteBatch)]
        {
            if has(kind) {
                self.server.operations.stop_in(region, operation, timer);
            }
        }
        for (place, result) in places.into_iter().zip(results) {
            let outcome = result.map(|()| pb::Result::default()).map_err(|error| batch_exception(&error));
            self.answer(place, outcome);
            self.count_failures();
        }
    }

    /// The most bytes of cells; with as much again for those that are read meanwhile.
    fn most(&self) -> usize {
        MAX_REPLY_BYTES.min(self.cells.memory.most() / 2)
    }

    fn check_size(&self) -> Result<(), RpcException> {
        let size = self.cells.bytes();
        if size <= self.most() { Ok(()) } else { Err(too_large(size)) }
    }

    /// Answers a get, unless it has to wait for blocks: `None` then, and the answer comes to its place when it is read.
    async fn get(
        &mut self,
        from: &ReadFrom,
        get: pb::Get,
        place: (usize, usize),
    ) -> Option<Result<pb::Result, RpcException>> {
        if self.gets.open.len() >= MAX_OPEN_GETS {
            self.read_gets().await;
        }
        if let Some(failure) = &self.no_room {
            self.gets.expected -= 1;
            return Some(Err(failure.clone()));
        }
        if self.turn.is_over_after_read() {
            self.end_turn_if_over().await;
        }
        let before = self.cells.bytes();
        match self.open_get(from, get, place) {
            Ok(Opened::Read(result)) => Some(self.hold_found(before).await.map(|()| result)),
            Ok(Opened::Waits { cannot_wait }) => {
                if cannot_wait {
                    self.read_gets().await;
                    self.end_turn_if_over().await;
                }
                None
            }
            Err(failure) => Some(Err(failure)),
        }
    }

    /// Lets others have their turn, when this one is over.
    async fn end_turn_if_over(&mut self) {
        if self.turn.is_over() {
            tokio::task::yield_now().await;
            self.turn = ReadTurn::begin(CELLS_PER_TURN);
        }
    }

    /// Opens a get, and reads it if nothing keeps it from that.
    fn open_get(
        &mut self,
        from: &ReadFrom,
        get: pb::Get,
        place: (usize, usize),
    ) -> Result<Opened, RpcException> {
        self.gets.expected -= 1;
        self.check_size()?;
        let asked = AskedGet::decode(from, get)?;
        let is_next = self.gets.open.is_empty();
        if is_next && let Some(result) = asked.find_at_once(from, &mut self.cells) {
            return Ok(Opened::Read(result));
        }
        let mut get = asked.open(from)?;
        if is_next && get.read_into(&mut self.cells, &mut self.turn)? {
            return Ok(Opened::Read(get.result(&mut self.cells)));
        }
        // One that has to wait for room does so before others are opened.
        let is_alone = get.reads_uncommitted || get.next_cell_bytes() > 0;
        self.gets.push(get, place);
        let cannot_wait = is_alone || self.gets.filter_bytes >= OPEN_FILTER_BYTES.min(self.most() / 4);
        Ok(Opened::Waits { cannot_wait })
    }

    /// Counts what a get has found at once, of which there were `before` bytes before it; on failure that goes.
    async fn hold_found(&mut self, before: usize) -> Result<(), RpcException> {
        let held = match self.check_size() {
            // Only the first one may be larger.
            Err(failure) if before > 0 => Err(failure),
            _ if self.cells.memory.try_hold(0) => Ok(()),
            _ if before > WAITING_BYTES => Err(too_large(before)),
            _ => self.cells.memory.hold(0).await,
        };
        match &held {
            Ok(()) => self.make_room(before),
            Err(failure) => {
                self.no_room = Some(failure.clone());
                self.cells.cut_back(before);
            }
        }
        held
    }

    /// Takes memory for the gets that were not read yet: they will be like the last one, before which there were so many bytes.
    fn make_room(&mut self, before: usize) {
        let last = self.cells.bytes() - before;
        if self.cells.room() < last {
            let rest = last.saturating_mul(self.gets.expected).min(RESERVED_BYTES);
            self.cells.try_reserve(rest);
        }
    }

    async fn read_modify_write(
        &mut self,
        region: &Region,
        mutation: Mutation,
    ) -> Result<pb::Result, RpcException> {
        self.check_size()?;
        region.check_row(&mutation.row, "batch").map_err(|error| exception(&error))?;
        let outcome = atomically(self.server, region, Vec::new(), vec![mutation], self.deadline).await?;
        Ok(if outcome.cells == CellBlock::default() {
            pb::Result::default()
        } else {
            block_result(outcome.cells, &mut self.cells)
        })
    }
}

/// The region of some actions: of a replica, if all they do is read.
fn find(server: &RegionServer, action: &pb::RegionAction) -> Result<ReadFrom, RpcException> {
    let is_read = |action: &pb::Action| action.mutation.is_none() && action.service_call.is_none();
    let reads = action.condition.is_none() && action.action.iter().all(is_read);
    if reads {
        return server.regions.find_to_read(&action.region);
    }
    server.regions.find(&action.region).map(|region| ReadFrom { region, stale: false })
}

async fn apply(
    server: &RegionServer,
    region: &Region,
    condition: Option<pb::Condition>,
    mutations: Vec<Mutation>,
    deadline: Option<Instant>,
) -> Result<finback_region::AtomicOutcome, RpcException> {
    let mut conditions = Vec::new();
    if let Some(condition) = condition {
        let condition = condition::decode(condition)?;
        for mutation in &mutations {
            check_same_row(&condition, mutation)?;
        }
        conditions.push(condition);
    }
    atomically(server, region, conditions, mutations, deadline).await
}

/// Puts and deletes waiting to be written together, and where their answers go.
#[derive(Default)]
struct Batch {
    places: Vec<(usize, usize)>,
    mutations: Vec<Mutation>,
}

impl Batch {
    fn push(&mut self, place: (usize, usize), mutation: Mutation) {
        self.places.push(place);
        self.mutations.push(mutation);
    }
}

fn is_too_large(failure: &RpcException) -> bool {
    failure.simple_class() == "MultiActionResultTooLarge"
}

fn too_large(size: usize) -> RpcException {
    exceptions::multi_action_result_too_large(format!("Max size exceeded CellSize: {size}"))
}
