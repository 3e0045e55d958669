//! Several reads at once: each goes as far as memory lets it, and the blocks that they then need are read together, as MOB files
//! are opened.
//!
//! What finds all its blocks in memory waits for nothing, and is not handed over to anybody.

use crate::exceptions::exception;
use crate::get::{CELLS_PER_TURN, OpenGet, Progress};
use crate::read_memory::{ReadMemory, UNCOUNTED_BYTES};
use crate::turn_pace::ReadTurn;
use finback_hfile::{Block, BlockRef, BlockRequest, FileId, HFileError};
use finback_region::{BoxFuture, FileRequest, Host, RegionError};
use finback_rpc::RpcException;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

/// Where a read stands.
enum State {
    /// It can go on.
    Runnable,
    /// It waits for a block, or for a file.
    Waiting,
    /// It came to its end.
    Ended(Result<(), RpcException>),
}

/// Whether some reads can go on after a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GoesOn {
    /// None, before a block or a file has come.
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

/// A file that is being opened for a read, and the requests of others for the same one: these are carried out when it is open, and
/// find it so.
struct Opening {
    request: FileRequest,
    future: BoxFuture<'static, ()>,
    read: usize,
    others: Vec<(usize, FileRequest)>,
}

impl Opening {
    fn reads(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.read).chain(self.others.iter().map(|(read, _)| *read))
    }
}

/// What has come.
enum Come {
    /// Each of these reads has the block that it waits for, or the failure.
    Block(Vec<usize>, Result<Arc<Block>, HFileError>),
    /// A file is open, or cannot be: its read knows.
    File(Opening),
}

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
    /// The same of files.
    wanted_files: Vec<(usize, FileRequest)>,
    openings: Vec<Opening>,
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
            wanted_files: Vec::new(),
            openings: Vec::new(),
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
            if self.fetches.is_empty() && self.openings.is_empty() {
                break;
            }
            for come in self.next_come().await {
                match come {
                    Come::Block(waiting, block) => self.provide(waiting, block),
                    Come::File(opening) => self.opened(opening),
                }
            }
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
                Ok(Progress::NeedFile(request)) => {
                    self.states[number] = State::Waiting;
                    self.wanted_files.push((number, request));
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

    /// Begins to read the blocks that are wanted, and to open the files. Not before they are counted: what the system has in memory is
    /// there at once.
    fn fetch_wanted(&mut self) {
        for (number, request) in std::mem::take(&mut self.wanted) {
            if matches!(self.states[number], State::Waiting) {
                self.fetch(number, request);
            }
        }
        for (number, request) in std::mem::take(&mut self.wanted_files) {
            if !matches!(self.states[number], State::Waiting) {
                continue;
            }
            match self.openings.iter_mut().find(|opening| opening.request.is_same(&request)) {
                Some(opening) => opening.others.push((number, request)),
                None => self.begin_to_open(number, request),
            }
        }
    }

    fn begin_to_open(&mut self, read: usize, request: FileRequest) {
        let future = self.host.open_file(request.clone());
        self.openings.push(Opening { request, future, read, others: Vec::new() });
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

    /// Waits until at least one block is there, or one file. Polls all, so that all are on their way.
    async fn next_come(&mut self) -> Vec<Come> {
        poll_fn(|context| {
            let mut come = Vec::new();
            let mut number = 0;
            while number < self.fetches.len() {
                match self.fetches[number].future.as_mut().poll(context) {
                    Poll::Ready(block) => {
                        come.push(Come::Block(self.fetches.swap_remove(number).waiting, block));
                    }
                    Poll::Pending => number += 1,
                }
            }
            let mut number = 0;
            while number < self.openings.len() {
                match self.openings[number].future.as_mut().poll(context) {
                    Poll::Ready(()) => come.push(Come::File(self.openings.swap_remove(number))),
                    Poll::Pending => number += 1,
                }
            }
            if come.is_empty() { Poll::Pending } else { Poll::Ready(come) }
        })
        .await
    }

    fn provide(&mut self, waiting: Vec<usize>, block: Result<Arc<Block>, HFileError>) {
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

    /// Lets the read go on for which a file was opened. The others' requests for it are carried out side by side: they find it open,
    /// unless it could not be opened, or others have taken its place since.
    fn opened(&mut self, opening: Opening) {
        if matches!(self.states[opening.read], State::Waiting) {
            self.states[opening.read] = State::Runnable;
        }
        for (number, request) in opening.others {
            if matches!(self.states[number], State::Waiting) {
                self.begin_to_open(number, request);
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
        // Nor are blocks kept that only those wait for, nor files.
        let states = &self.states;
        let waits = |read: usize| matches!(states[read], State::Waiting);
        self.fetches.retain(|fetch| fetch.waiting.iter().any(|&read| waits(read)));
        self.openings.retain(|opening| opening.reads().any(waits));
    }
}
