//! Prometheus text (version 0.0.4) at `/metrics`: labels instead of names with regions in them.

use crate::metric::{Kind, Metric};
use crate::series::{Buckets, Labels, Point, Writer, tell};
use crate::snapshot::Snapshot;
use std::fmt::Write;

/// Regions that are told of unless all are asked for: those with most requests. Each is a time series for each metric.
pub const TOP_REGIONS: usize = 20;
/// What the answer is.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// All metrics; of regions the busiest `most_regions`.
pub fn render(snapshot: &Snapshot, most_regions: usize) -> String {
    let mut text = Text(String::new());
    tell(snapshot, most_regions, &mut text);
    text.0
}

struct Text(String);

impl Writer for Text {
    fn begin(&mut self, metric: &Metric) {
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Histogram | Kind::Sizes => "histogram",
            Kind::Gauge | Kind::Tag => "gauge",
        };
        let name = metric.prometheus;
        let _ = writeln!(self.0, "# HELP {name} {}\n# TYPE {name} {kind}", metric.help);
    }

    fn point(&mut self, metric: &Metric, labels: &Labels<'_>, point: &Point<'_>) {
        let name = metric.prometheus;
        match point {
            Point::Count(count) => self.line(name, "", labels, &count.to_string()),
            Point::Number(number) => self.line(name, "", labels, &number.to_string()),
            Point::Histogram(buckets) => self.histogram(name, labels, buckets),
        }
    }

    fn end(&mut self, _: &Metric) {}
}

impl Text {
    fn histogram(&mut self, name: &str, labels: &Labels<'_>, buckets: &Buckets<'_>) {
        let count = buckets.all.count();
        let finite = buckets.cumulative().map(|(bound, below)| (bound.to_string(), below));
        for (bound, below) in finite.chain([("+Inf".to_owned(), count)]) {
            let with_bound: Vec<(&str, &str)> =
                labels.iter().copied().chain([("le", bound.as_str())]).collect();
            self.line(name, "_bucket", &with_bound, &below.to_string());
        }
        self.line(name, "_sum", labels, &buckets.sum().to_string());
        self.line(name, "_count", labels, &count.to_string());
    }

    fn line(&mut self, name: &str, suffix: &str, labels: &Labels<'_>, number: &str) {
        let out = &mut self.0;
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
}

#[cfg(test)]
mod tests;
