//! OpenTelemetry's JSON of metrics (OTLP 1), with the names that Prometheus has for them.

use crate::json;
use crate::metric::{Kind, Metric};
use crate::series::{Buckets, Labels, Point, Writer, tell};
use crate::snapshot::Snapshot;
use std::fmt::Write;

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`: everything is counted from the start of the process.
const CUMULATIVE: u32 = 2;
const NS_PER_MS: u64 = 1_000_000;

/// Metrics at one moment, as the `metrics` of a scope: an array. Of regions the busiest `most_regions`. The time is in
/// nanoseconds since the epoch.
pub fn render(snapshot: &Snapshot, most_regions: usize, now_ns: u64) -> String {
    let start_ns = snapshot.process.start_ms.saturating_mul(NS_PER_MS);
    // 64 bits are texts in this JSON.
    let times = format!("\"startTimeUnixNano\":\"{start_ns}\",\"timeUnixNano\":\"{now_ns}\"");
    let mut metrics = Metrics { out: String::from("["), times };
    tell(snapshot, most_regions, &mut metrics);
    metrics.out.push(']');
    metrics.out
}

/// Appends attributes whose values are texts, as an array.
pub fn attributes(out: &mut String, attributes: &[(&str, &str)]) {
    out.push('[');
    for (key, value) in attributes {
        separate(out);
        out.push_str("{\"key\":");
        json::string(out, key);
        out.push_str(",\"value\":{\"stringValue\":");
        json::string(out, value);
        out.push_str("}}");
    }
    out.push(']');
}

/// A comma, unless what follows is the first.
fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with('[') {
        out.push(',');
    }
}

struct Metrics {
    out: String,
    /// Of each point.
    times: String,
}

impl Writer for Metrics {
    fn begin(&mut self, metric: &Metric) {
        let out = &mut self.out;
        separate(out);
        out.push_str("{\"name\":");
        json::string(out, metric.prometheus);
        out.push_str(",\"description\":");
        json::string(out, metric.help);
        out.push_str(",\"unit\":");
        json::string(out, unit(metric));
        let kind = match metric.kind {
            Kind::Counter => "sum",
            Kind::Histogram | Kind::Sizes => "histogram",
            Kind::Gauge | Kind::Tag => "gauge",
        };
        let _ = write!(out, ",\"{kind}\":{{\"dataPoints\":[");
    }

    fn point(&mut self, _: &Metric, labels: &Labels<'_>, point: &Point<'_>) {
        let out = &mut self.out;
        separate(out);
        out.push_str("{\"attributes\":");
        attributes(out, labels);
        let _ = write!(out, ",{},", self.times);
        match point {
            // A signed number there.
            Point::Count(count) => {
                let _ = write!(out, "\"asInt\":\"{}\"", i64::try_from(*count).unwrap_or(i64::MAX));
            }
            Point::Number(number) => {
                out.push_str("\"asDouble\":");
                json::number(out, *number);
            }
            Point::Histogram(buckets) => histogram(out, buckets),
        }
        out.push('}');
    }

    fn end(&mut self, metric: &Metric) {
        let out = &mut self.out;
        out.push(']');
        if !matches!(metric.kind, Kind::Gauge | Kind::Tag) {
            let _ = write!(out, ",\"aggregationTemporality\":{CUMULATIVE}");
        }
        if metric.kind == Kind::Counter {
            out.push_str(",\"isMonotonic\":true");
        }
        out.push_str("}}");
    }
}

/// In UCUM, of which the names have words; empty where it is a number of something.
fn unit(metric: &Metric) -> &'static str {
    let name = metric.prometheus.trim_end_matches("_total");
    if name.ends_with("_seconds") {
        "s"
    } else if name.ends_with("_bytes") {
        "By"
    } else {
        ""
    }
}

fn histogram(out: &mut String, buckets: &Buckets<'_>) {
    let count = buckets.all.count();
    let (mut counts, mut bounds, mut before) = (String::new(), String::new(), 0);
    for (bound, below) in buckets.cumulative() {
        let _ = write!(counts, "\"{}\",", below - before);
        before = below;
        separate(&mut bounds);
        json::number(&mut bounds, bound);
    }
    // Those beyond the last bound.
    let _ = write!(counts, "\"{}\"", count - before);
    let _ = write!(out, "\"count\":\"{count}\",\"sum\":");
    json::number(out, buckets.sum());
    let _ = write!(out, ",\"bucketCounts\":[{counts}],\"explicitBounds\":[{bounds}]");
}

#[cfg(test)]
mod tests;
