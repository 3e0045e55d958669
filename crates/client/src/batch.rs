//! Many operations at a time: by server and region, each with an answer of its own, those that failed tried again.

mod answers;
mod multi;
mod steps;

use crate::check_and_mutate::{CheckAndMutate, CheckAndMutateResult};
use crate::error::{Attempt, Error, Result};
use crate::failure;
use crate::get::Get;
use crate::mutation::Mutation;
use crate::retrying::Tries;
use crate::row::Row;
use crate::row_mutations::RowMutations;
use crate::shared::{Shared, disabled};
use crate::table::Table;
use answers::Answer;
pub(crate) use answers::atomic_answer;
use finback_rpc::RpcException;
use futures_util::stream::{FuturesUnordered, Stream};
use multi::Call;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::vec;
use steps::{Failures, Step, Work};

/// One of many operations.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum BatchAction {
    /// Reads a row.
    Get(Get),
    /// Asks whether there is something of what would be read.
    Exists(Get),
    /// Changes a row.
    Mutation(Mutation),
    /// Makes several changes of a row, all of them or none.
    RowMutations(RowMutations),
    /// Changes a row if a condition holds.
    CheckAndMutate(CheckAndMutate),
}

impl<M: Into<Mutation>> From<M> for BatchAction {
    fn from(mutation: M) -> Self {
        Self::Mutation(mutation.into())
    }
}

/// What became of a [`BatchAction`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchAnswer {
    /// Of a get: the row, if there is one. Of a mutation: the new cells, if it has any.
    Row(Option<Row>),
    /// Whether there is something.
    Exists(bool),
    /// Whether the condition held.
    Checked(CheckAndMutateResult),
}

impl BatchAnswer {
    /// The row, if there is one.
    pub fn into_row(self) -> Option<Row> {
        match self {
            Self::Row(row) => row,
            Self::Checked(checked) => checked.row,
            Self::Exists(_) => None,
        }
    }
}

impl BatchAction {
    fn row(&self) -> &[u8] {
        match self {
            Self::Get(get) | Self::Exists(get) => get.row(),
            Self::Mutation(mutation) => mutation.row(),
            Self::RowMutations(mutations) => mutations.row(),
            Self::CheckAndMutate(check) => check.row(),
        }
    }

    /// Bytes that it takes, about.
    fn size(&self) -> usize {
        match self {
            Self::Get(get) | Self::Exists(get) => get.size(),
            Self::Mutation(mutation) => mutation.size(),
            Self::RowMutations(mutations) => mutations.size(),
            Self::CheckAndMutate(check) => check.size(),
        }
    }

    fn check(&self, max_cell_size: usize) -> Result<()> {
        match self {
            Self::Get(get) | Self::Exists(get) => get.check(),
            Self::Mutation(mutation) => mutation.check(max_cell_size),
            Self::RowMutations(mutations) => mutations.check(max_cell_size),
            Self::CheckAndMutate(check) => check.check(max_cell_size),
        }
    }

    /// The mutations of which it consists.
    fn mutations(&self) -> &[Mutation] {
        match self {
            Self::Get(_) | Self::Exists(_) => &[],
            Self::Mutation(mutation) => std::slice::from_ref(mutation),
            Self::RowMutations(mutations) => mutations.mutations(),
            Self::CheckAndMutate(check) => check.mutations(),
        }
    }
}

/// An action as it is sent each time.
struct Prepared {
    action: BatchAction,
    /// Of each of its mutations; none if no mutation has one.
    nonces: Vec<Option<u64>>,
}

impl Prepared {
    fn new(table: &Table, action: BatchAction) -> Self {
        let action = match action {
            BatchAction::Mutation(mutation) => BatchAction::Mutation(mutation.sealed()),
            action => action,
        };
        let wanted = action.mutations().iter().any(Mutation::wants_nonce);
        let nonced = if wanted { action.mutations() } else { &[] };
        let nonces = nonced.iter().map(|mutation| table.nonce_for(mutation)).collect();
        Self { action, nonces }
    }

    /// The nonce of one of its mutations.
    fn nonce(&self, mutation: usize) -> Option<u64> {
        self.nonces.get(mutation).copied().flatten()
    }
}

