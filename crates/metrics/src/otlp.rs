//! OpenTelemetry's JSON of metrics (OTLP 1), with the names that Prometheus has for them.

use crate::histogram::HistogramSnapshot;
use crate::jmx;
use crate::json;
use crate::metric::{Kind, Metric, Source};
use crate::prometheus::{NS_PER_SECOND, SIZES, TIMES, busiest};
use crate::snapshot::Snapshot;
use crate::table::METRICS;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// `AGGREGATION_TEMPORALITY_CUMULATIVE`: everything is counted from the start of the process.
const CUMULATIVE: u32 = 2;
const NS_PER_MS: u64 = 1_000_000;

/// Metrics at one moment, as the `metrics` of a scope: an array. Of regions the busiest `most_regions`. The time is in
/// nanoseconds since the epoch.
pub fn render(snapshot: &Snapshot, most_regions: usize, now_ns: u64) -> String {
    let times = times(snapshot.process.start_ms.saturating_mul(NS_PER_MS), now_ns);
    let regions = busiest(&snapshot.regions, most_regions);
    // Points of one name are one metric, however far apart they are in the table.
    let mut metrics: Vec<(&Metric, String)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for metric in METRICS.iter().filter(|metric| !metric.prometheus.is_empty()) {
        let mut points = String::new();
        match metric.source {
            Source::Region(of) => regions.iter().for_each(|region| {
                let labels: Vec<(&str, &str)> = [
                    ("namespace", region.namespace.as_str()),
                    ("table", &region.table),
                    ("region", &region.encoded_name),
                ]
                .into_iter()
                .chain(metric.label)
                .collect();
                point(&mut points, metric, (&labels, &times), &of(region));
            }),
            _ => {
                let Some(value) = jmx::value(snapshot, metric) else { continue };
                let labels: Vec<(&str, &str)> = metric.label.into_iter().collect();
                point(&mut points, metric, (&labels, &times), &value);
            }
        }
        if points.is_empty() {
            continue;
        }
        let place = *places.entry(metric.prometheus).or_insert_with(|| {
            metrics.push((metric, String::new()));
            metrics.len() - 1
        });
        separate(&mut metrics[place].1);
        metrics[place].1.push_str(&points);
    }
    let mut out = String::from("[");
    for (metric, points) in metrics {
        separate(&mut out);
        whole(&mut out, metric, &points);
    }
    out.push(']');
    out
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

/// 64 bits are texts in this JSON.
fn times(start_ns: u64, now_ns: u64) -> String {
    format!("\"startTimeUnixNano\":\"{start_ns}\",\"timeUnixNano\":\"{now_ns}\"")
}

fn whole(out: &mut String, metric: &Metric, points: &str) {
    out.push_str("{\"name\":");
    json::string(out, metric.prometheus);
    out.push_str(",\"description\":");
    json::string(out, metric.help);
    out.push_str(",\"unit\":");
    json::string(out, unit(metric));
    let _ = match metric.kind {
        Kind::Counter => write!(
            out,
            ",\"sum\":{{\"dataPoints\":[{points}],\"aggregationTemporality\":{CUMULATIVE},\"isMonotonic\":true}}}}"
        ),
        Kind::Histogram | Kind::Sizes => write!(
            out,
            ",\"histogram\":{{\"dataPoints\":[{points}],\"aggregationTemporality\":{CUMULATIVE}}}}}"
        ),
        Kind::Gauge | Kind::Tag => write!(out, ",\"gauge\":{{\"dataPoints\":[{points}]}}}}"),
    };
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

fn point(out: &mut String, metric: &Metric, (labels, times): (&[(&str, &str)], &str), value: &Value<'_>) {
    let mut number = String::new();
    match value {
        Value::Count(count) if metric.divisor == 1 => {
            // A signed number there.
            let _ = write!(number, "\"asInt\":\"{}\"", i64::try_from(*count).unwrap_or(i64::MAX));
        }
        Value::Count(count) => as_double(&mut number, *count as f64 / f64::from(metric.divisor)),
        Value::Number(value) => as_double(&mut number, value / f64::from(metric.divisor)),
        Value::Times(times) => histogram(&mut number, times, (&TIMES, NS_PER_SECOND)),
        Value::Sizes(sizes) => histogram(&mut number, sizes, (&SIZES, 1.0)),
        Value::Text(_) | Value::Absent => return,
    }
    separate(out);
    out.push_str("{\"attributes\":");
    attributes(out, labels);
    let _ = write!(out, ",{times},{number}}}");
}

fn as_double(out: &mut String, number: f64) {
    out.push_str("\"asDouble\":");
    json::number(out, number);
}

fn histogram(out: &mut String, all: &HistogramSnapshot, (powers, divisor): (&[u32], f64)) {
    let count = all.count();
    let (mut counts, mut bounds, mut before) = (String::new(), String::new(), 0);
    for (end, below) in all.cumulative(powers.iter().copied()) {
        let _ = write!(counts, "\"{}\",", below - before);
        before = below;
        separate(&mut bounds);
        json::number(&mut bounds, end as f64 / divisor);
    }
    // Those beyond the last bound.
    let _ = write!(counts, "\"{}\"", count - before);
    let _ = write!(out, "\"count\":\"{count}\",\"sum\":");
    json::number(out, all.sum() as f64 / divisor);
    let _ = write!(out, ",\"bucketCounts\":[{counts}],\"explicitBounds\":[{bounds}]");
}

#[cfg(test)]
mod tests;
