//! Turns for calls that take long: scans beyond their first cells, aggregations, large batches.
//!
//! Short calls run where their requests are read, and wait for nobody. Long ones run on threads of their own, a bounded
//! number at a time, the others one after the other: however many there are, a get does not come behind them. They are what
//! HBase's handlers are for, with its queues for reads and writes apart; unlike there, a call is long by what it turns out
//! to take, and not by its name.

use finback_rpc::{Call, CallKind, RpcException, exceptions};
use std::future::Future;
use std::time::Instant;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Bytes from which on a batch is long: several hundred gets, or what takes as long to write.
const LONG_BATCH_BYTES: usize = 32 << 10;
/// Long reads of the cluster at a time, and as many long writes: as with HBase's `hbase.regionserver.metahandler.count`. Clients may give any call such a priority.
const TURNS_OF_THE_CLUSTER: usize = 20;

/// Where long calls run, and when.
#[derive(Debug)]
pub(crate) struct Handlers {
    /// Whose threads; without any it is those of the caller.
    threads: Option<Handle>,
    count: usize,
    reads: Semaphore,
    writes: Semaphore,
    reads_of_the_cluster: Semaphore,
    writes_of_the_cluster: Semaphore,
}

impl Handlers {
    /// `count`: long reads at a time, and as many long writes.
    pub(crate) fn new(count: usize, threads: Option<Handle>) -> Self {
        let turns = Semaphore::new;
        Self {
            threads,
            count,
            reads: turns(count),
            writes: turns(count),
            reads_of_the_cluster: turns(TURNS_OF_THE_CLUSTER),
            writes_of_the_cluster: turns(TURNS_OF_THE_CLUSTER),
        }
    }

    /// Long reads and long writes that have their turn.
    pub(crate) fn active(&self) -> (usize, usize) {
        let taken = |turns: &Semaphore| self.count.saturating_sub(turns.available_permits());
        (taken(&self.reads), taken(&self.writes))
    }

    /// Waits for the turn of a call; none comes before `until`. Calls of the cluster itself do not wait for others, which may wait
    /// for them: they have turns of their own, on the caller's threads.
    ///
    /// # Errors
    /// The client has gone in the meantime.
    pub(crate) async fn turn(
        &self,
        call: &Call,
        kind: CallKind,
        until: Option<Instant>,
    ) -> Result<Option<Turn<'_>>, RpcException> {
        let is_of_the_cluster = call.is_of_the_cluster();
        let turns = match (kind, is_of_the_cluster) {
            (CallKind::Write, true) => &self.writes_of_the_cluster,
            (CallKind::Write, false) => &self.writes,
            (_, true) => &self.reads_of_the_cluster,
            (_, false) => &self.reads,
        };
        let threads = self.threads.as_ref().filter(|_| !is_of_the_cluster);
        let permit = permit(turns, call, until).await?;
        Ok(permit.map(|permit| Turn { threads, permit }))
    }

    /// The same for a call that has nothing to say before.
    ///
    /// # Errors
    /// The client has gone, or has stopped waiting.
    pub(crate) async fn turn_before_deadline(
        &self,
        call: &Call,
        kind: CallKind,
    ) -> Result<Turn<'_>, RpcException> {
        self.turn(call, kind, call.deadline).await?.ok_or_else(has_stopped_waiting)
    }
}

/// One of so many turns, for a call that has nothing to say before.
///
/// # Errors
/// The client has gone, or has stopped waiting.
pub(crate) async fn permit_before_deadline<'a>(
    turns: &'a Semaphore,
    call: &Call,
) -> Result<SemaphorePermit<'a>, RpcException> {
    permit(turns, call, call.deadline).await?.ok_or_else(has_stopped_waiting)
}

/// Waits for something, as long as the client does.
///
/// # Errors
/// The client has stopped waiting.
pub(crate) async fn before_deadline<T>(
    call: &Call,
    work: impl Future<Output = T>,
) -> Result<T, RpcException> {
    match call.deadline {
        Some(deadline) => {
            tokio::time::timeout_at(deadline.into(), work).await.map_err(|_| has_stopped_waiting())
        }
        None => Ok(work.await),
    }
}

fn has_stopped_waiting() -> RpcException {
    exceptions::call_dropped("the client has stopped waiting")
}

async fn permit<'a>(
    turns: &'a Semaphore,
    call: &Call,
    until: Option<Instant>,
) -> Result<Option<SemaphorePermit<'a>>, RpcException> {
    let permit = acquire(turns, until).await;
    if permit.is_some() && call.connection.is_closed() {
        return Err(exceptions::call_dropped("the client has gone"));
    }
    Ok(permit)
}

async fn acquire(turns: &Semaphore, until: Option<Instant>) -> Option<SemaphorePermit<'_>> {
    if let Ok(permit) = turns.try_acquire() {
        return Some(permit);
    }
    // Never closed: the inner error cannot come.
    match until {
        Some(until) => tokio::time::timeout_at(until.into(), turns.acquire()).await.ok()?.ok(),
        None => turns.acquire().await.ok(),
    }
}

/// The right to take long, until it is dropped.
#[derive(Debug)]
#[must_use]
pub(crate) struct Turn<'a> {
    threads: Option<&'a Handle>,
    permit: SemaphorePermit<'a>,
}

impl Turn<'_> {
    /// Carries out what takes long. A panic in it is one of the caller's.
    ///
    /// # Errors
    /// Those of `work`; or the server stops.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl Future<Output = Result<T, RpcException>> + Send + 'static,
    ) -> Result<T, RpcException> {
        let Some(threads) = self.threads else { return work.await };
        let result = match threads.spawn(work).await {
            Ok(result) => result,
            Err(end) => match end.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(end) => Err(exceptions::io(format!("the server stops: {end}"))),
            },
        };
        drop(self.permit);
        result
    }
}

/// Whether a batch is long, by the bytes of its request.
pub(crate) fn is_long_batch(call: &Call) -> bool {
    call.param.len() + call.cells.len() > LONG_BATCH_BYTES
}

/// Whether a batch is of changes, and not long: once they are in the log, nothing is left to do.
pub(crate) fn is_short_write(call: &Call) -> bool {
    !call.cells.is_empty() && !is_long_batch(call)
}

/// The kind of a call of `ClientService`, as far as one can tell without a look into its message.
pub(crate) fn kind_of(call: &Call) -> CallKind {
    match call.method.as_str() {
        "Get" => CallKind::Read,
        "Scan" | "ExecService" => CallKind::Scan,
        // Of gets, or of mutations that a client without cell blocks sends.
        "Multi" if call.cells.is_empty() => CallKind::Read,
        _ => CallKind::Write,
    }
}

#[cfg(test)]
mod tests;