struct Batch {
    work: Arc<Work>,
    timeout: Duration,
    answers: Vec<Option<Result<BatchAnswer>>>,
    /// Of each action, those that have failed.
    tries: Vec<Tries>,
    /// In the task of who asks: calls to several servers are under way together, and what there is to do for them is little.
    steps: FuturesUnordered<Pin<Box<dyn Future<Output = Step> + Send>>>,
}

/// Does all of `actions`.
pub(crate) async fn run(
    table: &Table,
    actions: impl Iterator<Item = BatchAction>,
) -> Vec<Result<BatchAnswer>> {
    start(table, actions, true).finish().await.0
}

/// Does all of `actions`, in any order, and gives those back that failed.
pub(crate) async fn run_for_failures(
    table: &Table,
    actions: impl Iterator<Item = BatchAction>,
) -> Vec<(BatchAction, Error)> {
    let (answers, work) = start(table, actions, false).finish().await;
    // Of those that succeeded, which are mostly all, nothing is copied.
    let failed = answers.into_iter().enumerate().filter_map(|(index, answer)| Some((index, answer.err()?)));
    failed.map(|(index, error)| (work.actions[index].action.clone(), error)).collect()
}

fn start(table: &Table, actions: impl Iterator<Item = BatchAction>, in_order: bool) -> Batch {
    let shared = Arc::clone(table.shared());
    let max_cell_size = shared.config.max_cell_size;
    let actions: Vec<Prepared> = actions.map(|action| Prepared::new(table, action)).collect();
    let refused = |prepared: &Prepared| prepared.action.check(max_cell_size).err().map(Err);
    let answers: Vec<Option<Result<BatchAnswer>>> = actions.iter().map(refused).collect();
    let wanted: Vec<usize> = (0..actions.len()).filter(|&index| answers[index].is_none()).collect();
    let timeout = table.operation_timeout();
    // Reads have none.
    let in_order = in_order && actions.iter().any(|prepared| !prepared.action.mutations().is_empty());
    let work = Work {
        shared,
        known: Arc::clone(table.known()),
        actions,
        deadline: deadline(timeout),
        rpc_timeout: table.write_timeout().max(table.read_timeout()),
        in_order,
    };
    let tries = vec![Tries::default(); answers.len()];
    let mut batch = Batch { work: Arc::new(work), timeout, answers, tries, steps: FuturesUnordered::new() };
    batch.send_after(Duration::ZERO, wanted);
    batch
}

/// When the time is over; in thirty years, if a clock cannot tell.
fn deadline(timeout: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(timeout).unwrap_or_else(|| now + Duration::from_secs(30 * 365 * 24 * 3600))
}

impl Batch {
    /// Finds out where actions are to be sent, after a pause.
    fn send_after(&mut self, pause: Duration, indices: Vec<usize>) {
        if indices.is_empty() {
            return;
        }
        let work = Arc::clone(&self.work);
        self.steps.push(Box::pin(async move {
            // Even a pause of nothing would last until the next tick of the timer.
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            work.find(indices)
        }));
    }

