//! What a server counts of its operations: how long they take, and whether conditions held.

use crate::server::RegionServer;
use finback_metrics::{
    Operation, OperationSizes, OperationTimes, Size, TableTimes, Timer, Work, is_recording,
};
use finback_region::{CompactionOutcome, FlushOutcome, Region};
use finback_rpc::{Reply, RpcException};
use parking_lot::Mutex;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What flushes and compactions did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BackgroundWork {
    pub(crate) flushes: Work,
    pub(crate) compactions: Work,
    /// Those of all files, which are among the others too.
    pub(crate) major_compactions: Work,
}

impl RegionServer {
    /// Counts a flush of a region that began with memstores of so many bytes.
    pub(crate) fn flushed(&self, region: &Region, memory_bytes: u64, outcome: &FlushOutcome, took: Duration) {
        if outcome.flushed {
            self.operations.flushed(table_of(region), memory_bytes, outcome, took);
        }
    }
}

/// The counts since the start.
#[derive(Debug, Default)]
pub(crate) struct OperationCounts {
    pub(crate) times: OperationTimes,
    pub(crate) sizes: OperationSizes,
    pub(crate) full_scans: AtomicU64,
    pub(crate) split_requests: AtomicU64,
    pub(crate) splits: AtomicU64,
    pub(crate) failed_compactions: AtomicU64,
    work: Mutex<BackgroundWork>,
    checks_passed: AtomicU64,
    checks_failed: AtomicU64,
}

/// Counts how long a call takes, the time that it waits included, if it succeeds.
pub(crate) struct CallTimer {
    pub(crate) counts: Arc<OperationCounts>,
    pub(crate) operation: Operation,
    pub(crate) begun: Instant,
}

impl CallTimer {
    /// At the call's end.
    pub(crate) fn stop(self, mut result: Result<Reply, RpcException>) -> Result<Reply, RpcException> {
        if let Ok(reply) = &mut result {
            self.counts.ended(self.operation, self.begun, reply);
        }
        result
    }

    /// Waits for that.
    pub(crate) async fn time(
        self,
        call: Pin<Box<impl Future<Output = Result<Reply, RpcException>>>>,
    ) -> Result<Reply, RpcException> {
        let result = call.await;
        self.stop(result)
    }
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

    /// Counts a call that was begun then and ends now.
    #[inline]
    pub(crate) fn ended(&self, operation: Operation, begun: Instant, reply: &mut Reply) {
        self.ended_for(None, operation, begun, reply);
    }

    /// Counts a call on one region likewise, for its table too.
    #[inline]
    pub(crate) fn ended_in(&self, region: &Region, operation: Operation, begun: Instant, reply: &mut Reply) {
        self.ended_for(table_of(region), operation, begun, reply);
    }

    #[inline]
    fn ended_for(&self, table: Option<&TableTimes>, operation: Operation, begun: Instant, reply: &mut Reply) {
        if is_recording() {
            let now = Instant::now();
            self.times.record_in(table, operation, now.saturating_duration_since(begun));
            reply.ended = Some(now);
        }
    }

    /// Counts what a region was asked for and ends now.
    #[inline]
    pub(crate) fn stop_in(&self, region: &Region, operation: Operation, timer: Timer) {
        if let Some(took) = timer.elapsed() {
            self.times.record_in(table_of(region), operation, took);
        }
    }

    /// Counts the cells in one answer of a scan.
    #[inline]
    pub(crate) fn answered_scan(&self, region: &Region, bytes: u64) {
        if is_recording() {
            self.sizes.record(table_of(region), Size::Scan, bytes);
        }
    }

    fn flushed(&self, table: Option<&TableTimes>, memory_bytes: u64, outcome: &FlushOutcome, took: Duration) {
        self.times.record_in(table, Operation::Flush, took);
        self.sizes.record(table, Size::FlushMemstore, memory_bytes);
        self.sizes.record(table, Size::FlushOutput, outcome.bytes_written);
        let flushes = &mut self.work.lock().flushes;
        flushes.count += 1;
        flushes.cells += outcome.cells;
        flushes.cell_bytes += outcome.cell_bytes;
        flushes.bytes_read += memory_bytes;
        flushes.bytes_written += outcome.bytes_written;
    }

    /// Counts a compaction of a store of a region.
    pub(crate) fn compacted(&self, region: &Region, outcome: &CompactionOutcome, took: Duration) {
        let table = table_of(region);
        let mut work = self.work.lock();
        let count = |of: &mut Work, operation, [input, output, files]: [Size; 3]| {
            self.times.record_in(table, operation, took);
            for (size, value) in
                [(input, outcome.bytes_read), (output, outcome.bytes_written), (files, outcome.inputs as u64)]
            {
                self.sizes.record(table, size, value);
            }
            of.count += 1;
            of.cells += outcome.cells_read;
            of.cell_bytes += outcome.cell_bytes_read;
            of.bytes_read = of.bytes_read.saturating_add(outcome.bytes_read);
            of.bytes_written += outcome.bytes_written;
        };
        // As HBase: those of all files count among all.
        let sizes = [Size::CompactionInput, Size::CompactionOutput, Size::CompactionInputFiles];
        count(&mut work.compactions, Operation::Compaction, sizes);
        if outcome.is_major {
            let sizes =
                [Size::MajorCompactionInput, Size::MajorCompactionOutput, Size::MajorCompactionInputFiles];
            count(&mut work.major_compactions, Operation::MajorCompaction, sizes);
        }
    }

    /// What flushes and compactions did.
    pub(crate) fn work(&self) -> BackgroundWork {
        *self.work.lock()
    }
}

/// Where a region counts for its table.
#[inline]
pub(crate) fn table_of(region: &Region) -> Option<&TableTimes> {
    region.counters().table().map(Arc::as_ref)
}
