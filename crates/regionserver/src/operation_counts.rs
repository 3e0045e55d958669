//! What a server counts of its operations: how long they take, and whether conditions held.

use finback_metrics::{Operation, OperationTimes, Timer};
use finback_rpc::{Reply, RpcException};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The counts since the start.
#[derive(Debug, Default)]
pub(crate) struct OperationCounts {
    pub(crate) times: OperationTimes,
    checks_passed: AtomicU64,
    checks_failed: AtomicU64,
}

impl OperationCounts {
    /// Counts a condition.
    pub(crate) fn checked(&self, passed: bool) {
        let counter = if passed { &self.checks_passed } else { &self.checks_failed };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Conditions that held, and those that did not.
    pub(crate) fn checks(&self) -> (u64, u64) {
        (self.checks_passed.load(Ordering::Relaxed), self.checks_failed.load(Ordering::Relaxed))
    }

    /// Carries out a call, and counts how long it took, the time that it waits included, if it succeeds.
    pub(crate) async fn timed(
        self: Arc<Self>,
        operation: Operation,
        call: impl Future<Output = Result<Reply, RpcException>>,
    ) -> Result<Reply, RpcException> {
        let timer = Timer::start();
        let reply = call.await?;
        self.times.stop(operation, timer);
        Ok(reply)
    }
}