    async fn finish(mut self) -> (Vec<Result<BatchAnswer>>, Arc<Work>) {
        while let Some(step) = poll_fn(|cx| Pin::new(&mut self.steps).poll_next(cx)).await {
            match step {
                Step::Located { calls, unknown, unlocated } => {
                    for in_turn in calls {
                        self.send(in_turn.into_iter());
                    }
                    self.look_up(unknown);
                    self.failed(Failures { failed: unlocated, progress: false, next: Vec::new() });
                }
                Step::Sent { answers, next } => self.sent(answers, next),
                Step::Failed(failures) => self.try_again(failures),
            }
        }
        let unanswered = || Error::Malformed { method: "Multi", reason: "no answer".to_owned() };
        let answers = self.answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(unanswered())));
        (answers.collect(), self.work)
    }

    /// Asks hbase:meta where actions are to be sent. Those of which it is known do not wait for it.
    fn look_up(&mut self, unknown: Vec<usize>) {
        if unknown.is_empty() {
            return;
        }
        let work = Arc::clone(&self.work);
        self.steps.push(Box::pin(async move { work.look_up(unknown).await }));
    }

    /// Sends the first of calls; the next when it is answered.
    fn send(&mut self, mut calls: vec::IntoIter<Call>) {
        let Some(call) = calls.next() else { return };
        let work = Arc::clone(&self.work);
        self.steps.push(Box::pin(async move {
            let answers = work.send(call).await;
            Step::Sent { answers, next: calls }
        }));
    }

    /// Takes the answers of a call, and makes the next one that has waited for it. Where something has failed that waits on: a
    /// write that is tried again would come too late for its row.
    fn sent(&mut self, answers: Vec<Answer>, next: vec::IntoIter<Call>) {
        let mut failed = Vec::new();
        let asked = answers.len();
        for (index, answer) in answers {
            match answer {
                Ok(answer) => self.answers[index] = Some(Ok(answer)),
                Err(attempt) => failed.push((index, attempt)),
            }
        }
        if failed.is_empty() {
            return self.send(next);
        }
        let progress = failed.len() < asked;
        let next = next.flatten().flat_map(|(_, indices)| indices).collect();
        self.failed(Failures { failed, progress, next });
    }

    /// Looks whether the table is disabled, where failures hint at that. Others are not waited for meanwhile.
    fn failed(&mut self, mut failures: Failures) {
        let doubts =
            |(index, attempt): &(usize, Attempt)| self.tries[*index].doubt_the_table(&attempt.exception);
        if !failures.failed.iter().any(doubts) {
            return self.try_again(failures);
        }
        let work = Arc::clone(&self.work);
        self.steps.push(Box::pin(async move {
            let table = work.known.table();
            if work.shared.is_disabled(table, work.timeout()).await {
                for (_, attempt) in &mut failures.failed {
                    *attempt = disabled(attempt.clone(), table);
                }
            }
            Step::Failed(failures)
        }));
    }

    /// Tells the end of actions that must not be tried again, and tries the others.
    fn try_again(&mut self, failures: Failures) {
        let Failures { failed, progress, next } = failures;
        // Those that fail together come back together: those left for later, of a busy server, of a region that is elsewhere, and all
        // others.
        let mut again: HashMap<(bool, bool, bool), (Duration, Vec<usize>)> = HashMap::new();
        for (index, attempt) in failed {
            match self.verdict(index, attempt, progress) {
                Err(error) => self.answers[index] = Some(Err(error)),
                Ok((exception, pause)) => {
                    let later = failure::is_left_for_later(&exception);
                    let kind = (later, exception.server_overloaded, failure::is_on_its_way(&exception));
                    let group = again.entry(kind).or_default();
                    group.0 = group.0.max(pause);
                    group.1.push(index);
                }
            }
        }
        let mut groups: Vec<(Duration, Vec<usize>)> = again.into_values().collect();
        if !next.is_empty() {
            // In one group they are sent in their order, to where their regions are by then.
            let pause = groups.iter().map(|(pause, _)| *pause).max().unwrap_or_default();
            let together = groups.into_iter().flat_map(|(_, indices)| indices).chain(next).collect();
            groups = vec![(pause, together)];
        }
        for (pause, mut indices) in groups {
            indices.sort_unstable();
            self.send_after(pause.min(self.work.remaining()), indices);
        }
    }

    /// The exception and the pause before the next try, or an error if there is to be none. What was only left for another reply was
    /// no try, as long as there was `progress`: something else was done in its place.
    fn verdict(
        &mut self,
        index: usize,
        attempt: Attempt,
        progress: bool,
    ) -> Result<(RpcException, Duration)> {
        let mut tries = self.tries[index];
        let number = tries.failed_so_far() + 1;
        let attempt = Box::new(Attempt { number, ..attempt });
        if attempt.exception.do_not_retry {
            return Err(Error::Refused(attempt));
        }
        let Shared { config, entropy, .. } = &*self.work.shared;
        let pause = match progress && failure::is_left_for_later(&attempt.exception) {
            true => Some(Duration::ZERO),
            false => tries.failed(config, &attempt.exception, entropy),
        };
        let Some(pause) = pause else {
            return Err(Error::RetriesExhausted { attempts: number, last: attempt });
        };
        if self.work.remaining().is_zero() {
            let (method, after) = ("Multi", self.timeout);
            return Err(Error::TimedOut { method, after, attempts: number, last: Some(attempt) });
        }
        self.tries[index] = tries;
        Ok((attempt.exception, pause))
    }
}
