//! The process. The names in Prometheus are those of its own clients; those of Java are for dashboards that look there for what any
//! process has.

use super::{BYTES, since};
use crate::bean::Bean::{OperatingSystem, Process, Runtime, Threading};
use crate::metric::Kind::{Counter, Gauge};
use crate::metric::Source::Process as P;
use crate::metric::{Metric, metric};
use crate::snapshot::{ProcessFigures, SpanFigures};
use crate::value::Value;

const NS_PER_MS: u64 = 1_000_000;

/// Of their export, where there is one.
fn spans(process: &ProcessFigures, of: fn(&SpanFigures) -> u64) -> Value<'static> {
    process.spans.as_ref().map_or(Value::Absent, |spans| of(spans).into())
}

#[rustfmt::skip]
pub(super) const PROCESS: &[Metric] = &[
    metric(Process, &["startTime"], "process_start_time_seconds", Gauge, "ms since the epoch", "When the process was started.", P(|p| p.start_ms.into())).milliseconds(),
    metric(Process, &["cpuTime"], "process_cpu_seconds_total", Counter, "ms", "Processor time of all threads.", P(|p| p.cpu_ms.into())).milliseconds(),
    metric(Process, &["residentBytes"], "process_resident_memory_bytes", Gauge, BYTES, "Memory that is resident.", P(|p| p.resident_bytes.into())),
    metric(Process, &["peakResidentBytes"], "finback_process_peak_resident_memory_bytes", Gauge, BYTES, "Memory that was resident at most.", P(|p| p.peak_resident_bytes.into())),
    metric(Process, &["threads"], "finback_process_threads", Gauge, "threads", "Threads.", P(|p| p.threads.into())),
    metric(Process, &["openDescriptors"], "process_open_fds", Gauge, "descriptors", "Open file descriptors.", P(|p| p.open_descriptors.into())),
    metric(Process, &["mostDescriptors"], "process_max_fds", Gauge, "descriptors", "File descriptors that the process may have.", P(|p| p.most_descriptors.into())),
    metric(Process, &["sentSpans"], "finback_otel_spans_total", Counter, "spans", "Spans of calls that were to go to the collector, by what became of them: it has them, too many waited (dropped), or it did not take them (failed).", P(|p| spans(p, |s| s.sent))).labelled("result", "sent"),
    metric(Process, &["droppedSpans"], "finback_otel_spans_total", Counter, "spans", "Spans that were dropped, since too many waited for the collector.", P(|p| spans(p, |s| s.dropped))).labelled("result", "dropped"),
    metric(Process, &["failedSpans"], "finback_otel_spans_total", Counter, "spans", "Spans that the collector did not take, however often it was tried.", P(|p| spans(p, |s| s.failed))).labelled("result", "failed"),
    metric(OperatingSystem, &["OpenFileDescriptorCount"], "", Gauge, "descriptors", "Open file descriptors.", P(|p| p.open_descriptors.into())),
    metric(OperatingSystem, &["MaxFileDescriptorCount"], "", Gauge, "descriptors", "File descriptors that the process may have.", P(|p| p.most_descriptors.into())),
    metric(OperatingSystem, &["ProcessCpuTime"], "", Counter, "ns", "Processor time of all threads.", P(|p| p.cpu_ms.saturating_mul(NS_PER_MS).into())),
    metric(OperatingSystem, &["AvailableProcessors"], "", Gauge, "processors", "Processors that the process may use.", P(|p| p.processors.into())),
    metric(OperatingSystem, &["SystemLoadAverage"], "", Gauge, "threads", "Threads of the machine that run or wait for a processor, as an average that forgets in 1 minute.", P(|p| p.load_average.into())),
    metric(Runtime, &["StartTime"], "", Gauge, "ms since the epoch", "When the process was started.", P(|p| p.start_ms.into())),
    metric(Runtime, &["Uptime"], "", Gauge, "ms", "How long ago that is.", P(|p| since(p.start_ms, p.now_ms))),
    metric(Threading, &["ThreadCount"], "", Gauge, "threads", "Threads.", P(|p| p.threads.into())),
];
