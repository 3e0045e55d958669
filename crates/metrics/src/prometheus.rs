//! Prometheus text (version 0.0.4) at `/metrics`: labels instead of names with regions in them.

use crate::histogram::HistogramSnapshot;
use crate::jmx;
use crate::metric::{Kind, Metric, Source};
use crate::snapshot::{RegionFigures, Snapshot};
use crate::table::METRICS;
use crate::value::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Regions that are told of unless all are asked for: those with most requests. Each is a time series for each metric.
pub const TOP_REGIONS: usize = 20;
/// What the answer is.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

pub(crate) const NS_PER_SECOND: f64 = 1e9;
/// Bounds of durations, in nanoseconds, as powers of two: from about a microsecond to about a minute.
pub(crate) const TIMES: [u32; 27] = [
    10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
    36,
];
/// Bounds of sizes, and of numbers of files: from 8 to 64 Gi.
pub(crate) const SIZES: [u32; 18] = [3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36];

/// All metrics; of regions the busiest `most_regions`.
pub fn render(snapshot: &Snapshot, most_regions: usize) -> String {
    let regions = busiest(&snapshot.regions, most_regions);
    // Lines of one name must stand together, however far apart they are in the table.
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for metric in METRICS.iter().filter(|metric| !metric.prometheus.is_empty()) {
        let mut lines = String::new();
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
                sample(&mut lines, metric, &labels, &of(region));
            }),
            _ => {
                let Some(value) = jmx::value(snapshot, metric) else { continue };
                let labels: Vec<(&str, &str)> = metric.label.into_iter().collect();
                sample(&mut lines, metric, &labels, &value);
            }
        }
        if lines.is_empty() {
            continue;
        }
        let place = *places.entry(metric.prometheus).or_insert_with(|| {
            blocks.push((metric.prometheus, head(metric)));
            blocks.len() - 1
        });
        blocks[place].1.push_str(&lines);
    }
    blocks.into_iter().map(|(_, block)| block).collect()
}

/// The regions with most requests, at most so many.
pub(crate) fn busiest(regions: &[RegionFigures], most: usize) -> Vec<&RegionFigures> {
    let mut regions: Vec<_> = regions.iter().collect();
    regions.sort_by_key(|region| {
        (Reverse(region.reads.saturating_add(region.writes)), region.encoded_name.as_str())
    });
    regions.truncate(most);
    regions
}

fn head(metric: &Metric) -> String {
    let kind = match metric.kind {
        Kind::Counter => "counter",
        Kind::Histogram | Kind::Sizes => "histogram",
        Kind::Gauge | Kind::Tag => "gauge",
    };
    let name = metric.prometheus;
    format!("# HELP {name} {}\n# TYPE {name} {kind}\n", metric.help)
}

fn sample(out: &mut String, metric: &Metric, labels: &[(&str, &str)], value: &Value<'_>) {
    let number = match value {
        Value::Count(count) if metric.divisor == 1 => count.to_string(),
        Value::Count(count) => (*count as f64 / f64::from(metric.divisor)).to_string(),
        Value::Number(number) => (number / f64::from(metric.divisor)).to_string(),
        Value::Times(times) => {
            return histogram(out, metric.prometheus, labels, times, (&TIMES, NS_PER_SECOND));
        }
        Value::Sizes(sizes) => return histogram(out, metric.prometheus, labels, sizes, (&SIZES, 1.0)),
        Value::Text(_) | Value::Absent => return,
    };
    line(out, metric.prometheus, "", labels, &number);
}

fn histogram(
    out: &mut String,
    name: &str,
    labels: &[(&str, &str)],
    all: &HistogramSnapshot,
    (powers, divisor): (&[u32], f64),
) {
    let count = all.count();
    let bounds = all.cumulative(powers.iter().copied());
    let finite = bounds.map(|(end, below)| ((end as f64 / divisor).to_string(), below));
    for (bound, below) in finite.chain([("+Inf".to_owned(), count)]) {
        let with_bound: Vec<(&str, &str)> = labels.iter().copied().chain([("le", bound.as_str())]).collect();
        line(out, name, "_bucket", &with_bound, &below.to_string());
    }
    line(out, name, "_sum", labels, &(all.sum() as f64 / divisor).to_string());
    line(out, name, "_count", labels, &count.to_string());
}

fn line(out: &mut String, name: &str, suffix: &str, labels: &[(&str, &str)], number: &str) {
    let _ = write!(out, "{name}{suffix}");
    let mut separator = '{';
    for (label, value) in labels {
        let _ = write!(out, "{separator}{label}=\"");
        for c in value.chars() {
            match c {
                '"' | '\\' => out.extend(['\\', c]),
                '\n' => out.push_str("\\n"),
                c => out.push(c),
            }
        }
        out.push('"');
        separator = ',';
    }
    if !labels.is_empty() {
        out.push('}');
    }
    let _ = writeln!(out, " {number}");
}

#[cfg(test)]
mod tests;
