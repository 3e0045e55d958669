//! What a server counts of its calls: how long they took, how large they were, and how they failed.

use crate::exception::RpcException;
use finback_metrics::{Counter, ExceptionCounts, Histogram, IpcFigures, is_recording, nanos, record_each};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The classes of exceptions that HBase counts by themselves, and what it calls them.
const NAMED: [(&str, &str); 15] = [
    ("FailedSanityCheckException", "FailedSanityCheckException"),
    ("NotServingRegionException", "NotServingRegionException"),
    ("OutOfOrderScannerNextException", "OutOfOrderScannerNextException"),
    ("RegionMovedException", "RegionMovedException"),
    ("RegionTooBusyException", "RegionTooBusyException"),
    ("ScannerResetException", "ScannerResetException"),
    ("UnknownScannerException", "UnknownScannerException"),
    ("CallDroppedException", "callDropped"),
    ("CallQueueTooBigException", "callQueueTooBig"),
    ("CallTimeoutException", "callTimedOut"),
    ("TimeoutIOException", "callTimedOut"),
    ("MultiActionResultTooLarge", "multiResponseTooLarge"),
    ("QuotaExceededException", "quotaExceeded"),
    ("RequestTooBigException", "requestTooBig"),
    ("RpcThrottlingException", "rpcThrottling"),
];

/// The counts of a server since it was made.
#[derive(Debug)]
pub(crate) struct CallMetrics {
    queue_time: Histogram,
    process_time: Histogram,
    total_time: Histogram,
    request_bytes: Histogram,
    response_bytes: Histogram,
    received_bytes: Counter,
    sent_bytes: Counter,
    accepted: AtomicU64,
    refused: AtomicU64,
    named: [AtomicU64; NAMED.len()],
    others: AtomicU64,
}

impl Default for CallMetrics {
    fn default() -> Self {
        let histogram = Histogram::for_many_threads;
        Self {
            queue_time: histogram(),
            process_time: histogram(),
            total_time: histogram(),
            request_bytes: histogram(),
            response_bytes: histogram(),
            received_bytes: Counter::default(),
            sent_bytes: Counter::default(),
            accepted: AtomicU64::default(),
            refused: AtomicU64::default(),
            named: Default::default(),
            others: AtomicU64::default(),
        }
    }
}

/// When a call was read and begun, and how large it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    pub(crate) received: Instant,
    pub(crate) begun: Instant,
    pub(crate) bytes: usize,
}

impl CallMetrics {
    /// A call was answered then, with so many bytes.
    #[inline]
    pub(crate) fn answered(&self, call: Begun, ended: Instant, bytes: usize) {
        if !is_recording() {
            return;
        }
        let queued = call.begun.saturating_duration_since(call.received);
        let processed = ended.saturating_duration_since(call.begun);
        let (queued, processed) = (nanos(queued), nanos(processed));
        record_each([
            (&self.queue_time, queued),
            (&self.process_time, processed),
            (&self.total_time, queued.saturating_add(processed)),
            (&self.request_bytes, call.bytes as u64),
            (&self.response_bytes, bytes as u64),
        ]);
    }

    /// A call ended so.
    pub(crate) fn failed(&self, exception: &RpcException) {
        let class = exception.simple_class();
        let counter = match NAMED.iter().position(|(known, _)| *known == class) {
            Some(index) => &self.named[index],
            None => &self.others,
        };
        counter.fetch_add(1, Relaxed);
    }

    #[inline]
    pub(crate) fn received(&self, bytes: usize) {
        if is_recording() {
            self.received_bytes.add(bytes as u64);
        }
    }

    #[inline]
    pub(crate) fn sent(&self, bytes: usize) {
        if is_recording() {
            self.sent_bytes.add(bytes as u64);
        }
    }

    /// A connection has told who it is.
    pub(crate) fn connected(&self, accepted: bool) {
        if accepted { &self.accepted } else { &self.refused }.fetch_add(1, Relaxed);
    }

    fn exceptions(&self) -> ExceptionCounts {
        let mut counts = ExceptionCounts { others: self.others.load(Relaxed), ..ExceptionCounts::default() };
        for ((_, name), count) in NAMED.iter().zip(&self.named) {
            let count = count.load(Relaxed);
            match counts.named.iter_mut().find(|(known, _)| known == name) {
                Some((_, sum)) => *sum += count,
                None => counts.named.push((name, count)),
            }
        }
        counts.all = counts.others + counts.named.iter().map(|(_, count)| count).sum::<u64>();
        counts
    }

    /// All of them, but for what is only true at the moment.
    pub(crate) fn figures(&self) -> IpcFigures {
        IpcFigures {
            queue_time: self.queue_time.snapshot(),
            process_time: self.process_time.snapshot(),
            total_time: self.total_time.snapshot(),
            request_bytes: self.request_bytes.snapshot(),
            response_bytes: self.response_bytes.snapshot(),
            received_bytes: self.received_bytes.count(),
            sent_bytes: self.sent_bytes.count(),
            accepted: self.accepted.load(Relaxed),
            refused: self.refused.load(Relaxed),
            exceptions: self.exceptions(),
            ..IpcFigures::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exceptions;

    #[test]
    fn exceptions_are_counted_under_hbases_names() {
        let metrics = CallMetrics::default();
        metrics.failed(&exceptions::not_serving_region("r"));
        metrics.failed(&exceptions::call_timeout("t"));
        metrics.failed(&exceptions::call_queue_too_big("q"));
        metrics.failed(&exceptions::io("i"));
        let counts = metrics.exceptions();
        assert_eq!((counts.all, counts.others), (4, 1));
        assert_eq!(counts.of("NotServingRegionException"), 1);
        assert_eq!((counts.of("callTimedOut"), counts.of("callQueueTooBig")), (1, 1));
        assert_eq!(counts.of("requestTooBig"), 0);
    }
}
