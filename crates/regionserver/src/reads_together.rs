//! Several reads at once: each goes as far as memory lets it, and the blocks that they then need are read together.
//!
//! What finds all its blocks in memory waits for nothing, and is not handed over to anybody.

use crate::exceptions::exception;
use crate::get::{CELLS_PER_TURN, OpenGet, Progress};
use crate::read_memory::{ReadMemory, UNCOUNTED_BYTES};
use crate::turn_pace::ReadTurn;
use finback_hfile::{Block, BlockRef, BlockRequest, FileId, HFileError};
use finback_region::{BoxFuture, Host, RegionError};
use finback_rpc::RpcException;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

/// Where a read stands.
enum State {
    /// It can go on.
    Runnable,
    /// It waits for a block.
    Waiting,
    /// It came to its end.
    Ended(Result<(), RpcException>),
}

/// Whether some reads can go on after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoesOn {
    /// None, before a block has come.
    No,
    /// Some have looked at enough cells, or found enough.
    AtOnce,
    /// The turn was long: others have theirs first.
    AfterOthers,
}

/// A block that is being read, and which reads wait for it.
struct Fetch {
    block: (FileId, BlockRef),
    future: BoxFuture<'static, Result<Arc<Block>, HFileError>>,
    waiting: Vec<usize>,
}

/// Gives each read the block that it waits for, or the failure.
type Fetched = (Vec<usize>, Result<Arc<Block>, HFileError>);

/// Reads of one request, driven together.
pub(crate) struct ReadsTogether<'a> {
    host: &'a dyn Host,
    reads: &'a mut [OpenGet],
    states: Vec<State>,
    /// The read that the next turn begins with.
    first: usize,
    /// Blocks that reads wait for, and that are not being read yet.
    wanted: Vec<(usize, BlockRequest)>,
    fetches: Vec<Fetch>,
    /// Bytes that each takes, when last looked at.
    taken: Vec<usize>,
    taken_together: usize,
    /// Bytes that the reads may take together.
    max_bytes: usize,
    /// Whether they may wait for memory.
    may_wait: bool,
    too_large: &'a (dyn Fn() -> RpcException + Sync),
}

impl<'a> ReadsTogether<'a> {
    /// `max_bytes`: of what is found and held; of reads that take more, the last ones end with `too_large`. The first one
    /// always comes to its end, unless there is no memory for it and it may not wait.
    pub(crate) fn new(
        host: &'a dyn Host,
        reads: &'a mut [OpenGet],
        (max_bytes, may_wait): (usize, bool),
        too_large: &'a (dyn Fn() -> RpcException + Sync),
    ) -> Self {
        let states = reads.iter().map(|_| State::Runnable).collect();
        let taken = vec![0; reads.len()];
        let (wanted, fetches) = (Vec::new(), Vec::new());
        Self {
            host,
            reads,
            states,
            first: 0,
            wanted,
            fetches,
            taken,
            taken_together: 0,
            max_bytes,
            may_wait,
            too_large,
        }
    }

    /// Brings all reads to their end; says for each, in their order, how it ended.
    pub(crate) async fn run(mut self, memory: &mut ReadMemory) -> Vec<Result<(), RpcException>> {
        // What the first one needs for its next cell, if it stands before a large one.
        (0..self.reads.len()).for_each(|number| self.bound_memory(number));
        while self.count(memory).await {
            let goes_on = self.advance(memory);
            if !self.count(memory).await {
                break;
            }
            self.fetch_wanted();
            if goes_on != GoesOn::No {
                let found = self.reads.iter().map(OpenGet::found_bytes).sum();
                match goes_on {
                    GoesOn::AfterOthers => memory.end_long_turn(found).await,
                    _ => memory.end_turn(found).await,
                }
                continue;
            }
            if self.fetches.is_empty() {
                break;
            }
            let fetched = self.next_fetched().await;
            self.provide(fetched);
        }
        let ended = |state| match state {
            State::Ended(result) => result,
            // No read is left that could go on, and none that waits.
            State::Runnable | State::Waiting => Err(finback_rpc::exceptions::io("a read was left over")),
        };
        self.states.into_iter().map(ended).collect()
    }

    /// Counts what all reads take, with what they wait for, after a wait if need be; false when there is no room for it, and they have
    /// ended.
    async fn count(&mut self, memory: &mut ReadMemory) -> bool {
        if !memory.try_hold(self.taken_together) {
            // What it has while it waits is missing to all others: it goes on with less.
            self.max_bytes = self.max_bytes.min(memory.counted().max(UNCOUNTED_BYTES));
            self.give_up_last();
        }
        let held = match memory.try_hold(self.taken_together) {
            false if !self.may_wait => {
                // Some have come to their end.
                memory.hold_beyond(self.taken_together);
                Err((self.too_large)())
            }
            _ => memory.hold(self.taken_together).await,
        };
        if let Err(failure) = &held {
            self.end_all(failure);
        }
        held.is_ok()
    }

