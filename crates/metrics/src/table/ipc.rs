//! The RPC servers: that of the region server, and that of the master.

use super::BYTES;
use crate::bean::Bean::Ipc;
use crate::metric::Kind::{Counter, Gauge, Histogram, Sizes};
use crate::metric::Source::{Ipc as I, Server as S};
use crate::metric::{Metric, metric};
use crate::value::Value;

/// Calls that ended with an exception of a class.
macro_rules! exception {
    ($name:literal, $label:literal) => {
        metric(
            Ipc,
            &[concat!("exceptions.", $name)],
            "finback_rpc_exceptions_total",
            Counter,
            "calls",
            "Calls that ended with an exception, by its class.",
            I(|i| i.exceptions.of($name).into()),
        )
        .labelled("class", $label)
    };
}

#[rustfmt::skip]
pub(super) const IPC: &[Metric] = &[
    metric(Ipc, &["numOpenConnections"], "finback_rpc_connections", Gauge, "connections", "Open connections of clients to the region server.", I(|i| i.connections.into())),
    metric(Ipc, &["queueSize"], "finback_rpc_in_flight_bytes", Gauge, BYTES, "Requests that are being received or answered.", I(|i| i.in_flight_bytes.into())),
    metric(Ipc, &["numCallsInGeneralQueue"], "", Gauge, "calls", "Calls that wait, of clients.", I(|i| (i.waiting_reads + i.waiting_scans + i.waiting_writes).into())),
    metric(Ipc, &["numCallsInPriorityQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", I(|i| i.waiting_priority.into())).labelled("kind", "priority"),
    metric(Ipc, &["numCallsInReadQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", I(|i| i.waiting_reads.into())).labelled("kind", "read"),
    metric(Ipc, &["numCallsInScanQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", I(|i| i.waiting_scans.into())).labelled("kind", "scan"),
    metric(Ipc, &["numCallsInWriteQueue"], "finback_rpc_calls_waiting", Gauge, "calls", "Calls that wait for memory, a device, the log or their turn, by what they are.", I(|i| i.waiting_writes.into())).labelled("kind", "write"),
    metric(Ipc, &["QueueCallTime"], "finback_rpc_queue_duration_seconds", Histogram, "ms", "How long calls stood between being read from the socket and being begun.", I(|i| Value::Times(&i.queue_time))),
    metric(Ipc, &["ProcessCallTime"], "finback_rpc_process_duration_seconds", Histogram, "ms", "How long calls took from then on, with what they waited for.", I(|i| Value::Times(&i.process_time))),
    metric(Ipc, &["TotalCallTime"], "finback_rpc_duration_seconds", Histogram, "ms", "Both together.", I(|i| Value::Times(&i.total_time))),
    metric(Ipc, &["RequestSize"], "finback_rpc_request_bytes", Sizes, BYTES, "Sizes of requests.", I(|i| Value::Sizes(&i.request_bytes))),
    metric(Ipc, &["ResponseSize"], "finback_rpc_response_bytes", Sizes, BYTES, "Sizes of answers.", I(|i| Value::Sizes(&i.response_bytes))),
    metric(Ipc, &["receivedBytes"], "finback_rpc_received_bytes_total", Counter, BYTES, "Bytes received from clients.", I(|i| i.received_bytes.into())),
    metric(Ipc, &["sentBytes"], "finback_rpc_sent_bytes_total", Counter, BYTES, "Bytes sent to clients.", I(|i| i.sent_bytes.into())),
    metric(Ipc, &["authorizationSuccesses"], "finback_rpc_accepted_connections_total", Counter, "connections", "Connections whose header was taken.", I(|i| i.accepted.into())),
    metric(Ipc, &["authorizationFailures"], "finback_rpc_refused_connections_total", Counter, "connections", "Connections whose header was not taken: not understood, or for a service that is not there.", I(|i| i.refused.into())),
    metric(Ipc, &["numActiveHandler", "numActiveGeneralHandler"], "", Gauge, "calls", "Long calls that are carried out.", S(|s| (s.active_reads + s.active_writes).into())),
    metric(Ipc, &["numActiveScanHandler"], "finback_long_calls", Gauge, "calls", "Long calls that are carried out, each on a thread, by kind.", S(|s| s.active_reads.into())).labelled("kind", "read"),
    metric(Ipc, &["numActiveWriteHandler"], "finback_long_calls", Gauge, "calls", "Long calls that are carried out, each on a thread, by kind.", S(|s| s.active_writes.into())).labelled("kind", "write"),
    metric(Ipc, &["exceptions"], "", Counter, "calls", "Calls that ended with an exception.", I(|i| i.exceptions.all.into())),
    exception!("FailedSanityCheckException", "FailedSanityCheckException"),
    exception!("NotServingRegionException", "NotServingRegionException"),
    exception!("OutOfOrderScannerNextException", "OutOfOrderScannerNextException"),
    exception!("RegionMovedException", "RegionMovedException"),
    exception!("RegionTooBusyException", "RegionTooBusyException"),
    exception!("ScannerResetException", "ScannerResetException"),
    exception!("UnknownScannerException", "UnknownScannerException"),
    exception!("callDropped", "callDropped"),
    exception!("callQueueTooBig", "callQueueTooBig"),
    exception!("callTimedOut", "callTimedOut"),
    exception!("multiResponseTooLarge", "multiResponseTooLarge"),
    exception!("quotaExceeded", "quotaExceeded"),
    exception!("requestTooBig", "requestTooBig"),
    exception!("rpcThrottling", "rpcThrottling"),
    metric(Ipc, &["exceptions.otherExceptions"], "finback_rpc_exceptions_total", Counter, "calls", "Calls that ended with an exception, by its class.", I(|i| i.exceptions.others.into())).labelled("class", "otherExceptions"),
];