    /// Takes all reads as far as they go, for a turn.
    fn advance(&mut self, memory: &ReadMemory) -> GoesOn {
        let (mut goes_on, count) = (GoesOn::No, self.reads.len());
        let mut turn = ReadTurn::begin(CELLS_PER_TURN);
        for number in (self.first..count).chain(0..self.first) {
            if !matches!(self.states[number], State::Runnable) {
                continue;
            }
            if turn.is_over_after_read() {
                self.first = number;
                return GoesOn::AfterOthers;
            }
            let read = &mut self.reads[number];
            match read.advance(&mut turn).and_then(|progress| {
                memory.check_row(read.found_bytes())?;
                Ok(progress)
            }) {
                Ok(Progress::Done) => self.states[number] = State::Ended(Ok(())),
                Ok(Progress::Turn | Progress::Counted) => goes_on = GoesOn::AtOnce,
                Ok(Progress::Need(request)) => {
                    self.states[number] = State::Waiting;
                    self.wanted.push((number, request));
                }
                Err(failure) => {
                    self.reads[number].give_up();
                    self.states[number] = State::Ended(Err(failure));
                }
            }
            self.bound_memory(number);
        }
        goes_on
    }

    /// Begins to read the blocks that are wanted. Not before they are counted: what the system has in memory is there at once.
    fn fetch_wanted(&mut self) {
        for (number, request) in std::mem::take(&mut self.wanted) {
            if matches!(self.states[number], State::Waiting) {
                self.fetch(number, request);
            }
        }
    }

    /// Begins to read a block, unless another read waits for it already.
    fn fetch(&mut self, number: usize, request: BlockRequest) {
        let block = (request.file.id(), request.block);
        match self.fetches.iter_mut().find(|fetch| fetch.block == block) {
            Some(fetch) => fetch.waiting.push(number),
            None => {
                let future = self.host.fetch(request);
                self.fetches.push(Fetch { block, future, waiting: vec![number] });
            }
        }
    }

    /// Waits until at least one block is there. Polls all, so that all are being read.
    async fn next_fetched(&mut self) -> Vec<Fetched> {
        poll_fn(|context| {
            let mut fetched = Vec::new();
            let mut number = 0;
            while number < self.fetches.len() {
                match self.fetches[number].future.as_mut().poll(context) {
                    Poll::Ready(block) => fetched.push((self.fetches.swap_remove(number).waiting, block)),
                    Poll::Pending => number += 1,
                }
            }
            if fetched.is_empty() { Poll::Pending } else { Poll::Ready(fetched) }
        })
        .await
    }

    fn provide(&mut self, fetched: Vec<Fetched>) {
        for (waiting, block) in fetched {
            let block = block.map_err(RegionError::from);
            for number in waiting {
                if !matches!(self.states[number], State::Waiting) {
                    continue;
                }
                self.states[number] = match &block {
                    Ok(block) => {
                        self.reads[number].provide(Arc::clone(block));
                        State::Runnable
                    }
                    Err(error) => State::Ended(Err(exception(error))),
                };
            }
        }
    }

    /// Ends what is under way.
    fn end_all(&mut self, failure: &RpcException) {
        for (read, state) in self.reads.iter_mut().zip(&mut self.states) {
            if !matches!(state, State::Ended(_)) {
                read.give_up();
                *state = State::Ended(Err(failure.clone()));
            }
        }
    }

    /// Counts what a read takes now, and gives up the last ones, if all take too much.
    fn bound_memory(&mut self, number: usize) {
        let before = std::mem::replace(&mut self.taken[number], self.reads[number].memory_bytes());
        self.taken_together = self.taken_together - before + self.taken[number];
        self.give_up_last();
    }

    /// Gives up reads, from the last one on, while all take too much.
    fn give_up_last(&mut self) {
        if self.taken_together <= self.max_bytes {
            return;
        }
        for number in (1..self.reads.len()).rev() {
            self.reads[number].give_up();
            self.taken_together -= std::mem::take(&mut self.taken[number]);
            self.states[number] = State::Ended(Err((self.too_large)()));
            if self.taken_together <= self.max_bytes {
                break;
            }
        }
        // Nor are blocks kept that only those wait for.
        let states = &self.states;
        let is_wanted =
            |fetch: &Fetch| fetch.waiting.iter().any(|&read| matches!(states[read], State::Waiting));
        self.fetches.retain(is_wanted);
    }
}
